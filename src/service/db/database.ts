import type { Sql } from 'sql-template-tag';
import type { Failure } from '../../contract/errors.ts';

/** Runs SQL on a workspace. Statements are written with `sql` of sql-template-tag and prepared once per text. */
export interface Queries {
  /** Returns all rows that a statement selects or returns. */
  all<Row>(statement: Sql): Promise<Row[]>;
  /** Returns the first row. `values` replace the statement's own values, so that one statement can run many times. */
  first<Row>(statement: Sql, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a statement and returns the number of changed rows. */
  run(statement: Sql): Promise<number>;
}

/** An open workspace, or one of its transactions. */
export interface Database extends Queries {
  /** Runs several reads, which see one state of the workspace. */
  snapshot<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction, which is committed completely or not at all. `work` may run again after a conflict with
   * another transaction. Nested calls join the outer transaction.
   */
  transaction<T>(work: (db: Database) => Promise<T>): Promise<T>;
}

/** The numbers of open connections, idle connections, and requests that wait for one. */
export interface PoolState {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** The number of requests of a key in the current minute of the database's clock. */
export interface RequestCount {
  readonly requests: number;
  /** Milliseconds until the next minute. */
  readonly milliseconds: number;
}

/** The database of an open workspace. */
export interface OpenDatabase extends Database {
  /** Like `snapshot`, but may wait for other work between the reads. Writes on the same database wait for it. */
  longSnapshot<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** Runs a request that only reads. Queries that follow one another without a wait see one state of the workspace. */
  readRequest<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs a request that writes. On a file, it runs after earlier requests, and waits for other processes at most
   * `lockTimeout`.
   */
  writeRequest<T>(work: () => Promise<T>): Promise<T>;
  /** @throws {Failure} `unavailable` if another version of kith has changed the schema since it was opened */
  checkSchema(): Promise<void>;
  /** Returns the numbers of connections in the pool; undefined for a file. */
  readPool?(): PoolState;
  /** Counts a key's request in the counter that all servers share. Undefined for a workspace file. */
  countRequest?(key: number): Promise<RequestCount>;
  /** Returns the failure of a request for an error of the database. `file`: the workspace file, if it may be named. */
  toFailure(error: unknown, file?: string): Failure | undefined;
  /** Rolls back an open transaction and closes the database. Later statements fail. */
  close(): Promise<void>;
}
