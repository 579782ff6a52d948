import type { LockFile } from '../../../files/lock.ts';
import { loadSqlite, type Sqlite } from '../../../sqlite/engine.ts';
import { isLocked, isNotDatabase } from './errors.ts';

/**
 * Locks a file as SQLite locks a database, because Node.js has no file locks. An empty file stays empty. It is not
 * supported for paths of more than 512 bytes, and on some file systems.
 */
export const lockWithSqlite: LockFile = (path) => {
  let sqlite: Sqlite | undefined;
  try {
    const opened = new (loadSqlite())(path);
    sqlite = opened;
    // With the journal in memory, SQLite creates no other file.
    opened.exec('pragma journal_mode = memory; begin exclusive');
    return { release: () => opened.close() };
  } catch (error) {
    sqlite?.close();
    if (isLocked(error)) return 'locked';
    return isNotDatabase(error) ? 'not_empty' : 'unsupported';
  }
};

/** Returns the function that locks a file; undefined if this Node.js has no SQLite. */
export function findLockFile(): LockFile | undefined {
  try {
    loadSqlite();
    return lockWithSqlite;
  } catch {
    return undefined;
  }
}
