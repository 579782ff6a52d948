import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Failure } from '../contract/errors.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { engine, type Sqlite, type Statement } from './engine.ts';
import type { Tables } from './tables.ts';

/** The workspace's tables, to be queried and changed. */
export type Database = Kysely<Tables>;

/** Milliseconds that another process may hold the file. */
const patience = 5000;

/**
 * Opens the workspace in `file` (`:memory:` for one that goes with the process), makes it where there is
 * none (readable by its owner only), and brings its schema up to date. Throws `failed` for a file that is no
 * workspace, or one of a newer version.
 */
export function openDatabase(file: string): Database {
  const sqlite = open(file);
  try {
    sqlite.exec(`pragma busy_timeout = ${patience}; pragma trusted_schema = off`);
    checkOurs(sqlite, file);
    // What is answered as written must be on disk: WAL with FULL syncs at each commit.
    sqlite.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    migrate(sqlite, file);
    // From here on it is waited for with the event loop running: Ctrl-C must be heard, and other requests served.
    sqlite.exec('pragma busy_timeout = 50');
  } catch (error) {
    sqlite.close();
    throw error instanceof Failure ? error : unreadable(file, error);
  }
  const connection = connectionTo(sqlite);
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver(sqlite, connection),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  states.set(db, stateReader(sqlite));
  connections.set(db, connection);
  return db;
}

const connections = new WeakMap<Database, Connection>();

const states = new WeakMap<Database, () => string>();

/** A text that is another one after anything was written to the file, by this process or another. */
export function stateOf(db: Database): string {
  const read = states.get(db);
  if (!read) throw new Error('Only an open workspace has a state.');
  return read();
}

/** The one text that a query gives, in its column `text`. */
export async function textOf(db: Database, query: CompiledQuery<{ text: string }>): Promise<string> {
  // A transaction is no open workspace; it, and what waits for one, goes the way of Kysely, which takes as long as the query.
  const rows = connections.get(db)?.rowsNow(query) ?? (await db.executeQuery(query)).rows;
  return rows[0]?.text ?? '';
}

/** SQLite counts the rows that this connection has changed, and says when another has committed. */
function stateReader(sqlite: Sqlite): () => string {
  const changes = sqlite.prepare('select total_changes() as own');
  const commits = sqlite.prepare('pragma data_version');
  return () => {
    const { own } = changes.get() as { own: number }; // one row, always
    const { data_version } = commits.get() as { data_version: number };
    return `${own} ${data_version}`;
  };
}

/** Runs `work` in a transaction: all of it is written, or nothing. Inside one already, it is part of that. */
export function transact<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Whether an error says that another process holds the file for longer than we wait. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The low byte is SQLITE_BUSY, the rest says during what. all() of @photostructure/sqlite has only the text.
  return 'errcode' in error ? (Number(error.errcode) & 0xff) === 5 : error.message === 'database is locked';
}

