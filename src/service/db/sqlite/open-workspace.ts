import { existsSync } from 'node:fs';
import { Failure } from '../../../contract/errors.ts';
import { describeDiskError } from '../../../files/disk-errors.ts';
import { loadSqlite, type Sqlite } from '../../../sqlite/engine.ts';
import type { OpenDatabase } from '../database.ts';
import type { Migration } from '../migrations.ts';
import type { OpenOptions } from '../open.ts';
import { createDatabase, rollBack } from './connection.ts';
import { copyDatabase, writeVacuumedCopy } from './copy-database.ts';
import { isLocked, toStorageFailure, useAnotherFile } from './errors.ts';
import { findMissingMigrations, inspect, runMigrations } from './migrations.ts';
import { openFile, openTemporary } from './open-file.ts';

/**
 * Opens the workspace in `file` (`:memory:` for a temporary one). Creates it if missing, readable by its owner only, and
 * updates its schema. A read-only file can be read.
 * @throws {Failure} `failed` for another program's file or a newer version's, `storage` for a damaged one, `busy` for a
 * locked one
 */
export function openDatabase(file: string, options: OpenOptions = {}): OpenDatabase {
  try {
    const { sqlite, isMigrated } = openWorkspace(file, options);
    return createDatabase(sqlite, isMigrated, options.lockTimeout);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw (
      toFileFailure(error, file) ??
      new Failure('failed', `Cannot use the workspace file ${file}: ${describeDiskError(error)}.`, {
        cause: error,
        hint: useAnotherFile,
      })
    );
  }
}

/** Checks that a workspace file exists, because a mistyped path must not create one. @throws {Failure} `failed` */
export function checkFileExists(file: string): void {
  if (existsSync(file)) return;
  throw new Failure('failed', `Workspace file not found: ${file}`, {
    hint: 'Create it with `kith auth login --local`, or use another profile: kith auth list',
  });
}

/** Updates the schema of a file unless `isDryRun`, and returns the migrations that it lacked. @throws {Failure} as `openDatabase` does */
export async function migrateFile(
  file: string,
  options: OpenOptions,
  isDryRun: boolean,
): Promise<readonly Migration[]> {
  checkFileExists(file);
  const { sqlite } = openFile(file, options.lockTimeout);
  const missing = findMissingMigrations(sqlite);
  sqlite.close();
  if (!isDryRun) await openDatabase(file, options).close();
  return missing;
}

/** Opens the workspace in a file, created if missing, for one piece of work. @throws {Failure} `busy` if it is locked */
export async function withFile<T>(
  file: string,
  work: (db: OpenDatabase) => Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const db = openDatabase(file, options);
  try {
    return await work(db);
  } catch (error) {
    throw toFileFailure(error, file) ?? error;
  } finally {
    await db.close();
  }
}

/** Returns the failure for an error of the file itself; undefined for any other error. */
function toFileFailure(error: unknown, file: string): Failure | undefined {
  if (!isLocked(error)) return toStorageFailure(error, file);
  return new Failure('busy', `The workspace file ${file} is being written by another process.`, {
    cause: error,
  });
}

/** Opens a workspace file as `openFile` does, and updates its schema after a backup, whose path `log` receives. */
function openWorkspace(file: string, { log = () => {}, lockTimeout, isReadOnly: isOnlyRead }: OpenOptions) {
  const { sqlite, isReadOnly } = openFile(file, lockTimeout, isOnlyRead);
  try {
    if (isReadOnly) return { sqlite: makeReadOnly(sqlite), isMigrated: false };
    // An acknowledged write must survive a power failure: WAL, synced at each commit.
    sqlite.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    const isMigrated = findMissingMigrations(sqlite).length > 0;
    if (isMigrated) migrate(sqlite, file, log);
    // Later statements are retried by the connection, so that the event loop can handle signals and other requests.
    sqlite.exec('pragma busy_timeout = 50');
    return { sqlite, isMigrated };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** Makes a database read-only. A database of an older version is updated in a temporary copy. */
function makeReadOnly(sqlite: Sqlite): Sqlite {
  const missing = findMissingMigrations(sqlite);
  if (missing.length === 0) {
    sqlite.exec('pragma query_only = on');
    return sqlite;
  }
  // SQLite makes the copy: a program of the older version may be writing, and opening the file would drop our locks.
  const copy = openTemporary((path) => writeVacuumedCopy(sqlite, path));
  try {
    runMigrations(copy, missing);
    copy.exec('pragma query_only = on');
  } catch (error) {
    copy.close();
    throw error;
  }
  sqlite.close();
  return copy;
}

/** Updates the schema, after a backup of a file that is not empty. */
function migrate(sqlite: Sqlite, file: string, log: (text: string) => void): void {
  sqlite.exec('begin immediate');
  try {
    // Another process may have updated the database before the lock.
    const missing = findMissingMigrations(sqlite);
    const { version } = inspect(sqlite);
    const copy = version > 0 && missing.length > 0 ? writeBackup(file, version) : undefined;
    runMigrations(sqlite, missing);
    sqlite.exec('commit');
    if (copy !== undefined) {
      log(
        `Updated the workspace file ${file} for this version of kith. A backup from before the update is ${copy}.`,
      );
    }
  } catch (error) {
    rollBack(sqlite);
    throw error;
  }
}

/** Copies a workspace under the lock of its update, so that nobody can write in between. */
function writeBackup(file: string, version: number): string {
  const copy = `${file}.v${version}.backup`;
  const reader = new (loadSqlite())(file, { readOnly: true });
  try {
    copyDatabase(reader, file, copy);
    return copy;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const hint =
      'Before kith updates a workspace for a new version, it copies the file. The workspace is unchanged.';
    throw new Failure(error.code, error.message, { ...error.detail, hint });
  } finally {
    reader.close();
  }
}
