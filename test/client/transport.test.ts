import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type Behavior, createTransport, sendJson, startTestService } from './loopback.ts';
import { getRequest, neverAborted, postRequest, sendRequest } from './outcome.ts';

test.each([200, 503])('returns the status %i, the headers and the body', async (status) => {
  const headers = { 'retry-after': '9', 'x-request-id': 'r1' };
  const { url } = await startTestService((_, response) => sendJson(response, status, { a: 1 }, headers));
  expect(await createTransport(url).send(getRequest, neverAborted)).toEqual({
    status,
    headers: expect.objectContaining({ 'content-type': 'application/json', ...headers }),
    body: { a: 1 },
    text: '{"a":1}',
  });
});

test('sends nothing after it is closed', async () => {
  const { url, requests } = await startTestService((_, response) => sendJson(response, 200, {}));
  for (const before of [0, 1]) {
    const { send, close } = createTransport(url);
    for (let count = 0; count < before; count += 1) await send(getRequest, neverAborted);
    await close();
    await expect(send(getRequest, neverAborted)).rejects.toThrow('The connections are closed.');
  }
  expect(requests).toHaveLength(1);
});

test('sends method, headers and body of a GET and a POST', async () => {
  const { url, requests } = await startTestService((_, response) => sendJson(response, 200, {}));
  const { send } = createTransport(url);
  await send(getRequest, neverAborted);
  await send(postRequest, neverAborted);
  await send({ method: 'DELETE', path: '/v1/contacts/a/emails', query: [], body: ['다'] }, neverAborted);
  const ownHeaders = {
    accept: 'application/json',
    authorization: 'Bearer key-for-tests',
    'user-agent': 'kith/test',
    host: new URL(url).host,
    connection: 'keep-alive',
  };
  const createHeaders = (length: string) => ({
    'content-type': 'application/json',
    'content-length': length,
  });
  // No accept-encoding: kith does not decompress responses.
  expect(requests).toEqual([
    { method: 'GET', url: '/v1/contacts', headers: ownHeaders, body: '' },
    {
      method: 'POST',
      url: '/v1/contacts',
      headers: { ...ownHeaders, ...createHeaders('20') },
      body: '{"first_name":"Ada"}',
    },
    {
      method: 'DELETE',
      url: '/v1/contacts/a/emails',
      headers: { ...ownHeaders, ...createHeaders('7') },
      body: '["다"]',
    },
  ]);
});

test.each([
  ['', '/v1/contacts/a%2Fb', '/v1/contacts/a%2Fb'],
  ['/', '/v1/contacts', '/v1/contacts'],
  ['/crm', '/v1/contacts', '/crm/v1/contacts'],
  ['/crm/eu//', '/v1/contacts', '/crm/eu/v1/contacts'],
  ['', '//v1/contacts', '//v1/contacts'],
  ['', '/v1/contacts/%2e', '/v1/contacts/'],
])('joins a base URL ending in "%s" and the path %s', async (prefix, path, expectedPath) => {
  const { url, requests } = await startTestService((_, response) => sendJson(response, 200, {}));
  await createTransport(url + prefix).send({ method: 'GET', path, query: [] }, neverAborted);
  expect(requests.map(({ url }) => url)).toEqual([expectedPath]);
});

test('encodes the values of a query', async () => {
  const query: [string, string][] = [
    ['email', 'a+b&c=d@example.com'],
    ['phone_number', '+82 10-1234-5678'],
    ['name', '김 민준 👋 #?%2F'],
    ['name', ''],
  ];
  const { url, requests } = await startTestService((_, response) => sendJson(response, 200, {}));
  await createTransport(url).send({ ...getRequest, query }, neverAborted);
  expect([...new URL(requests[0]?.url ?? '', url).searchParams]).toEqual(query);
});

test.each(['v1/contacts', '.example.com/v1', '@example.com/v1', ':99/v1'])(
  'refuses a path to another origin: %s',
  async (path) => {
    const { url, requests } = await startTestService((_, response) => sendJson(response, 200, {}));
    await expect(
      createTransport(url).send({ method: 'GET', path, query: [] }, neverAborted),
    ).rejects.toMatchObject({
      code: 'usage',
      message: `Invalid path "${path}": it must begin with a slash.`,
    });
    expect(requests).toEqual([]);
  },
);

