import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient, Failure } from '../../src/api/create-client.ts';
import type { ClientOptions } from '../../src/api/types.d.ts';
import { sendJson, startTestService } from '../client/loopback.ts';
import { serveLocation } from '../service/serve.ts';
import { createKey } from '../support/binary.ts';
import { createSampleWorkspace } from '../support/kith.ts';

const key = 'kith_secret_0123456789';

/** Serves the sample workspace, and returns a client of it. */
async function openSample(faults: Parameters<typeof serveLocation>[2] = {}) {
  const workspace = createSampleWorkspace();
  const apiKey = await createKey(workspace);
  const server = await serveLocation(workspace, apiKey, faults);
  return { ...server, kith: createClient({ baseUrl: server.url, apiKey }) };
}

/** Returns the code and the message of a failure. */
const readFailure = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof Failure ? [error.code, error.message] : error),
  );

test('creates, finds, updates and deletes a contact', async () => {
  const { kith } = await openSample();
  const ada = await kith.contacts.create({ first_name: 'Ada', emails: ['ada@example.com'] });
  const id = ada?.id ?? '';
  await kith.contacts.update(id, { emails: ['ada@lovelace.example'] });
  await kith.contacts.removeEmails(id, { emails: ['ada@example.com'] });
  const [found] = await kith.contacts.find({ email: 'ada@lovelace.example' });
  expect(found).toMatchObject({ id, first_name: 'Ada', last_name: null, emails: ['ada@lovelace.example'] });
  expect(await kith.contacts.delete(id)).toBeUndefined();
  expect(await readFailure(kith.contacts.get(id))).toEqual(['not_found', `No contact has the id "${id}".`]);
});

test('reads a list page by page, and stops requesting when the loop ends', async () => {
  const { kith, requests } = await openSample();
  const names: (string | null)[] = [];
  for await (const { first_name } of kith.contacts.list()) if (names.push(first_name) === 120) break;
  expect([names.length, requests.length <= 3]).toEqual([120, true]);
  expect(await kith.contacts.list().toArray()).toHaveLength(150);
  expect(await kith.contacts.list({ limit: 7 }).toArray()).toHaveLength(7);
  const [list] = await kith.lists.list().toArray();
  const [entry] = await kith.entries.list(list?.id ?? '', { limit: 1 }).toArray();
  expect(await kith.entries.get(list?.id ?? '', entry?.id ?? '')).toEqual(entry);
});

test('retries as the commands do', async () => {
  const { kith, requests } = await openSample({
    faultPlan: { probabilities: [['500', 0.4]], delay: 0, seed: 7 },
  });
  expect(await kith.notes.list({ limit: 1 }).toArray()).toHaveLength(1);
  const statuses = requests.map(({ status }) => status);
  expect([statuses.at(-1), statuses.includes(500)]).toEqual([200, true]);
});

test('a failure has the validation errors, and never the key', async () => {
  const { kith } = await openSample();
  const failure = await kith.contacts.create({ emails: ['x'] }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'invalid',
    detail: { status: 422, fieldErrors: [{ pointer: '#/emails/0' }] },
  });
  const { url } = await startTestService((request, response) =>
    sendJson(response, 400, { detail: `Bad ${request.headers.authorization}` }),
  );
  const echo = createClient({ baseUrl: url, apiKey: key });
  expect(await readFailure(echo.notes.get('n'))).toEqual(['malformed', 'Bad Bearer [key]']);
});

test('rejects with unknown if the response to a write is lost', async () => {
  const { url, requests } = await startTestService((_, response) => void response.destroy());
  const kith = createClient({ baseUrl: url, apiKey: key });
  expect(await readFailure(kith.contacts.delete('c'))).toEqual([
    'unknown',
    expect.stringContaining('The DELETE may have been processed.'),
  ]);
  expect(requests).toHaveLength(1);
});

test('the signal and close end the requests', async () => {
  const { url } = await startTestService(() => {});
  const stop = new AbortController();
  const first = createClient({ baseUrl: url, apiKey: key, signal: stop.signal });
  const pending = readFailure(first.notes.get('n'));
  stop.abort(new Error('stopped'));
  expect(await pending).toEqual(new Error('stopped'));
  const second = createClient({ baseUrl: url, apiKey: key });
  const ended = readFailure(second.notes.get('n'));
  await second.close();
  expect(await ended).toEqual(['cancelled', 'The client is closed.']);
});

