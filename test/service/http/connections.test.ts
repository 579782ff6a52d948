import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Service } from '../../../src/service/dispatch.ts';
import { createRateLimit } from '../../../src/service/http/rate-limit.ts';
import { discardBody } from '../../../src/service/http/request.ts';
import { exchangeRaw, formatHead, startHttpServer } from '../raw.ts';
import { startTestServer } from '../server.ts';
import { startTime } from '../service.ts';

const megabyte = 1024 * 1024;
const contact = '{"first_name":"Ada"}';

/** Starts a server and builds requests to it with a key that may write. */
async function startConnectionServer(...options: Parameters<typeof startTestServer>) {
  const context = await startTestServer(...options);
  const authorization = `Authorization: Bearer ${context.keys.writing.key}`;
  const formatPost = (...lines: string[]) =>
    formatHead('POST /v1/contacts HTTP/1.1', 'Host: a', 'Content-Type: application/json', ...lines);
  const createRequest = formatHead(
    'POST /v1/contacts HTTP/1.1',
    'Host: a',
    'Content-Type: application/json',
    authorization,
    'Connection: close',
    `Content-Length: ${contact.length}`,
  );
  const count = async () => (await context.send('GET /v1/contacts')).body.pagination.total_count;
  return { ...context, authorization, formatPost, createRequest: createRequest + contact, count };
}

const createOneRequestLimit = () => createRateLimit(1, () => new Date(startTime));

test.each([
  ['413', () => ({}), 3, [413]],
  ['401', () => ({}), 3, [401]],
  ['429', () => ({ rateLimit: createOneRequestLimit() }), 3, [429]],
])(
  'sends a whole %s response before a large body and closes the connection',
  async (status, createOptions, size, statuses) => {
    const { url, send, authorization, formatPost } = await startConnectionServer(createOptions());
    const key = status === '401' ? [] : [authorization];
    if (status === '429') await send('GET /v1/contacts');
    const body = Buffer.alloc(size * megabyte, 'x');
    const parts = [
      formatPost(...key, `Content-Length: ${body.length}`),
      body,
      'GET /v1/contacts HTTP/1.1\r\n',
    ];
    const responses = await exchangeRaw(url, parts, 20);
    expect(responses.map((response) => response.status)).toEqual(statuses);
    const last = responses.at(-1);
    expect(last?.headers.connection).toBe('close');
    expect(JSON.parse(last?.text ?? '')).toMatchObject({ status: Number(status), request_id: 'made-here' });
  },
);

test.each([
  ['413', (key: string) => [key], Buffer.alloc(2 * megabyte, 'x'), 413],
  ['401', () => [], Buffer.alloc(2 * megabyte, 'x'), 401],
  ['401 with a small body', () => [], Buffer.from(contact), 401],
])('loses no request on kept-alive connections after a %s', async (_, keyOf, body, status) => {
  const { url, keys } = await startConnectionServer();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const key = `Bearer ${keys.writing.key}`;
  const sendRequest = (method: string, authorization: readonly string[], sent?: Buffer) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        ...(authorization[0] && { authorization: authorization[0] }),
        ...(sent && { 'content-length': sent.length, 'content-type': 'application/json' }),
      };
      const outgoing = request(`${url}/v1/contacts`, { method, agent, headers }, (incoming) => {
        textOf(incoming).then(() => resolve(incoming.statusCode), reject);
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // A client that is still writing may notice the end by a failed write; the response arrives anyway.
        if (error.code !== 'EPIPE') reject(error);
      });
      outgoing.end(sent);
    });
  for (let repetition = 0; repetition < 10; repetition += 1) {
    expect([await sendRequest('POST', keyOf(key), body), await sendRequest('GET', [key])]).toEqual([
      status,
      200,
    ]);
  }
  agent.destroy();
});

test('a stopping server answers requests on open connections until the drain ends, then closes the connections', async () => {
  const { url, stop, createRequest, authorization, count } = await startConnectionServer();
  const read = formatHead('GET /v1/contacts HTTP/1.1', 'Host: a', authorization);
  const requests = Array.from({ length: 5 }, () =>
    exchangeRaw(url, [read, '', createRequest.replace('Connection: close\r\n', '')], 150),
  );
  await wait(75);
  expect(await count()).toBe(0); // keeps a connection of `fetch` open
  const start = performance.now();
  await stop(1000);
  const duration = performance.now() - start;
  for (const responses of await Promise.all(requests))
    expect(responses.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [200, 'keep-alive'],
      [201, 'close'],
    ]);
  expect(duration).toBeGreaterThan(950);
});

