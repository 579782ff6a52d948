import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { arch, dlopen, getBuiltinModule, platform } from 'node:process';
import { Failure } from '../../contract/errors.ts';

/** The part of `node:sqlite` that is used here; @photostructure/sqlite has the same. */
export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Defines a function for SQL, with as many arguments as `call` has. */
  function(name: string, call: (...values: unknown[]) => unknown): void;
  close(): void;
}

/** One that is prepared. */
export interface Statement {
  all(...parameters: unknown[]): unknown[];
  get(): unknown;
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}

/** Opens a file. */
type Engine = new (file: string, options?: { readonly readOnly?: boolean }) => Sqlite;

/** SQLite as Node has it, or as a package brings it to a Node that has none. Throws `failed` where none does. */
export function loadSqlite(): Engine {
  found ??= foundEngine();
  return found;
}

let found: Engine | undefined;

function foundEngine(): Engine {
  const own: { readonly DatabaseSync?: Engine } | undefined = getBuiltinModule('node:sqlite');
  return own?.DatabaseSync ?? compiledPart() ?? packaged();
}

/** The version of SQLite. Throws `failed` where there is none. */
export function readSqliteVersion(): string {
  const sqlite = new (loadSqlite())(':memory:');
  try {
    const { version } = sqlite.prepare('select sqlite_version() as version').get() as { version: string }; // one row, always
    return version;
  } finally {
    sqlite.close();
  }
}

const name = '@photostructure/sqlite';

function packaged(): Engine {
  try {
    return getBuiltinModule('node:module').createRequire(import.meta.filename)(name).DatabaseSync;
  } catch (error) {
    throw new Failure(
      'failed',
      'This Node has no SQLite, and the package @photostructure/sqlite is not there.',
      {
        cause: error,
        hint: 'Install kith again with its optional packages, or Node 22.13 or newer.',
      },
    );
  }
}

/** The package's compiled part, without the code that looks for it: that takes longer than all there is to do with it. */
function compiledPart(): Engine | undefined {
  const part = join('prebuilds', `${platform}-${arch}`, `${name.replace('/', '+')}.glibc.node`);
  const places = withAllAbove(import.meta.dirname).map((folder) => join(folder, 'node_modules', name, part));
  const there = places.find((place) => existsSync(place));
  if (there === undefined) return undefined;
  const loaded: { readonly exports: { DatabaseSync?: Engine } } = { exports: {} };
  try {
    dlopen(loaded, there);
  } catch {
    // It was made for another C library.
  }
  return loaded.exports.DatabaseSync;
}

function withAllAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withAllAbove(above)];
}
