import { existsSync } from 'node:fs';
import type { Sql } from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import { describeDiskError } from '../../files/disk-errors.ts';
import { createDatabase } from './connection.ts';
import { defaultLockTimeout } from './open-file.ts';
import { openWorkspace } from './open-workspace.ts';
import { isLocked, toStorageFailure, useAnotherFile } from './sqlite-errors.ts';

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
  /** Runs `work` in a transaction, which is committed whole or not at all. Nested calls join the outer one. */
  transaction<T>(work: (db: Database) => Promise<T>): Promise<T>;
}

/** The types of the rows of several selects, by name. */
export type RowTypes = Readonly<Record<string, object>>;

/** Several selects by name. */
export type Selects<Rows extends RowTypes> = { readonly [Name in keyof Rows]: Sql };

/** The rows of several selects. */
export type RowLists<Rows extends RowTypes> = { readonly [Name in keyof Rows]: readonly Rows[Name][] };

/** The database of an open workspace. */
export interface OpenDatabase extends Database {
  /** Runs a request that only reads. Queries that follow one another without a wait see one state of the workspace. */
  readRequest<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a request that writes after the earlier ones. It waits at most `lockTimeout` for other processes. */
  writeRequest<T>(work: () => Promise<T>): Promise<T>;
  /** Rolls back an open transaction and closes the file. Later statements fail. */
  close(): void;
}

export interface OpenOptions {
  /** Receives the path of the backup, if the schema is updated. */
  readonly log?: ((text: string) => void) | undefined;
  /** Milliseconds that a request waits for another process to unlock the file. */
  readonly lockTimeout?: number | undefined;
}

/**
 * Opens the workspace in `file` (`:memory:` for a temporary one). Creates it if missing, readable by its owner only, and
 * updates its schema. A read-only file can be read.
 * @throws {Failure} `failed` for another program's file or a newer version's, `storage` for a damaged one, `busy` for a
 * locked one
 */
export function openDatabase(
  file: string,
  { log = () => {}, lockTimeout = defaultLockTimeout }: OpenOptions = {},
): OpenDatabase {
  try {
    const { sqlite, isMigrated } = openWorkspace(file, log, lockTimeout);
    return createDatabase(sqlite, isMigrated, lockTimeout);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw (
      toFileFailure(error, file) ??
      new Failure('failed', `Cannot use the workspace file ${file}: ${describeDiskError(error)}.`, {
        cause: error,
        hint: useAnotherFile,
      })
    );
  }
}

/** Checks that a workspace file exists, because a mistyped path must not create one. @throws {Failure} `failed` */
export function checkExists(file: string): void {
  if (existsSync(file)) return;
  throw new Failure('failed', `Workspace file not found: ${file}`, {
    hint: 'Create it with `kith auth login --local`, or use another profile: kith auth list',
  });
}

/** Opens the workspace in a file, created if missing, for one piece of work. @throws {Failure} `busy` if it is locked */
export async function withWorkspace<T>(
  file: string,
  work: (db: OpenDatabase) => Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const db = openDatabase(file, options);
  try {
    return await work(db);
  } catch (error) {
    throw toFileFailure(error, file) ?? error;
  } finally {
    db.close();
  }
}

/** Returns the failure for an error of the file itself; undefined for any other error. */
function toFileFailure(error: unknown, file: string): Failure | undefined {
  if (!isLocked(error)) return toStorageFailure(error, file);
  return new Failure('busy', `The workspace file ${file} is being written by another process.`, {
    cause: error,
  });
}
