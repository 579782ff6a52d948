import { closeSync, fsync, open, openSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '../contract/errors.ts';
import { withWriteErrors } from './disk-errors.ts';
import { defaultPermissions, makeFolder, setMode } from './permissions.ts';

/** How the name of a file ends that is not whole yet. */
export const temporarySuffix = '.kith-tmp';

// These wait for the disk. The other calls on a file are done at once: to hand one of them to another thread takes
// longer than the call.
const opened = promisify(open);
const settled = promisify(fsync);

/** What a file is to hold, one after the other. */
type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/**
 * Writes a file so that it appears whole or not at all, also when the power goes. Its folder is made where there
 * is none.
 */
export async function writeFileAtomically(
  path: string,
  pieces: Pieces,
  mode = defaultPermissions.file,
  folderMode = defaultPermissions.folder,
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}${temporarySuffix}`);
  await withWriteErrors(path, async () => {
    try {
      const file = await draftAt(draft, mode, folderMode);
      try {
        for await (const bytes of pieces) writeFileSync(file, bytes);
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

async function draftAt(path: string, mode: number, folderMode: number): Promise<number> {
  const file = await openDraft(path, mode, folderMode);
  setMode(file, mode);
  return file;
}

async function openDraft(path: string, mode: number, folderMode: number): Promise<number> {
  try {
    return await opened(path, 'w', mode);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
    makeFolder(dirname(path), folderMode);
    // At once: what removes empty folders may come in between.
    return openSync(path, 'w', mode);
  }
}

/** Makes sure that the names in a folder are on disk, where the system can. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const file = await opened(folder, 'r');
    await settled(file).finally(() => closeSync(file));
  } catch {
    // Not every system can.
  }
}
