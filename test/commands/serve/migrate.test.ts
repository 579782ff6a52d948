import { expect, test } from 'vitest';
import { openWorkspace } from '../../../src/service/db/open.ts';
import { createMachine } from '../../support/kith.ts';
import { postgresSchemaVersion, schemaVersion } from '../../support/next-version.ts';
import { createOldFile } from '../../support/old-workspace.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';

const upToDate = { code: 0, out: '[]\n', err: '' };

/** Returns the numbers of the versions from the first to the last one. */
const listVersions = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('migrate --dry-run lists the versions that a file lacks, and migrate applies them after a backup', async () => {
  const kith = createMachine();
  const file = createOldFile(4);
  const preview = await kith(`migrate --dry-run --json --database ${file}`);
  expect({ ...preview, out: JSON.parse(preview.out) }).toEqual({
    code: 0,
    out: listVersions(5, schemaVersion).map((version) => ({ version, action: 'pending' })),
    err: '',
  });
  const { out, err } = await kith(`migrate --json --database ${file}`);
  expect(JSON.parse(out)).toEqual(
    listVersions(5, schemaVersion).map((version) => ({ version, action: 'applied' })),
  );
  expect(err).toContain(`A backup from before the update is ${file}.v4.backup.`);
  expect(await kith(`migrate --json --database ${file}`)).toEqual(upToDate);
});

test('migrate names a file that does not exist, and creates none', async () => {
  const { code, err } = await createMachine()('migrate --database /nowhere/kith.sqlite');
  expect([code, err.split('\n')[0]]).toEqual([1, 'kith: Workspace file not found: /nowhere/kith.sqlite']);
});

test('migrate creates the schema of an empty PostgreSQL database', async (context) => {
  requirePostgres(context);
  const kith = createMachine();
  const url = await createTestDatabase();
  const preview = await kith(`migrate --dry-run --json --database ${url}`);
  expect(JSON.parse(preview.out)).toEqual(
    listVersions(1, postgresSchemaVersion).map((version) => ({ version, action: 'pending' })),
  );
  const { out } = await kith(`migrate --json --database ${url}`);
  expect(JSON.parse(out)).toEqual(
    listVersions(1, postgresSchemaVersion).map((version) => ({ version, action: 'applied' })),
  );
  expect(await kith(`migrate --json --database ${url}`)).toEqual(upToDate);
});

test.for(['read committed', 'serializable'])(
  'ten services that open an empty database at the same time all find its schema (%s)',
  async (level, context) => {
    requirePostgres(context);
    const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`;
    const url = `${await createTestDatabase()}?options=${encodeURIComponent(options)}`;
    const databases = await Promise.all(Array.from({ length: 10 }, () => openWorkspace(url)));
    await Promise.all(databases.map((db) => db.checkSchema()));
    await Promise.all(databases.map((db) => db.close()));
  },
);
