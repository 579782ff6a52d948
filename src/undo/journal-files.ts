import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getErrorCode } from '../contract/errors.ts';
import { accessFile } from '../files/disk-errors.ts';
import { makeFolder, setMode } from '../files/permissions.ts';
import { listNames } from '../files/read-file.ts';

/** A journal holds personal data: only its owner may read it. */
const [fileMode, folderMode] = [0o600, 0o700];

/** Milliseconds for which a journal is kept: 30 days. */
const retention = 30 * 86_400_000;

const extension = '.jsonl';

/** Lists the journals of a workspace, the last command first. */
export function listJournals(folder: string, workspace: string): { number: number; path: string }[] {
  const pattern = new RegExp(`^${workspace}-(\\d+)\\${extension}$`);
  return listNames(folder)
    .flatMap((name) => {
      const number = pattern.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), path: join(folder, name) }];
    })
    .sort((one, other) => other.number - one.number);
}

/** Removes the journals of all workspaces that were last written more than 30 days ago. */
function removeOldJournals(folder: string, now: Date): void {
  for (const name of listNames(folder)) {
    const path = join(folder, name);
    if (name.endsWith(extension) && isOld(path, now)) rmSync(path, { force: true });
  }
}

/** Whether a journal was last written more than 30 days ago. */
export const isOld = (path: string, now: Date) => statSync(path).mtimeMs < now.getTime() - retention;

/** Creates the file of the next journal of a workspace, and removes old ones. @throws {Failure} failed if it cannot */
export function createJournalFile(folder: string, workspace: string, now: Date): string {
  accessFile('write', folder, () => {
    makeFolder(folder, folderMode);
    setMode(folder, folderMode);
    removeOldJournals(folder, now);
  });
  const last = listJournals(folder, workspace)[0]?.number ?? 0;
  return createFile(last + 1, (number) => join(folder, `${workspace}-${number}${extension}`));
}

/** Creates a file with the first number that is free: another command may run at the same time. */
function createFile(number: number, toPath: (number: number) => string): string {
  const path = toPath(number);
  try {
    accessFile('write', path, () => closeSync(openSync(path, 'wx', fileMode)));
    return path;
  } catch (error) {
    if (error instanceof Error && getErrorCode(error.cause) === 'EEXIST')
      return createFile(number + 1, toPath);
    throw error;
  }
}
