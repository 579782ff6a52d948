import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../../contract/errors.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { accessFile, createFileFailure } from '../../files/disk-errors.ts';
import { type FileFormat, parseContent, readDocument } from '../../files/durable-file.ts';
import { privatePermissions } from '../../files/permissions.ts';
import { readFileIfExists, readFolderIfExists } from '../../files/read-file.ts';
import { readTrustedFile } from '../../files/trusted-folder.ts';
import { type Environment, resolveScheduleFolder } from '../../settings/paths.ts';
import { schedulers } from './scheduler-entries.ts';

const Numbers = v.exactOptional(v.pipe(v.array(v.number()), v.readonly()));

const StoredSchedule = v.object({
  version: v.literal(1),
  name: v.string(),
  scheduler: v.picklist(schedulers),
  time: v.object({ minutes: Numbers, hours: Numbers, weekdays: Numbers, days: Numbers }),
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
  after_failures: v.exactOptional(v.number()),
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
  /** The last error line of the job, if it failed. */
  error: v.exactOptional(v.string()),
  /** The number of failures in a row. */
  failures: v.exactOptional(v.number()),
});

export type LastRun = v.InferOutput<typeof LastRun>;

export const scheduleFormat: FileFormat<typeof StoredSchedule> = {
  what: 'schedule',
  version: 1,
  versionMember: 'version',
  schema: StoredSchedule,
  suggestRepair,
};

const lastRunFormat: FileFormat<typeof LastRun> = {
  what: 'last run of a schedule',
  version: 1,
  versionMember: 'version',
  schema: LastRun,
};

function suggestRepair(path: string): string {
  const name = basename(path, '.json');
  return `Install the schedule again, or remove it with \`kith schedule remove ${name}\`.`;
}

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
  if (bytes) return parseContent(scheduleFormat, path, bytes);
  // The file names programs to run.
  throw new Failure('failed', `Cannot use ${path}: other users can change it.`, {
    hint: suggestRepair(path),
  });
}

/** Formats a schedule as JSON with one line for each field. */
export function formatStoredSchedule(schedule: StoredSchedule): string {
  const fields = Object.entries(schedule).map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`);
  return `{\n${fields.join(',\n')}\n}\n`;
}

/** Returns the last run of a schedule; undefined if it has not run yet, or if the file cannot be read. */
export function readLastRun(env: Environment, name: string): LastRun | undefined {
  const path = resolveScheduleFiles(env, name).lastRun;
  try {
    return readDocument(lastRunFormat, path);
  } catch {
    return undefined; // an unreadable status must not stop the job; the next run replaces it
  }
}

/** Writes the last run. Also replaces a file of a newer version: its status must not stop the job. */
export function writeLastRun(env: Environment, name: string, lastRun: LastRun): Promise<void> {
  const { file, folder } = privatePermissions;
  const path = resolveScheduleFiles(env, name).lastRun;
  return writeFileAtomically(path, [`${JSON.stringify(lastRun)}\n`], file, folder);
}

/** Removes a file, if it exists. @throws {Failure} failed if it cannot be removed */
export function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw createFileFailure('write', path, error);
  }
}
