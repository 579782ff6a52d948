import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmdirSync } from 'node:fs';
import { opendir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { temporarySuffix } from '../files/atomic-write.ts';
import { withReadErrors, withWriteErrors } from '../files/disk-errors.ts';
import { makeFolder } from '../files/permissions.ts';
import { readFileIfExists } from '../files/read-file.ts';

/** Removes the temporary files of a killed run from a folder and its subfolders. */
export async function removeTemporaryFiles(folder: string): Promise<void> {
  const subfolders = await withReadErrors(folder, () => cleanFolder(folder));
  for (const subfolder of subfolders) {
    await cleanFolder(subfolder).catch((error: unknown) => {
      // An unreadable subfolder may not be ours. A temporary file that cannot be removed is.
      if (error instanceof Failure) throw error;
    });
  }
}

/** Removes the temporary files of one folder, and returns its subfolders. */
async function cleanFolder(folder: string): Promise<string[]> {
  const subfolders: string[] = [];
  // A folder may have a million entries.
  for await (const entry of await opendir(folder, { bufferSize: 1000 })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) subfolders.push(path);
    else if (entry.name.endsWith(temporarySuffix))
      await withWriteErrors(path, () => rm(path, { force: true }));
  }
  return subfolders;
}

/** Returns the hash by which the ledger recognizes the content of a file. */
export function hashContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url');
}

/** Returns the hash of a file; undefined if it does not exist. */
export async function hashFile(path: string): Promise<string | undefined> {
  const bytes = await readBytes(path);
  return bytes && hashContent(bytes);
}

/** Returns the content of a file; undefined if it does not exist. */
export function readBytes(path: string): Promise<Uint8Array | undefined> {
  return withReadErrors(path, async () => readFileIfExists(path));
}

/** Returns whether one of the files does not exist. */
export function hasMissingFile(folder: string, files: readonly { readonly name: string }[]): boolean {
  return files.some(({ name }) => !existsSync(join(folder, name)));
}

/** Renames a file, creates its new folder, and removes its old one if it is empty. */
export async function moveFile(from: string, to: string, folderMode: number): Promise<void> {
  await withWriteErrors(dirname(to), async () => makeFolder(dirname(to), folderMode));
  await withWriteErrors(to, async () => {
    // Again, and in the same tick as the rename: another meeting may have removed the empty folder.
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

/** Removes a file, and its subfolder if that is empty. */
export async function removeFile(path: string, root: string): Promise<void> {
  await withWriteErrors(path, () => rm(path, { force: true }));
  if (dirname(path) !== root) removeIfEmpty(dirname(path));
}

/** Synchronous, so that it cannot run between the creation of a folder and its first use. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty.
  }
}
