import { setTimeout as wait } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect } from 'vitest';
import { createService, type Service } from '../../../src/service/dispatch.ts';
import { postgresSchemaVersion, schemaVersion } from '../../support/next-version.ts';
import { isOnPostgres, test } from '../engines.ts';
import { createProblem, json, problem, startTestServer } from '../server.ts';
import { openTestWorkspace } from '../service.ts';

test.each(['/healthz', '/readyz', '/openapi.json'])(
  'serves GET and HEAD of %s without a key',
  async (path) => {
    const { send, url } = await startTestServer();
    const response = await send(`GET ${path}`, { key: '' });
    expect([response.status, response.headers]).toEqual([200, json]);
    expect(await send(`HEAD ${path}`, { key: '' })).toEqual({ status: 200, headers: json, body: undefined });
    const lengths = ['GET', 'HEAD'].map(async (method) =>
      (await fetch(url + path, { method })).headers.get('content-length'),
    );
    const [length, lengthOfHead] = await Promise.all(lengths);
    expect(lengthOfHead).toBe(length);
    expect(await send(`POST ${path}`, { key: '', body: '{}' })).toEqual({
      status: 405,
      headers: { ...problem, allow: 'GET' },
      body: createProblem(405, 'Method Not Allowed', `${path} takes GET, not POST.`),
    });
  },
);

test('builds and compresses the OpenAPI document once, with a tag', async () => {
  const { url } = await startTestServer();
  const fetchDocument = (headers: Record<string, string>) => fetch(`${url}/openapi.json`, { headers });
  const { headers } = await fetchDocument({ 'accept-encoding': 'br' });
  const etag = headers.get('etag') ?? '';
  const described = ['content-encoding', 'cache-control', 'vary'].map((name) => headers.get(name));
  expect([etag, described]).toEqual([
    expect.stringMatching(/^"[0-9a-f]{16}-br"$/),
    ['br', 'no-cache', 'Accept-Encoding'],
  ]);
  expect((await fetchDocument({ 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(304);
  expect((await fetchDocument({ 'if-match': '"other"' })).status).toBe(412);
  for (const headers of [{ 'if-match': '"other"' }, { 'if-none-match': '*' }])
    expect((await fetch(`${url}/healthz`, { headers })).status).toBe(200); // it has no tag
  const start = process.cpuUsage();
  for (let count = 0; count < 20; count += 1) await (await fetchDocument({ 'accept-encoding': 'br' })).text();
  const { user } = process.cpuUsage(start);
  expect(user / 1000).toBeLessThan(20 * 10); // building it takes 20 ms
});

/** Starts a server, collects its log, and counts the requests to its service. */
async function startLoggedServer() {
  const { db, sendOk } = await openTestWorkspace();
  const { id } = await sendOk<{ id: string }>('POST /v1/organizations', { name: 'Acme' });
  await sendOk('POST /v1/notes', { organization_id: id, body: 'Called.' });
  const log: string[] = [];
  const write = (text: string, requestId = '') => void log.push(`${requestId}: ${text}`);
  const run = createService({ db, now: () => new Date(), log: write });
  const calls = { count: 0 };
  const service: Service = (...request) => {
    calls.count += 1;
    return run(...request);
  };
  const { url } = await startTestServer({ db, service, log: write });
  const fetchPath = async (path: string) => {
    const response = await fetch(url + path, { headers: { 'x-request-id': `ask-${path.slice(1)}` } });
    return { status: response.status, body: await response.json() };
  };
  return { db, log, calls, fetchPath };
}

test('returns 503 from /readyz and logs the reason with the request id if a list cannot be read', async () => {
  const { db, log, fetchPath } = await startLoggedServer();
  expect(await fetchPath('/readyz')).toEqual({ status: 200, body: { status: 'ok' } });
  await db.run(sql`alter table note rename to lost`);
  await wait(500); // the last check is shared until then
  expect(await fetchPath('/readyz')).toEqual({
    status: 503,
    body: {
      ...createProblem(503, 'Service Unavailable', 'Cannot read the workspace: /v1/notes returned 500.'),
      request_id: 'ask-readyz',
    },
  });
  expect(log).toEqual([
    expect.stringMatching(/^ask-readyz: .*(no such table: note|relation "note" does not exist)/),
  ]);
  expect(await fetchPath('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
});

test('requests for /readyz share one check for half a second', async () => {
  const { calls, fetchPath } = await startLoggedServer();
  const lists = ['contacts', 'organizations', 'notes', 'custom_fields', 'lists', 'calendar_events'];
  for (const round of [1, 2]) {
    const responses = await Promise.all(Array.from({ length: 5 }, () => fetchPath('/readyz')));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(calls.count).toBe(round * lists.length);
    await wait(500);
  }
});

test('returns 503 from /readyz if the workspace is closed', async () => {
  const { db, log, fetchPath } = await startLoggedServer();
  await db.close();
  expect((await fetchPath('/readyz')).status).toBe(503);
  expect(log).toEqual([expect.stringMatching(/^ask-readyz: /)]);
});

test('returns 503 from /readyz with the reason if a newer version of kith has changed the schema of the served workspace', async () => {
  const { db, log, fetchPath } = await startLoggedServer();
  await db.run(
    isOnPostgres() ? sql`insert into kith_migration (version) values (99)` : sql`pragma user_version = 99`,
  );
  const supported = isOnPostgres() ? postgresSchemaVersion : schemaVersion;
  const reason = `The workspace has schema version 99, but this server supports version ${supported}.`;
  expect(await fetchPath('/readyz')).toEqual({
    status: 503,
    body: {
      ...createProblem(503, 'Service Unavailable', `${reason} Update kith on the server and restart it.`),
      request_id: 'ask-readyz',
    },
  });
  expect(log).toEqual([]);
});
