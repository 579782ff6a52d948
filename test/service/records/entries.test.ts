import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import { createBoardWorkspace, createDayField, withNormalizedFieldId } from '../board-workspace.ts';
import { test } from '../engines.ts';
import { anyId, createPage, startTime, startTimes, unknownId } from '../service.ts';

const common = { id: anyId, contact_id: null, list_fields: createDayField(null), ...startTimes };
const unvalued = {
  status: 'Lead',
  assignee: null,
  one_time_value_cents: 0,
  recurring_value_cents: 0,
  recurring_value_period: 'annual',
  closed_at: null,
  next_entry_id: null,
};

test('returns an entry of a regular list without the fields of a process', async () => {
  const { call, sendOk, regular, ada } = await createBoardWorkspace();
  const response = await call(`POST ${regular}`, ada);
  const entry = response.body as Entry;
  expect(response).toMatchObject({ status: 201, headers: { location: `${regular}/${entry.id}` } });
  expect(withNormalizedFieldId(entry)).toEqual({
    ...common,
    ...ada,
    key: null,
    list_id: regular.split('/')[3],
  });
  expect(await sendOk(`GET ${regular}/${entry.id}`)).toEqual(entry);
  expect(await sendOk(`GET ${regular}`)).toEqual(createPage([entry]));
});

test.each([
  [{}, {}],
  [{ status: 'Trial' }, { status: 'Trial' }],
  [{ status: 'Signed' }, { status: 'Signed', closed_at: startTime }],
  [{ status: 'Gone' }, { status: 'Gone', closed_at: startTime }],
  [{ assignee_email: 'mina@example.com' }, { assignee: { email: 'mina@example.com' } }],
  [{ assignee_email: null, contact_id: null }, {}],
  [
    { one_time_value_cents: 2 ** 53 - 1, recurring_value_cents: 5, recurring_value_period: 'monthly' },
    { one_time_value_cents: 2 ** 53 - 1, recurring_value_cents: 5, recurring_value_period: 'monthly' },
  ],
  [{ list_fields: [{ name: 'Day', value: '2026-05-04' }] }, { list_fields: createDayField('2026-05-04') }],
])('creates an entry of a process with %j', async (body, changed) => {
  const { sendOk, deals, ada } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${deals}`, { ...ada, ...body });
  expect(withNormalizedFieldId(entry)).toEqual({
    ...common,
    ...unvalued,
    ...ada,
    key: 'DEAL-1',
    list_id: deals.split('/')[3],
    ...changed,
  });
  expect(await sendOk(`GET ${deals}/${entry.id}`)).toEqual(entry);
});

test('an entry of an organization may name a contact', async () => {
  const { sendOk, firmDeals, acme, contact } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${firmDeals}`, { ...acme, contact_id: contact.id });
  expect(withNormalizedFieldId(entry)).toMatchObject({ ...acme, contact_id: contact.id });
});

test.each([
  [{ entryable_id: undefined }, ['#/entryable_id required']],
  [{ entryable_type: undefined }, ['#/entryable_type required']],
  [{ entryable_id: unknownId }, ['#/entryable_id not_found']],
  [{ entryable_type: 'Deal' }, ['#/entryable_type value']],
  [{ entryable_type: 'Organization' }, ['#/entryable_type value', '#/entryable_id not_found']],
  [{ status: 'lead' }, ['#/status value']],
  [{ status: null }, ['#/status type']],
  [{ assignee_email: 'mina' }, ['#/assignee_email value']],
  [{ contact_id: unknownId }, ['#/contact_id not_found']],
  [
    { one_time_value_cents: -1, recurring_value_cents: 1.5 },
    ['#/one_time_value_cents value', '#/recurring_value_cents value'],
  ],
  [
    { one_time_value_cents: 2 ** 53, recurring_value_cents: '5' },
    ['#/one_time_value_cents value', '#/recurring_value_cents type'],
  ],
  [
    { one_time_value_cents: null, recurring_value_period: 'weekly' },
    ['#/one_time_value_cents type', '#/recurring_value_period value'],
  ],
  [
    {
      list_fields: [
        { name: 'Day', value: 'x' },
        { name: 'No', value: 1 },
      ],
    },
    ['#/list_fields/0/value value', '#/list_fields/1/name unknown'],
  ],
  [{ key: 'DEAL-9', closed_at: null }, ['#/key unknown', '#/closed_at unknown']],
])('rejects a new entry of a process with %j', async (body, expected) => {
  const { findFieldErrors, sendOk, deals, ada } = await createBoardWorkspace();
  expect(await findFieldErrors(`POST ${deals}`, JSON.parse(JSON.stringify({ ...ada, ...body })))).toEqual(
    expected,
  );
  expect(await sendOk(`GET ${deals}`)).toEqual(createPage([]));
});

