import { Failure, getErrorCode, getErrorMessage } from '../contract/errors.ts';
import { notFileCode } from './read-file.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left',
  EDQUOT: 'the quota is used up',
  EFBIG: 'it would be larger than a file may be here',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is no folder',
  ENOENT: 'a folder of the path is not there',
  ENAMETOOLONG: 'its name is too long',
};

/** What an error of the disk says, in words. */
export function describeDiskError(error: unknown): string {
  return reasons[getErrorCode(error)] ?? getErrorMessage(error);
}

/** Whether something else is in the place of a file. */
export const isNotFileError = (error: unknown) => ['EISDIR', notFileCode].includes(getErrorCode(error));

/** What to do about it. */
export const formatMoveHint = (path: string) => `Move ${path} away: a file is to be there.`;

/** Work that writes a file, its errors told as failures that name it; `undefined` for an error that is expected. */
export function withWriteErrors<T>(path: string, work: () => Promise<T>): Promise<T>;
export function withWriteErrors<T>(
  path: string,
  work: () => Promise<T>,
  expected: string,
): Promise<T | undefined>;
export async function withWriteErrors<T>(path: string, work: () => Promise<T>, expected?: string) {
  try {
    return await work();
  } catch (error) {
    if (expected !== undefined && getErrorCode(error) === expected) return undefined;
    throw named('write', path, error);
  }
}

/** The same of work that reads one. */
export async function withReadErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named('read', path, error);
  }
}

function named(work: string, path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const hint = isNotFileError(error) ? formatMoveHint(path) : undefined;
  return new Failure('failed', `Cannot ${work} ${path}: ${describeDiskError(error)}.`, {
    cause: error,
    hint,
  });
}

/** Errors that a file has for itself: the next one may well be written. */
const own = new Set(['EISDIR', notFileCode, 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTDIR', 'EEXIST']);

/** What a work on files gives, or the failure that is theirs alone. Throws any other. */
export async function catchFileFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : undefined;
    if (error instanceof Failure && own.has(getErrorCode(cause))) return error;
    throw error;
  }
}

/** What an error of reading says, in words. Where something is written, what is not there is told with its path. */
export function describeReadError(error: unknown): string {
  return getErrorCode(error) === 'ENOENT' ? 'it is not there' : describeDiskError(error);
}

/** The `usage` failure of a file that somebody named and that cannot be read. */
export function createReadFailure(file: string, error: unknown): Failure {
  return new Failure('usage', `Cannot read ${file}: ${describeReadError(error)}.`, { cause: error });
}
