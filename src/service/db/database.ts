import type { Sql } from 'sql-template-tag';
import type { Failure } from '../../contract/errors.ts';
import type { Tables } from './tables.ts';

/** Runs SQL on a workspace. Statements are written with `sql` of sql-template-tag and prepared once per text. */
export interface Database {
  /** Returns all rows that a statement selects, or names after `returning`. */
  all<Row>(statement: Sql): Promise<Row[]>;
  /**
   * Returns the rows of several selects, which see one state of the workspace. `values` are those of all selects in their
   * order. The object `selects` is prepared once. No column may be REAL.
   */
  allOf<Rows extends RowTypes>(selects: Selects<Rows>, values: readonly unknown[]): Promise<RowLists<Rows>>;
  /** Returns the first of these rows. */
  first<Row>(statement: Sql): Promise<Row | undefined>;
  /** Runs a statement and returns how many rows it changed. */
  run(statement: Sql): Promise<number>;
  /** Runs several reads, which see one state of the workspace. */
  snapshot<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction, which is committed completely or not at all. `work` may run again after a conflict with
   * another transaction. Nested calls join the outer transaction.
   */
  transaction<T>(work: (db: Database) => Promise<T>): Promise<T>;
}

/** The types of the rows of several selects, by name. */
export type RowTypes = Readonly<Record<string, object>>;

/** Several selects by name. */
export type Selects<Rows extends RowTypes> = { readonly [Name in keyof Rows]: Sql | SelectWithParts };

/** A select of rows, each with the rows of other tables that belong to it as further columns. */
interface SelectWithParts {
  readonly rows: Sql;
  readonly parts: Readonly<Record<string, Part>>;
}

/** Rows that belong to a row. One column becomes an array of its values, several columns an array of objects. */
export interface Part {
  readonly table: keyof Tables;
  /** The column with the id of the row that they belong to. */
  readonly owner: string;
  readonly columns: readonly string[];
  /** The columns with text; if omitted, all. */
  readonly texts?: readonly string[];
  readonly order?: string;
}

/** The rows of several selects. */
export type RowLists<Rows extends RowTypes> = { readonly [Name in keyof Rows]: readonly Rows[Name][] };

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
  /** Like `snapshot`, but may wait for something else between the reads. Writes on the same database wait for it. */
  longSnapshot<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** Runs a request that only reads. Queries that follow one another without a wait see one state of the workspace. */
  readRequest<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a request that writes. On a file, it runs after earlier ones, and waits for others at most `lockTimeout`. */
  writeRequest<T>(work: () => Promise<T>): Promise<T>;
  /** @throws {Failure} `unavailable` if another version of kith has changed the schema since it was opened */
  checkSchema(): Promise<void>;
  /** Returns the numbers of connections in the pool; undefined for a file. */
  readPool?(): PoolState;
  /** Counts a request of a key, which all servers do together; undefined for a file. */
  countRequest?(key: number): Promise<RequestCount>;
  /** Returns the failure of a request for an error of the database. `file`: the workspace file, if it may be named. */
  toFailure(error: unknown, file?: string): Failure | undefined;
  /** Rolls back an open transaction and closes the database. Later statements fail. */
  close(): Promise<void>;
}
