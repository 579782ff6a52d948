import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../../../src/cli/run.ts';
import { createKey } from '../../support/binary.ts';
import {
  createContext,
  createEmptyWorkspace,
  createMachine,
  createTemporaryFolder,
  splitWords,
} from '../../support/kith.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';

/** Serves a database until the test ends, and returns a function that sends a request. */
async function serveDatabase(url: string, flags: string) {
  const key = await createKey(url);
  const stop = new AbortController();
  const output = { out: '', err: '' };
  const context = createContext(createTemporaryFolder(), { signal: stop.signal }, output);
  const end = run(splitWords(`serve --database ${url} --port 0 ${flags}`), context);
  onTestFinished(async () => {
    stop.abort();
    await end;
  });
  const address = await vi.waitFor(() => readAddress(output.err), { timeout: 10_000 });
  return (method: string, path: string, body?: object) =>
    fetch(`${address}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
}

function readAddress(text: string): string {
  const [, address] = / on (http:\S+)/.exec(text) ?? [];
  if (address === undefined) throw new Error(`The server has not started: ${text}`);
  return address;
}

/** Connects to a database until the test ends. */
async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('--statement-timeout ends a request that waits for a locked row', async (context) => {
  requirePostgres(context);
  const url = await createTestDatabase();
  const send = await serveDatabase(url, '--statement-timeout 1');
  const { id } = (await (await send('POST', 'contacts', { first_name: 'Ada' })).json()) as { id: string };
  const other = await connectTo(url);
  await other.query('begin; select * from contact for update');
  const begin = performance.now();
  const response = await send('PATCH', `contacts/${id}`, { last_name: 'Lovelace' });
  expect(performance.now() - begin).toBeLessThan(10_000);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  await other.query('rollback');
  expect((await send('PATCH', `contacts/${id}`, { last_name: 'Lovelace' })).status).toBe(200);
});

test('--pool-size limits the connections', async (context) => {
  requirePostgres(context);
  const url = await createTestDatabase();
  const other = await connectTo(url);
  const countConnections = async () => {
    const selection =
      "select count(*)::integer as count from pg_stat_activity where application_name = 'kith'";
    return (await other.query(`${selection} and datname = current_database()`)).rows[0].count;
  };
  const send = await serveDatabase(url, '--pool-size 2');
  const responses = await Promise.all(Array.from({ length: 20 }, () => send('GET', 'contacts')));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await countConnections()).toBe(2);
});

test.each(['--pool-size', '--statement-timeout'])('%s requires a PostgreSQL database', async (flag) => {
  const file = createEmptyWorkspace();
  expect(await createMachine()(['serve', '--database', file, flag, '5'])).toEqual({
    code: 2,
    out: '',
    err:
      `kith: ${flag} requires a PostgreSQL database; ${file} is a file.\n` +
      `hint: Omit ${flag}, or pass --database postgres://HOST/DATABASE\n`,
  });
});

test.each([
  ['503:2', '"503:2" needs a probability from 0 to 1.'],
  ['503', '"503" needs a probability from 0 to 1.'],
  ['418:0.1', '"418:0.1" is not a fault. Use 429, 500, 502, 503, 504, reset or slow.'],
  ['503:0.1:2', '"503:0.1:2" is not a fault. Use 429, 500, 502, 503, 504, reset or slow.'],
  ['slow:3h', '"slow:3h" needs a delay from 1ms to 3600s, such as 200ms.'],
  ['slow:0ms', '"slow:0ms" needs a delay from 1ms to 3600s, such as 200ms.'],
  ['slow:3601s', '"slow:3601s" needs a delay from 1ms to 3600s, such as 200ms.'],
  ['503:0.6,reset:0.5', 'The probabilities add up to 1.1, more than 1.'],
  ['reset:0.1,reset:0.2', 'reset is repeated.'],
])('refuses --fault %s', async (faults, message) => {
  expect(await createMachine()(['serve', '--demo', '--fault', faults])).toEqual({
    code: 2,
    out: '',
    err: `kith: --fault: ${message}\nhint: For example: --fault 503:0.1,429:0.05,reset:0.02,slow:200ms\n`,
  });
});

test('names the faults and the seed at the start, and a command retries them', async () => {
  const workspace = createEmptyWorkspace();
  const key = await createKey(workspace);
  const stop = new AbortController();
  const output = { out: '', err: '' };
  const context = createContext(createTemporaryFolder(), { signal: stop.signal }, output);
  const flags = '--port 0 --fault 503:.25,slow:1ms --seed 5';
  const end = run(splitWords(`serve --database ${workspace} ${flags}`), context);
  onTestFinished(async () => {
    stop.abort();
    await end;
  });
  const address = await vi.waitFor(() => readAddress(output.err), { timeout: 10_000 });
  await vi.waitFor(() =>
    expect(output.err).toContain(
      'Injecting faults into requests: 503 for 25 %, a delay of 1 ms for every request. To repeat them, pass --seed 5.\n',
    ),
  );
  const kith = createMachine();
  const env = { KITH_BASE_URL: address, KITH_API_KEY: key };
  for (const name of ['Ada', 'Grace', 'Jiwoo'])
    expect(
      await kith(['contacts', 'create', '--first-name', name, '--quiet'], { env, sleep: async () => {} }),
    ).toMatchObject({ code: 0, err: '' });
});
