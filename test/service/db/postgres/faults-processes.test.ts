import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createEnv, createKey, startKithServe } from '../../../support/binary.ts';
import { createTemporaryFolder } from '../../../support/kith.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { requirePostgres } from '../../../support/test-database.ts';

beforeEach(requirePostgres);

const writes = process.env.KITH_LONG === '1' ? 1000 : 150;

/** Starts a proxy that sends each request to the next server, and responds with 502 if that one fails. */
async function startProxy(targets: readonly string[]): Promise<string> {
  let count = 0;
  const proxy = createServer(async (request, response) => {
    const target = targets[count++ % targets.length];
    try {
      const { authorization = '' } = request.headers;
      const headers = { authorization, 'content-type': 'application/json' };
      const body = await text(request);
      const result = await fetch(`${target}${request.url}`, { method: 'POST', headers, body });
      response.writeHead(result.status).end(await result.text());
    } catch {
      response.writeHead(502).end();
    }
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = proxy.address();
  return `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
}

test('every acknowledged write is stored once when one of three processes is killed', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const key = await createKey(server.url());
  const start = () => startKithServe(server.url(), createEnv(createTemporaryFolder()));
  const processes = await Promise.all([start(), start(), start()]);
  const proxy = await startProxy(processes.map(({ url }) => url));
  const statuses: number[] = [];
  const created: string[] = [];
  const write = async () => {
    while (statuses.length < writes) {
      const name = `N${statuses.push(0)}`;
      const { status } = await fetch(`${proxy}/v1/contacts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ first_name: name }),
      });
      statuses[Number(name.slice(1)) - 1] = status;
      if (status === 201 && created.push(name) === 30) void processes[1]?.stop('SIGKILL');
    }
  };
  await Promise.all(Array.from({ length: 6 }, write));
  expect(new Set(statuses)).toEqual(new Set([201, 502]));
  const last = statuses.slice(-30).filter((status) => status === 201);
  expect(last.length).toBeGreaterThan(15); // two of three
  const rows = await server.query('select first_name as name from contact');
  const stored = rows.map(({ name }) => String(name));
  expect(new Set(stored).size).toBe(stored.length);
  expect(created.filter((name) => !stored.includes(name))).toEqual([]);
});