test.each<[string, Behavior, unknown]>([
  ['HTML', (_, response) => response.end('<html></html>'), '<html></html>'],
  ['nothing', (_, response) => response.end(), undefined],
  ['broken JSON', (_, response) => response.end('{"data": ['), '{"data": ['],
  ['JSON with a byte order mark', (_, response) => response.end('\ufeff{"a":1}'), { a: 1 }],
  ['JSON without a content type', (_, response) => response.end('[1]'), [1]],
  ['a JSON null', (_, response) => response.end('null'), null],
  [
    'a letter cut in two by the network',
    (_, response) => {
      const bytes = Buffer.from('"다"');
      response.write(bytes.subarray(0, 2));
      setTimeout(() => response.end(bytes.subarray(2)), 30);
    },
    '다',
  ],
])('parses a body: %s', async (_, respond, body) => {
  const { url } = await startTestService(respond);
  expect(await sendRequest(url)).toEqual({ status: 200, body });
});

test.each<[string, Buffer]>([
  ['gzip', gzipSync('{"a":1}')],
  ['x-gzip', gzipSync('{"a":1}')],
  [' GZIP ', gzipSync('{"a":1}')],
  ['deflate', deflateSync('{"a":1}')],
  ['br', brotliCompressSync('{"a":1}')],
  ['identity', Buffer.from('{"a":1}')],
])('decompresses a body that was compressed without request: %s', async (encoding, bytes) => {
  const { url } = await startTestService((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
  );
  expect(await sendRequest(url)).toEqual({ status: 200, body: { a: 1 } });
});

test.each<[string, string, Buffer]>([
  ['gzip', 'The response is not valid gzip data.', gzipSync('{"a":1}').subarray(0, 12)],
  ['gzip', 'The response is not valid gzip data.', Buffer.from('{"a":1}')],
  ['zip', 'The response has the unsupported content encoding "zip".', Buffer.from('{"a":1}')],
])('fails for a body in %s encoding: %s', async (encoding, reason, bytes) => {
  const { url } = await startTestService((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
  );
  await expect(sendRequest(url)).rejects.toMatchObject({
    name: 'InvalidResponseError',
    message: reason,
  });
});

test('limits the size of a decompressed body', async () => {
  // Concatenated gzip members form one body.
  const bytes = Buffer.concat(Array(257).fill(gzipSync(Buffer.alloc(1024 * 1024))));
  const { url } = await startTestService((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
  );
  await expect(sendRequest(url)).rejects.toMatchObject({ message: 'The response is larger than 256 MB.' });
});

test('limits the size of a body and closes its connection', async () => {
  const megabyte = Buffer.alloc(1024 * 1024, ' ');
  const closeEvents: Promise<unknown>[] = [];
  const { url } = await startTestService((_, response, count) => {
    closeEvents.push(once(response, 'close'));
    const writeMore = () => void (response.destroyed || response.write(megabyte, writeMore));
    response.writeHead(count === 0 ? 500 : 200);
    writeMore();
  });
  expect(await sendRequest(url)).toEqual({ status: 500, body: undefined });
  await expect(sendRequest(url)).rejects.toMatchObject({ message: 'The response is larger than 256 MB.' });
  await Promise.all(closeEvents);
});

test('fails for a body that is not UTF-8, unless it is an error', async () => {
  const bytes = Buffer.from('{"error":"Caf\xe9"}', 'latin1');
  const { url } = await startTestService((_, response, count) =>
    response.writeHead(count === 0 ? 400 : 200).end(bytes),
  );
  expect(await sendRequest(url)).toEqual({ status: 400, body: { error: 'Caf\ufffd' } });
  await expect(sendRequest(url)).rejects.toMatchObject({ message: 'The response is not UTF-8.' });
});

test('reports an unknown host as not sent', async () => {
  expect(await sendRequest('https://kith.invalid', postRequest)).toEqual({
    sent: false,
    message: expect.stringMatching(
      /^Cannot reach https:\/\/kith\.invalid: (host not found|temporary failure)/,
    ),
  });
});

test('times out if a body arrives too slowly', async () => {
  const { url } = await startTestService((_, response) => {
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  });
  expect(await sendRequest(url, getRequest, 50)).toEqual({
    sent: true,
    message: `Cannot reach ${url}: the response timed out: it arrives too slowly.`,
  });
});
