import { readFileSync, statSync } from 'node:fs';
import { getErrorCode } from '../values/error-code.ts';

/** The code of an error that no system has: something else than a file or folder is in the place of a file. */
export const notFileCode = 'ENOTFILE';

/** Under such a path there is nothing, nor can there be. */
const isNothing = (error: unknown) => /^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(getErrorCode(error));

/**
 * What a file holds; undefined where there is none. Throws what the disk says, and `ENOTFILE` for a pipe or a device:
 * reading that may never end.
 */
export function readFileIfExists(path: string): Buffer | undefined {
  try {
    // An error takes longer to be made than an answer.
    return checkFileType(path) ? readFileSync(path) : undefined;
  } catch (error) {
    if (isNothing(error)) return undefined;
    throw error;
  }
}

/** Whether a file or folder is there. Throws the same. */
export function pathExists(path: string): boolean {
  try {
    return checkFileType(path);
  } catch (error) {
    if (isNothing(error)) return false;
    throw error;
  }
}

/** Whether anything is there. Throws `ENOTFILE` for what is no file or folder; the disk tells of folders itself. */
export function checkFileType(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  if (found.isFile() || found.isDirectory()) return true;
  throw createNotFileError(path, 'it is a pipe or a device, not a file');
}

/** The error of what is in the place of a file, in words. */
export function createNotFileError(path: string, what: string): Error {
  return Object.assign(new Error(what), { code: notFileCode, syscall: 'open', path });
}
