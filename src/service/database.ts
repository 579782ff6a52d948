import { accessSync, closeSync, constants, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  CompiledQuery,
  type Dialect,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Failure } from '../contract/errors.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { diskReason } from '../disk/on-disk.ts';
import { checkPlain, otherThing } from '../disk/plain-file.ts';
import { type Connection, connectionTo, driver, patience } from './connection.ts';
import { engine, type Sqlite } from './engine.ts';
import { late } from './late.ts';
import { isLocked, storageFailure } from './sqlite-errors.ts';
import type { Tables } from './tables.ts';

/** The workspace's tables, to be queried and changed. */
export type Database = Omit<Kysely<Tables>, 'destroy'>;

/**
 * Opens the workspace in `file` (`:memory:` for one that goes with the process), makes it where there is
 * none (readable by its owner only), and brings its schema up to date. Throws `failed` for a file that is no
 * workspace, or one of a newer version.
 */
export function openDatabase(file: string): Database {
  const sqlite = open(file);
  let isMigrated: boolean;
  try {
    sqlite.exec(`pragma busy_timeout = ${patience}; pragma trusted_schema = off`);
    checkOurs(sqlite, file);
    // What is answered as written must be on disk: WAL with FULL syncs at each commit.
    sqlite.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    isMigrated = migrate(sqlite, file);
    // From here on it is waited for with the event loop running: Ctrl-C must be heard, and other requests served.
    sqlite.exec('pragma busy_timeout = 50');
  } catch (error) {
    sqlite.close();
    throw unreadable(file, error);
  }
  const connection = connectionTo(sqlite);
  if (isMigrated) connection.writes += 1;
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  const db = late(() => new Kysely<Tables>({ dialect }));
  states.set(db, stateReader(sqlite, connection));
  connections.set(db, connection);
  return db;
}

/** Closes a workspace: a transaction that is under way is taken back, and what is still asked of it fails. */
export function closeDatabase(db: Database): void {
  connections.get(db)?.close();
}

const connections = new WeakMap<Database, Connection>();

const states = new WeakMap<Database, () => string>();

/** A text that is another one after anything was written to the file, by this process or another. */
export function stateOf(db: Database): string {
  const read = states.get(db);
  if (!read) throw new Error('Only an open workspace has a state.');
  return read();
}

interface Text {
  readonly text: string;
}

/** The one text that a query gives, in its column `text`. */
export async function textOf(db: Database, sql: string, values: readonly unknown[]): Promise<string> {
  // A transaction is no open workspace; it, and what waits for one, goes the way of Kysely, which takes as long as the query.
  const rows =
    connections.get(db)?.rowsNow<Text>(sql, values) ??
    (await db.executeQuery<Text>(CompiledQuery.raw(sql, [...values]))).rows;
  return rows[0]?.text ?? '';
}

/** Gives the event loop its turn, where that is due: what is read after it without a wait is one state of the file. */
export async function beginReading(db: Database): Promise<void> {
  await connections.get(db)?.pause();
}

/** What is read after this is the file as it is then. */
export function endReading(db: Database): void {
  connections.get(db)?.endSnapshot();
}

/**
 * Of writes of its own a connection knows, and SQLite says when another has committed. That is asked once for all
 * requests that had come in when the event loop took its turn: to take and leave the lock for it is a fifth of an answer
 * from memory, and who sent them knows of no later commit: unless a client sends half of a request, hears of a commit,
 * and then sends the rest. So it is to be asked as a request comes in.
 */
function stateReader(sqlite: Sqlite, connection: Connection): () => string {
  const commits = sqlite.prepare('pragma data_version');
  let version: number | undefined;
  return () => {
    if (version === undefined) {
      const { data_version } = commits.get() as { data_version: number }; // one row, always
      version = data_version;
      setImmediate(() => {
        version = undefined;
      });
    }
    return `${connection.writes} ${version}`;
  };
}

/** Runs `work` in a transaction: all of it is written, or nothing. Inside one already, it is part of that. */
export function transact<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

function open(file: string): Sqlite {
  try {
    if (file !== ':memory:') {
      makeFolder(dirname(file), 0o700);
      createFile(file);
    }
    return new (engine())(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * Creates the file, readable by its owner only, before SQLite does so with another mode. A file that exists is not
 * opened: on POSIX, closing any descriptor of a file drops every lock that this process holds on it, those of SQLite
 * too, and the next program that reads the workspace deletes its -wal file while we write to it.
 */
function createFile(file: string): void {
  if (!checkPlain(file)) {
    closeSync(openSync(file, 'a', 0o600));
    return;
  }
  // SQLite only says that it cannot open it.
  if (statSync(file).isDirectory()) throw otherThing(file, 'it is a folder, not a file');
  accessSync(file, constants.R_OK);
}

function unreadable(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (isLocked(error)) return lockedFile(file, error);
  const storage = storageFailure(error, file);
  if (storage) return storage;
  return new Failure('failed', `Cannot use the workspace file ${file}: ${diskReason(error)}.`, {
    cause: error,
    hint: 'Use another file: kith auth login --local --database FILE',
  });
}

/** The failure of a file that another process holds for longer than we wait. */
export function lockedFile(file: string, cause: unknown): Failure {
  return new Failure('busy', `The workspace file ${file} is being written by another process.`, { cause });
}

/** Before anything is written: the database of another program must stay as it is. */
function checkOurs(sqlite: Sqlite, file: string): void {
  const { tables, ours } = sqlite
    .prepare(`select count(*) as tables, count(*) filter (where name in ('workspace', 'tally')) as ours
      from sqlite_schema where type = 'table'`)
    .get() as { tables: number; ours: number }; // one row, always
  if (tables === 0 || ours === 2) return;
  throw new Failure('failed', `The file ${file} is a database of another program.`, {
    hint: 'Use another file: kith auth login --local --database FILE',
  });
}

/** The version of the schema: that of the last of the migrations. */
const latest = 3;

const migrations = join(import.meta.dirname, 'migrations');

function version(sqlite: Sqlite): number {
  const row = sqlite.prepare('pragma user_version').get() as { user_version: number }; // one row, always
  return row.user_version;
}

/** Brings the schema up to date; gives whether there was anything to do. */
function migrate(sqlite: Sqlite, file: string): boolean {
  const found = version(sqlite);
  if (found === latest) return false;
  if (found > latest) {
    throw new Failure('failed', `The workspace file ${file} was written by a newer kith.`, {
      hint: 'Update kith, or use another file: kith auth login --local --database FILE',
    });
  }
  const names = readdirSync(migrations).sort();
  sqlite.exec('begin immediate');
  try {
    // Read again under the lock: another process may have done it meanwhile.
    for (const [index, name] of names.entries()) {
      if (index < version(sqlite)) continue;
      sqlite.exec(readFileSync(join(migrations, name), 'utf8'));
      sqlite.exec(`pragma user_version = ${index + 1}`);
    }
    sqlite.exec('commit');
    return true;
  } catch (error) {
    sqlite.exec('rollback');
    throw error;
  }
}
