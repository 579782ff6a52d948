import sql from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/postgres.ts';
import { requirePostgres } from '../../../support/test-database.ts';
import {
  createContact,
  describeResponse,
  expectStored,
  listContacts,
  openService,
  writeUntil,
} from './writers.ts';

const writes = process.env.KITH_LONG === '1' ? 1000 : 200;

let server: PostgresServer;

beforeAll(async () => {
  if (findPostgres() !== undefined) server = await startPostgres();
});
afterAll(() => server?.close());
beforeEach(requirePostgres);

/** Creates a database, and returns its URL. */
async function createDatabase(name: string): Promise<string> {
  await server.query(`create database ${name}`);
  return server.url(name);
}

test.each([
  ['fast', 'off', 'on'],
  ['replicated', 'remote_apply', 'remote_apply'],
])(
  'a commit waits for the disk if the default of the database %s becomes %s',
  async (name, value, expected) => {
    const url = await createDatabase(name);
    const setting = sql`select current_setting('synchronous_commit') as value`;
    for (const isOpen of [true, false]) {
      const db = isOpen ? await openWorkspace(url) : undefined;
      await server.query(`alter database ${name} set synchronous_commit = ${value}`);
      await server.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      const open = db ?? (await openWorkspace(url));
      expect(await open.transaction((part) => part.first(setting))).toEqual({ value: expected });
      await open.close();
    }
  },
);

test('requests get 503 while PostgreSQL is stopped, and succeed after it starts', async () => {
  const service = await openService(await createDatabase('stopped'));
  let isRunning = true;
  let createdAtEnd = 0;
  const outcomesEnd = writeUntil(service, (_, created) => {
    if (!isRunning) createdAtEnd = created;
    return isRunning && createdAtEnd > 0 && created > createdAtEnd + 20;
  });
  await expect
    .poll(async () => (await server.query('select id from contact limit 1', 'stopped')).length)
    .toBe(1);
  isRunning = false;
  await server.stop();
  expect(describeResponse(await listContacts(service))).toBe('refused');
  await server.start();
  isRunning = true;
  const outcomes = await outcomesEnd;
  expect([...outcomes.values()]).toContain('refused');
  await expectStored(server, 'stopped', outcomes);
});

test('every acknowledged write is stored once while connections are terminated', async () => {
  const service = await openService(await createDatabase('terminated'));
  let isWriting = true;
  const terminate = async () => {
    let count = 0;
    while (isWriting) {
      const rows = await server.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'terminated'",
      );
      count += rows.length;
    }
    return count;
  };
  const terminations = terminate();
  const outcomes = await writeUntil(service, (sent) => sent >= writes).finally(() => {
    isWriting = false;
  });
  expect(await terminations).toBeGreaterThan(10);
  expect([...outcomes.values()]).toContain('created');
  await expectStored(server, 'terminated', outcomes);
  expect((await createContact(service, 'Ada')).status).toBe(201);
});

test('a standby server serves reads and refuses writes until it is promoted', async () => {
  await openService(await createDatabase('standby')).then((service) => createContact(service, 'Ada'));
  const standby = await server.startStandby();
  onTestFinished(() => standby.close());
  const service = await openService(standby.url('standby'));
  expect(await listContacts(service)).toMatchObject({ status: 200, body: { data: [{ first_name: 'Ada' }] } });
  expect(await createContact(service, 'Grace')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { detail: 'The database is read-only; it may be a standby server.' },
  });
  await standby.query('select pg_promote()');
  expect((await createContact(service, 'Grace')).status).toBe(201);
});
