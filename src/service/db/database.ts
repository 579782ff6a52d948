import {
  CompiledQuery,
  type Dialect,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Sql } from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import { describeDiskError } from '../../files/disk-errors.ts';
import { type Connection, connectionTo, driver, inTurn } from './connection.ts';
import { late } from './late.ts';
import { openWorkspace } from './open-workspace.ts';
import { isLocked, toStorageFailure } from './sqlite-errors.ts';
import type { Tables } from './tables.ts';

/** Runs SQL on a workspace. Statements are written with `sql` of sql-template-tag, and prepared once per text. */
export interface Queries {
  /** Returns all rows that a statement selects, or names after `returning`. */
  all<Row>(statement: Sql): Promise<Row[]>;
  /** Returns the first of these rows. */
  first<Row>(statement: Sql): Promise<Row | undefined>;
  /** Runs a statement and returns how many rows it changed. */
  run(statement: Sql): Promise<number>;
  /** Runs `work` in a transaction, which is committed whole or not at all. Nested calls join the outer one. */
  transaction<T>(work: (db: Database) => Promise<T>): Promise<T>;
}

/** A workspace. The query builder goes away as soon as nothing uses it: write new statements with `Queries`. */
export type Database = Queries & Omit<Kysely<Tables>, 'destroy' | 'transaction'>;

/**
 * Opens the workspace in `file` (`:memory:` for one that goes with the process), makes it where there is
 * none (readable by its owner only), and brings its schema up to date; `tell` is then told where the copy from before
 * is. One that is read-only can be read. Throws `failed` for a file that is no workspace, or one of a newer version,
 * and `storage` for one that is damaged.
 */
export function openDatabase(file: string, tell: (text: string) => void = () => {}): Database {
  const { sqlite, isMigrated } = opened(file, tell);
  const connection = connectionTo(sqlite);
  if (isMigrated) connection.writes += 1;
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  const db = withQueries(
    late(() => new Kysely<Tables>({ dialect })),
    connection,
  );
  connections.set(db, connection);
  return db;
}

/** Adds `Queries` to a query builder. Outside of a transaction, rows are read from `connection` at once if it is free. */
function withQueries(builder: Kysely<Tables>, connection?: Connection): Database {
  const execute = <Row>(statement: Sql) =>
    builder.executeQuery<Row>(CompiledQuery.raw(statement.sql, [...statement.values]));
  const all = async <Row>(statement: Sql): Promise<Row[]> => {
    const isRead = /^\s*(select|with)\b/i.test(statement.sql);
    const rows = isRead ? connection?.rowsNow<Row>(statement.sql, statement.values) : undefined;
    return rows ?? (await execute<Row>(statement)).rows;
  };
  const queries: Queries = {
    all,
    first: async <Row>(statement: Sql) => (await all<Row>(statement))[0],
    run: async (statement) => Number((await execute(statement)).numAffectedRows ?? 0),
    transaction: (work) =>
      connection
        ? builder.transaction().execute((part) => work(withQueries(part)))
        : work(withQueries(builder)),
  };
  return new Proxy(builder, {
    get(_, name) {
      const value: unknown = name in queries ? Reflect.get(queries, name) : Reflect.get(builder, name);
      return typeof value === 'function' ? value.bind(builder) : value;
    },
  }) as unknown as Database; // has the members of both
}

function opened(file: string, tell: (text: string) => void) {
  try {
    return openWorkspace(file, tell);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** Closes a workspace: a transaction that is under way is taken back, and what is still asked of it fails. */
export function closeDatabase(db: Database): void {
  connections.get(db)?.close();
}

const connections = new WeakMap<Database, Connection>();

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

/** Runs a request that writes, one at a time. */
export function writeInTurn<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const connection = connections.get(db);
  return connection ? inTurn(connection, work) : work();
}

/** Runs `work` in a transaction: all of it is written, or nothing. Inside one already, it is part of that. */
export function transact<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return db.transaction(work);
}

function unreadable(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (isLocked(error)) return createLockedFailure(file, error);
  const storage = toStorageFailure(error, file);
  if (storage) return storage;
  return new Failure('failed', `Cannot use the workspace file ${file}: ${describeDiskError(error)}.`, {
    cause: error,
    hint: 'Use another file: kith auth login --local --database FILE',
  });
}

/** The failure of a file that another process holds for longer than we wait. */
export function createLockedFailure(file: string, cause: unknown): Failure {
  return new Failure('busy', `The workspace file ${file} is being written by another process.`, { cause });
}
