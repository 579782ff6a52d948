import sql from 'sql-template-tag';
import { Failure } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import type {
  RecordingChoice,
  RecordingFiles,
  RestoreReport,
  RestoreSource,
  ServeOptions,
  TextFile,
} from '../contract/workspace.ts';
import { formatDatabase, isDatabaseUrl } from '../values/database-url.ts';
import type { CopyReport } from './copy/copy-rows.ts';
import type { Database, OpenDatabase } from './db/database.ts';
import {
  checkExists,
  fillWorkspace,
  migrateWorkspace,
  type OpenOptions,
  openWorkspace,
  withWorkspace,
} from './db/open.ts';
import type { Machine } from './deps.ts';
import { createService } from './dispatch.ts';
import { checkRegion, readRegion, storeRegion } from './records/region.ts';

/** Creates the functions on workspace files of this machine. All but `create` throw `failed` if the file is missing. */
export function createWorkspaces(machine: Machine) {
  const { now } = machine;
  const open = <T>(file: string, work: (db: Database) => Promise<T>) => withWorkspace(file, work, machine);
  return {
    transport: async (file: string) => createEmbeddedTransport(file, now, machine),
    /** Opens a workspace file for reading only. The date of the responses is the time at which the records were read. */
    async mirrorTransport(file: string, readAt: Date) {
      const { send, close } = await createEmbeddedTransport(file, now, { ...machine, isReadOnly: true });
      const date = readAt.toUTCString();
      return {
        close,
        async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
          const response = await send(request, signal);
          return { ...response, headers: { ...response.headers, date } };
        },
      };
    },
    /** Creates the file if missing. @throws {Failure} `usage` for an unknown region, or a sample in a workspace with records */
    async create(file: string, { demo, region }: { demo: boolean; region: string | undefined }) {
      await checkRegion(region);
      return open(file, async (db) => {
        await storeRegion(db, region);
        return demo ? (await import('./demo/fill.ts')).fillSample(db) : { filled: false };
      });
    },
    /** Returns the id of the workspace, which stays the same if the file is moved or copied. */
    async identity(file: string): Promise<string> {
      checkExists(file);
      const selection = sql`select identity from workspace`;
      return (await open(file, (db) => db.first<{ identity: string }>(selection)))?.identity ?? '';
    },
    /** Returns the region in which phone numbers are read. */
    async region(file: string): Promise<string> {
      checkExists(file);
      return open(file, readRegion);
    },
    async serve(file: string, options: ServeOptions): Promise<void> {
      const { serveWorkspace } = await import('./http/server.ts');
      return serveWorkspace(file, options, machine);
    },
    /** Updates the schema, or returns what is missing. @throws {Failure} `failed` if the file does not exist */
    migrate: (location: string, isDryRun: boolean) =>
      migrateWorkspace(location, { ...machine, statementTimeout: longStatementTimeout, isDryRun }),
    ...createCopies(machine),
    ...createMeetingStore(machine),
    ...createKeyStore(machine),
  };
}

/** Creates the functions for meetings and recordings in workspace files. */
function createMeetingStore(machine: Machine) {
  const { now } = machine;
  const load = () => import('./recordings/store-recordings.ts');
  return {
    /** Imports the meetings of an iCalendar file. @throws {Failure} `usage` if no event can be read */
    async importEvents(file: string, calendar: TextFile) {
      checkExists(file);
      const read = machine.readCalendar ?? (await import('./calendar/calendar-file.ts')).readCalendar;
      const { storeEvents } = await import('./calendar/store-meetings.ts');
      const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
      const { meetings, ...rest } = await read(calendar, { now: now(), timeZone });
      const records = await withWorkspace(file, (db) => storeEvents(db, meetings, now()), machine);
      return { records, ...rest };
    },
    /** Adds or updates a recording of a calendar event. `problems`: of single cues. @throws {Failure} `not_found` for an unknown event, `usage` */
    async importRecording(file: string, eventId: string, files: RecordingFiles, choice: RecordingChoice) {
      checkExists(file);
      const content = (await import('./recordings/recording-files.ts')).readRecording(files);
      const record = await openWith(machine, file, load, ({ importRecording }, db) =>
        importRecording(db, eventId, content, choice, now()),
      );
      return { record, problems: content.problems, notes: content.notes };
    },
    findRecording: (file: string, id: string) =>
      openWith(machine, file, load, ({ findRecording }, db) => findRecording(db, id)),
    removeRecording: (file: string, id: string) =>
      openWith(machine, file, load, ({ removeRecording }, db) => removeRecording(db, id, now())),
  };
}

