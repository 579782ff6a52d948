import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { terminal } from '../commands/edit/editor.ts';
import { createImportMachine } from '../commands/import/import-machine.ts';
import { connectInProcess } from '../commands/mcp/agent.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Records with only the fields that kith cannot do without. */
const ada = { id: 'c1', first_name: 'Ada', emails: ['ada@x.example'] };
const records: Readonly<Record<string, readonly { readonly id: string }[]>> = {
  contacts: [ada, { id: 'c2' }],
  organizations: [{ id: 'o1' }],
  notes: [{ id: 'n1' }],
  custom_fields: [{ id: 'f1', name: 'Tier', model: 'contact', data_type: 'select' } as { id: string }],
  lists: [{ id: 'l1', name: 'Deals', process: true, entry_type: 'Contact' } as { id: string }],
  entries: [{ id: 'e1', entryable_type: 'Contact', entryable_id: 'c1' } as { id: string }],
  calendar_events: [{ id: 'm1' }],
};

/** Starts a service that omits all other fields of its records. `overrides`: other records of a collection. */
async function startIncompleteService(overrides: Readonly<Record<string, readonly object[]>> = {}) {
  const { requests, env } = await startTestService(({ method, url, body }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const [collection = '', id, inner, entryId] = pathname.split('/').slice(2);
    const isEntry = inner === 'entries';
    const all = { ...records, ...overrides }[isEntry ? inner : collection] ?? [];
    const wanted = isEntry ? entryId : id;
    if (method !== 'GET')
      return sendJson(response, 200, { id: wanted ?? 'new', ...JSON.parse(body || '{}') });
    const email = searchParams.get('email');
    if (email !== null) return sendJson(response, 200, { data: email === 'ada@x.example' ? [ada] : [] });
    if (searchParams.has('phone_number')) return sendJson(response, 200, { data: [] });
    if (wanted === undefined) return sendJson(response, 200, { data: all });
    const record = all.find((one) => Object(one).id === wanted || Object(one).id === undefined);
    return record ? sendJson(response, 200, record) : sendJson(response, 404, { message: 'Not found.' });
  });
  const machine = await createImportMachine({ env });
  const listWrites = () =>
    requests.flatMap(({ method, url, body }) =>
      method === 'GET' ? [] : [[`${method} ${url}`, JSON.parse(body || '{}')]],
    );
  return { ...machine, person: { ...terminal, env: { ...terminal.env, ...env } }, listWrites };
}

test('an import does not replace phone numbers that the service does not send', async () => {
  const { importRows, listWrites } = await startIncompleteService();
  const { out, err } = await importRows('contacts', 'email,phone\nada@x.example,+821055501234\n');
  expect(out + err).toContain(
    'The service did not return the phone_numbers of "c1", so kith cannot add to them.',
  );
  await importRows('contacts', 'email,first_name\nada@x.example,Augusta\n');
  expect(listWrites()).toEqual([['PATCH /v1/contacts/c1', { first_name: 'Augusta' }]]);
});

test('an import adds the phone number of a later row to a new contact', async () => {
  const { importRows, listWrites } = await startIncompleteService();
  await importRows('contacts', 'email,phone\nb@x.example,\nb@x.example,+821055501234\n');
  expect(listWrites()).toEqual([
    ['POST /v1/contacts', { emails: ['b@x.example'], phone_numbers: ['+821055501234'] }],
  ]);
});

test.each(['c1 c2', 'c2 c1'])(
  'a merge of %s stops if the service does not send phone numbers',
  async (ids) => {
    const { kith, listWrites } = await startIncompleteService({
      contacts: [{ ...ada, phone_numbers: [] }, { id: 'c2' }],
    });
    const { code, err } = await kith(`contacts merge ${ids} --yes`);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining(
        'The service did not return the phone_numbers of "c2"; a merge would lose them.',
      ),
    });
    expect(listWrites()).toEqual([]);
  },
);

test.each([
  ['contacts edit c1', 'phone_numbers'],
  ['custom-fields edit f1', 'options'],
  ['lists edit l1', 'fields'],
  ['lists edit l1', 'statuses'],
])('%s does not offer %s that the service does not send', async (line, name) => {
  const { kith, person } = await startIncompleteService();
  let shown = '';
  const editorText = (text: string) => {
    shown = text;
    return text;
  };
  await kith(line, { ...person, editorText });
  expect(shown).toMatch(/name: /);
  expect(shown).not.toContain(`${name}:`);
});