test.each<[ClientOptions, string]>([
  [{ apiKey: key }, 'Missing base URL: pass baseUrl, or set KITH_BASE_URL.'],
  [{ baseUrl: 'https://crm.example.com' }, 'Missing API key: pass apiKey, or set KITH_API_KEY.'],
  [{ baseUrl: `https://${key}.example.com`, apiKey: key }, 'The base URL contains the API key.'],
  [
    { baseUrl: 'http://crm.example.com', apiKey: key },
    'http://crm.example.com would receive the key unencrypted.',
  ],
  [{ baseUrl: 'https://a.example', apiKey: key, retries: -1 }, 'retries: -1 is not an integer from 0 to 20.'],
  [
    { baseUrl: 'https://a.example', apiKey: key, pageSize: 501 },
    'pageSize: 501 is not an integer from 1 to 500.',
  ],
])('refuses invalid options: %j', (options, message) => {
  expect(() => createClient(options)).toThrow(message);
});

test('refuses an argument that is not an id', async () => {
  const kith = createClient({ baseUrl: 'https://a.example', apiKey: key });
  const contacts: { get(id: unknown): Promise<unknown> } = kith.contacts as never;
  expect(await readFailure(contacts.get(undefined))).toEqual([
    'usage',
    'contact_id: undefined is not an id.',
  ]);
  expect(await readFailure(contacts.get(''))).toEqual(['usage', '"" is not an id.']);
});

test('reads a list in pages, and its total regardless of the limit', async () => {
  const { kith, requests } = await openSample();
  const sizes: (number | undefined)[][] = [];
  for await (const { records, total } of kith.contacts.list({ limit: 120 }).pages())
    sizes.push([records.length, total]);
  expect(sizes).toEqual([
    [100, 150],
    [20, 150],
  ]);
  const before = requests.length;
  expect([await kith.contacts.list({ limit: 5 }).total(), requests.length - before]).toEqual([150, 1]);
});

test('refuses options with unknown names', async () => {
  const options: object = { baseURL: 'https://a.example', key };
  expect(() => createClient(options)).toThrow(
    'createClient: unknown option baseURL, key. Options: baseUrl, apiKey, fetch, timeout, retries, maxWait, pageSize, signal.',
  );
  const kith = createClient({ baseUrl: 'https://a.example', apiKey: key });
  const wrong: object = { timout: 5 };
  expect(() => kith.calendarEvents.list(wrong)).toThrow(
    /^calendarEvents\.list: unknown option timout\. Options: updated_after, .*, limit, signal, timeout\.$/,
  );
  const calls = [kith.notes.get('n', wrong), kith.contacts.find({ email: 'a@x.example' }, wrong)];
  expect(await Promise.all([...calls, kith.contacts.create({}, wrong)].map(readFailure))).toEqual(
    ['notes.get', 'contacts.find', 'contacts.create'].map((method) => [
      'usage',
      `${method}: unknown option timout. Options: signal, timeout.`,
    ]),
  );
});

test('the signal of a call ends only that call, also while it waits for a retry', async () => {
  const { url, requests } = await startTestService((_, response) =>
    sendJson(response, 429, undefined, { 'retry-after': '50' }),
  );
  const kith = createClient({ baseUrl: url, apiKey: key });
  const stop = new AbortController();
  const calls = [kith.notes.get('n', { signal: stop.signal }), kith.notes.get('m')];
  const [ended, other] = calls.map(readFailure);
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  stop.abort(new Error('enough'));
  expect(await ended).toEqual(new Error('enough'));
  await kith.close();
  expect(await other).toEqual(['cancelled', 'The client is closed.']);
});

