import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Failure } from '../contract/errors.ts';
import { takeLock, withLock } from '../files/lock.ts';
import type { JsonObject } from '../values/json-object.ts';
import { toRawJson } from '../values/raw-json.ts';
import { recordLostCreates } from '../writes/created.ts';
import { findInterrupted, type InterruptedCommand } from '../writes/interrupted.ts';
import { type LogSubject, listCreatedIds, readCommands } from '../writes/log.ts';
import { createLogFolder, toLockPath } from '../writes/log-files.ts';
import { nouns, toParams, type Write } from '../writes/nouns.ts';
import { WriteRun, type WriteRunOptions } from '../writes/run.ts';
import { isRecorded, markUnrecorded, resolveWorkspaceLogs } from './change-log.ts';
import type { Session } from './command/context.ts';
import { getDefaultConcurrency } from './connect/connection.ts';

/** How a command writes many records. */
interface RunSettings {
  /** Maximum number of items written at once; if omitted, the default of the workspace. */
  readonly concurrency?: number | undefined;
  /** Whether a failure concerns only one item; if omitted, as `isRecordFailure` says. */
  readonly isOwn?: (failure: Failure) => boolean;
  /** Whether the client of the session sends and records the writes, as for a command that writes one record. */
  readonly isRecordedByClient?: boolean;
}

/** A command that writes many records. */
interface RunSubject extends RunSettings {
  /** The command in the change log: `contacts update`. */
  readonly command: string;
  /** Everything that decides its writes. The same command with the same input continues an interrupted one. */
  readonly input: unknown;
  /** The path of the report of an import. */
  readonly report?: string;
  /** Returns what the interrupted run has done. */
  readonly describe: (interrupted: InterruptedCommand) => string;
}

/** The log of a run. */
interface RunLog extends Pick<WriteRunOptions, 'recorder' | 'interrupted'> {
  /** Lets another process run the same command. */
  readonly release?: () => void;
}

/** An open run, with its log. */
export type OpenRun<L extends RunLog = Awaited<ReturnType<typeof openLog>>> = Omit<L, 'release'> & {
  readonly run: WriteRun;
  /** The session whose requests may finish after a signal of the process. */
  readonly session: Session;
  /** Lets another process run the same command. */
  readonly close: () => void;
};

/**
 * Opens the run of a command that writes many records, and continues the log of an interrupted one.
 * @throws {Failure} busy if another process runs the same command
 */
export const openRun = (session: Session, subject: RunSubject): Promise<OpenRun> =>
  startRun(session, subject, (own) => openLog(own, subject));

/** Starts a run with the log that `openLog` opens. */
export async function startRun<L extends RunLog>(
  session: Session,
  { concurrency, isOwn, isRecordedByClient = false }: RunSettings,
  openLog: (session: Session) => Promise<L>,
): Promise<OpenRun<L>> {
  const startedAt = session.runtime.now().toISOString();
  const drain = createDrain(session);
  try {
    const own = session.derive({
      ownSignal: drain.signal,
      ...(!isRecordedByClient && { client: ({ connections }) => connections.createInterceptedClient() }),
    });
    const { release, ...log } = await openLog(own);
    const { names, pathIds } = session.references;
    const options = {
      client: own.client,
      ...log,
      signal: session.signal,
      concurrency: concurrency ?? (await getDefaultConcurrency(session)),
      startedAt,
      readCreatedIds: async () => listCreatedIds(readCommands(await resolveWorkspaceLogs(session))),
      onWrite: (write: Write, record: JsonObject | undefined) => {
        const { delete: remove, update } = nouns[write.noun];
        const route = write.action === 'delete' ? remove : update;
        names.add(route, toParams(write), record ? [toRawJson(record)] : [], false, pathIds);
      },
    };
    return {
      run: new WriteRun(options, isOwn),
      session: own,
      ...log,
      close: () => {
        release?.();
        drain.close();
      },
    };
  } catch (error) {
    drain.close();
    throw error;
  }
}

async function openLog(session: Session, { command, input, report, describe }: RunSubject) {
  const folder = await resolveWorkspaceLogs(session);
  const isKept = await isRecorded(session, true);
  if (!isKept) {
    markUnrecorded(session, folder, command);
    // The report of an import is written from its log.
    if (report === undefined) return { recorder: undefined, interrupted: undefined, release: () => {} };
  }
  const many = createHash('sha256')
    .update(JSON.stringify([command, input]))
    .digest('hex')
    .slice(0, 32);
  const subject: LogSubject = {
    command,
    many,
    ...(report !== undefined && { report }),
    ...(!isKept && { is_marked: true }),
  };
  createLogFolder(folder);
  const work = `is running \`kith ${command}\` with the same input`;
  const release = await takeLock({ path: toLockPath(folder, many), work }, session.runtime.lockHolder);
  try {
    const interrupted = findInterrupted(folder, subject, session.runtime.now().getTime());
    const recorder = await session.connections.createRecorder(subject, interrupted);
    if (interrupted) {
      const readCreatedIds = () => listCreatedIds(readCommands(folder));
      await recordLostCreates(await session.client(), recorder, interrupted, readCreatedIds);
      await session.messages.note(
        `Continuing the interrupted \`kith ${command}\`: ${describe(interrupted)} done before.`,
      );
    }
    return { recorder, interrupted, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Checks that a recorded command is not running any more. @throws {Failure} busy */
export async function requireEnded(
  { runtime: { lockHolder } }: Session,
  folder: string,
  { command, many }: LogSubject,
): Promise<void> {
  if (many === undefined) return;
  const lock = { path: toLockPath(folder, many), work: `is still running \`kith ${command}\`` };
  await withLock(lock, lockHolder, async () => {});
}

/** Milliseconds that the requests in flight have to finish after Ctrl-C. */
const graceTime = 2000;

/** Creates a signal for the requests of a run: after a signal of the process, the requests in flight may finish. */
function createDrain({ runtime: { extendTimeouts }, signal }: Session) {
  const drain = new AbortController();
  setMaxListeners(0, drain.signal); // each pending request adds a listener
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => drain.abort(signal.reason), graceTime);
  };
  extendTimeouts(graceTime);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return {
    signal: drain.signal,
    close: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      extendTimeouts(-graceTime);
    },
  };
}