test('an undo restores the phone numbers of a service that omits only empty lists', async () => {
  let contact: object = ada;
  const { url } = await startTestService(({ method, body }, response) => {
    if (method === 'PATCH') contact = { ...ada, ...JSON.parse(body) };
    const { phone_numbers, ...rest } = { phone_numbers: [], ...contact };
    sendJson(response, 200, phone_numbers.length > 0 ? { ...rest, phone_numbers } : rest);
  });
  const { kith } = await createImportMachine({
    env: { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests', KITH_UNDO: 'on' },
  });
  await kith('contacts update c1 --phone +821055501234');
  expect(contact).toMatchObject({ phone_numbers: ['+821055501234'] });
  expect(await kith('undo --yes')).toMatchObject({ code: 0 });
  expect(contact).toMatchObject({ phone_numbers: [] });
});

test('lists, details and CSV show records with only an id', async () => {
  const { kith, person } = await startIncompleteService();
  const print = async (line: string) => {
    const { code, out, err } = await kith(line);
    return code === 0 ? out : err;
  };
  expect(await print('contacts list --no-header')).toBe('c1\tAda\tada@x.example\t\t\nc2\t\t\t\t\n');
  expect(await print('contacts get c2 --json')).toBe('{\n  "id": "c2"\n}\n');
  expect(await print('contacts list --format csv')).toContain('c1,Ada,,ada@x.example,,');
  expect(await print('organizations list --no-header')).toMatch(/^o1\t/);
  expect(await print('notes list --no-header')).toMatch(/^n1\t/);
  expect(await print('custom-fields list --no-header')).toBe('f1\tcontact\tTier\tselect\t\t\n');
  expect(await print('lists list --no-header')).toMatch(/^l1\tDeals\t/);
  expect(await print('entries list l1 --no-header')).toMatch(/^e1\t/);
  expect(await print('events list --no-header')).toMatch(/^m1\t/);
  expect((await kith('contacts get c2', person)).out).toBe('ID  c2\n');
  for (const line of ['contacts show c1', 'organizations show o1', 'entries show l1 e1'])
    expect((await kith(line)).code).toBe(0);
});

test('events export writes a meeting with only an id', async () => {
  const { kith } = await startIncompleteService();
  const folder = createTemporaryFolder();
  expect((await kith(`events export --out ${folder}`)).code).toBe(0);
  expect(readFileSync(join(folder, 'undated-m1.md'), 'utf8')).toBe(
    '---\nid: "m1"\ntitle: ""\nattendees: []\nrecordings: []\n---\n\n# Untitled meeting\n',
  );
});

/** Values in a list that are not records. */
const malformed = [null, 5, 'text', [], {}, { id: null }, { id: '' }] as const;

test.each(malformed.map((record) => [record]))('a list with %j fails with one line', async (record) => {
  const { kith } = await startIncompleteService({ contacts: [ada, record as object] });
  for (const format of ['tsv', 'csv', 'table', 'json'])
    expect(await kith(`contacts list --format ${format}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('The response to GET /v1/contacts has a record without an id.'),
    });
});

test('a search stops at a record without an id, and does not index it', async () => {
  const { kith } = await startIncompleteService({ contacts: [{ first_name: 'Ada' }] });
  expect(await kith('search Ada')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('The response to GET /v1/contacts has a record without an id.'),
  });
});

test('a record without an id is not cached for completion', async () => {
  const { kith } = await startIncompleteService({ lists: [{ name: 'Deals' }] });
  expect((await kith('lists list')).code).toBe(1);
  expect((await kith('__complete entries list ""')).out).not.toContain('Deals');
});

test('a tool of kith mcp reports a record without an id as its error', async () => {
  const { kith, person } = await startIncompleteService({ contacts: [{ first_name: 'Ada' }] });
  const { call } = await connectInProcess(kith, person.env);
  expect(await call('records_list', { noun: 'contacts' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('The response to GET /v1/contacts has a record without an id.'),
  });
});