test.each(['POST', 'PATCH'])('%s rejects process fields for an entry of a regular list', async (method) => {
  const { findFieldErrors, sendOk, regular, ada } = await createBoardWorkspace();
  const { id } = await sendOk<Entry>(`POST ${regular}`, ada);
  const other = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Grace' });
  const target = method === 'POST' ? { ...ada, entryable_id: other.id } : {};
  const path = method === 'POST' ? regular : `${regular}/${id}`;
  const body = {
    status: 'Lead',
    one_time_value_cents: 1,
    recurring_value_cents: 0,
    recurring_value_period: 'annual',
  };
  expect(await findFieldErrors(`${method} ${path}`, { ...target, ...body })).toEqual([
    '#/status process_only',
    '#/one_time_value_cents process_only',
    '#/recurring_value_cents process_only',
    '#/recurring_value_period process_only',
  ]);
});

test('returns the assignee of an entry of a regular list only if it is set', async () => {
  const { sendOk, findFieldErrors, regular, ada } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${regular}`, { ...ada, assignee_email: 'mina@example.com' });
  expect(entry).toMatchObject({ key: null, assignee: { email: 'mina@example.com' } });
  const path = `${regular}/${entry.id}`;
  expect(await sendOk(`PATCH ${path}`, { assignee_email: null })).not.toHaveProperty('assignee');
  expect(await sendOk(`PATCH ${path}`, { assignee_email: 'kenji@example.com' })).toEqual({
    ...entry,
    assignee: { email: 'kenji@example.com' },
  });
  expect(await findFieldErrors(`PATCH ${path}`, { assignee_email: 'kenji' })).toEqual([
    '#/assignee_email value',
  ]);
});

test('refuses a contact in a list of organizations, and an organization in a list of contacts', async () => {
  const { findFieldErrors, firms, regular, ada, acme } = await createBoardWorkspace();
  expect(await findFieldErrors(`POST ${firms}`, ada)).toEqual(['#/entryable_type value']);
  expect(await findFieldErrors(`POST ${regular}`, acme)).toEqual(['#/entryable_type value']);
  expect(await findFieldErrors(`POST ${firms}`, { ...acme, entryable_id: ada.entryable_id })).toEqual([
    '#/entryable_id not_found',
  ]);
});

test.each([
  ['a regular list', true, 'regular', ['#/entryable_id taken']],
  ['a process without duplicates', false, 'deals', ['#/entryable_id taken']],
  ['a process with duplicates', true, 'deals', ['status 201']],
] as const)('adding the same record twice to %s', async (_, duplicates_allowed, where, expected) => {
  const lists = await createBoardWorkspace({ duplicates_allowed });
  await lists.sendOk(`POST ${lists[where]}`, lists.ada);
  expect(await lists.findFieldErrors(`POST ${lists[where]}`, lists.ada)).toEqual(expected);
});

test('accepts a record again after its entry was deleted', async () => {
  const { sendOk, regular, ada } = await createBoardWorkspace();
  const { id } = await sendOk<Entry>(`POST ${regular}`, ada);
  await sendOk(`DELETE ${regular}/${id}`);
  const again = await sendOk<Entry>(`POST ${regular}`, ada);
  expect(again.id).not.toBe(id);
});

test('numbers keys from 1 in each process and never reuses them', async () => {
  const { sendOk, deals, firmDeals, ada, acme } = await createBoardWorkspace();
  const created = async (path: string, target: object) => sendOk<Entry>(`POST ${path}`, target);
  const first = await created(deals, ada);
  const second = await created(deals, ada);
  await sendOk(`DELETE ${deals}/${second.id}`);
  const third = await created(deals, ada);
  const elsewhere = await created(firmDeals, acme);
  expect([first, second, third, elsewhere].map(({ key }) => key)).toEqual([
    'DEAL-1',
    'DEAL-2',
    'DEAL-3',
    'DEAL-1',
  ]);
});

test('a rejected entry uses no key', async () => {
  const { findFieldErrors, sendOk, deals, ada } = await createBoardWorkspace();
  await findFieldErrors(`POST ${deals}`, { ...ada, status: 'No' });
  expect((await sendOk<Entry>(`POST ${deals}`, ada)).key).toBe('DEAL-1');
});

test('the error for a duplicate contains the phrase that clients search for', async () => {
  const { call, sendOk, regular, ada } = await createBoardWorkspace();
  const { id } = await sendOk<Entry>(`POST ${regular}`, ada);
  expect((await call(`POST ${regular}`, ada)).body).toMatchObject({
    detail: `The contact ${ada.entryable_id} has already been taken: "Board" has an entry for it.`,
    errors: [{ id }],
  });
});
