import { getBuiltinModule } from 'node:process';
import { Failure } from '../contract/errors.ts';

/** The part of `node:sqlite` that is used here, and that @photostructure/sqlite has too. */
export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Defines an SQL function with as many arguments as `call` has. */
  function(name: string, call: (...values: unknown[]) => unknown): void;
  close(): void;
}

export interface Statement {
  all(...parameters: unknown[]): unknown[];
  get(...parameters: unknown[]): unknown;
  run(...parameters: unknown[]): { changes: number | bigint };
}

/** Opens a database file. */
type SqliteClass = new (file: string, options?: { readonly readOnly?: boolean }) => Sqlite;

const packageName = '@photostructure/sqlite';

let loadedClass: SqliteClass | undefined;

/** Loads SQLite: Node's own, or the package for a Node without one. @throws {Failure} `failed` if there is neither */
export function loadSqlite(): SqliteClass {
  const builtin: { readonly DatabaseSync?: SqliteClass } | undefined = getBuiltinModule('node:sqlite');
  loadedClass ??= builtin?.DatabaseSync ?? loadPackage();
  return loadedClass;
}

function loadPackage(): SqliteClass {
  try {
    return getBuiltinModule('node:module').createRequire(import.meta.filename)(packageName).DatabaseSync;
  } catch (error) {
    throw new Failure(
      'failed',
      `This Node.js has no SQLite, and the package ${packageName} is not installed.`,
      { cause: error, hint: 'Reinstall kith with its optional packages, or use Node.js 22.13 or newer.' },
    );
  }
}

/** Returns the version of SQLite. @throws {Failure} `failed` if there is none */
export function readSqliteVersion(): string {
  const sqlite = new (loadSqlite())(':memory:');
  const { version } = sqlite.prepare('select sqlite_version() as version').get() as { version: string }; // one row, always
  sqlite.close();
  return version;
}