/** Creates the functions on the API keys of workspace files. */
function createKeyStore(machine: Machine) {
  const { now } = machine;
  // Loaded on demand, because node:crypto takes longer to load than a lookup.
  const load = () => import('./http/keys.ts');
  return {
    createKey: (file: string, name: string, readOnly: boolean) =>
      openWith(machine, file, load, ({ createKey }, db) => createKey(db, { name, readOnly }, now())),
    listKeys: (file: string) => openWith(machine, file, load, ({ listKeys }, db) => listKeys(db)),
    writingKeyHashes: (file: string) =>
      openWith(machine, file, load, ({ listWriteKeyHashes }, db) => listWriteKeyHashes(db)),
    revokeKey: (file: string, id: string) =>
      openWith(machine, file, load, ({ revokeKey }, db) => revokeKey(db, id, now())),
  };
}

/** Opens a workspace that exists for work of a module, which is loaded first. */
async function openWith<Module, T>(
  machine: Machine,
  file: string,
  load: () => Promise<Module>,
  work: (module: Module, db: Database) => Promise<T>,
): Promise<T> {
  checkExists(file);
  const module = await load();
  return withWorkspace(file, (db) => work(module, db), machine);
}

/** Seconds. A statement that copies or converts a million records takes minutes. */
const longStatementTimeout = 86_400;

/** Creates the functions that fill an empty workspace, or a missing file. */
function createCopies(machine: Machine) {
  const options = { ...machine, statementTimeout: longStatementTimeout };
  return {
    /** @throws {Failure} `usage` if two locations are the same file or URL */
    async checkDifferent(from: string, to: string): Promise<void> {
      return (await import('./copy/copy-rows.ts')).checkDifferent(from, to);
    },
    /**
     * Copies a workspace. `report` receives the rows so far.
     * @throws {Failure} `usage` if both are the same, `failed` if the target is not empty; the reason of the signal
     */
    async copy(from: string, to: string, report: CopyReport, signal: AbortSignal) {
      checkExists(from);
      const { checkDifferent, copyWorkspace } = await import('./copy/copy-rows.ts');
      await checkDifferent(from, to);
      const fill = (source: OpenDatabase, target: OpenDatabase) =>
        copyWorkspace({ db: source, location: from }, { db: target, location: to }, report);
      return withWorkspace(
        from,
        (source) => fillWorkspace(to, (target) => rejectOnAbort(fill(source, target), signal), options),
        options,
      );
    },
    /**
     * Stores records with their ids, keys and times. Compares them before they are committed; after a failure or a
     * signal, the target is unchanged.
     * @throws {Failure} `failed` if the target is not empty, or no record can be stored; the reason of the signal
     */
    async restore(location: string, source: RestoreSource, report: RestoreReport, signal: AbortSignal) {
      const { restoreWorkspace } = await import('./copy/restore.ts');
      const restoreOptions = { source, report, signal, now: machine.now() };
      const fill = (db: OpenDatabase) =>
        rejectOnAbort(restoreWorkspace({ db, location }, restoreOptions), signal);
      return fillWorkspace(location, fill, options);
    },
  };
}

/** Opens a workspace file as a transport without HTTP. @throws {Failure} `failed` if the file does not exist */
export async function createEmbeddedTransport(file: string, now: () => Date, options?: OpenOptions) {
  checkExists(file);
  const db = await openWorkspace(file, options);
  const place = isDatabaseUrl(file) ? `the database ${formatDatabase(file)}` : `the workspace file ${file}`;
  let reason = '';
  const service = createService({
    db,
    now,
    file,
    log: (text) => {
      reason = text.split('\n')[0] ?? '';
    },
  });
  return {
    async send(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
      const response = await rejectOnAbort(service(request), signal);
      // Unlike a server's, an internal error in this process is not temporary: it is reported and not retried.
      if (response.status === 500) throw new Failure('failed', `Cannot use ${place}: ${reason}`);
      return response;
    },
    close: db.close,
  };
}

/**
 * Rejects when the signal is aborted while `work` waits, for example for a locked file. It listens to the signal only
 * after a turn of the event loop: most requests are done before, and listening would slow down a short command.
 */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    let stopListening = () => clearImmediate(turn);
    const turn = setImmediate(() => {
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      stopListening = () => signal.removeEventListener('abort', abort);
    });
    work.then(resolve, reject).finally(() => stopListening());
  });
}
