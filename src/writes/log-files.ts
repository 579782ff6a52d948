import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorCode } from '../contract/errors.ts';
import { createFile } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { makeFolder, setMode } from '../files/permissions.ts';
import { readFolderIfExists } from '../files/read-file.ts';

/** Only the owner may read a log, because it contains personal data. */
const [fileMode, folderMode] = [0o600, 0o700];

/** A file in the folder of a workspace. A later command has a higher number. */
export interface LogFile {
  readonly number: number;
  readonly path: string;
}

/** Lists the logs in the folder of a workspace, latest first. */
export const listLogs = (folder: string): LogFile[] => listFiles(folder, 'jsonl');

/** Lists the marks in the folder of a workspace, latest first. */
export const listMarks = (folder: string): LogFile[] => listFiles(folder, 'unrecorded');

function listFiles(folder: string, extension: string): LogFile[] {
  const pattern = new RegExp(`^(\\d+)\\.${extension}$`);
  return readFolderIfExists(folder)
    .flatMap((name) => {
      const number = pattern.exec(name)?.[1];
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

/** Creates the file of the next command. @throws {Failure} failed if the disk refuses */
export function createLogFile(folder: string, extension: 'jsonl' | 'unrecorded' = 'jsonl'): LogFile {
  createLogFolder(folder);
  const lastNumber = listFiles(folder, '\\w+')[0]?.number ?? 0;
  // Another command may create a file with the same number at the same time.
  for (let number = lastNumber + 1; ; number += 1) {
    const path = join(folder, `${number}.${extension}`);
    try {
      createFile(path, fileMode);
      return { number, path };
    } catch (error) {
      if (!(error instanceof Error) || getErrorCode(error.cause) !== 'EEXIST') throw error;
    }
  }
}

/** Returns the path of the lock of a command that can be continued. `many`: the hash of its input. */
export const toLockPath = (folder: string, many: string): string => join(folder, `${many}.lock`);

export const removeLogFile = ({ path }: LogFile): void =>
  accessFile('write', path, () => rmSync(path, { force: true }));
