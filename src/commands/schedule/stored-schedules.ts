import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../../contract/errors.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { accessFile, createFileFailure } from '../../files/disk-errors.ts';
import { readFileIfExists, readFolderIfExists } from '../../files/read-file.ts';
import { readTrustedFile } from '../../files/trusted-folder.ts';
import { type Environment, resolveScheduleFolder } from '../../settings/paths.ts';
import { schedulers } from './scheduler-entries.ts';

const Numbers = v.exactOptional(v.array(v.number()));

const StoredSchedule = v.object({
  version: v.literal(1),
  name: v.string(),
  scheduler: v.picklist(schedulers),
  time: v.object({ minutes: Numbers, hours: Numbers, weekdays: Numbers }),
  /** The time zone of the machine during the installation. */
  time_zone: v.string(),
  /** The words of the command, without `kith`. */
  job: v.array(v.string()),
  node: v.string(),
  script: v.string(),
  /** The folder in which the job starts. */
  folder: v.string(),
  /** The complete environment of the job. */
  environment: v.record(v.string(), v.string()),
  on_failure: v.exactOptional(v.string()),
  /** A URL of an earlier version, which is no longer requested. */
  ping: v.exactOptional(v.string()),
});

/** An installed schedule, as `schedule run` reads it. It contains no key. */
export type StoredSchedule = v.InferOutput<typeof StoredSchedule>;

const LastRun = v.object({
  started_at: v.string(),
  /** Missing while the job runs, and after a run that was killed. */
  ended_at: v.exactOptional(v.string()),
  exit_code: v.exactOptional(v.number()),
});

export type LastRun = v.InferOutput<typeof LastRun>;

/** Files that only their owner may read: a command on failure may contain the URL of a monitoring service. */
export const privateMode = { file: 0o600, folder: 0o700 };

export interface ScheduleFiles {
  readonly definition: string;
  readonly lastRun: string;
  readonly log: string;
  /** A log that an earlier version rotated. */
  readonly earlierLog: string;
  readonly lock: string;
}

export function resolveScheduleFiles(env: Environment, name: string): ScheduleFiles {
  const path = join(resolveScheduleFolder(env), name);
  return {
    definition: `${path}.json`,
    lastRun: `${path}.last-run.json`,
    log: `${path}.log`,
    earlierLog: `${path}.log.1`,
    lock: `${path}.lock`,
  };
}

/** Returns the names of the stored schedules in alphabetical order. */
export function listScheduleNames(env: Environment): string[] {
  const folder = resolveScheduleFolder(env);
  const names = accessFile('read', folder, () => readFolderIfExists(folder));
  return names.flatMap((file) => /^([A-Za-z0-9][A-Za-z0-9-]*)\.json$/.exec(file)?.[1] ?? []).sort();
}

/** Returns a stored schedule; undefined if there is none. @throws {Failure} failed if its file cannot be used */
export function readStoredSchedule(env: Environment, name: string): StoredSchedule | undefined {
  const path = resolveScheduleFiles(env, name).definition;
  if (accessFile('read', path, () => readFileIfExists(path)) === undefined) return undefined;
  const bytes = readTrustedFile(path);
  // The file names programs to run.
  const reason = bytes ? 'it is damaged, or a later version of kith wrote it' : 'other users can change it';
  const schedule = bytes && parseJson(StoredSchedule, bytes.toString());
  if (schedule) return schedule;
  throw new Failure('failed', `Cannot use ${path}: ${reason}.`, {
    hint: `Install the schedule again, or remove it with \`kith schedule remove ${name}\`.`,
  });
}

function parseJson<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
  try {
    const { success, output } = v.safeParse(schema, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a schedule as JSON with one line for each field. */
export function formatStoredSchedule(schedule: StoredSchedule): string {
  const fields = Object.entries(schedule).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  return `{\n${fields.join(',\n')}\n}\n`;
}

/** Returns the last run of a schedule; undefined if it has not run yet. */
export function readLastRun(env: Environment, name: string): LastRun | undefined {
  const path = resolveScheduleFiles(env, name).lastRun;
  const bytes = accessFile('read', path, () => readFileIfExists(path));
  return bytes && parseJson(LastRun, bytes.toString());
}

export async function writeLastRun(env: Environment, name: string, lastRun: LastRun): Promise<void> {
  const path = resolveScheduleFiles(env, name).lastRun;
  const text = `${JSON.stringify(lastRun)}\n`;
  await writeFileAtomically(path, [text], privateMode.file, privateMode.folder);
}

/** Removes a file, if it exists. @throws {Failure} failed if it cannot be removed */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw createFileFailure('write', path, error);
  }
}
