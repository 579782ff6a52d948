import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { loadSqlite, type Sqlite } from '../sqlite/engine.ts';

/** Milliseconds to wait for a lock: a person waits for the result. */
const lockTimeout = 10;

/**
 * Opens a database file for reading, and changes nothing: it creates no file, and merges no changes of other processes.
 * Undefined if there is no such file, or another process may have written to it and left it.
 */
export function openForReading(path: string): Sqlite | undefined {
  const size = (suffix: string) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0;
  if (size('') === 0 || size('-journal') > 0) return undefined;
  if (size('-wal') > 0) return size('-shm') > 0 ? open(path) : undefined;
  try {
    // Nobody has written since the last merge. SQLite needs no locks and no other files.
    return open(`${pathToFileURL(path)}?immutable=1`);
  } catch {
    return open(path); // Node.js before 22.15 does not support such names.
  }
}

function open(name: string): Sqlite {
  const sqlite = new (loadSqlite())(name, { readOnly: true });
  sqlite.exec(`pragma busy_timeout = ${lockTimeout}; pragma trusted_schema = off`);
  return sqlite;
}
