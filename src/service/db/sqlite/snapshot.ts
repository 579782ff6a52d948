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
import { describeDiskError } from '../../../files/disk-errors.ts';
import { pathExists } from '../../../files/read-file.ts';
import { loadSqlite, type Sqlite } from '../../../sqlite/engine.ts';
import { describeStorageError } from './errors.ts';
import { openFile } from './open-file.ts';

/**
 * Copies one state of a workspace to a file, even while other programs read and write it. Returns its size in bytes.
 * @throws {Failure} `failed` if the file exists and is not to be replaced, `storage` if it cannot be written
 */
export function writeSnapshot(workspace: string, file: string, isReplacing: boolean) {
  const { sqlite } = openFile(workspace);
  try {
    checkTarget(workspace, file, isReplacing);
    copyDatabase(sqlite, workspace, file);
    return { file, workspace, size: statSync(file).size };
  } finally {
    sqlite.close();
  }
}

function checkTarget(workspace: string, file: string, isReplacing: boolean): void {
  const target = statSync(file, { throwIfNoEntry: false });
  const { dev, ino } = statSync(workspace);
  if (target?.dev === dev && target.ino === ino) {
    throw new Failure('usage', `The snapshot cannot replace the workspace file ${workspace} itself.`, {
      hint: 'Name another file.',
    });
  }
  if (target && !target.isFile())
    throw new Failure('failed', `Cannot write the snapshot ${file}: it is not a file.`);
  if (target && !isReplacing) {
    throw new Failure('failed', `The file ${file} already exists.`, { hint: 'Pass --force to replace it.' });
  }
  // SQLite would merge them into the snapshot when it is opened.
  const sidecar = ['-wal', '-shm', '-journal'].map((suffix) => file + suffix).find(pathExists);
  if (sidecar !== undefined) {
    throw new Failure('failed', `A program may be using ${file} as a database: ${sidecar} exists.`, {
      hint: 'Name another file.',
    });
  }
}

/**
 * Writes a copy of one state of a database, even if other processes write to it. The copy is readable by its owner only.
 * It is checked and then renamed into place. @throws {Failure} `storage` if it cannot be read or written
 */
export function copyDatabase(sqlite: Sqlite, from: string, to: string): void {
  try {
    writeCopy(sqlite, to);
  } catch (error) {
    const reason = describeStorageError(error) ?? describeDiskError(error);
    throw new Failure('storage', `Cannot copy the workspace file ${from} to ${to}: ${reason}.`, {
      cause: error,
    });
  }
}

/** The temporary folder of a copy, next to its target. */
const unfinished = { prefix: '.kith-copy-', file: 'copy.sqlite' };

/** Milliseconds after its last change until an unfinished copy counts as left by a killed program. */
const abandonedAfter = 3_600_000;

function writeCopy(sqlite: Sqlite, path: string): void {
  const folder = mkdtempSync(join(dirname(path), unfinished.prefix));
  try {
    removeAbandoned(dirname(path), statSync(folder).mtimeMs);
    const copy = join(folder, unfinished.file);
    vacuumInto(sqlite, copy);
    syncToDisk(copy);
    checkIntegrity(copy);
    renameSync(copy, path);
    syncToDisk(dirname(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes unfinished copies that killed programs left in a folder. Each may be as large as the workspace. */
function removeAbandoned(folder: string, now: number): void {
  for (const name of readdirSync(folder).filter((name) => name.startsWith(unfinished.prefix))) {
    const path = join(folder, name);
    try {
      const { mtimeMs } = statSync(join(path, unfinished.file), { throwIfNoEntry: false }) ?? statSync(path);
      if (now - mtimeMs > abandonedAfter) rmSync(path, { recursive: true });
    } catch {
      // It belongs to another user, or another snapshot has removed it.
    }
  }
}

/** Writes one state of a database to a new file, readable by its owner only. @throws errors of SQLite or the disk */
export function vacuumInto(sqlite: Sqlite, path: string): void {
  closeSync(openSync(path, 'wx', 0o600)); // SQLite would make it readable by everybody
  sqlite.exec(`vacuum into '${path.replaceAll("'", "''")}'`);
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } catch {
    // Not every system can sync a folder, or a file that is open for reading.
  } finally {
    closeSync(file);
  }
}

function checkIntegrity(path: string): void {
  const sqlite = new (loadSqlite())(path, { readOnly: true });
  try {
    const [first] = sqlite.prepare('pragma integrity_check(1)').all() as { integrity_check: string }[];
    if (first?.integrity_check === 'ok') return;
    throw new Error(`the copy is damaged: ${first?.integrity_check}`);
  } finally {
    sqlite.close();
  }
}
