import sql from 'sql-template-tag';
import { expect } from 'vitest';
import { isDatabaseUrl } from '../../../src/values/database-url.ts';
import { test } from '../engines.ts';
import { exchangeRaw } from '../raw.ts';
import { serveLocation, serveTestWorkspace } from '../serve.ts';

const textFormat = 'text/plain; version=0.0.4; charset=utf-8';

/** Returns the samples of metrics whose name begins with a prefix, without the buckets of histograms. */
const readSamples = (text: string, prefix: string) =>
  text.split('\n').filter((line) => line.startsWith(prefix) && !line.includes('_bucket{'));

test('counts requests by method, route and status, and never by requested path', async () => {
  const { send } = await serveTestWorkspace();
  const { id } = JSON.parse((await send('POST /v1/contacts', { first_name: 'Ada' })).text);
  for (const line of [
    `GET /v1/contacts/${id}`,
    'GET /v1/contacts/zzzzzz',
    'GET /v1/contacts/zzzzz1?secret=1',
    'HEAD /v1/contacts',
    'PUT /v1/contacts',
    'GET /v1/nothing',
    'PROPFIND /v1/%20',
    'GET /healthz',
  ])
    await send(line);
  await send('GET /v1/contacts', undefined, 'kith_wrong');
  const { status, type, text } = await send('GET /metrics');
  expect([status, type]).toEqual([200, textFormat]);
  expect(readSamples(text, 'kith_http_requests_total').sort()).toEqual([
    'kith_http_requests_total{method="GET",route="/healthz",status="200"} 1',
    'kith_http_requests_total{method="GET",route="/v1/contacts",status="401"} 1',
    'kith_http_requests_total{method="GET",route="/v1/contacts/:contact_id",status="200"} 1',
    'kith_http_requests_total{method="GET",route="/v1/contacts/:contact_id",status="400"} 1',
    'kith_http_requests_total{method="GET",route="/v1/contacts/:contact_id",status="404"} 1',
    'kith_http_requests_total{method="GET",route="unknown",status="404"} 1',
    'kith_http_requests_total{method="HEAD",route="/v1/contacts",status="200"} 1',
    'kith_http_requests_total{method="POST",route="/v1/contacts",status="201"} 1',
    'kith_http_requests_total{method="PUT",route="/v1/contacts",status="405"} 1',
    'kith_http_requests_total{method="other",route="unknown",status="404"} 1',
  ]);
  expect(text).not.toMatch(/zzzzz|secret/);
});

test('measures the latency of each route in seconds', async () => {
  const { send, requests } = await serveTestWorkspace();
  for (let count = 0; count < 3; count += 1) await send('GET /v1/lists');
  const total = requests.reduce((sum, { milliseconds = 0 }) => sum + milliseconds, 0) / 1000;
  const { text } = await send('GET /metrics');
  const label = '{method="GET",route="/v1/lists"}';
  const [sum = '', count] = readSamples(text, 'kith_http_request_duration_seconds');
  expect(Number(sum.replace(`kith_http_request_duration_seconds_sum${label} `, ''))).toBeCloseTo(total);
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(3);
  expect(count).toBe(`kith_http_request_duration_seconds_count${label} 3`);
  expect(text).toContain(
    'kith_http_request_duration_seconds_bucket{le="+Inf",method="GET",route="/v1/lists"} 3\n',
  );
});

test('counts unparsable requests by status without a route', async () => {
  const { send, url } = await serveTestWorkspace();
  await exchangeRaw(url, ['nonsense\r\n\r\n']);
  const { text } = await send('GET /metrics');
  expect(readSamples(text, 'kith_http_request')).toEqual([
    'kith_http_requests_total{method="other",route="unknown",status="400"} 1',
  ]);
});

test('counts internal errors and shows the version and the memory of the process', async () => {
  const { db, send, messages } = await serveTestWorkspace();
  const { id } = JSON.parse((await send('POST /v1/organizations', { name: 'Acme' })).text);
  await send('POST /v1/notes', { organization_id: id, body: 'Called.' });
  await db.run(sql`alter table note rename to lost`);
  expect((await send('GET /v1/notes')).status).toBe(500);
  const { text } = await send('GET /metrics');
  expect(readSamples(text, 'kith_internal_errors_total')).toEqual(['kith_internal_errors_total 1']);
  expect(readSamples(text, 'kith_info')).toEqual(['kith_info{version="0.0.0"} 1']);
  expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
  expect(messages).toEqual([
    expect.stringMatching(/^error made-here .*(no such table: note|relation "note" does not exist)/),
  ]);
});

test('requires a key for /metrics on the main port', async () => {
  const { send } = await serveTestWorkspace();
  expect((await send('GET /metrics', undefined, 'kith_wrong')).status).toBe(401);
  expect(await send('HEAD /metrics')).toMatchObject({ status: 200, type: textFormat, text: '' });
  const { status, headers } = await send('POST /metrics', {});
  expect([status, headers.get('allow')]).toEqual([405, 'GET']);
});

test('serves only /metrics on --metrics-port, without a key', async () => {
  const { metricsUrl = '', url, send, requests } = await serveTestWorkspace({ metricsPort: 0 });
  expect(metricsUrl).not.toBe(url);
  expect((await send('GET /metrics')).status).toBe(404);
  await send('GET /v1/contacts');
  requests.length = 0;
  const response = await fetch(`${metricsUrl}/metrics`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, textFormat]);
  expect(readSamples(await response.text(), 'kith_http_requests_total')).toEqual([
    'kith_http_requests_total{method="GET",route="unknown",status="404"} 1',
    'kith_http_requests_total{method="GET",route="/v1/contacts",status="200"} 1',
  ]);
  const statuses = ['/healthz', '/v1/contacts', '/'].map(
    async (path) => (await fetch(metricsUrl + path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
  expect((await fetch(`${metricsUrl}/metrics`, { method: 'POST' })).status).toBe(405);
  expect(requests).toEqual([]);
});

test.each([
  ['localhost:9464', 200],
  ['127.0.0.1', 200],
  ['[::1]:9464', 200],
  ['metrics.example', 403],
  ['127.0.0.1.example:9464', 403],
])('a metrics port of this machine checks the Host header: %s gives %i', async (host, status) => {
  const { metricsUrl = '' } = await serveTestWorkspace({ metricsPort: 0 });
  const request = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  expect(await exchangeRaw(metricsUrl, [request])).toMatchObject([{ status }]);
});

test('a server does not start with another region than earlier servers', async () => {
  const { location, key } = await serveTestWorkspace({ region: 'KR' });
  await expect(serveLocation(location, key, { region: 'US' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/^The region of .* is KR, not US\./),
  });
  await serveLocation(location, key, { region: 'KR' });
  await serveLocation(location, key);
});

test('stops the main server if the metrics port is in use', async () => {
  const { url } = await serveTestWorkspace();
  const start = serveTestWorkspace({ metricsPort: Number(new URL(url).port) });
  await expect(start).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('EADDRINUSE'),
  });
});

test('shows the connections to a PostgreSQL database', async () => {
  const { send, location } = await serveTestWorkspace();
  const { text } = await send('GET /metrics');
  const states = readSamples(text, 'kith_database_connections').map((line) =>
    line.replace(/ [1-9]\d*$/, ' N'),
  );
  const expected = ['open', 'idle', 'waiting'].map(
    (state) => `kith_database_connections{state="${state}"} ${state === 'waiting' ? 0 : 'N'}`,
  );
  expect(states).toEqual(isDatabaseUrl(location) ? expected : []);
});