function open(file: string): Sqlite {
  try {
    if (file !== ':memory:') {
      makeFolder(dirname(file));
      closeSync(openSync(file, 'a', 0o600));
    }
    return new (engine())(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): Failure {
  if (isLocked(error)) return lockedFile(file, error);
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure('failed', `Cannot use the workspace file ${file}: ${reason}.`, {
    cause: error,
    hint: 'Name another file with --database.',
  });
}

/** The failure of a file that another process holds for longer than we wait. */
export function lockedFile(file: string, cause: unknown): Failure {
  return new Failure('busy', `The workspace file ${file} is being written by another process.`, { cause });
}

/** Before anything is written: the database of another program must stay as it is. */
function checkOurs(sqlite: Sqlite, file: string): void {
  const names = sqlite.prepare("select name from sqlite_schema where type = 'table'").all() as {
    name: string;
  }[]; // all have one
  const isOurs = ['workspace', 'tally'].every((ours) => names.some(({ name }) => name === ours));
  if (isOurs || names.length === 0) return;
  throw new Failure('failed', `The file ${file} is a database of another program.`, {
    hint: 'Name another file with --database.',
  });
}

const migrations = join(dirname(fileURLToPath(import.meta.url)), 'migrations');

function version(sqlite: Sqlite): number {
  const [row] = sqlite.prepare('pragma user_version').all() as { user_version: number }[]; // one row, always
  return row?.user_version ?? 0;
}

function migrate(sqlite: Sqlite, file: string): void {
  const names = readdirSync(migrations).sort();
  if (version(sqlite) > names.length) {
    throw new Failure('failed', `The workspace file ${file} was written by a newer kith.`, {
      hint: 'Update kith, or name another file with --database.',
    });
  }
  if (version(sqlite) === names.length) return;
  sqlite.exec('begin immediate');
  try {
    // Read again under the lock: another process may have done it meanwhile.
    for (const [index, name] of names.entries()) {
      if (index < version(sqlite)) continue;
      sqlite.exec(readFileSync(join(migrations, name), 'utf8'));
      sqlite.exec(`pragma user_version = ${index + 1}`);
    }
    sqlite.exec('commit');
  } catch (error) {
    sqlite.exec('rollback');
    throw error;
  }
}

/** Milliseconds of queries after which the event loop has a turn. */
const longest = 50;

/** Queries before that is looked at: a command of a few need not wait a millisecond until Node has loaded its clock. */
const few = 8;

/** What a statement gives. One that finds the file locked has done nothing, and is run again for some seconds. */
async function onceFree<T>(work: () => T): Promise<T> {
  let end: number | undefined;
  for (;;) {
    try {
      return work();
    } catch (error) {
      end ??= performance.now() + patience;
      if (!isLocked(error) || performance.now() >= end) throw error;
    }
    await wait(10);
  }
}

/** The connection to a file, used by one query or transaction at a time. */
interface Connection extends DatabaseConnection {
  isTaken: boolean;
  /** What a query gives that can be done at once; undefined: it has to wait. */
  rowsNow<R>(query: CompiledQuery<R>): R[] | undefined;
}

/** Statements are prepared once. */
function connectionTo(sqlite: Sqlite): Connection {
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = sqlite.prepare(sql);
      if (statements.size > 500) statements.clear();
      statements.set(sql, statement);
    }
    return statement;
  };
  let paused = 0;
  let queries = 0;
  const isPauseDue = () => {
    queries += 1;
    return queries > few && performance.now() - paused > longest;
  };
  return {
    isTaken: false,
    rowsNow<R>({ sql, parameters }: CompiledQuery<R>) {
      if (this.isTaken || isPauseDue()) return undefined;
      try {
        return prepared(sql).all(...parameters) as R[]; // the query says what it gives
      } catch (error) {
        if (isLocked(error)) return undefined;
        throw error;
      }
    },
    async executeQuery<R>({ sql, parameters }: CompiledQuery) {
      // SQLite never waits: a transaction of many queries would leave no turn to a signal.
      if (isPauseDue()) {
        await nextTurn();
        paused = performance.now();
      }
      if (/^select|^with| returning /.test(sql)) {
        return { rows: (await onceFree(() => prepared(sql).all(...parameters))) as R[] }; // Kysely knows what it asked for
      }
      const { changes, lastInsertRowid } = await onceFree(() => prepared(sql).run(...parameters));
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
    streamQuery() {
      throw new Error('Not used: a page is read whole.');
    },
  };
}

function driver(sqlite: Sqlite, connection: Connection): Driver {
  let last: Promise<void> = Promise.resolve();
  let release: () => void = () => {};
  const execute = (sql: string) => async () => {
    await connection.executeQuery(CompiledQuery.raw(sql));
  };
  return {
    async init() {},
    async acquireConnection() {
      const before = last;
      let done: () => void = () => {};
      last = new Promise((resolve) => {
        done = resolve;
      });
      await before;
      connection.isTaken = true;
      release = done;
      return connection;
    },
    // IMMEDIATE: a transaction that reads first and writes then must not find another writer in between.
    beginTransaction: execute('begin immediate'),
    commitTransaction: execute('commit'),
    rollbackTransaction: execute('rollback'),
    async releaseConnection() {
      connection.isTaken = false;
      release();
    },
    async destroy() {
      // Closing leaves this to the garbage collector of the statements; a copy of the file must hold all.
      sqlite.exec('pragma wal_checkpoint(passive)');
      sqlite.close();
    },
  };
}
