import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { lockTimeout } from './connection.ts';
import { copyDatabase, vacuumInto } from './copy-file.ts';
import { loadSqlite, type Sqlite } from './engine.ts';
import { closeUnchanged, openFile, openTemporary } from './open-file.ts';

/** The version of the schema: that of the last of the migrations. */
const latest = 4;

const migrations = join(import.meta.dirname, 'migrations');

/**
 * Opens a workspace file and brings its schema up to date: a copy of the file is kept, and `tell` is told where. A file
 * that is not ours, or of a newer version, stays as it is, to the byte. Throws `failed` for these, and what SQLite says.
 */
export function openWorkspace(
  file: string,
  tell: (text: string) => void,
): { readonly sqlite: Sqlite; readonly isMigrated: boolean } {
  const { sqlite, isReadOnly, found } = openOurs(file);
  try {
    if (isReadOnly) return { sqlite: readable(sqlite, found), isMigrated: false };
    // What is answered as written must be on disk: WAL with FULL syncs at each commit.
    sqlite.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    const isMigrated = found < latest && migrate(sqlite, file, tell);
    // From here on it is waited for with the event loop running: Ctrl-C must be heard, and other requests served.
    sqlite.exec('pragma busy_timeout = 50');
    return { sqlite, isMigrated };
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function openOurs(file: string) {
  const opened = openFile(file);
  try {
    configure(opened.sqlite);
    return { ...opened, found: checkOurs(opened.sqlite, file) };
  } catch (error) {
    closeUnchanged(opened.sqlite, file);
    throw error;
  }
}

function configure(sqlite: Sqlite): void {
  sqlite.exec(`pragma busy_timeout = ${lockTimeout}; pragma trusted_schema = off`);
}

/** The same workspace for reading: one of an older version is brought up to date in a copy that goes when it is closed. */
function readable(sqlite: Sqlite, found: number): Sqlite {
  if (found === latest) {
    sqlite.exec('pragma query_only = on');
    return sqlite;
  }
  // By SQLite: a program of the older version may be writing, and to open the file here would drop our locks on it.
  const copy = openTemporary((path) => vacuumInto(sqlite, path));
  try {
    runMigrations(copy);
    // The copy of the next command would have another.
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
 * The version of a workspace file. Throws `failed` for the database of another program, or a workspace of a newer
 * version. Writes nothing.
 */
export function checkOurs(sqlite: Sqlite, file: string): number {
  const { found, tables, ours } = contentOf(sqlite);
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
 * The version of a file and how many tables it has. A prepared statement would give the same, but
 * @photostructure/sqlite closes a file only after its statements are collected as garbage, and until then the empty
 * -wal and -shm files of one that we refuse lie beside it.
 */
function contentOf(sqlite: Sqlite): { found: number; tables: number; ours: number } {
  let seen: unknown[] = [];
  sqlite.function('kith_seen', (found, tables, ours) => {
    seen = [found, tables, ours];
    return null;
  });
  sqlite.exec(`select kith_seen(
      (select user_version from pragma_user_version),
      count(*),
      count(*) filter (where name in ('workspace', 'tally')))
    from sqlite_schema where type = 'table'`);
  const [found = 0, tables = 0, ours = 0] = seen.map(Number);
  return { found, tables, ours };
}

function version(sqlite: Sqlite): number {
  const row = sqlite.prepare('pragma user_version').get() as { user_version: number }; // one row, always
  return row.user_version;
}

/** Brings the schema up to date; gives whether there was anything to do. */
function migrate(sqlite: Sqlite, file: string, tell: (text: string) => void): boolean {
  sqlite.exec('begin immediate');
  try {
    // Read again under the lock: another process may have done it meanwhile.
    const found = version(sqlite);
    const copy = found > 0 && found < latest ? keepCopy(file, found) : undefined;
    runMigrations(sqlite);
    sqlite.exec('commit');
    if (copy !== undefined) {
      tell(
        `Updated the workspace file ${file} for this version of kith. A backup from before the update is ${copy}.`,
      );
    }
    return true;
  } catch (error) {
    sqlite.exec('rollback');
    throw error;
  }
}

/** Copies a workspace before its update. Under the lock of the update: nobody can write in between. */
function keepCopy(file: string, found: number): string {
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
    if (index < version(sqlite)) continue;
    sqlite.exec(readFileSync(join(migrations, name), 'utf8'));
    sqlite.exec(`pragma user_version = ${index + 1}`);
  }
}
