import { Failure } from '../../../contract/errors.ts';
import type { Sqlite } from '../../../sqlite/engine.ts';
import { listMigrations, type Migration, readMigration } from '../migrations.ts';
import { useAnotherFile } from './errors.ts';

/** Returns the migrations that a database lacks, by the version that it declares. */
export function findMissingMigrations(sqlite: Sqlite) {
  const current = inspect(sqlite).version;
  return listMigrations('sqlite').filter(({ version }) => version > current);
}

/**
 * Checks that a file is a workspace of a supported version or empty, and changes nothing.
 * @throws {Failure} `failed` for the database of another program, or a version that is newer or no longer supported
 */
export function checkVersion(sqlite: Sqlite, file: string): void {
  const { version, tables, knownTables } = inspect(sqlite);
  const versions = listMigrations('sqlite').map((migration) => migration.version);
  if (tables > 0 && knownTables < 2) {
    const message = `The file ${file} is the database of another program.`;
    throw new Failure('failed', message, { hint: useAnotherFile });
  }
  if (version > Math.max(...versions)) {
    throw new Failure('failed', `The workspace file ${file} was written by a newer version of kith.`, {
      hint: 'Update kith, or use another file: kith auth login --local --database FILE',
    });
  }
  if (version > 0 && version < Math.min(...versions)) {
    const message = `The workspace file ${file} was written by a version of kith from before the first release.`;
    throw new Failure('failed', message, {
      hint: 'Create a new workspace: kith auth login --local --database FILE',
    });
  }
}

/**
 * Returns the version of a file, its number of tables, and the number of tables with the name of a workspace table.
 * Prepares no statement, because @photostructure/sqlite closes a file only after its statements are garbage-collected.
 * Until then, the empty -wal and -shm files of a refused file would remain.
 */
export function inspect(sqlite: Sqlite) {
  let values: unknown[] = [];
  sqlite.function('kith_inspect', (version, tables, knownTables) => {
    values = [version, tables, knownTables];
    return null;
  });
  sqlite.exec(`select kith_inspect(
      (select user_version from pragma_user_version),
      count(*),
      count(*) filter (where name in ('workspace', 'tally')))
    from sqlite_schema where type = 'table'`);
  const [version = 0, tables = 0, knownTables = 0] = values.map(Number);
  return { version, tables, knownTables };
}

/** Runs migrations, in the transaction of the caller. */
export function runMigrations(sqlite: Sqlite, migrations: readonly Migration[]): void {
  for (const migration of migrations) {
    sqlite.exec(readMigration(migration));
    sqlite.exec(`pragma user_version = ${migration.version}`);
  }
}
