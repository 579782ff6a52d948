import { createHash } from 'node:crypto';
import { renameSync, rmdirSync } from 'node:fs';
import { opendir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { temporarySuffix } from '../files/atomic-write.ts';
import { withReadErrors, withWriteErrors } from '../files/disk-errors.ts';
import { makeFolder } from '../files/permissions.ts';
import { readFileIfExists } from '../files/read-file.ts';

/** Entries that are read of a folder at once: it may hold a million. */
const atOnce = { bufferSize: 1000 };

/** Removes what a killed run left half written, in a folder and in those directly in it. */
export async function removeTemporaryFiles(folder: string): Promise<void> {
  const folders = await withReadErrors(folder, () => withoutDrafts(folder));
  for (const below of folders) await withoutDrafts(below).catch(unlessFailure);
}

/** Removes what is half written in a folder; gives the folders in it. */
async function withoutDrafts(folder: string): Promise<string[]> {
  const folders: string[] = [];
  for await (const entry of await opendir(folder, atOnce)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) folders.push(path);
    else if (entry.name.endsWith(temporarySuffix))
      await withWriteErrors(path, () => rm(path, { force: true }));
  }
  return folders;
}

/** A folder that cannot be read may be anybody's; a draft that cannot be removed is ours. */
function unlessFailure(error: unknown): void {
  if (error instanceof Failure) throw error;
}

/** What stands for the content of a file. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}

/** The hash of a file; undefined where there is none. */
export async function hashFile(path: string): Promise<string | undefined> {
  const bytes = await readBytes(path);
  return bytes && hashBytes(bytes);
}

/** What a file holds; undefined where there is none. */
export function readBytes(path: string): Promise<Uint8Array | undefined> {
  return withReadErrors(path, async () => readFileIfExists(path));
}

/** Gives a file another name, in a folder that is made for it; one that this leaves empty goes. */
export async function moveFile(from: string, to: string, folderMode: number): Promise<void> {
  await withWriteErrors(dirname(to), async () => makeFolder(dirname(to), folderMode));
  await withWriteErrors(to, async () => {
    // Once more, and at once: meanwhile another meeting may have left the folder empty.
    makeFolder(dirname(to), folderMode);
    renameSync(from, to);
  });
  if (dirname(from) !== dirname(to)) removeIfEmpty(dirname(from));
}

/** Removes the subfolder of a file if it is empty. */
export function removeEmptyParent(name: string, root: string): void {
  const folder = dirname(join(root, name));
  if (folder !== root) removeIfEmpty(folder);
}

/** Removes a file, and its folder where that is left empty. */
export async function removeFile(path: string, root: string): Promise<void> {
  await withWriteErrors(path, () => rm(path, { force: true }));
  if (dirname(path) !== root) removeIfEmpty(dirname(path));
}

/** Done by this thread, so that no other step of the run lies between its making a folder and its using it. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it.
  }
}
