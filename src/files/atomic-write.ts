import { closeSync, fsync, open, openSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '../contract/errors.ts';
import { withWriteErrors } from './disk-errors.ts';
import { defaultPermissions, makeFolder, setMode } from './permissions.ts';

/** The suffix of temporary files. */
export const temporarySuffix = '.kith-tmp';

// Only these calls wait for the disk. The synchronous ones take less time than handing them to another thread.
const openFile = promisify(open);
const syncFile = promisify(fsync);

/**
 * Writes a file by an atomic rename: it appears whole or not at all, even after a power failure. Creates its folder if
 * missing. @throws {Failure} failed if the file cannot be written
 */
export async function writeFileAtomically(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  mode = defaultPermissions.file,
  folderMode = defaultPermissions.folder,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}${temporarySuffix}`);
  await withWriteErrors(path, async () => {
    try {
      const file = await openTemporary(temporary, mode, folderMode);
      try {
        setMode(file, mode);
        for await (const chunk of chunks) writeFileSync(file, chunk);
        await syncFile(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  });
}

async function openTemporary(path: string, mode: number, folderMode: number): Promise<number> {
  try {
    return await openFile(path, 'w', mode);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
    makeFolder(dirname(path), folderMode);
    // Synchronous, so that no other task removes the empty folder first.
    return openSync(path, 'w', mode);
  }
}

/** Flushes the names in a folder to the disk, if the system supports it. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const file = await openFile(folder, 'r');
    await syncFile(file).finally(() => closeSync(file));
  } catch {
    // Not every system can.
  }
}
