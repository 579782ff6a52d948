import sql from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import { createKey, listKeys } from '../../../../src/service/http/keys.ts';
import { createWorkspaces } from '../../../../src/service/workspace.ts';
import { requireInstalled } from '../../../process/programs.ts';
import { createSampleWorkspace } from '../../../support/kith.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/postgres.ts';
import { requirePostgres } from '../../../support/test-database.ts';
import { startTime } from '../../service.ts';
import { findPgBouncer, type PoolMode, type Settings, startPgBouncer } from './pgbouncer.ts';
import { createContact, listContacts, openService } from './writers.ts';

let server: PostgresServer;

beforeAll(async () => {
  if (findPostgres() !== undefined) server = await startPostgres({ settings: { fsync: 'off' } });
});
afterAll(() => server?.close());
beforeEach(requirePostgres);
beforeEach(requireInstalled('PgBouncer', findPgBouncer() !== undefined));

const dropped = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options';

/** Starts PgBouncer until the test ends, and returns the URL of a new database behind it. */
async function createDatabase(
  name: string,
  ...options: [mode: PoolMode, settings?: Settings]
): Promise<string> {
  await server.query(`create database ${name}`);
  const { port, stop } = await startPgBouncer(server, ...options);
  onTestFinished(stop);
  return `postgres://postgres@127.0.0.1:${port}/${name}`;
}

test.each([
  ['in transaction mode', 'transaction', {}],
  ['in transaction mode, which drops settings', 'transaction', { ignore_startup_parameters: dropped }],
  ['in session mode', 'session', {}],
] as const)('serves a workspace behind PgBouncer %s', async (title, mode, settings) => {
  const name = title.replaceAll(/\W+/g, '_');
  const url = await createDatabase(name, mode, settings);
  const services = [await openService(url), await openService(url)];
  const requests = services.flatMap((service) =>
    Array.from({ length: 20 }, (_, index) => [
      createContact(service, `N${index}`),
      listContacts(service),
    ]).flat(),
  );
  const statuses = (await Promise.all(requests)).map(({ status }) => status);
  expect([...new Set(statuses)].sort()).toEqual([200, 201]);
  const rows = await server.query('select count(*)::integer as contacts from contact', name);
  expect(rows).toEqual([{ contacts: 40 }]);
});

test('copies a workspace, and stops slow transactions, behind PgBouncer in transaction mode', async () => {
  const [file, url] = [createSampleWorkspace(), await createDatabase('copied', 'transaction')];
  const machine = { env: {}, now: () => new Date(startTime), newId: () => 'id', version: '0', log: () => {} };
  const { copy } = createWorkspaces(machine);
  expect(await copy(file, url, () => {}, new AbortController().signal)).toContainEqual({
    table: 'contact',
    rows: 150,
  });
  const db = await openWorkspace(url, { statementTimeout: 1 });
  onTestFinished(() => db.close());
  await createKey(db, { name: 'cron', readOnly: true }, new Date(startTime));
  expect(await listKeys(db)).toMatchObject([{ name: 'cron' }]);
  await expect(db.transaction((part) => part.all(sql`select pg_sleep(5)`))).rejects.toMatchObject({
    code: '57014',
  });
});