test.each([{}, { fetch }])('the timeout of a call replaces that of the client: %o', async (options) => {
  const { url } = await startTestService((request, response) =>
    request.url?.endsWith('body') ? void response.writeHead(200).write('{') : undefined,
  );
  const kith = createClient({ baseUrl: url, apiKey: key, retries: 0, ...options });
  const calls = ['headers', 'body'].map((id) => kith.notes.get(id, { timeout: 50 }));
  const expected = ['network', `Cannot reach ${url}: the request timed out.`];
  expect(await Promise.all(calls.map(readFailure))).toEqual([expected, expected]);
});

test('30 requests at the same time cause no warning', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { kith } = await openSample();
  const { signal } = new AbortController();
  await Promise.all(
    Array.from({ length: 30 }, (_, index) => kith.lists.list(index % 2 ? { signal } : {}).toArray()),
  );
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

test('a failure has the headers of its response, and the milliseconds of Retry-After', async () => {
  const { url } = await startTestService((_, response) =>
    sendJson(response, 429, { detail: key }, { 'retry-after': '7', 'x-limit': key }),
  );
  const kith = createClient({ baseUrl: url, apiKey: key, maxWait: 0 });
  await expect(kith.notes.get('n')).rejects.toMatchObject({
    code: 'rate_limited',
    detail: { retryAfter: 7000, headers: { 'retry-after': '7', 'x-limit': '[key]' } },
  });
});

/** Returns a client whose requests are answered by a function. */
const createFetchClient = (fetch: ClientOptions['fetch'], retries = 0) =>
  createClient({ baseUrl: 'https://crm.example.com/v', apiKey: key, fetch, retries });

test('sends requests with a fetch function', async () => {
  const sent: unknown[] = [];
  const kith = createFetchClient(async (url, { method, headers, body, redirect }) => {
    sent.push({ url, method, body, redirect, authorization: new Headers(headers).get('authorization') });
    return Response.json({ id: 'c', first_name: `Ada ${key}` }, { status: 201 });
  });
  expect(await kith.contacts.create({ first_name: 'Ada' })).toMatchObject({
    id: 'c',
    first_name: 'Ada [key]',
  });
  expect(sent).toEqual([
    {
      url: 'https://crm.example.com/v/v1/contacts',
      method: 'POST',
      body: '{"first_name":"Ada"}',
      redirect: 'manual',
      authorization: `Bearer ${key}`,
    },
  ]);
});

test('retries and classifies failures of a fetch function', async () => {
  const responses = [
    () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
    () => new Response('', { status: 503, headers: { 'retry-after': '0' } }),
    () => Response.json({ data: [{ id: 'n' }] }),
  ];
  const kith = createFetchClient(() => responses.shift()?.() ?? Response.error(), 2);
  expect(await kith.notes.list().toArray()).toMatchObject([{ id: 'n' }]);
  const lost = createFetchClient(() => Promise.reject(new TypeError('fetch failed')));
  expect(await readFailure(lost.notes.delete('n'))).toEqual([
    'unknown',
    'Cannot reach https://crm.example.com: fetch failed. The DELETE may have been processed.',
  ]);
  const moved = createFetchClient(() => Response.redirect('https://other.example/', 302));
  expect(await readFailure(moved.notes.get('n'))).toEqual([
    'failed',
    'https://crm.example.com redirects to https://other.example; kith does not send the key there.',
  ]);
});

test('the signal and the timeout end a call if the fetch function ignores its signal', async () => {
  const kith = createFetchClient(() => new Promise<Response>(() => {}));
  expect(await readFailure(kith.notes.get('n', { timeout: 20 }))).toEqual([
    'network',
    'Cannot reach https://crm.example.com: the request timed out.',
  ]);
  const stop = new AbortController();
  const pending = readFailure(kith.notes.get('n', { signal: stop.signal }));
  stop.abort(new Error('enough'));
  expect(await pending).toEqual(new Error('enough'));
});

test.each([[{}], [undefined], [{ email: 5 }], [{ email: 'a@x.example', phone_number: '555' }]])(
  'refuses to find a contact by %j',
  async (lookup) => {
    const kith = createClient({ baseUrl: 'https://a.example', apiKey: key });
    const contacts: { find(lookup: unknown): Promise<unknown> } = kith.contacts as never;
    expect(await readFailure(contacts.find(lookup))).toEqual([
      'usage',
      'find: pass either email or phone_number, a text.',
    ]);
  },
);
