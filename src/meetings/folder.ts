import { createHash } from 'node:crypto';
import {
  closeSync,
  type Dirent,
  fsync,
  open,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../contract/errors.ts';

/** How the name of a file ends that is not whole yet. */
export const temporary = '.kith-tmp';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no space left',
  EDQUOT: 'the quota is used up',
  EFBIG: 'it would be larger than a file may be here',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a part of the path is a file',
  ENAMETOOLONG: 'its name is too long',
};

/** Work on a file, its errors told as failures that name it; `undefined` for an error that is expected. */
export function onDisk<T>(path: string, work: () => Promise<T>): Promise<T>;
export function onDisk<T>(path: string, work: () => Promise<T>, expected: string): Promise<T | undefined>;
export async function onDisk<T>(path: string, work: () => Promise<T>, expected?: string) {
  try {
    return await work();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException; // node:fs throws no other
    if (code === expected) return undefined;
    throw new Failure('failed', `Cannot write ${path}: ${reasons[code] ?? message}.`, { cause: error });
  }
}

/** Errors that a file has for itself: the next one may well be written. */
const own = new Set(['EISDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTDIR', 'EEXIST']);

/** What a work on files gives, or the failure that is theirs alone. Throws any other. */
export async function unlessOwn<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof Failure ? error.cause : undefined;
    const isOwn = cause instanceof Error && 'code' in cause && own.has(String(cause.code));
    if (error instanceof Failure && isOwn) return error;
    throw error;
  }
}

/** Makes a folder with those above it. Node's own `recursive` never ends where the system denies that it is there. */
export async function madeFolder(path: string): Promise<void> {
  try {
    await madeIn(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws no other
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await madeFolder(dirname(path));
    await madeIn(path);
  }
}

/** Makes a folder in one that is there. */
async function madeIn(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws no other
    if (code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error;
  }
}

// These wait for the disk. The other calls on a file are done at once: to hand one of them to another thread takes
// longer than the call.
const opened = promisify(open);
const settled = promisify(fsync);

/**
 * Writes a file so that it appears whole or not at all, also when the power goes. Its folder is made where there
 * is none.
 */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}${temporary}`);
  await onDisk(path, async () => {
    try {
      const file = await draftAt(draft);
      try {
        writeFileSync(file, bytes);
        await settled(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      throw error;
    }
  });
}

async function draftAt(path: string): Promise<number> {
  try {
    return await opened(path, 'w');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // node:fs throws no other
    await madeFolder(dirname(path));
    return opened(path, 'w');
  }
}

/** Makes sure that the names in a folder are on disk, where the system can. */
export async function settleNames(folder: string): Promise<void> {
  try {
    const file = await opened(folder, 'r');
    await settled(file).finally(() => closeSync(file));
  } catch {
    // Not every system can.
  }
}

/** Removes what a killed run left half written, in a folder and in those directly in it. */
export async function sweep(folder: string): Promise<void> {
  const entries = await onDisk(folder, () => readdir(folder, { withFileTypes: true }));
  await removeDrafts(folder, entries);
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const below = join(folder, name);
    await removeDrafts(below, await readdir(below, { withFileTypes: true }).catch(() => []));
  }
}

async function removeDrafts(folder: string, entries: readonly Dirent[]): Promise<void> {
  for (const { name } of entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(temporary))) {
    await onDisk(join(folder, name), () => rm(join(folder, name), { force: true }));
  }
}

/** What stands for the content of a file. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/** The hash of a file; undefined where there is none. */
export async function hashAt(path: string): Promise<string | undefined> {
  const bytes = await bytesAt(path);
  return bytes && hashOf(bytes);
}

/** What a file holds; undefined where there is none. */
export function bytesAt(path: string): Promise<Uint8Array | undefined> {
  const read = async () => {
    // Most often there is none, and an error takes longer to be made than an answer.
    const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
    return isThere ? readFileSync(path) : undefined;
  };
  return onDisk(path, read, 'ENOENT');
}

/** Gives a file another name, in a folder that is made for it; one that this leaves empty goes. */
export async function moved(from: string, to: string): Promise<void> {
  await onDisk(to, async () => {
    await madeFolder(dirname(to));
    await rename(from, to);
  });
  if (dirname(from) !== dirname(to)) await removeIfEmpty(dirname(from));
}

/** Removes a file, and its folder where that is left empty. */
export async function removed(path: string, root: string): Promise<void> {
  await onDisk(path, () => rm(path, { force: true }));
  if (dirname(path) !== root) await removeIfEmpty(dirname(path));
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => {});
}
