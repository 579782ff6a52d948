import { errorText, Failure } from '../contract/errors.ts';
import { errorCode } from '../values/error-code.ts';
import { notFile } from './plain-file.ts';

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
export function diskReason(error: unknown): string {
  return reasons[errorCode(error)] ?? errorText(error);
}

/** Whether something else is in the place of a file. */
export const isOtherThing = (error: unknown) => ['EISDIR', notFile].includes(errorCode(error));

/** What to do about it. */
export const moveAway = (path: string) => `Move ${path} away: a file is to be there.`;

/** Work that writes a file, its errors told as failures that name it; `undefined` for an error that is expected. */
export function onDisk<T>(path: string, work: () => Promise<T>): Promise<T>;
export function onDisk<T>(path: string, work: () => Promise<T>, expected: string): Promise<T | undefined>;
export async function onDisk<T>(path: string, work: () => Promise<T>, expected?: string) {
  try {
    return await work();
  } catch (error) {
    if (expected !== undefined && errorCode(error) === expected) return undefined;
    throw named('write', path, error);
  }
}

/** The same of work that reads one. */
export async function fromDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named('read', path, error);
  }
}

function named(work: string, path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const hint = isOtherThing(error) ? moveAway(path) : undefined;
  return new Failure('failed', `Cannot ${work} ${path}: ${diskReason(error)}.`, { cause: error, hint });
}

/** Errors that a file has for itself: the next one may well be written. */
const own = new Set(['EISDIR', notFile, 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTDIR', 'EEXIST']);

/** What a work on files gives, or the failure that is theirs alone. Throws any other. */
export async function unlessOwn<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : undefined;
    if (error instanceof Failure && own.has(errorCode(cause))) return error;
    throw error;
  }
}
