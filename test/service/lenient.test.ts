import { expect } from 'vitest';
import type { Entry } from '../../src/contract/entries.ts';
import type { List } from '../../src/contract/lists.ts';
import { createService } from '../../src/service/dispatch.ts';
import { createBoardWorkspace } from './board-workspace.ts';
import { test } from './engines.ts';
import { getResponseCheck } from './response-check.ts';
import { serveTestWorkspace } from './serve.ts';
import { openTestWorkspace, type TestWorkspace } from './service.ts';

/** A service that was started with --lenient, on the workspace of a strict one. */
function createLenientService({ db, clock }: Pick<TestWorkspace, 'db' | 'clock'>) {
  const service = createService({
    db,
    now: () => new Date(clock.time),
    log: (text) => {
      throw new Error(text);
    },
    checksResponses: true,
    isLenient: true,
  });
  return async (line: string, body?: unknown) => {
    const [method = '', path = ''] = line.split(' ');
    const response = await service({ method, path, query: [], body });
    expect(getResponseCheck()({ method, path, status: response.status, body: response.body })).toEqual([]);
    return response;
  };
}

test.each<[string, object, string, string | null]>([
  ['one key', { name: 'Ada L' }, 'name', null],
  ['several', { name: 1, 'a "b/c\n': null }, 'name, a%20%22b~1c%0A', null],
  [
    'a key below another',
    { custom_fields: [{ name: 'Note', value: 'x', unit: 'cm' }] },
    'custom_fields/0/unit',
    'x',
  ],
  ['a key with a value that no record can hold', { name: { bad: '\0' } }, 'name', null],
  ['a key that the parser passes over', JSON.parse('{"__proto__": {"x": 1}}'), '__proto__', null],
])('ignores %s and names it in a warning', async (_, keys, names, value) => {
  const workspace = await openTestWorkspace();
  const body = { first_name: 'Ada', ...keys };
  const field = { name: 'Note', model: 'contact' };
  const { id } = await workspace.sendOk<{ id: string }>('POST /v1/custom_fields', field);
  expect(await createLenientService(workspace)('POST /v1/contacts', body)).toMatchObject({
    status: 201,
    headers: { warning: `299 kith "Ignored unknown fields: ${names}"` },
    body: {
      ...{ first_name: 'Ada', custom_fields: { [id]: { value } } },
      warnings: [`Ignored unknown fields: ${names}`],
    },
  });
  expect((await workspace.call('POST /v1/contacts', body)).status).toBe(422);
});

test('returns no warning for a body without unknown keys, and refuses other errors', async () => {
  const workspace = await openTestWorkspace();
  const call = createLenientService(workspace);
  const { headers, body } = await call('POST /v1/contacts', { first_name: 'Ada' });
  expect([headers.warning, body]).toEqual([
    undefined,
    expect.not.objectContaining({ warnings: expect.anything() }),
  ]);
  expect(await call('POST /v1/contacts', { first_name: 7, name: 'Ada' })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '#/first_name', code: 'type' }] },
  });
});

test('a warning about very many keys stays short', async () => {
  const workspace = await openTestWorkspace();
  const unknownFields = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`key${index}`, index]));
  const { headers } = await createLenientService(workspace)('POST /v1/contacts', {
    first_name: 'Ada',
    ...unknownFields,
  });
  expect(headers.warning).toMatch(/^299 kith "Ignored unknown fields: key0, key1, .* and 7\d\d more"$/);
  expect(headers.warning?.length).toBeLessThan(1100);
});

const day = { list_fields: [{ name: 'Day', value: '2026-05-05' }] };
const deal = { status: 'Trial', one_time_value_cents: 100, assignee_email: 'Mina@acme.example' };

test.each([
  ['the same values', 'regular', day, day, undefined],
  ['no values', 'deals', { ...deal, ...day }, {}, undefined],
  ['some of its values', 'deals', { ...deal, ...day }, { status: 'Trial', ...day }, undefined],
  ['a new value', 'regular', {}, day, '"Day"'],
  ['a value to clear', 'regular', day, { list_fields: [{ name: 'Day', value: null }] }, '"Day"'],
  [
    'other values',
    'deals',
    deal,
    { ...day, status: 'Signed', assignee_email: 'b@acme.example' },
    'status, assignee, "Day"',
  ],
] as const)(
  'a record that is added to a list again with %s (%s) gets its entry, or 422 if a value differs: %j, %j',
  async (_, where, first, second, differences) => {
    const lists = await createBoardWorkspace({ duplicates_allowed: false });
    const call = createLenientService(lists);
    const path = lists[where];
    const { body: entry, headers } = await call(`POST ${path}`, { ...lists.ada, ...first });
    const { id } = entry as Entry;
    const repeated = await call(`POST ${path}`, { ...lists.ada, ...second });
    const warning = 'The record exists; nothing was changed';
    const message = `The contact ${lists.contact.id} has already been taken: "Board" has an entry for it, with other values of ${differences}.`;
    const { status, body } = repeated;
    if (differences === undefined) {
      const body = { ...(entry as Entry), warnings: [warning] };
      const location = `${path}/${id}`;
      expect(repeated).toEqual({
        status: 200,
        warnings: [warning],
        headers: { etag: headers.etag, location, warning: `299 kith "${warning}"` },
        body,
      });
    } else
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { detail: message, errors: [{ pointer: '#/entryable_id', code: 'taken', message, id }] },
      });
    expect(await lists.sendOk(`GET ${path}`)).toMatchObject({
      data: [entry],
      pagination: { total_count: 1 },
    });
    expect((await call(`POST ${path}`, { ...lists.ada, contact_id: 'nobody' })).status).toBe(422);
  },
);

test('adds a record to a process with duplicates again', async () => {
  const { deals, ada, ...lists } = await createBoardWorkspace();
  const call = createLenientService(lists);
  expect([await call(`POST ${deals}`, ada), await call(`POST ${deals}`, ada)]).toMatchObject([
    { status: 201, body: { key: 'DEAL-1' } },
    { status: 201, body: { key: 'DEAL-2' } },
  ]);
});

test('returns the oldest of several existing entries', async () => {
  const lists = await createBoardWorkspace({ duplicates_allowed: true });
  const [first] = [
    await lists.sendOk<Entry>(`POST ${lists.deals}`, lists.ada),
    await lists.sendOk(`POST ${lists.deals}`, lists.ada),
  ];
  await lists.sendOk<List>(`PATCH ${lists.deals.replace('/entries', '')}`, { duplicates_allowed: false });
  expect((await createLenientService(lists)(`POST ${lists.deals}`, lists.ada)).body).toMatchObject({
    ...first,
  });
});

test.each([
  [true, 201, '299 kith "Ignored unknown fields: name"', ['Ignored unknown fields: name']],
  [false, 422, null, []],
])(
  'a served workspace with isLenient %s answers an unknown key with %i, the header %j and the log %j',
  async (isLenient, status, warning, logged) => {
    const messages: string[] = [];
    const log = { write: (_: unknown, text: string) => void messages.push(text) };
    const { send } = await serveTestWorkspace({ isLenient, log });
    const response = await send('POST /v1/contacts', { first_name: 'Ada', name: 'Ada L' });
    const found = [response.status, response.headers.get('warning'), messages];
    expect(found).toEqual([status, warning, logged]);
  },
);
