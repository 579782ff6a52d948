import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorCode } from '../contract/errors.ts';
import { accessFile } from '../files/disk-errors.ts';
import { makeFolder, setMode } from '../files/permissions.ts';
import { listNames } from '../files/read-file.ts';

/** Only the owner may read a log, because it contains personal data. */
const [fileMode, folderMode] = [0o600, 0o700];

const maxCommands = 100;

/** A log of a workspace. A later command has a higher number. */
export interface LogFile {
  readonly number: number;
  readonly path: string;
}

/** Lists the logs in the folder of a workspace, the last command first. */
export function listLogs(folder: string): LogFile[] {
  return listNames(folder)
    .flatMap((name) => {
      const number = /^(\d+)\.jsonl$/.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), path: join(folder, name) }];
    })
    .sort((left, right) => right.number - left.number);
}

/** Creates the log folder of a workspace. @throws {Failure} failed if it cannot */
export function createLogFolder(folder: string): void {
  accessFile('write', folder, () => {
    makeFolder(folder, folderMode);
    setMode(folder, folderMode);
  });
}

/**
 * Creates the file of the next log, and removes all but the last 100 logs. `isNeeded`: whether an unfinished command
 * still needs its log.
 * @throws {Failure} failed if the disk refuses
 */
export function createLogFile(folder: string, isNeeded: (log: LogFile) => boolean): LogFile {
  createLogFolder(folder);
  const logs = listLogs(folder);
  for (const log of logs.slice(maxCommands - 1))
    if (!isNeeded(log)) accessFile('write', log.path, () => rmSync(log.path, { force: true }));
  return createFile(folder, (logs[0]?.number ?? 0) + 1);
}

/** Creates a file with the first unused number, because another command may run at the same time. */
function createFile(folder: string, number: number): LogFile {
  const path = join(folder, `${number}.jsonl`);
  try {
    accessFile('write', path, () => closeSync(openSync(path, 'wx', fileMode)));
    return { number, path };
  } catch (error) {
    if (error instanceof Error && getErrorCode(error.cause) === 'EEXIST')
      return createFile(folder, number + 1);
    throw error;
  }
}
