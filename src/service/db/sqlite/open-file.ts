import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { getBuiltinModule } from 'node:process';
import { pathToFileURL } from 'node:url';
import { Failure } from '../../../contract/errors.ts';
import { makeFolder } from '../../../files/permissions.ts';
import { checkFileType, createNotFileError, pathExists } from '../../../files/read-file.ts';
import { loadSqlite, type Sqlite } from '../../../sqlite/engine.ts';
import { checkVersion } from './migrations.ts';

/** Milliseconds that a request waits for another process to unlock the file. Its response is due within 5 s. */
export const defaultLockTimeout = 4000;

/**
 * Opens a workspace file with SQLite, and creates it if missing, readable by its owner only. The file of another program
 * or of a newer version is not changed. @throws {Failure} `failed` for such a file, and for a file of 0 bytes; or errors
 * of SQLite or the disk
 */
export function openFile(
  path: string,
  lockTimeout = defaultLockTimeout,
  isOnlyRead = false,
): { readonly sqlite: Sqlite; readonly isReadOnly: boolean } {
  checkNotEmpty(path);
  const sqlite = isOnlyRead
    ? { sqlite: new (loadSqlite())(path, { readOnly: true }), isReadOnly: true }
    : openWithSqlite(path);
  try {
    sqlite.sqlite.exec(`pragma busy_timeout = ${lockTimeout}; pragma trusted_schema = off`);
    checkVersion(sqlite.sqlite, path);
    return sqlite;
  } catch (error) {
    closeUnchanged(sqlite.sqlite, path);
    throw error;
  }
}

/** Milliseconds to wait for a process that creates a workspace file, without and with its journal. */
const creationTime = { before: 100, withJournal: 2000 };

/**
 * Refuses a file of 0 bytes, which SQLite would turn into a new workspace: a full disk, an interrupted copy or a sync
 * program may leave such a file. @throws {Failure} `failed`
 */
function checkNotEmpty(path: string): void {
  const step = 20;
  const isEmpty = () => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() && stats.size === 0; // a pipe has no size either
  };
  for (let waited = 0; isEmpty(); waited += step) {
    // A slow disk keeps the journal until the first page is written.
    if (waited >= (pathExists(`${path}-journal`) ? creationTime.withJournal : creationTime.before))
      throw new Failure('failed', `The workspace file ${path} is empty (0 bytes).`, {
        hint: 'Restore it from a backup. To create a new workspace there, remove the file first.',
      });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step);
  }
}

/** Opens a file in WAL mode in a read-only folder as immutable, because SQLite cannot create its -shm file. */
function openWithSqlite(path: string) {
  if (path === ':memory:') return { sqlite: new (loadSqlite())(path), isReadOnly: false };
  makeFolder(dirname(path), 0o700);
  createFile(path);
  const isReadOnly = !isWritable(path);
  const isOpenElsewhere = pathExists(`${path}-wal`) && pathExists(`${path}-shm`);
  if (isOpenElsewhere || (!isReadOnly && isWritable(dirname(path)))) {
    return { sqlite: new (loadSqlite())(path), isReadOnly };
  }
  return { sqlite: hasPendingChanges(path) ? openCopy(path) : openUnchanging(path), isReadOnly: true };
}

/**
 * Creates the file, readable by its owner only, before SQLite creates it with another mode. Does not open an existing
 * file. On POSIX, closing any descriptor of a file drops all locks of this process on it, including SQLite's locks. The
 * next reader of the workspace would then delete its -wal file while we write to it.
 */
function createFile(path: string): void {
  if (!checkFileType(path)) {
    closeSync(openSync(path, 'a', 0o600));
    return;
  }
  // SQLite reports only that it cannot open the file.
  if (statSync(path).isDirectory()) throw createNotFileError(path, 'it is a folder, not a file');
  accessSync(path, constants.R_OK);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a killed program left changes in a -wal or -journal file that SQLite has not merged yet. */
function hasPendingChanges(path: string): boolean {
  return ['-wal', '-journal'].some((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size);
}

/** Opens a file that nobody can be writing to. SQLite then takes no locks and creates no other files. */
function openUnchanging(path: string): Sqlite {
  try {
    return new (loadSqlite())(`${pathToFileURL(path)}?immutable=1`, { readOnly: true });
  } catch {
    return openCopy(path); // Node.js before 22.15 does not support such names.
  }
}

/** Opens a copy of a file and its pending changes. No connection of this process may have the file open. */
function openCopy(path: string): Sqlite {
  return openTemporary((copy) => {
    for (const suffix of ['', '-wal', '-journal'].filter((suffix) => pathExists(path + suffix))) {
      copyFileSync(path + suffix, copy + suffix);
      chmodSync(copy + suffix, 0o600);
    }
  });
}

/** Opens a database that `write` writes to a temporary file, which is removed at once. */
export function openTemporary(write: (path: string) => void): Sqlite {
  const folder = mkdtempSync(join(getBuiltinModule('node:os').tmpdir(), 'kith-'));
  try {
    const file = join(folder, 'workspace.sqlite');
    write(file);
    const sqlite = new (loadSqlite())(file);
    // SQLite opens the files at the first read, and does not need their names afterwards.
    sqlite.exec('pragma journal_mode = wal; select 1 from sqlite_schema');
    return sqlite;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Closes a file without changing it. SQLite merges pending changes when the last connection is closed, unless that
 * connection is read-only.
 */
function closeUnchanged(sqlite: Sqlite, path: string): void {
  if (!hasPendingChanges(path)) {
    sqlite.close();
    return;
  }
  const reader = new (loadSqlite())(path, { readOnly: true });
  reader.exec('select 1 from sqlite_schema');
  sqlite.close();
  reader.close();
}
