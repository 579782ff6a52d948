import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { lockTimeout } from './connection.ts';
import { copyDatabase, vacuumInto } from './copy-file.ts';
import { loadSqlite, type Sqlite } from './engine.ts';
import { closeUnchanged, openFile, openTemporary } from './open-file.ts';

/** The version of the schema, which is the number of the last migration. */
const latest = 4;

const migrations = join(import.meta.dirname, 'migrations');

/**
 * Opens a workspace file and updates its schema, after a backup whose path `log` receives. The file of another program
 * or of a newer version is not changed. @throws {Failure} `failed` for such a file; or errors of SQLite
 */
export function openWorkspace(
  file: string,
  log: (text: string) => void,
): { readonly sqlite: Sqlite; readonly isMigrated: boolean } {
  const { sqlite, isReadOnly, found } = openChecked(file);
  try {
    if (isReadOnly) return { sqlite: makeReadOnly(sqlite, found), isMigrated: false };
    // An acknowledged write must survive a power failure: WAL, synced at each commit.
    sqlite.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    const isMigrated = found < latest && migrate(sqlite, file, log);
    // From now on the connection itself retries, so that the event loop can handle signals and other requests.
    sqlite.exec('pragma busy_timeout = 50');
    return { sqlite, isMigrated };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function openChecked(file: string) {
  const opened = openFile(file);
  try {
    configure(opened.sqlite);
    return { ...opened, found: readVersion(opened.sqlite, file) };
  } catch (error) {
    closeUnchanged(opened.sqlite, file);
    throw error;
  }
}

function configure(sqlite: Sqlite): void {
  sqlite.exec(`pragma busy_timeout = ${lockTimeout}; pragma trusted_schema = off`);
}

/** Makes a database read-only. One of an older version is updated in a temporary copy. */
function makeReadOnly(sqlite: Sqlite, found: number): Sqlite {
  if (found === latest) {
    sqlite.exec('pragma query_only = on');
    return sqlite;
  }
  // Copied by SQLite: a program of the older version may be writing, and opening the file would drop our locks on it.
  const copy = openTemporary((path) => vacuumInto(sqlite, path));
  try {
    runMigrations(copy);
    // Each copy would get another random identity.
    copy.exec("update workspace set identity = ''");
    copy.exec('pragma query_only = on');
  } catch (error) {
    copy.close();
    throw error;
  }
  sqlite.close();
  return copy;
}

/**
 * Returns the version of a workspace file, and changes nothing.
 * @throws {Failure} `failed` for the database of another program, or a workspace of a newer version
 */
export function readVersion(sqlite: Sqlite, file: string): number {
  const { found, tables, ours } = inspect(sqlite);
  if (tables > 0 && ours < 2) {
    throw new Failure('failed', `The file ${file} is the database of another program.`, {
      hint: 'Use another file: kith auth login --local --database FILE',
    });
  }
  if (found > latest) {
    throw new Failure('failed', `The workspace file ${file} was written by a newer kith.`, {
      hint: 'Update kith, or use another file: kith auth login --local --database FILE',
    });
  }
  return found;
}

/**
 * Returns the version of a file, its number of tables, and how many of them have our names. It avoids prepared statements:
 * @photostructure/sqlite closes a file only after its statements are garbage-collected, and until then the empty -wal and
 * -shm files of a refused file would remain.
 */
function inspect(sqlite: Sqlite): { found: number; tables: number; ours: number } {
  let values: unknown[] = [];
  sqlite.function('kith_inspect', (found, tables, ours) => {
    values = [found, tables, ours];
    return null;
  });
  sqlite.exec(`select kith_inspect(
      (select user_version from pragma_user_version),
      count(*),
      count(*) filter (where name in ('workspace', 'tally')))
    from sqlite_schema where type = 'table'`);
  const [found = 0, tables = 0, ours = 0] = values.map(Number);
  return { found, tables, ours };
}

function readUserVersion(sqlite: Sqlite): number {
  const row = sqlite.prepare('pragma user_version').get() as { user_version: number }; // one row, always
  return row.user_version;
}

/** Updates the schema. */
function migrate(sqlite: Sqlite, file: string, log: (text: string) => void): boolean {
  sqlite.exec('begin immediate');
  try {
    // Read again under the lock, because another process may have updated it meanwhile.
    const found = readUserVersion(sqlite);
    const copy = found > 0 && found < latest ? writeBackup(file, found) : undefined;
    runMigrations(sqlite);
    sqlite.exec('commit');
    if (copy !== undefined) {
      log(
        `Updated the workspace file ${file} for this version of kith. A backup from before the update is ${copy}.`,
      );
    }
    return true;
  } catch (error) {
    sqlite.exec('rollback');
    throw error;
  }
}

/** Copies a workspace under the lock of its update, so that nobody can write in between. */
function writeBackup(file: string, found: number): string {
  const copy = `${file}.v${found}.backup`;
  const reader = new (loadSqlite())(file, { readOnly: true });
  try {
    copyDatabase(reader, { from: file, to: copy });
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

function runMigrations(sqlite: Sqlite): void {
  for (const [index, name] of readdirSync(migrations).sort().entries()) {
    if (index < readUserVersion(sqlite)) continue;
    sqlite.exec(readFileSync(join(migrations, name), 'utf8'));
    sqlite.exec(`pragma user_version = ${index + 1}`);
  }
}
