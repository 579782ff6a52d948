import {
  closeSync,
  existsSync,
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
import { pathExists, readFolderIfExists } from '../../../files/read-file.ts';
import { lockWithSqlite } from './lock-file.ts';

/** The temporary folder of a copy, next to its target. The process that writes the copy holds the lock. */
const unfinished = { prefix: '.kith-copy-', file: 'copy.sqlite', lock: 'lock' };

/** The age in milliseconds, since its last change, at which a copy without a lock is abandoned. */
const abandonedAfter = 3_600_000;

/**
 * Creates a temporary folder next to `path` for a file that is renamed when it is complete. Removes copies that killed
 * programs left there, because each may be as large as the workspace.
 */
export function createUnfinishedCopy(path: string) {
  const { folder, lock } = createLockedFolder(dirname(path));
  removeAbandoned(dirname(path), statSync(folder).mtimeMs);
  const file = join(folder, unfinished.file);
  return {
    file,
    finish() {
      renameSync(file, path);
      syncToDisk(dirname(path));
    },
    remove() {
      if (typeof lock === 'object') lock.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createLockedFolder(parent: string) {
  for (;;) {
    const folder = mkdtempSync(join(parent, unfinished.prefix));
    const lock = lockWithSqlite(join(folder, unfinished.lock));
    // Before the folder was locked, another process may have taken it for an abandoned one.
    if (lock !== 'locked' && existsSync(folder)) return { folder, lock };
  }
}

function removeAbandoned(parent: string, now: number): void {
  for (const name of readFolderIfExists(parent).filter((name) => name.startsWith(unfinished.prefix))) {
    const folder = join(parent, name);
    try {
      if (isAbandoned(folder, now)) rmSync(folder, { recursive: true });
    } catch {
      // The folder belongs to another user, or another process has removed it.
    }
  }
}

function isAbandoned(folder: string, now: number): boolean {
  const path = join(folder, unfinished.lock);
  // An earlier version wrote no lock, and not every file system has locks.
  const lock = existsSync(path) ? lockWithSqlite(path) : 'unsupported';
  if (lock === 'locked') return false;
  if (typeof lock === 'object') {
    lock.release();
    return true;
  }
  const files = readdirSync(folder).map((file) => join(folder, file));
  const times = (files.length > 0 ? files : [folder]).map((file) => statSync(file).mtimeMs);
  return now - Math.max(...times) > abandonedAfter;
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
