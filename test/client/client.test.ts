import { expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/delivery.ts';
import { contacts } from '../../src/contract/contacts.ts';
import { entries } from '../../src/contract/entries.ts';
import { buildRequest } from '../../src/contract/grammar.ts';
import { contract } from '../../src/contract/index.ts';
import { recordings } from '../../src/contract/recordings.ts';
import { type Behavior, createTestClient, findRefusingUrl, sendJson, startTestService } from './loopback.ts';

const ada = { id: 'a', first_name: 'Ada' };

test.each<[string, string, readonly [number, Record<string, string>?][], number[]]>([
  ['GET', '503, then 503 with Retry-After', [[503], [503, { 'retry-after': '7' }], [200]], [500, 7000]],
  [
    'GET',
    '429 until an HTTP date',
    [[429, { 'retry-after': 'Fri, 20 Nov 2026 10:00:05 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' }], [200]],
    [5000],
  ],
  ['GET', '500, 502, 504', [[500], [502], [504], [200]], [500, 1000, 2000]],
  ['POST', '503 with Retry-After', [[503, { 'retry-after': '2' }], [201]], [2000]],
  ['POST', '429', [[429], [429], [201]], [500, 1000]],
])('retries a %s after %s', async (method, _, answers, waits) => {
  const { url, requests } = await startTestService((_, response, count) => {
    const [status, headers] = answers[count] ?? [200];
    sendJson(response, status, { data: ada }, headers);
  });
  const { client, delays: slept } = createTestClient(url);
  const record =
    method === 'GET'
      ? await client.read(contacts.get, { contact_id: 'a' })
      : await client.read(contacts.create, { first_name: 'Ada' });
  expect({ record, requests: requests.length, slept }).toEqual({
    record: expect.objectContaining(ada),
    requests: answers.length,
    slept: waits,
  });
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
});

test.each([
  [0, 1],
  [1, 2],
  [4, 5],
])('--retries %i sends at most %i requests', async (retries, requestCount) => {
  const { url, requests } = await startTestService((_, response) =>
    sendJson(response, 503, { error: 'Down for a while.' }),
  );
  const { client } = createTestClient(url, retries);
  await expect(client.page(contacts.list, {})).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Down for a while.',
    detail: { status: 503, method: 'GET', path: '/v1/contacts' },
  });
  expect(requests.length).toBe(requestCount);
});

const reset: Behavior = (_, { req }) => req.socket.resetAndDestroy();
const halfAnswer: Behavior = (_, response) => {
  response.writeHead(201, { 'content-length': '100' }).write('{"data":');
  setTimeout(() => response.req.socket.resetAndDestroy(), 20);
};
const silence: Behavior = () => {};
const lostCommit: Behavior = (_, response) =>
  sendJson(response, 503, { code: 'unknown', detail: 'Lost.' }, { 'retry-after': '1' });
/** A short timeout for silence only: a busy machine may respond late. */
const target = (behave: Behavior) => (behave === silence ? { timeout: 1000 } : {});
const answering =
  (status: number): Behavior =>
  (_, response) =>
    sendJson(response, status);

test.each<[string, Behavior, string]>([
  ['reset', reset, 'Cannot reach URL: connection reset. The POST may have been processed.'],
  ['reset in the body', halfAnswer, 'Cannot reach URL: connection reset. The POST may have been processed.'],
  ['silence', silence, 'Cannot reach URL: the request timed out. The POST may have been processed.'],
  ['500', answering(500), 'The service responded with 500. The POST may have been processed.'],
  ['502', answering(502), 'The service responded with 502. The POST may have been processed.'],
  ['504', answering(504), 'The service responded with 504. The POST may have been processed.'],
  ['503 with the code unknown', lostCommit, 'Lost. The POST may have been processed.'],
])(
  'a write is not repeated after %s: nobody knows whether it was carried out',
  async (_, behave, message) => {
    const { url, requests } = await startTestService(behave);
    const { client, delays: slept } = createTestClient(url, 4, target(behave));
    await expect(client.read(contacts.create, { first_name: 'Ada' })).rejects.toMatchObject({
      code: 'unknown',
      message: message.replace('URL', url),
      detail: {
        method: 'POST',
        path: '/v1/contacts',
        hint: 'Check whether the change was made before you run the command again.',
      },
    });
    expect({ requests: requests.length, slept }).toEqual({ requests: 1, slept: [] });
  },
);

test.each<[string, Behavior]>([
  ['a reset', reset],
  ['a reset in the body', halfAnswer],
  ['silence', silence],
])('retries a GET after %s', async (_, behave) => {
  const { url, requests } = await startTestService((request, response, count) =>
    count === 0 ? behave(request, response, count) : sendJson(response, 200, ada),
  );
  const { client } = createTestClient(url, 4, target(behave));
  expect(await client.read(contacts.get, { contact_id: 'a' })).toMatchObject(ada);
  expect(requests.length).toBe(2);
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

test.each([
  [404, 'not_found'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [409, 'refused'],
  [422, 'invalid'],
])('reports %i as %s without a retry', async (status, code) => {
  const { url, requests } = await startTestService(answering(status));
  await expect(createTestClient(url).client.read(contacts.get, { contact_id: 'a' })).rejects.toMatchObject({
    code,
  });
  expect(requests.length).toBe(1);
});

test.each(['', '.', '..'])('refuses "%s" as an id and sends nothing', async (id) => {
  const { url, requests } = await startTestService(answering(200));
  const { client } = createTestClient(url);
  const refusal = { code: 'usage', message: `"${id}" is not an id.` };
  await expect(client.read(contacts.get, { contact_id: id })).rejects.toMatchObject(refusal);
  await expect(client.read(contacts.delete, { contact_id: id })).rejects.toMatchObject(refusal);
  await expect(client.read(recordings.get, { id })).rejects.toMatchObject(refusal);
  await expect(client.read(entries.get, { list_id: id, id: 'a' })).rejects.toMatchObject(refusal);
  expect(requests).toEqual([]);
});

test.each([
  ['a/b', 'a%2Fb'],
  ['../keys', '..%2Fkeys'],
  ['a?first=1#x', 'a%3Ffirst%3D1%23x'],
  ['%2e%2e', '%252e%252e'],
  ['...', '...'],
  ['a b', 'a%20b'],
  ['김', '%EA%B9%80'],
  ['👋', '%F0%9F%91%8B'],
  ['a\\b', 'a%5Cb'],
])('encodes the id %s', async (id, encoded) => {
  const { url, requests } = await startTestService((_, response) => sendJson(response, 200, ada));
  await createTestClient(url).client.read(contacts.get, { contact_id: id });
  expect(requests.map(({ url }) => url)).toEqual([`/v1/contacts/${encoded}`]);
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
  const { url, requests } = await startTestService(({ url: path }, response) => {
    const { searchParams } = new URL(path, 'http://x');
    const after = Number(searchParams.get('after'));
    const data = list.slice(after, after + Number(searchParams.get('first')));
    const end = after + data.length;
    sendJson(response, 200, {
      data,
      pagination: { end_cursor: end, has_next_page: end < list.length, total_count: list.length },
    });
  });
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
