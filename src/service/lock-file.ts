import type { LockFile } from '../disk/lock.ts';
import { engine } from './engine.ts';

/** The codes of SQLite for a file that is locked, and for one that holds something else than a database. */
const [busy, notDatabase] = [5, 26];

/**
 * Locks a file as SQLite locks a database: Node itself has no call for it, and SQLite locks files on every system. It
 * takes 1 ms, and leaves an empty file empty. Throws what SQLite says if it cannot open the file.
 */
export const lockFile: LockFile = (path) => {
  const sqlite = new (engine())(path);
  try {
    // Without a journal file beside it.
    sqlite.exec('pragma journal_mode = memory; begin exclusive');
    return { release: () => sqlite.close() };
  } catch (error) {
    sqlite.close();
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
    if (code === busy) return 'locked';
    if (code === notDatabase) return 'not_empty';
    throw error;
  }
};

/** The lock, or undefined for a Node without SQLite. */
export function availableLockFile(): LockFile | undefined {
  try {
    engine();
    return lockFile;
  } catch {
    return undefined;
  }
}
