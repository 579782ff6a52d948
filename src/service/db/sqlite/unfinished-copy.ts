import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../../contract/errors.ts';
import { pathExists } from '../../../files/read-file.ts';

/** The temporary folder of a copy, next to its target. */
const unfinished = { prefix: '.kith-copy-', file: 'copy.sqlite' };

/** Milliseconds after its last change until an unfinished copy counts as left by a killed program. */
const abandonedAfter = 3_600_000;

/** Creates a temporary folder for a file that is written next to `path`, and renamed when it is complete. */
export function createUnfinishedCopy(path: string) {
  const folder = mkdtempSync(join(dirname(path), unfinished.prefix));
  const file = join(folder, unfinished.file);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return {
    file,
    /** Removes the copies that killed programs left in the same folder. Each may be as large as the workspace. */
    removeAbandoned: () => removeAbandoned(dirname(path), statSync(folder).mtimeMs),
    finish() {
      renameSync(file, path);
      syncToDisk(dirname(path));
    },
    remove,
  };
}

function removeAbandoned(folder: string, now: number): void {
  for (const name of readdirSync(folder).filter((name) => name.startsWith(unfinished.prefix))) {
    const path = join(folder, name);
    try {
      const files = readdirSync(path).map((file) => join(path, file));
      const times = (files.length > 0 ? files : [path]).map((file) => statSync(file).mtimeMs);
      if (now - Math.max(...times) > abandonedAfter) rmSync(path, { recursive: true });
    } catch {
      // It belongs to another user, or another copy has removed it.
    }
  }
}

/** Waits until a file or folder is on the disk. */
export function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch {
    // Not every system can sync a folder, or a file that is open for reading.
  } finally {
    closeSync(file);
  }
}

/** Checks that no program uses a path as a database: SQLite would merge its changes. @throws {Failure} `failed` */
export function checkUnused(path: string): void {
  const sidecar = ['-wal', '-shm', '-journal'].map((suffix) => path + suffix).find(pathExists);
  if (sidecar === undefined) return;
  throw new Failure('failed', `A program may be using ${path} as a database: ${sidecar} exists.`, {
    hint: 'Name another file.',
  });
}
