import sql from 'sql-template-tag';
import type { RecordingChoice, RecordingFiles, ServeOptions, TextFile } from '../contract/workspace.ts';
import type { readCalendar } from './calendar/calendar-file.ts';
import type { Database } from './db/database.ts';
import { checkExists, withWorkspace as usingFile } from './db/database.ts';
import { createEmbeddedTransport } from './embedded.ts';
import { checkRegion, storeRegion } from './records/region.ts';

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

/** The workspaces of this machine: files, used in this process or served from it. */
export function createWorkspaces(machine: Machine) {
  const { now, log } = machine;
  const using = <T>(file: string, work: (db: Database) => Promise<T>) => usingFile(file, work, log);
  const usingKeys = async <T>(file: string, work: (keys: Keys, db: Database) => Promise<T>) => {
    checkExists(file);
    const keys = await loadKeys();
    return using(file, (db) => work(keys, db));
  };
  return {
    transport: async (file: string) => createEmbeddedTransport(file, now, log),
    /** Makes the file where there is none. Throws `usage` for a region that is none, or a sample that has no place. */
    async create(file: string, { demo, region }: { demo: boolean; region: string | undefined }) {
      await checkRegion(region);
      return using(file, async (db) => {
        await storeRegion(db, region);
        return demo ? (await import('./demo/fill.ts')).fillSample(db) : { filled: false };
      });
    },
    /** The id of the workspace, which a file keeps wherever it is moved or copied. Throws `failed` without the file. */
    async identity(file: string): Promise<string> {
      checkExists(file);
      return using(file, async (db) => {
        const [{ identity } = { identity: '' }] = await db.all<{ identity: string }>(
          sql`select identity from workspace`,
        );
        return identity;
      });
    },
    async serve(file: string, options: ServeOptions): Promise<void> {
      const { serveWorkspace } = await import('./http/server.ts');
      return serveWorkspace(file, options, machine);
    },
    /** Brings the meetings of an iCalendar file in. Throws `usage` for one that cannot be read. */
    async importEvents(file: string, calendar: TextFile) {
      checkExists(file);
      const read = machine.readCalendar ?? (await import('./calendar/calendar-file.ts')).readCalendar;
      const { storeEvents } = await import('./calendar/store-meetings.ts');
      const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      const { meetings, skipped } = await read(calendar, { now: now(), timeZone });
      return { records: await using(file, (db) => storeEvents(db, meetings, now())), skipped };
    },
    /** Adds or updates a recording of a calendar event. Throws `not_found` without that event, `usage` likewise. */
    async importRecording(file: string, eventId: string, files: RecordingFiles, choice: RecordingChoice) {
      checkExists(file);
      const { readRecording } = await import('./recordings/recording-files.ts');
      const { importRecording } = await import('./recordings/store-recordings.ts');
      const content = readRecording(files);
      return using(file, (db) => importRecording(db, eventId, content, choice, now()));
    },
    async findRecording(file: string, id: string) {
      checkExists(file);
      const { findRecording } = await import('./recordings/store-recordings.ts');
      return using(file, (db) => findRecording(db, id));
    },
    async removeRecording(file: string, id: string) {
      checkExists(file);
      const { removeRecording } = await import('./recordings/store-recordings.ts');
      return using(file, (db) => removeRecording(db, id, now()));
    },
    async snapshot(file: string, copy: string, isReplacing: boolean) {
      checkExists(file);
      return (await import('./db/snapshot.ts')).writeSnapshot(file, copy, isReplacing);
    },
    createKey: (file: string, name: string, readOnly: boolean) =>
      usingKeys(file, (keys, db) => keys.createKey(db, { name, readOnly }, now())),
    listKeys: (file: string) => usingKeys(file, (keys, db) => keys.listKeys(db)),
    writingKeyHashes: (file: string) => usingKeys(file, (keys, db) => keys.listWriteKeyHashes(db)),
    revokeKey: (file: string, id: string) => usingKeys(file, (keys, db) => keys.revokeKey(db, id, now())),
  };
}

/** Keys need node:crypto, which takes longer to load than a look-up. */
const loadKeys = () => import('./http/keys.ts');

type Keys = Awaited<ReturnType<typeof loadKeys>>;
