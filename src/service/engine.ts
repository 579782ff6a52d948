import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';

/** The part of `node:sqlite` that is used here; @photostructure/sqlite has the same. */
export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** One that is prepared. */
export interface Statement {
  all(...parameters: unknown[]): unknown[];
  get(): unknown;
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}

/** Opens a file. */
type Engine = new (file: string) => Sqlite;

/** SQLite as Node has it, or as a package brings it to a Node that has none. Throws `failed` where none does. */
export function engine(): Engine {
  const require = createRequire(import.meta.filename);
  if (isBuiltin('node:sqlite')) return require('node:sqlite').DatabaseSync;
  return compiledPart(require) ?? packaged(require);
}

/** The version of SQLite. Throws `failed` where there is none. */
export function sqliteVersion(): string {
  const sqlite = new (engine())(':memory:');
  try {
    const { version } = sqlite.prepare('select sqlite_version() as version').get() as { version: string }; // one row, always
    return version;
  } finally {
    sqlite.close();
  }
}

function packaged(require: NodeJS.Require): Engine {
  try {
    return require('@photostructure/sqlite').DatabaseSync;
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
function compiledPart(require: NodeJS.Require): Engine | undefined {
  const name = '@photostructure/sqlite';
  const part = join(name, 'prebuilds', `${platform()}-${arch()}`, `${name.replace('/', '+')}.glibc.node`);
  const places = (require.resolve.paths(name) ?? []).map((folder) => join(folder, part));
  const found = places.find((place) => existsSync(place));
  try {
    return found && require(found).DatabaseSync;
  } catch {
    return undefined; // it was made for another C library
  }
}
