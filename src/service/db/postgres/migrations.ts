import type { ClientBase, Pool } from 'pg';
import { Failure } from '../../../contract/errors.ts';
import { listMigrations, type Migration, readMigration } from '../migrations.ts';

/** Milliseconds that this process waits for a step. */
const longTimeout = 86_400_000;

/**
 * Applies the missing migrations in one transaction and returns them. Other processes that do the same wait.
 * @throws {Failure} `failed` for the database of another program or of a newer version of kith
 */
export async function migrate(pool: Pool, database: string): Promise<readonly Migration[]> {
  if ((await findMissingMigrations(pool, database)).length === 0) return [];
  const client = await pool.connect();
  try {
    // The default of the server may be a level at which the lock does not show what another process has done. A step, and
    // the wait for another process, take as long as they need: many records may have to be converted.
    await client.query(
      'begin isolation level read committed; set local statement_timeout = 0; set local lock_timeout = 0',
    );
    const run = (text: string) => {
      const query = { text, query_timeout: longTimeout };
      return client.query(query);
    };
    await run("select pg_advisory_xact_lock(hashtext('kith migration'), hashtext(current_schema()))");
    // Another process may have applied the migrations before the lock.
    const missing = await findMissingMigrations(client, database);
    for (const migration of missing) {
      await run(readMigration(migration));
      await client.query('insert into kith_migration (version) values ($1)', [migration.version]);
    }
    await client.query('commit');
    client.release();
    return missing;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Returns the migrations that a database lacks. @throws {Failure} as `migrate` does */
export async function findMissingMigrations(
  client: Pool | ClientBase,
  database: string,
): Promise<readonly Migration[]> {
  const { version, foreignTables } = await readState(client);
  const migrations = listMigrations('postgres');
  if (version === 0 && foreignTables > 0) {
    throw new Failure('failed', `The database ${database} has tables of another program.`, {
      hint: 'Use an empty database: createdb NAME',
    });
  }
  if (version > (migrations.at(-1)?.version ?? 0)) {
    throw new Failure('failed', `The database ${database} was written by a newer version of kith.`, {
      hint: 'Update kith, or use another database.',
    });
  }
  return migrations.filter((migration) => migration.version > version);
}

/** Returns the version of the schema (0 if the database is empty), and the number of tables of other programs. */
async function readState(client: Pool | ClientBase) {
  const { rows } = await client.query<{ found: string | null; tables: number }>(`
    select to_regclass('kith_migration')::text as found, count(*) as tables from pg_class
    where relnamespace = to_regnamespace(quote_ident(current_schema())) and relkind in ('r', 'p', 'f')
      and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`);
  const [state] = rows;
  if (!state?.found) return { version: 0, foreignTables: state?.tables ?? 0 };
  const versions = await client.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from kith_migration',
  );
  return { version: versions.rows[0]?.version ?? 0, foreignTables: 0 };
}
