import { expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/delivery.ts';
import { contacts } from '../../src/contract/contacts.ts';
import { entries } from '../../src/contract/entries.ts';
import { buildRequest } from '../../src/contract/grammar.ts';
import { contract } from '../../src/contract/index.ts';
import { recordings } from '../../src/contract/recordings.ts';
import {
  type Behavior,
  createTestClient,
  findRefusingUrl,
  sendJson,
  sendPage,
  startTestService,
} from './loopback.ts';

const ada = { id: 'a', first_name: 'Ada' };

const sendStatus =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behavior =>
  (_, response) =>
    sendJson(response, status, ada, headers);

test('retries a write with the same body, after the waits that the service asks for', async () => {
  const answers = [sendStatus(429), sendStatus(503, { 'retry-after': '7' }), sendStatus(201)];
  const { url, requests } = await startTestService((...call) => answers[requests.length - 1]?.(...call));
  const { client, delays } = createTestClient(url);
  expect(await client.read(contacts.create, { first_name: 'Ada' })).toMatchObject(ada);
  expect([delays, requests.map(({ body }) => body)]).toEqual([
    [500, 7000],
    Array(3).fill('{"first_name":"Ada"}'),
  ]);
});

test('retries a POST if the connection is refused, and reports that nothing was sent', async () => {
  const url = await findRefusingUrl();
  const { client, delays: slept, traceLines: traced } = createTestClient(url, 2);
  await expect(client.read(contacts.create, { first_name: 'Ada' })).rejects.toMatchObject({
    code: 'network',
    message: `Cannot reach ${url}: connection refused.`,
  });
  expect({ slept, traced }).toEqual({
    slept: [500, 1000],
    traced: [
      `POST /v1/contacts: Cannot reach ${url}: connection refused.`,
      `retry 1 of 2 in 500 ms: Cannot reach ${url}: connection refused`,
      `POST /v1/contacts: Cannot reach ${url}: connection refused.`,
      `retry 2 of 2 in 1000 ms: Cannot reach ${url}: connection refused`,
      `POST /v1/contacts: Cannot reach ${url}: connection refused.`,
    ],
  });
});

test.each(['', '.', '..'])('refuses "%s" as an id and sends nothing', async (id) => {
  const { url, requests } = await startTestService(sendStatus(200));
  const { client } = createTestClient(url);
  const refusal = { code: 'usage', message: `"${id}" is not an id.` };
  await expect(client.read(contacts.get, { contact_id: id })).rejects.toMatchObject(refusal);
  await expect(client.read(contacts.delete, { contact_id: id })).rejects.toMatchObject(refusal);
  await expect(client.read(recordings.get, { id })).rejects.toMatchObject(refusal);
  await expect(client.read(entries.get, { list_id: id, id: 'a' })).rejects.toMatchObject(refusal);
  expect(requests).toEqual([]);
});

test('encodes ids', async () => {
  const { url, requests } = await startTestService(sendStatus(200));
  const { client } = createTestClient(url);
  const encoded = {
    'a/b': 'a%2Fb',
    '../keys': '..%2Fkeys',
    'a?first=1#x': 'a%3Ffirst%3D1%23x',
    '%2e%2e': '%252e%252e',
    '...': '...',
    'a b': 'a%20b',
    김: '%EA%B9%80',
    '👋': '%F0%9F%91%8B',
    'a\\b': 'a%5Cb',
  };
  for (const id of Object.keys(encoded)) await client.read(contacts.get, { contact_id: id });
  expect(requests.map(({ url }) => url)).toEqual(Object.values(encoded).map((id) => `/v1/contacts/${id}`));
});

test('refuses an id with an unpaired surrogate', async () => {
  await expect(
    createTestClient(await findRefusingUrl()).client.read(contacts.get, { contact_id: 'a\ud800' }),
  ).rejects.toMatchObject({
    code: 'usage',
    message: '"a\ud800" is not an id.',
  });
});

test('puts the input of a route into the path, the query or the body', () => {
  expect([
    buildRequest(contract.contacts.list, { first: 25, after: 0, email: undefined }),
    buildRequest(contract.contacts.removeEmails, { contact_id: 'a', emails: ['a@example.com'] }),
    buildRequest(contract.entries.get, { list_id: 'l/1', id: 'e' }),
    buildRequest(contract.contacts.update, { contact_id: 'a', first_name: null, last_name: undefined }),
  ]).toEqual([
    {
      method: 'GET',
      path: '/v1/contacts',
      query: [
        ['first', '25'],
        ['after', '0'],
      ],
    },
    { method: 'DELETE', path: '/v1/contacts/a/emails', query: [], body: { emails: ['a@example.com'] } },
    { method: 'GET', path: '/v1/lists/l%2F1/entries/e', query: [] },
    { method: 'PATCH', path: '/v1/contacts/a', query: [], body: { first_name: null } },
  ]);
});

/** The fields of a contact without values, except the id. */
const contact = {
  first_name: null,
  last_name: null,
  emails: [],
  organization_id: null,
  custom_fields: null,
  created_at: '',
  updated_at: '',
};

test('keeps unknown fields and their order', async () => {
  const odd = { zeta: [1, { b: 1, a: 2 }], id: 'x', ...contact, emails: ['none'], alpha: null };
  const { url } = await startTestService(({ url }, response) =>
    sendJson(response, 200, url === '/v1/contacts' ? { data: [odd] } : odd),
  );
  const { client } = createTestClient(url);
  const { data } = await client.page(contacts.list, {});
  const values = [data[0]?.value, await client.read(contacts.get, { contact_id: 'x' })];
  expect(JSON.stringify(values)).toBe(JSON.stringify([odd, odd]));
});

test('normalizes a record to the contract and keeps its text', async () => {
  const odd = { id: 7, first_name: 5, emails: { address: 'a@example.com' }, custom_fields: 'none' };
  const value = { ...contact, id: '7', first_name: '5', emails: ['a@example.com'] };
  const { url } = await startTestService(({ url }, response) =>
    sendJson(response, 200, url.includes('first=') ? { data: [odd, { ...odd, id: 8 }] } : odd),
  );
  const { client } = createTestClient(url);
  const record = await client.record(contacts.get, { contact_id: '7' });
  expect({ text: record.text, value: record.value }).toEqual({ text: JSON.stringify(odd), value });
  const records = [];
  for await (const batch of client.pages(contacts.list, {}, { size: 2 })) records.push(...batch.records);
  expect(records.map(({ text }) => JSON.parse(text).id)).toEqual([7, 8]);
  expect(records.map((one) => one.value)).toEqual([value, { ...value, id: '8' }]);
});

test('a deletion returns null, whatever the response', async () => {
  const { url } = await startTestService((_, response, count) =>
    count === 0 ? sendJson(response, 204) : sendJson(response, 200, { deleted: true }),
  );
  const { client } = createTestClient(url);
  expect([
    await client.read(contacts.delete, { contact_id: 'a' }),
    await client.read(contacts.delete, { contact_id: 'a' }),
  ]).toEqual([null, null]);
});

test('sends first and after for each page of a list', async () => {
  const list = Array.from({ length: 7 }, (_, id) => ({ id: String(id) }));
  const { url, requests } = await startTestService(({ url }, response) => sendPage(response, url, list));
  const reading = { size: 3, limit: undefined, concurrency: 1 };
  const pages = createTestClient(url).client.pages(
    contract.contacts.list,
    { email: 'a+b@example.com' },
    reading,
  );
  const records: unknown[] = [];
  for await (const batch of pages) records.push(...batch.records.map(({ value }) => value));
  expect({ records, paths: requests.map(({ url }) => url) }).toEqual({
    records: list.map((record) => ({ ...contact, ...record })),
    paths: ['3&after=0', '3&after=2', '3&after=4'].map(
      (page) => `/v1/contacts?email=a%2Bb%40example.com&first=${page}`,
    ),
  });
});

test('never shows the key in traces and failures', async () => {
  const { url } = await startTestService((_, response) => sendJson(response, 503));
  const { client, traceLines: traced } = createTestClient(url, 1);
  const failure = await client.page(contacts.list, {}).catch((error: unknown) => error);
  const line = 'GET /v1/contacts: 503';
  expect(traced).toEqual([line, 'retry 1 of 1 in 500 ms: service unavailable', line]);
  expect(JSON.stringify(failure)).not.toContain('key-for-tests');
});

test('a signal ends waiting and sending', async () => {
  const stopping = new AbortController();
  const reason = new Error('Interrupted.');
  const paths: string[] = [];
  const transport: Transport = {
    send: async ({ path }) => {
      paths.push(path);
      return { status: 503, headers: {}, body: undefined };
    },
    close: async () => {},
  };
  const client = new Client({
    transport,
    retryPolicy: { retries: 9, maxWait: 60_000 },
    signal: stopping.signal,
    getEndSignal: () => new AbortController().signal,
    now: () => new Date(0),
    random: () => 1,
    sleep: async () => stopping.abort(reason),
    trace: () => {},
  });
  await expect(client.page(contacts.list, {})).rejects.toBe(reason);
  expect(paths).toEqual(['/v1/contacts']);
});
