import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import type { Sqlite } from './engine.ts';

/** A file of SQL that updates the schema to a version, which is the number in its name. */
interface Migration {
  readonly version: number;
  readonly path: string;
}

/** Returns all migrations, oldest first. The first one creates the schema. */
function listMigrations(): Migration[] {
  const folder = join(import.meta.dirname, 'migrations');
  const names = readdirSync(folder).sort();
  return names.map((name) => ({ version: Number.parseInt(name, 10), path: join(folder, name) }));
}

/** Returns the migrations that a database lacks, by the version that it declares. */
export function findMissingMigrations(sqlite: Sqlite): Migration[] {
  const current = readUserVersion(sqlite);
  return listMigrations().filter(({ version }) => version > current);
}

/**
 * Checks that a file is a workspace of a supported version or empty, and changes nothing.
 * @throws {Failure} `failed` for the database of another program, or a version that is newer or no longer supported
 */
export function checkVersion(sqlite: Sqlite, file: string): void {
  const { version, tables, known } = inspect(sqlite);
  const versions = listMigrations().map((migration) => migration.version);
  if (tables > 0 && known < 2) {
    throw new Failure('failed', `The file ${file} is the database of another program.`, {
      hint: 'Use another file: kith auth login --local --database FILE',
    });
  }
  if (version > Math.max(...versions)) {
    throw new Failure('failed', `The workspace file ${file} was written by a newer kith.`, {
      hint: 'Update kith, or use another file: kith auth login --local --database FILE',
    });
  }
  if (version > 0 && version < Math.min(...versions)) {
    throw new Failure(
      'failed',
      `The workspace file ${file} was written by a kith from before the first release.`,
      { hint: 'Create a new workspace: kith auth login --local --database FILE' },
    );
  }
}

/**
 * Returns the version of a file, its number of tables, and how many of them have names of a workspace. It avoids prepared statements:
 * @photostructure/sqlite closes a file only after its statements are garbage-collected, and until then the empty -wal and
 * -shm files of a refused file would remain.
 */
function inspect(sqlite: Sqlite): { version: number; tables: number; known: number } {
  let values: unknown[] = [];
  sqlite.function('kith_inspect', (version, tables, known) => {
    values = [version, tables, known];
    return null;
  });
  sqlite.exec(`select kith_inspect(
      (select user_version from pragma_user_version),
      count(*),
      count(*) filter (where name in ('workspace', 'tally')))
    from sqlite_schema where type = 'table'`);
  const [version = 0, tables = 0, known = 0] = values.map(Number);
  return { version, tables, known };
}

/** Returns the version that a file declares, without checking it. */
export function readUserVersion(sqlite: Sqlite): number {
  const row = sqlite.prepare('pragma user_version').get() as { user_version: number }; // one row, always
  return row.user_version;
}

/** Runs migrations, in the transaction of the caller. */
export function runMigrations(sqlite: Sqlite, migrations: readonly Migration[]): void {
  for (const { version, path } of migrations) {
    sqlite.exec(readFileSync(path, 'utf8'));
    sqlite.exec(`pragma user_version = ${version}`);
  }
}
