import { stat } from 'node:fs/promises';
import { type CommandResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { redactKeys } from '../../cli/connect/secrets.ts';
import { exitCodes, Failure, type FailureCode, failures, getErrorMessage } from '../../contract/errors.ts';
import { withLock } from '../../files/lock.ts';
import { quoteShellWord } from '../../values/text.ts';
import { addGuardVariables } from './guard-variables.ts';
import { RunLog } from './run-log.ts';
import { checkScheduleName } from './schedule-options.ts';
import {
  readLastRun,
  readStoredSchedule,
  resolveScheduleFiles,
  type ScheduleFiles,
  type StoredSchedule,
  writeLastRun,
} from './stored-schedules.ts';

/** Runs the job of a schedule as its scheduler does: with its own environment, log and command on failure. */
export async function runSchedule(session: Session, name: string): Promise<CommandResult> {
  checkScheduleName(name);
  const { signal } = session;
  const { env, lockHolder } = session.runtime;
  const stored = readStoredSchedule(env, name);
  if (!stored) {
    throw new Failure('not_found', `Schedule "${name}" not found.`, {
      hint: 'To see the installed schedules, run `kith schedule list`.',
    });
  }
  const files = resolveScheduleFiles(env, name);
  const lock = { path: files.lock, work: `is running the schedule ${name}` };
  const work = () => runLogged(session, stored, files);
  const outcome = await withLock(lock, { ...lockHolder, signal }, work).catch((error) => {
    if (error instanceof Failure && error.code === 'busy') noteSkippedRun(session, files, error);
    throw error;
  });
  signal.throwIfAborted();
  const { exit, error, failures } = outcome;
  const json = { name, exit_code: exit, log: files.log };
  if (exit === 0) return toTextResult('', json);
  const count = failures > 1 ? ` (${failures} times in a row)` : '';
  const reason = error === undefined ? `${describeExit(exit)}.` : `exit code ${exit}: ${error}`;
  const failure = new Failure(findFailureCode(exit), `The schedule ${name} failed${count}: ${reason}`, {
    hint: `See ${files.log}`,
    isQuiet: !isReported(stored, outcome) && !session.streams.stderr.isTerminal,
  });
  return { ...toTextResult('', json), failure };
}

interface Outcome {
  readonly exit: number;
  /** The last error line of a failed job. */
  readonly error?: string | undefined;
  /** The number of failures in a row, with this one. */
  readonly failures: number;
}

/** Whether to report a failure, given --after-failures. */
const isReported = ({ after_failures = 1 }: StoredSchedule, { failures }: Outcome) =>
  failures >= after_failures;

/** Returns a failure with an exit code of kith; `failed` for any other code, such as that of a killed job. */
function findFailureCode(exit: number): FailureCode {
  const codes: Readonly<Record<number, FailureCode>> = {
    5: 'refused',
    75: 'busy',
  };
  const found = Object.entries(failures).find(([, failure]) => failure.exit === exit)?.[0];
  return codes[exit] ?? (found as FailureCode | undefined) ?? 'failed'; // the keys of the table are the codes
}

function describeExit(exit: number): string {
  const meanings: Readonly<Record<number, string>> = exitCodes;
  const meaning = meanings[exit];
  return `exit code ${exit}${meaning === undefined ? '' : `, ${meaning}`}`;
}

/** Notes in the log of a running job that another run did not start. */
function noteSkippedRun({ runtime: { now } }: Session, files: ScheduleFiles, { message }: Failure): void {
  const log = new RunLog(files.log);
  log.note(now(), `skipped: ${message}`);
  log.close();
}

async function runLogged(session: Session, stored: StoredSchedule, files: ScheduleFiles): Promise<Outcome> {
  const { signal, streams } = session;
  const { env, now } = session.runtime;
  const { name, job } = stored;
  const log = new RunLog(files.log);
  try {
    const started_at = now().toISOString();
    const { failures: earlier = 0 } = readLastRun(env, name) ?? {};
    await writeLastRun(env, name, { started_at, failures: earlier });
    log.note(now(), `start: kith ${job.map(quoteShellWord).join(' ')}`);
    const exit = await runJob(session, stored, log);
    log.note(now(), `end: ${describeExit(exit)}`);
    const line = exit === 0 ? undefined : log.findError();
    const error = line && streams.redact(redactKeys(line));
    // A signal is not a failure of the job.
    const failures = signal.aborted ? earlier : exit === 0 ? 0 : earlier + 1;
    const outcome: Outcome = { exit, error, failures };
    // A schedule that was removed in the meantime must leave no file.
    if (readStoredSchedule(env, name))
      await writeLastRun(env, name, {
        ...{ started_at, ended_at: now().toISOString(), exit_code: exit, failures },
        ...(error !== undefined && { error }),
      });
    if (!signal.aborted) await report(session, stored, files, log, outcome);
    return outcome;
  } finally {
    log.close();
  }
}

/** Runs the job and returns its exit code; as a shell does, 127 for a program that cannot be started. */
async function runJob(session: Session, stored: StoredSchedule, log: RunLog): Promise<number> {
  const { node, script, job, folder, environment } = stored;
  const env = addGuardVariables(environment, session.globals, session.runtime.env);
  const { runUnattended } = await session.terminal.programs();
  const folderStats = await stat(folder).catch(() => undefined);
  if (!folderStats?.isDirectory()) {
    log.writeError(`kith: The folder ${folder} does not exist.\n`);
    return 127;
  }
  const { signal } = session;
  const { stdout, stderr } = session.streams;
  const forwardTo = (stream: typeof stdout, add: (text: string) => void) => async (text: string) => {
    add(text);
    if (stdout.isTerminal) await stream.write(text);
  };
  try {
    return await runUnattended({
      command: [node, script, ...job],
      env,
      folder,
      stdout: forwardTo(stdout, (text) => log.write(text)),
      stderr: forwardTo(stderr, (text) => log.writeError(text)),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    log.writeError(`kith: ${getErrorMessage(error)}\n`);
    return 127;
  }
}

/** Runs the command for a failure. Its problems are only reported. */
async function report(
  session: Session,
  stored: StoredSchedule,
  files: ScheduleFiles,
  log: RunLog,
  outcome: Outcome,
): Promise<void> {
  const reportProblem = async (text: string) => {
    log.note(session.runtime.now(), text);
    await session.messages.warn(text);
  };
  if (outcome.exit !== 0 && isReported(stored, outcome) && stored.on_failure !== undefined) {
    const code = await runOnFailure(session, stored, files, log, outcome);
    if (code !== 0) await reportProblem(`The command of --on-failure failed with exit code ${code}.`);
  }
  if (stored.ping !== undefined)
    await reportProblem(
      `kith no longer requests the URL of --ping. Install the schedule ${stored.name} again; see \`kith help scripting\`.`,
    );
}

/** Milliseconds after which the command for a failure is ended. */
const onFailureTimeout = 60_000;

/** Runs the command for a failure in a shell, with the environment of the scheduler but no secrets. */
async function runOnFailure(
  session: Session,
  { name, on_failure = '', folder, environment }: StoredSchedule,
  { log: path }: ScheduleFiles,
  log: RunLog,
  { exit, error = '' }: Outcome,
): Promise<number> {
  const { runUnattended, safeEnv } = await session.terminal.programs();
  const write = async (text: string) => log.write(text);
  log.note(session.runtime.now(), `on failure: ${on_failure}`);
  const { HOME = folder, PATH } = environment;
  return runUnattended({
    command: ['/bin/sh', '-c', on_failure],
    env: {
      ...{ HOME, PATH },
      ...safeEnv,
      ...{ KITH_SCHEDULE: name, KITH_EXIT_CODE: String(exit), KITH_ERROR: error, KITH_LOG: path },
    },
    folder,
    stdout: write,
    stderr: write,
    signal: AbortSignal.any([session.signal, AbortSignal.timeout(onFailureTimeout)]),
  }).catch((error) => {
    session.signal.throwIfAborted();
    log.write(`kith: ${getErrorMessage(error)}\n`);
    return 127;
  });
}