test('a stopping server answers the requests on connections that it has not accepted yet', async () => {
  const { url, stop, createRequest } = await startConnectionServer();
  await access('.'); // continues in the phase of the event loop in which signals arrive
  const exchanges = Array.from({ length: 20 }, () => exchangeRaw(url, [createRequest]));
  await new Promise(process.nextTick); // now the system has established the connections
  await stop(1000);
  const statuses = (await Promise.all(exchanges)).flatMap((responses) =>
    responses.map(({ status }) => status),
  );
  expect(statuses).toEqual(exchanges.map(() => 201));
});

test('keeps the connection open after it refused a request with a small body', async () => {
  const { url, formatPost, createRequest, count } = await startConnectionServer();
  const responses = await exchangeRaw(url, [`${formatPost('Content-Length: 2')}{}${createRequest}`]);
  expect(responses.map(({ status, headers }) => [status, headers.connection])).toEqual([
    [401, 'keep-alive'],
    [201, 'close'],
  ]);
  expect(await count()).toBe(1);
});

test('ignores a pipelined request on a connection that closes after a refused one', async () => {
  const { url, formatPost, createRequest, count } = await startConnectionServer();
  const body = Buffer.alloc(2 * megabyte, 'x');
  const responses = await exchangeRaw(
    url,
    [formatPost(`Content-Length: ${body.length}`), body, createRequest],
    20,
  );
  expect(responses.map(({ status }) => status)).toEqual([401]);
  expect(await count()).toBe(0);
});

// Discarded buffers may not be collected yet, so the test collects garbage itself.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const connections = process.env.KITH_LONG === '1' ? 300 : 100;

test(`does not buffer ${connections} chunked bodies without a key`, async () => {
  const { url, formatPost } = await startConnectionServer();
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536, 'x'), Buffer.from('\r\n')]);
  const before = process.memoryUsage().arrayBuffers;
  const sockets = Array.from({ length: connections }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  for (const socket of sockets) {
    socket.write(formatPost('Transfer-Encoding: chunked'));
    for (let count = 0; count < 15; count += 1) socket.write(chunk); // less than the largest body
  }
  let most = 0;
  const limit = connections * 0.75 * megabyte; // all bodies have 94 MB
  const measure = () => process.memoryUsage().arrayBuffers - before;
  const isSent = () => {
    if (measure() > limit) collectGarbage(); // takes most of the time of this test if called each time
    most = Math.max(most, measure());
    return sockets.every(({ writableLength, bytesRead }) => writableLength === 0 && bytesRead > 0);
  };
  await expect.poll(isSent, { interval: 10, timeout: 10_000 }).toBe(true);
  await wait(100);
  isSent();
  for (const socket of sockets) socket.destroy();
  expect(most).toBeLessThan(limit);
});

test('receives the large body of a refused request before it closes the connection', async () => {
  const { url, formatPost } = await startConnectionServer();
  const body = Buffer.alloc(32 * megabyte, 'x');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const isSent = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(formatPost(`Content-Length: ${body.length}`));
    socket.write(body, () => resolve());
  });
  await isSent;
  expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 401 /);
});

