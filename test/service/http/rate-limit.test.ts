import pg from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../../src/service/db/open.ts';
import { createKey } from '../../../src/service/http/keys.ts';
import { createRateLimit, createSharedRateLimit } from '../../../src/service/http/rate-limit.ts';
import { runQuery } from '../../support/postgres.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';
import { serveLocation } from '../serve.ts';
import { laterTime, startTime } from '../service.ts';

test('allows a number of requests per key and calendar minute', () => {
  let time = new Date('2026-11-20T10:00:45.500Z');
  const countRequest = createRateLimit(2, () => time);
  expect([1, 1, 1, 2].map(countRequest)).toEqual([undefined, undefined, 15, undefined]);
  time = new Date('2026-11-20T10:01:00Z');
  expect([1, 1, 1].map(countRequest)).toEqual([undefined, undefined, 60]);
});

/** Creates a database whose clock the test sets. It hides the function of PostgreSQL. */
async function createClockedDatabase() {
  const plain = await createTestDatabase();
  await runQuery(
    plain,
    `create schema fake;
    create table fake.clock as select timestamptz '2026-11-20T10:00:45.500Z' as time;
    create function fake.clock_timestamp() returns timestamptz language plpgsql as
      'begin return (select time from fake.clock); end'`,
  );
  const url = `${plain}?options=${encodeURIComponent('-c search_path=public,fake,pg_catalog')}`;
  const setTime = (time: string) => runQuery(plain, `update fake.clock set time = '${time}'`);
  return { plain, url, setTime };
}

/** Opens a database with a clock, and creates limits on it, each like one process. */
async function openLimits() {
  const database = await createClockedDatabase();
  const db = await openWorkspace(database.url);
  onTestFinished(() => db.close());
  const clock = { time: startTime };
  const warnings: string[] = [];
  let statements = 0;
  const createLimit = (limit: number) =>
    createSharedRateLimit(limit, {
      now: () => new Date(clock.time),
      countRequest: (key) => {
        statements += 1;
        if (!db.countRequest) throw new Error('The database counts no requests.');
        return db.countRequest(key);
      },
      warn: (text) => void warnings.push(text),
    });
  return { ...database, createLimit, clock, warnings, countStatements: () => statements };
}

/** Sends requests with a key one after the other, and returns how many are granted. */
async function countGranted(limit: ReturnType<typeof createSharedRateLimit>, requests: number, key = 1) {
  let granted = 0;
  for (let index = 0; index < requests; index += 1) if ((await limit(key)) === undefined) granted += 1;
  return granted;
}

beforeEach(requirePostgres);

test('three servers on one database share a limit exactly', async () => {
  const [limit, sent] = [20, 10];
  const { url, setTime } = await createClockedDatabase();
  const db = await openWorkspace(url);
  onTestFinished(() => db.close());
  const { key } = await createKey(db, { name: 'test', readOnly: true }, new Date(startTime));
  // Their clocks differ from each other and from the database's.
  const clocks = [startTime, laterTime, '2030-01-01T00:00:59.999Z'].map((time) => ({
    time: Date.parse(time),
  }));
  const servers = await Promise.all(
    clocks.map((clock) => serveLocation(url, key, { perMinute: limit }, () => new Date(clock.time))),
  );
  const sendAll = async () => {
    const requests = Array.from({ length: sent }, () =>
      servers.map(({ send }) => send('GET /v1/notes')),
    ).flat();
    return Promise.all(requests);
  };
  for (const minute of ['10:00:45.500', '10:01:45.500']) {
    await setTime(`2026-11-20T${minute}Z`);
    const responses = await sendAll();
    const granted = responses.filter(({ status }) => status === 200).length;
    expect(granted).toBe(limit);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBe(3 * sent - granted);
    expect(new Set(refused.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['15']));
    for (const clock of clocks) clock.time += 60_000;
  }
  expect(servers.flatMap(({ messages }) => messages)).toEqual([]);
});

test('counts each request with one statement, separately for each key', async () => {
  const { createLimit, countStatements, setTime } = await openLimits();
  const limit = createLimit(10);
  expect(await countGranted(limit, 12)).toBe(10);
  expect(countStatements()).toBe(12);
  expect(await countGranted(limit, 12, 2)).toBe(10);
  await setTime('2026-11-20T10:01:00Z');
  expect(await countGranted(limit, 12)).toBe(10);
});

test('grants exactly the limit to simultaneous requests', async () => {
  const { createLimit } = await openLimits();
  const limit = createLimit(60);
  const waits = await Promise.all(Array.from({ length: 100 }, () => limit(1)));
  expect(waits.filter((seconds) => seconds === undefined).length).toBe(60);
  expect(waits.filter((seconds) => seconds === 15).length).toBe(40);
});

test('a statement that waits for the row until the next minute adds to the requests of that minute', async () => {
  const { createLimit, plain, setTime } = await openLimits();
  expect(await countGranted(createLimit(1), 1)).toBe(1);
  const client = new pg.Client(plain);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin; update rate_limit set minute = minute + 1, requests = 1');
  const waiting = createLimit(1)(1);
  const blocked =
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await expect.poll(async () => (await runQuery(plain, blocked)).length).toBe(1);
  await setTime('2026-11-20T10:01:10Z');
  await client.query('commit');
  expect(await waiting).toBe(50);
});

test('a process counts separately while the database cannot count, and logs one warning', async () => {
  const { createLimit, plain, clock, warnings } = await openLimits();
  const limit = createLimit(5);
  await runQuery(plain, 'alter table rate_limit rename to lost');
  expect(await countGranted(limit, 7)).toBe(5);
  clock.time = '2026-05-04T09:31:00.000Z';
  expect(await countGranted(limit, 7)).toBe(5);
  expect(warnings).toEqual([
    'Cannot count requests in the database: relation "rate_limit" does not exist. ' +
      'This process counts separately until the database counts again.',
  ]);
  await runQuery(plain, 'alter table lost rename to rate_limit');
  expect(await countGranted(limit, 2)).toBe(2);
  expect(await countGranted(createLimit(5), 7)).toBe(3);
  expect(warnings.length).toBe(1);
});
