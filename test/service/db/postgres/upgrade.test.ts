import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Contact } from '../../../../src/contract/contacts.ts';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import { createService } from '../../../../src/service/dispatch.ts';
import { createKey, listKeys } from '../../../../src/service/http/keys.ts';
import { postgresSchemaVersion } from '../../../support/next-version.ts';
import { createOldDatabase } from '../../../support/old-workspace.ts';
import { runQuery } from '../../../support/postgres.ts';
import { createTestDatabase, requirePostgres } from '../../../support/test-database.ts';
import { startTime } from '../../service.ts';

beforeEach(requirePostgres);

/** Opens the service with contacts, and uses each of its connections. An internal error in its log fails the test. */
async function openUsedService() {
  const location = await createTestDatabase();
  const db = await openWorkspace(location, { poolSize: 4 });
  const logged: string[] = [];
  onTestFinished(async () => {
    await db.close();
    expect(logged).toEqual([]);
  });
  const service = createService({ db, now: () => new Date(), log: (text) => void logged.push(text) });
  const send = (method: string, path: string, body?: unknown) => service({ method, path, query: [], body });
  const contacts: string[] = [];
  for (const first_name of ['Ada', 'Grace', 'Hedy', 'Mina']) {
    const { body } = await send('POST', '/v1/contacts', { first_name });
    contacts.push(`/v1/contacts/${(body as Contact).id}`);
  }
  await createKey(db, { name: 'test', readOnly: false }, new Date(startTime));
  let count = 0;
  /** Changes all contacts at once, and returns the statuses. */
  const changeAll = async () => {
    const last_name = String(count++);
    const responses = await Promise.all(contacts.map((path) => send('PATCH', path, { last_name })));
    return responses.map(({ status }) => status);
  };
  const countKeys = async () => (await listKeys(db)).length;
  const countKeysOnAll = () => Promise.all(contacts.map(countKeys));
  expect(await changeAll()).toEqual([200, 200, 200, 200]);
  expect(await countKeysOnAll()).toEqual([1, 1, 1, 1]);
  expect(db.readPool?.()).toMatchObject({ open: 4 });
  let version = 99;
  /** Changes the schema in one transaction, as a newer version of kith does. */
  const migrate = (statements: string) =>
    runQuery(location, `begin; ${statements}; insert into kith_migration values (${version++}); commit`);
  return { send, contacts, changeAll, countKeys, countKeysOnAll, migrate };
}

test('reads and writes succeed on every connection after a newer version of kith has added columns', async () => {
  const { changeAll, countKeys, countKeysOnAll, migrate } = await openUsedService();
  await migrate('alter table contact add nickname text');
  expect(await changeAll()).toEqual([200, 200, 200, 200]);
  expect(await countKeysOnAll()).toEqual([1, 1, 1, 1]);
  await migrate('alter table api_key add expires_at bigint');
  expect(await countKeys()).toBe(1);
  expect(await countKeysOnAll()).toEqual([1, 1, 1, 1]);
});

test('requests succeed while a newer version of kith changes the schema', async () => {
  const { changeAll, migrate } = await openUsedService();
  let isDone = false;
  const migration = migrate('alter table contact add nickname text').finally(() => {
    isDone = true;
  });
  const statuses = new Set<number>();
  do {
    for (const status of await changeAll()) statuses.add(status);
  } while (!isDone);
  await migration;
  expect([...statuses]).toEqual([200]);
  expect(await changeAll()).toEqual([200, 200, 200, 200]);
});

test('a request that the schema of a newer version of kith no longer supports gets 503 with the reason', async () => {
  const { send, contacts, migrate } = await openUsedService();
  await migrate('alter table contact drop last_name');
  const unavailable = {
    status: 503,
    headers: { 'retry-after': '1' },
    body: {
      detail: `The workspace has schema version 99, but this server supports version ${postgresSchemaVersion}. Update kith on the server and restart it.`,
    },
  };
  expect(await send('GET', contacts[0] ?? '')).toMatchObject(unavailable);
  expect(await send('POST', '/v1/contacts', { first_name: 'Ada', last_name: 'L' })).toMatchObject(
    unavailable,
  );
  expect((await send('GET', '/v1/notes')).status).toBe(200);
});

test('updates the schema for longer than a statement of a request may take', async () => {
  const location = await createOldDatabase(3, '');
  const client = new pg.Client(location);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin; select * from list'); // the update has to wait for its lock
  const opening = openWorkspace(location, { statementTimeout: 1 });
  await wait(3000);
  await client.query('commit');
  await (await opening).close();
  expect(await runQuery(location, 'select max(version) as version from kith_migration')).toEqual([
    { version: postgresSchemaVersion },
  ]);
});
