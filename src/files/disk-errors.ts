import { Failure, getErrorCode, getErrorMessage } from '../contract/errors.ts';
import { notFileCode } from './read-file.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file size limit exceeded',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of its path is not a folder',
  ENOENT: 'a folder in its path does not exist',
  ENAMETOOLONG: 'file name too long',
};

/** Returns the reason for an error of writing a file. */
export function describeDiskError(error: unknown): string {
  return reasons[getErrorCode(error)] ?? getErrorMessage(error);
}

/** Returns the reason for an error of reading a file. */
export function describeReadError(error: unknown): string {
  return getErrorCode(error) === 'ENOENT' ? 'it does not exist' : describeDiskError(error);
}

/** Whether the path of a file is a folder, a pipe or a device. */
export const isNotFileError = (error: unknown) => ['EISDIR', notFileCode].includes(getErrorCode(error));

/** Returns the hint for such a path. */
export const formatMoveHint = (path: string) => `Move ${path} away: kith needs a file at this path.`;

/** Runs synchronous work on a file. @throws {Failure} failed, with the path, if the work fails */
export function accessFile<T>(kind: 'read' | 'write', path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw createFileFailure(kind, path, error);
  }
}

/** Creates the `failed` failure for an error of reading or writing a file. Returns a failure unchanged. */
export function createFileFailure(work: 'read' | 'write', path: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const hint = isNotFileError(cause) ? formatMoveHint(path) : undefined;
  const reason = work === 'read' ? describeReadError(cause) : describeDiskError(cause);
  return new Failure('failed', `Cannot ${work} ${path}: ${reason}.`, { cause, hint });
}

/** Creates the `usage` failure for a file that the user named and that cannot be read. */
export function createReadFailure(file: string, error: unknown): Failure {
  return new Failure('usage', `Cannot read ${file}: ${describeReadError(error)}.`, { cause: error });
}

/** Error codes that concern one path: writing another file may succeed. */
const pathCodes = new Set(['EISDIR', notFileCode, 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTDIR', 'EEXIST']);

/** Whether an error is the failure of a file and concerns only its path. */
export function isPathFailure(error: unknown): error is Failure {
  return error instanceof Failure && pathCodes.has(getErrorCode(error.cause));
}