test('responds to a request without a key before its body ends', async () => {
  const { url, formatPost } = await startConnectionServer();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${formatPost('Transfer-Encoding: chunked')}1\r\n{\r\n`);
  const [first] = await once(socket, 'data');
  expect(String(first)).toContain('HTTP/1.1 401 ');
  socket.destroy();
});

test('sends "100 Continue" only after the key was checked', async () => {
  const { url, formatPost, authorization, count } = await startConnectionServer();
  const lines = ['Expect: 100-continue', 'Connection: close', `Content-Length: ${contact.length}`];
  const responses = await exchangeRaw(url, [formatPost(...lines)], 50, { end: true });
  expect(responses.map(({ status }) => status)).toEqual([401]);
  const created = await exchangeRaw(url, [formatPost(authorization, ...lines), contact], 50);
  expect(created.map(({ status }) => status)).toEqual([100, 201]);
  expect(await count()).toBe(1);
});

test.each([
  ['garbage', 'GARBAGE\r\n\r\n', 400, 'Invalid HTTP request: '],
  ['a method in lower case', formatHead('get / HTTP/1.1', 'Host: a'), 400, 'Invalid HTTP request: '],
  [
    'two lengths',
    formatHead('GET / HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'),
    400,
    'Invalid HTTP request: ',
  ],
  ['two hosts', formatHead('GET /v1/contacts HTTP/1.1', 'Host: a', 'Host: b'), 400, 'more than one Host'],
  ['no host', formatHead('GET /healthz HTTP/1.1', 'Connection: close'), 400, 'no Host header'],
  ['an invalid host', formatHead('GET /healthz HTTP/1.1', 'Host: a b'), 400, 'Invalid Host header: "a b"'],
  ['a target that is not a path', formatHead('OPTIONS * HTTP/1.1', 'Host: a'), 400, 'not a path: "*"'],
  ['an expectation', formatHead('GET / HTTP/1.1', 'Host: a', 'Expect: cake'), 417, '100-continue'],
  ['large headers', formatHead('GET / HTTP/1.1', 'Host: a', `X: ${'x'.repeat(megabyte)}`), 431, 'too large'],
])('responds to %s with problem+json and a request id', async (_, sent, status, detail) => {
  const { url } = await startConnectionServer();
  // Some leave the connection open.
  const parts = [sent.replace('\r\nHost', '\r\nConnection: close\r\nHost')];
  const [response, ...others] = await exchangeRaw(url, parts);
  expect(others).toEqual([]);
  expect({ ...response, text: JSON.parse(response?.text ?? '') }).toMatchObject({
    status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': 'made-here', connection: 'close' },
    text: { type: 'about:blank', status, detail: expect.stringContaining(detail), request_id: 'made-here' },
  });
});

test('responds without a body to a HEAD request that cannot be parsed', async () => {
  const { url } = await startConnectionServer();
  const sent = formatHead('HEAD /healthz HTTP/1.1', 'Host: a', 'Transfer-Encoding: none');
  const responses = await exchangeRaw(url, [sent]);
  expect(responses.map(({ status, text }) => [status, text])).toEqual([[400, '']]);
});

test('accepts HTTP/1.0 without a Host header', async () => {
  const { url } = await startConnectionServer();
  const responses = await exchangeRaw(url, [formatHead('GET /healthz HTTP/1.0')]);
  expect(responses.map(({ status }) => status)).toEqual([200]);
});

test('closes the connection and logs the error if a response cannot be sent', async () => {
  const log: string[] = [];
  const service: Service = async () => ({ status: 200, headers: { 'x-bad': '\u2028' }, body: {} });
  const { url, authorization, send } = await startConnectionServer({
    service,
    log: (text, requestId) => void log.push(`${requestId}: ${text}`),
  });
  const sent = formatHead('DELETE /v1/contacts HTTP/1.1', 'Host: a', 'X-Request-Id: mine', authorization);
  expect(await exchangeRaw(url, [sent])).toEqual([]);
  expect(log).toEqual([expect.stringMatching(/^mine: .*Invalid character in header/)]);
  expect((await send('GET /healthz')).status).toBe(200);
});

test.each([
  ['bytes', { bytes: megabyte, milliseconds: 60_000 }],
  ['milliseconds', { bytes: 10_000 * megabyte, milliseconds: 50 }],
])('discards an unread body up to a limit of %s', async (_, limits) => {
  const { port } = await startHttpServer((incoming, outgoing) => {
    discardBody(incoming, limits).then(() => outgoing.end('enough'));
  });
  const sent = request({ port, host: '127.0.0.1', method: 'POST' });
  const responseEvent = once(sent, 'response');
  const writeTimer = setInterval(() => sent.write(Buffer.alloc(megabyte / 4)), 5);
  const [incoming] = await responseEvent;
  clearInterval(writeTimer);
  expect(incoming.statusCode).toBe(200);
  sent.on('error', () => {}).destroy();
});

test('responds to unparsable data after the responses to the requests before it', async () => {
  const { url, createRequest, count } = await startConnectionServer();
  const keepAlive = createRequest.replace('Connection: close\r\n', '');
  const responses = await exchangeRaw(url, [`${keepAlive}${keepAlive}GARBAGE\r\n\r\n${keepAlive}`]);
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 400]);
  expect(await count()).toBe(2);
});

test('responds to an unparsable chunked body with the id of its request', async () => {
  const { url, formatPost, authorization } = await startConnectionServer();
  const sent = [
    formatPost(authorization, 'X-Request-Id: mine', 'Transfer-Encoding: chunked'),
    'nonsense\r\n',
  ];
  const responses = await exchangeRaw(url, sent, 20);
  expect(responses.map(({ status, headers }) => [status, headers['x-request-id']])).toEqual([[400, 'mine']]);
});

const shortTimeouts = {
  headersTimeout: 200,
  requestTimeout: 400,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 50,
};

test.each([
  ['the first byte', ''],
  ['the headers', 'GET /v1/contacts HTTP/1.1\r\nHost: a\r\n'],
])('responds with 408 if %s does not arrive in time', async (_, sent) => {
  const { url } = await startConnectionServer({}, shortTimeouts);
  const [response] = await exchangeRaw(url, sent === '' ? [] : [sent]);
  expect([response?.status, JSON.parse(response?.text ?? '').detail]).toEqual([
    408,
    'The request timed out before all of it arrived.',
  ]);
});

test('responds with 408 if the body does not arrive in time', async () => {
  const { url, formatPost, authorization } = await startConnectionServer({}, shortTimeouts);
  const sent = formatPost(authorization, 'X-Request-Id: mine', 'Content-Length: 5');
  const responses = await exchangeRaw(url, [sent, '{']);
  expect(responses.map(({ status, headers }) => [status, headers['x-request-id']])).toEqual([[408, 'mine']]);
});
