import { setTimeout as wait } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { startTestServer } from '../server.ts';

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  none: (bytes) => bytes,
};

/** Starts a server, and returns a function that sends requests without decoding the responses. */
async function startCompressingServer(lastName = 'L'.repeat(2000)) {
  const { url, keys, sendOk } = await startTestServer();
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada', last_name: lastName });
  const send = async (line: string, headers: Record<string, string> = {}, body?: string) => {
    const [method = '', path = ''] = line.split(' ');
    const response = await request(url + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        authorization: `Bearer ${keys.writing.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    const encoding = String(response.headers['content-encoding'] ?? 'none');
    const text = bytes.length === 0 ? '' : String(decoders[encoding]?.(bytes));
    return { status: response.statusCode, headers: response.headers, encoding, bytes: bytes.length, text };
  };
  return { contact, send, path: `/v1/contacts/${contact.id}`, sendOk };
}

test.each<[accepted: string | undefined, encoding: string]>([
  [undefined, 'none'],
  ['', 'none'],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', 'none'],
  ['deflate, zstd', 'none'],
  ['gzip;q=0', 'none'],
  ['br;q=oops', 'none'],
  ['identity, gzip;q=0.5', 'none'],
  ['identity;q=0.5, gzip ; q=0.8', 'gzip'],
  ['identity;q=0', 'none'],
  [`${','.repeat(2000)}gzip`, 'none'],
])('for Accept-Encoding "%s", a response has the encoding %s', async (accepted, encoding) => {
  const { contact, send, path } = await startCompressingServer();
  const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const plain = await send(`GET ${path}`);
  const response = await send(`GET ${path}`, headers);
  expect([response.encoding, JSON.parse(response.text)]).toEqual([encoding, contact]);
  expect(response.headers).toMatchObject({
    vary: 'Accept-Encoding',
    'content-length': String(response.bytes),
    etag:
      encoding === 'none'
        ? plain.headers.etag
        : plain.headers.etag?.toString().replace(/"$/, `-${encoding}"`),
  });
  if (encoding !== 'none') expect(response.bytes).toBeLessThan(plain.bytes / 5);
  const { headers: headersOfHead } = await send(`HEAD ${path}`, headers);
  const variable = { date: '', connection: '', 'keep-alive': '' };
  expect({ ...headersOfHead, ...variable }).toEqual({ ...response.headers, ...variable });
});

test('the tag of a compressed response is a condition of later requests', async () => {
  const { send, path } = await startCompressingServer();
  const { headers } = await send(`GET ${path}`, { 'accept-encoding': 'br' });
  const etag = String(headers.etag);
  const unchanged = await send(`GET ${path}`, { 'accept-encoding': 'br', 'if-none-match': etag });
  expect([unchanged.status, unchanged.bytes, unchanged.headers.etag]).toEqual([304, 0, etag]);
  expect(unchanged.headers).toMatchObject({ vary: 'Accept-Encoding', 'cache-control': 'no-store' });
  const statuses = [];
  for (const name of ['A', 'B']) {
    const update = await send(`PATCH ${path}`, { 'if-match': etag }, JSON.stringify({ first_name: name }));
    statuses.push(update.status);
  }
  expect(statuses).toEqual([200, 412]);
});

test('compresses from 1 KB on, or any size if the client refuses other responses', async () => {
  const { send, path } = await startCompressingServer('L');
  const small = await send(`GET ${path}`, { 'accept-encoding': 'gzip' });
  expect([small.encoding, small.headers.vary]).toEqual(['none', undefined]);
  expect((await send(`GET ${path}`, { 'accept-encoding': 'gzip, identity;q=0' })).encoding).toBe('gzip');
  expect((await send('DELETE /v1/contacts/none', { 'accept-encoding': 'br' })).encoding).toBe('none');
});

test('compresses a large page while it responds to other requests', async () => {
  const { send, sendOk } = await startCompressingServer();
  for (let index = 0; index < 60; index += 1) {
    const name = Array.from({ length: 5000 }, (_, at) => ((at * 7919 + index) % 997).toString(36)).join('');
    await sendOk('POST /v1/contacts', { first_name: name });
  }
  const plain = await send('GET /v1/contacts?first=100');
  const attempt = async () => {
    const done: string[] = [];
    const page = (async () => {
      const response = await send('GET /v1/contacts?first=100', { 'accept-encoding': 'br' });
      done.push('page');
      return response;
    })();
    await wait(5);
    await send('GET /healthz');
    done.push('healthz');
    const { encoding, text } = await page;
    expect([encoding, text === plain.text, plain.bytes > 500_000]).toEqual(['br', true, true]);
    return done;
  };
  await expect.poll(attempt, { timeout: 10_000 }).toEqual(['healthz', 'page']);
});

test('responses with records, problems and states have no-store', async () => {
  const { send, path } = await startCompressingServer();
  const lines = [
    `GET ${path}`,
    'GET /v1/contacts',
    'GET /v1/none',
    `DELETE ${path}`,
    'GET /healthz',
    'GET /readyz',
  ];
  for (const line of lines)
    expect([line, (await send(line)).headers['cache-control']]).toEqual([line, 'no-store']);
  expect((await send('GET /openapi.json')).headers['cache-control']).toBe('no-cache');
});
