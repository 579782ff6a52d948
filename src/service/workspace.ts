import { existsSync } from 'node:fs';
import { Failure } from '../contract/errors.ts';
import type { WireAnswer, WireRequest } from '../contract/grammar.ts';
import type { RecordingFiles, ServeOptions, TextFile } from '../contract/workspace.ts';
import { isLocked } from './connection.ts';
import { type Database, lockedFile, openDatabase } from './database.ts';
import { createService } from './dispatch.ts';
import type { readCalendar } from './import/calendar.ts';
import { isRegion } from './phone.ts';

/** What the workspaces of this machine need from the program. */
export interface Machine {
  readonly now: () => Date;
  readonly newId: () => string;
  /** That of the program. */
  readonly version: string;
  /** Reads a calendar; without it, `import/calendar.ts` does. */
  readonly readCalendar?: typeof readCalendar;
  /** For the operator of `serve`. */
  readonly log: (text: string) => void;
}

/** Keys need node:crypto, which takes longer to load than a look-up. */
const keysOf = () => import('./keys.ts');

/** The workspaces of this machine: files, used in this process or served from it. */
export function workspaceOn({ now, newId, version, log, ...machine }: Machine) {
  const using = async <T>(file: string, work: (db: Database) => Promise<T>): Promise<T> => {
    const db = openDatabase(file);
    try {
      return await work(db);
    } catch (error) {
      throw isLocked(error) ? lockedFile(file, error) : error;
    } finally {
      await db.destroy();
    }
  };
  return {
    /** The way into a workspace without HTTP: the same checks, the same answers. Throws `failed` without it. */
    async transport(file: string) {
      checkExists(file);
      const db = openDatabase(file);
      let reason = '';
      const service = createService({
        db,
        now,
        log: (text) => {
          reason = text.split('\n')[0] ?? '';
        },
      });
      return {
        async send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
          const answer = await unlessAborted(service(request), signal);
          // In this process a fault inside is no passing one: it is told, and not tried again.
          if (answer.status === 500)
            throw new Failure('failed', `The workspace file ${file} cannot be used: ${reason}`);
          return answer;
        },
        close: () => db.destroy(),
      };
    },
    async create(file: string, { demo, region }: { demo: boolean; region: string | undefined }) {
      await checkRegion(region);
      return using(file, async (db) => {
        if (region !== undefined) await db.updateTable('workspace').set({ region }).execute();
        return demo ? (await import('./demo/fill.ts')).fillSample(db) : { filled: false };
      });
    },
    async serve(file: string, options: ServeOptions): Promise<void> {
      checkExists(file);
      const { signal, onListening, region, perMinute } = options;
      await checkRegion(region);
      const { serve } = await import('./serve.ts');
      const { rateLimit } = await import('./rate-limit.ts');
      await using(file, async (db) => {
        if (region !== undefined) await db.updateTable('workspace').set({ region }).execute();
        const shell = {
          db,
          service: createService({ db, now, log }),
          log,
          newId,
          version,
          rateLimit: perMinute === undefined ? undefined : rateLimit(perMinute, now),
        };
        const serving = await serve(shell, options);
        const keys = (await (await keysOf()).listKeys(db)).filter(({ revoked_at }) => revoked_at === null);
        onListening(serving.url, keys.length);
        if (!signal.aborted)
          await new Promise((stop) => signal.addEventListener('abort', stop, { once: true }));
        await serving.stop();
      });
    },
    /** Brings the meetings of an iCalendar file in. Throws `usage` for one that cannot be read. */
    async importEvents(file: string, calendar: TextFile) {
      checkExists(file);
      const { readCalendar } = machine.readCalendar ? machine : await import('./import/calendar.ts');
      const { storeEvents } = await import('./import/store.ts');
      const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
      const { meetings, skipped } = await readCalendar(calendar, { now: now(), zone });
      const records = await using(file, (db) => storeEvents(db, meetings, now()));
      return { records: records.map((event) => ({ ...event })), skipped };
    },
    /** Brings a recording of a calendar event in. Throws `not_found` without that event, `usage` likewise. */
    async importRecording(file: string, eventId: string, files: RecordingFiles) {
      checkExists(file);
      const { readRecording } = await import('./import/recording.ts');
      const { storeTalk } = await import('./import/store.ts');
      const recorded = readRecording(files);
      return using(file, async (db) => ({ ...(await storeTalk(db, eventId, recorded, now())) }));
    },
    async createKey(file: string, name: string, readOnly: boolean) {
      checkExists(file);
      return using(file, async (db) => ({
        ...(await (await keysOf()).createKey(db, { name, readOnly }, now())),
      }));
    },
    async listKeys(file: string) {
      checkExists(file);
      return using(file, async (db) => (await (await keysOf()).listKeys(db)).map((key) => ({ ...key })));
    },
    async revokeKey(file: string, id: string) {
      checkExists(file);
      return using(file, async (db) => ({ ...(await (await keysOf()).revokeKey(db, id, now())) }));
    },
  };
}

/** What a work gives, unless the signal is aborted first: a file that another process holds may be waited for. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

async function checkRegion(region: string | undefined): Promise<void> {
  if (region === undefined || (await isRegion(region))) return;
  throw new Failure('usage', `"${region}" is not a country.`, { hint: 'Two letters, such as US, KR or DE.' });
}

/** Only what makes a workspace may make its file: a path that was mistyped must not. */
function checkExists(file: string): void {
  if (existsSync(file)) return;
  throw new Failure('failed', `The workspace file ${file} is not there.`, {
    hint: 'Make it with kith auth login --local, or use another profile: kith auth list',
  });
}
