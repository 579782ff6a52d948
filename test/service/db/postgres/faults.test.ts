import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { WireResponse } from '../../../../src/contract/grammar.ts';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import { createService, type Service } from '../../../../src/service/dispatch.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/postgres.ts';
import { requirePostgres } from '../../../support/test-database.ts';

const writes = process.env.KITH_LONG === '1' ? 1000 : 200;

let server: PostgresServer;

beforeAll(async () => {
  if (findPostgres() !== undefined) server = await startPostgres();
});
afterAll(() => server?.close());
beforeEach(requirePostgres);

/** Opens the service on a database. An internal error in its log fails the test. */
async function openService(url: string): Promise<Service> {
  const db = await openWorkspace(url);
  const logged: string[] = [];
  onTestFinished(async () => {
    await db.close();
    expect(logged).toEqual([]);
  });
  return createService({ db, now: () => new Date(), log: (text) => void logged.push(text) });
}

/** Creates a database, and returns its URL. */
async function createDatabase(name: string): Promise<string> {
  await server.query(`create database ${name}`);
  return server.url(name);
}

const createContact = (service: Service, name: string) =>
  service({ method: 'POST', path: '/v1/contacts', query: [], body: { first_name: name } });

const listContacts = (service: Service) =>
  service({ method: 'GET', path: '/v1/contacts', query: [], body: undefined });

/** Names a response: `created`, `refused` (503 with Retry-After), `unknown` (503 without), or its status. */
const describeResponse = ({ status, headers }: WireResponse) =>
  status === 201
    ? 'created'
    : status !== 503
      ? String(status)
      : headers['retry-after']
        ? 'refused'
        : 'unknown';

/** Creates contacts with several writers until `isDone`, and returns their names by what the service responded. */
async function writeUntil(service: Service, isDone: (sent: number, created: number) => boolean) {
  const outcomes = new Map<string, string>();
  let created = 0;
  const write = async () => {
    while (!isDone(outcomes.size, created)) {
      const name = `N${outcomes.size}`;
      outcomes.set(name, 'sent');
      const outcome = describeResponse(await createContact(service, name));
      outcomes.set(name, outcome);
      if (outcome === 'created') created += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, write));
  return outcomes;
}

/** Checks that the created contacts are stored, each once, and the refused ones are not. */
async function expectStored(database: string, outcomes: ReadonlyMap<string, string>) {
  const rows = await server.query('select first_name as name from contact', database);
  const stored = rows.map(({ name }) => String(name));
  expect(new Set(stored).size).toBe(stored.length);
  const find = (outcome: string) =>
    [...outcomes].flatMap(([name, found]) => (found === outcome ? [name] : []));
  const others = [...outcomes.values()].filter((text) => !/^(created|refused|unknown)$/.test(text));
  expect(others).toEqual([]);
  expect(find('created').filter((name) => !stored.includes(name))).toEqual([]);
  expect(find('refused').filter((name) => stored.includes(name))).toEqual([]);
}

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
  await expectStored('stopped', outcomes);
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
  await expectStored('terminated', outcomes);
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
