import { expect, test } from 'vitest';
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
