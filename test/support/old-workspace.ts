import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { listMigrations, readMigration } from '../../src/service/db/migrations.ts';
import { createTemporaryFolder } from './kith.ts';
import { runQuery } from './postgres.ts';
import { createTestDatabase } from './test-database.ts';

/** Returns the SQL that creates the schema of an older version. */
const buildSchema = (engine: 'sqlite' | 'postgres', last: number) =>
  listMigrations(engine)
    .filter(({ version }) => version <= last)
    .map(readMigration)
    .join('\n');

/** Creates a workspace file of an older version, runs statements in it, and returns its path. */
export function createOldFile(version: number, statements = ''): string {
  const file = join(createTemporaryFolder(), 'old.sqlite');
  const sqlite = new DatabaseSync(file);
  sqlite.exec(`${buildSchema('sqlite', version)}\n${statements}; pragma user_version = ${version}`);
  sqlite.close();
  return file;
}

/** Creates a database of an older version, runs statements in it, and returns its URL. */
export async function createOldDatabase(version: number, statements: string): Promise<string> {
  const url = await createTestDatabase();
  const versions = `insert into kith_migration select generate_series(1, ${version})`;
  await runQuery(url, `${buildSchema('postgres', version)}\n${statements}; ${versions}`);
  return url;
}
