import pg from 'pg';
import sql from 'sql-template-tag';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../../src/service/db/database.ts';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import { createTestDatabase, requirePostgres } from '../../../support/test-database.ts';
import { openService } from './writers.ts';

beforeEach(requirePostgres);

/** Creates a record. */
type Create = (path: string, body: object) => Promise<CreateResponse>;

interface CreateResponse {
  readonly status: number;
  readonly body: { id: string; key?: string; errors?: { code: string }[] };
}

/** Opens the service on a database, with its own connections. */
async function openInstance(url: string): Promise<Create> {
  const service = await openService(url);
  return async (path, body) => (await service({ method: 'POST', path, query: [], body })) as CreateResponse;
}

const count = 50;

/** Creates the same record over two instances at the same time, and returns the responses. */
const createTogether = (instances: readonly Create[], path: string, body: object) =>
  Promise.all(Array.from({ length: count / 2 }, () => instances.map((create) => create(path, body))).flat());

test('two instances of the service accept an email once, and number entries without gaps or duplicates', async () => {
  const url = await createTestDatabase();
  const instances = await Promise.all([openInstance(url), openInstance(url)]);
  const contacts = await createTogether(instances, '/v1/contacts', { emails: ['ada@example.com'] });
  const results = contacts.map(({ status, body }) => `${status} ${body.errors?.[0]?.code}`).sort();
  expect(results).toEqual(['201 undefined', ...Array.from({ length: count - 1 }, () => '422 taken')]);

  const list = await instances[0]?.('/v1/lists', {
    ...{ name: 'Deals', process: true, identifier: 'DEAL', entry_type: 'Contact', duplicates_allowed: true },
  });
  const entries = await createTogether(instances, `/v1/lists/${list?.body.id}/entries`, {
    entryable_id: contacts.find(({ status }) => status === 201)?.body.id,
    entryable_type: 'Contact',
  });
  const numbers = entries.map(({ body }) => Number(body.key?.replace('DEAL-', '')));
  numbers.sort((one, other) => one - other);
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test('a create and a page do not wait for unfinished transactions that create and delete records of the kind', async () => {
  const database = await createTestDatabase();
  const create = await openInstance(database);
  await create('/v1/contacts', { first_name: 'Ada' });
  const client = new pg.Client(database);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`begin;
    insert into contact (first_name, created_at, updated_at)
      select 'Bea', 0, 0 from generate_series(1, 1000);
    delete from contact where first_name = 'Ada'`);
  expect(await create('/v1/contacts', { first_name: 'Cho' })).toMatchObject({ status: 201 });
  expect(await countContacts(database)).toBe(2);
  await client.query('commit');
  expect(await countContacts(database)).toBe(1001);
});

test('creates a deal while other transactions update deals of the same process', async () => {
  const database = await createTestDatabase();
  const service = await openService(database, { statementTimeout: 1 });
  const create = async (path: string, body: object) =>
    (await service({ method: 'POST', path, query: [], body })) as CreateResponse;
  const { body: contact } = await create('/v1/contacts', { first_name: 'Ada' });
  const { body: list } = await create('/v1/lists', {
    ...{ name: 'Deals', process: true, identifier: 'DEAL', entry_type: 'Contact', duplicates_allowed: true },
  });
  const client = new pg.Client(database);
  await client.connect();
  onTestFinished(() => client.end());
  // The lock under which an update of a deal checks its status.
  await client.query('begin; select * from list for share');
  const entry = { entryable_id: contact.id, entryable_type: 'Contact' };
  expect(await create(`/v1/lists/${list.id}/entries`, entry)).toMatchObject({
    status: 201,
    body: { key: 'DEAL-1' },
  });
});

test('an update that sets a field while it is being deleted is refused', async () => {
  const database = await createTestDatabase();
  const service = await openService(database);
  const send = async (method: string, path: string, body: object) =>
    (await service({ method, path, query: [], body })) as CreateResponse;
  const field = { model: 'contact', name: 'Size', data_type: 'text', accepts_multiple_values: false };
  await send('POST', '/v1/custom_fields', field);
  const { body: contact } = await send('POST', '/v1/contacts', { first_name: 'Ada' });
  const client = new pg.Client(database);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin; delete from custom_field');
  const change = { emails: ['ada@example.com'], custom_fields: [{ name: 'Size', value: 'L' }] };
  const update = send('PATCH', `/v1/contacts/${contact.id}`, change);
  // The value waits for the lock of the field.
  await expect.poll(() => countWaiting(client)).toBe(1);
  await client.query('commit');
  expect(await update).toMatchObject({ status: 422, body: { errors: [{ code: 'unknown' }] } });
});

/** Returns the number of statements that wait for a lock. */
async function countWaiting(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query("select from pg_stat_activity where wait_event_type = 'Lock'");
  return rowCount ?? 0;
}

test('a read sees one state of the database, whatever another instance writes', async () => {
  const location = await createTestDatabase();
  const [db, other] = [await openWorkspace(location), await openWorkspace(location)];
  onTestFinished(async () => void (await Promise.all([db.close(), other.close()])));
  const insert = (name: string) =>
    other.run(sql`insert into organization (name, created_at, updated_at) values (${name}, 0, 0)`);
  const countRows = async (part: Database) =>
    (await part.first<{ count: number }>(sql`select count(*) as count from organization`))?.count;
  await insert('Acme');
  await db.snapshot(async (part) => {
    expect(await countRows(part)).toBe(1);
    await insert('Bolt');
    expect(await countRows(part)).toBe(1);
  });
  expect(await countRows(db)).toBe(2);
});

/** Returns the total of the list of contacts. */
async function countContacts(database: string): Promise<unknown> {
  const service = await openService(database);
  const { body } = await service({ method: 'GET', path: '/v1/contacts', query: [['first', '1']] });
  return (body as { pagination: { total_count: number } }).pagination.total_count;
}
