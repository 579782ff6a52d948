import {
  closeSync,
  existsSync,
  fsync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getErrorCode } from '../contract/errors.ts';
import { accessFile, createFileFailure } from './disk-errors.ts';
import { defaultPermissions, makeFolder, setMode } from './permissions.ts';

/** The suffix of temporary files. */
export const temporarySuffix = '.kith-tmp';

/**
 * Flushes an open file to the disk. Only this call waits for the disk: the synchronous calls take less time than passing
 * them to another thread.
 */
export const syncFile = (file: number) =>
  new Promise<void>((resolve, reject) => fsync(file, (error) => (error ? reject(error) : resolve())));

/** Characters per write. */
const bufferLength = 65_536;

/**
 * Writes a file by an atomic rename: it appears whole or not at all, even after a power failure. Creates its folder if
 * missing. @throws {Failure} failed if the file cannot be written
 */
export async function writeFileAtomically(
  path: string,
  texts: Iterable<string> | AsyncIterable<string>,
  mode = defaultPermissions.file,
  folderMode = defaultPermissions.folder,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}${temporarySuffix}`);
  try {
    // In one tick, so that no other task removes the empty folder first.
    if (!existsSync(dirname(path))) makeFolder(dirname(path), folderMode);
    const file = replaceFile(temporary, mode);
    try {
      setMode(file, mode);
      let buffered = '';
      for await (const text of texts) {
        buffered += text;
        if (buffered.length < bufferLength) continue;
        writeFileSync(file, buffered);
        buffered = '';
      }
      writeFileSync(file, buffered);
      await syncFile(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    try {
      rmSync(temporary, { force: true });
    } catch {
      // The error of the write is more informative.
    }
    throw createFileFailure('write', path, error);
  }
}

/**
 * Opens a new file. Replaces the file of a killed run. Never writes to another user's file, or through another user's
 * link.
 */
function replaceFile(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST') throw error;
    unlinkSync(path);
    return openSync(path, 'wx', mode);
  }
}

/** Creates an empty file. @throws {Failure} failed if it exists, or cannot be created */
export function createFile(path: string, mode: number): void {
  accessFile('write', path, () => closeSync(openSync(path, 'wx', mode)));
}

/** Renames a file. The caller flushes the folder. @throws {Failure} failed if that is not possible */
export function renameFile(from: string, to: string): void {
  accessFile('write', to, () => renameSync(from, to));
}

/** Flushes the names in a folder to the disk, if the system supports it. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const file = openSync(folder, 'r');
    await syncFile(file).finally(() => closeSync(file));
  } catch {
    // Not every system can sync a folder.
  }
}
