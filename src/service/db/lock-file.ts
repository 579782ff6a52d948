import type { LockFile } from '../../files/lock.ts';
import { loadSqlite, type Sqlite } from './engine.ts';

/** The codes of SQLite for a file that is locked, and for one that holds something else than a database. */
const [busy, notDatabase] = [5, 26];

/**
 * Locks a file as SQLite locks a database: Node itself has no call for it, and SQLite locks files on every system. It
 * takes 1 ms, and leaves an empty file empty. SQLite opens no path of more than 512 bytes, and some file systems have no
 * locks.
 */
export const lockWithSqlite: LockFile = (path) => {
  let sqlite: Sqlite | undefined;
  try {
    const opened = new (loadSqlite())(path);
    sqlite = opened;
    // Without a journal file beside it.
    opened.exec('pragma journal_mode = memory; begin exclusive');
    return { release: () => opened.close() };
  } catch (error) {
    sqlite?.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
    if (code === busy) return 'locked';
    return code === notDatabase ? 'not_empty' : 'unsupported';
  }
};

/** The lock, or undefined for a Node without SQLite. */
export function findLockFile(): LockFile | undefined {
  try {
    loadSqlite();
    return lockWithSqlite;
  } catch {
    return undefined;
  }
}
