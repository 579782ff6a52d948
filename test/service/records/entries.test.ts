import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import { board, day, shown } from '../board.ts';
import { anId, fresh, noId, start, wholePage } from '../service.ts';

const common = { id: anId, contact_id: null, list_fields: day(null), ...fresh };
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
  const { call, give, regular, ada } = await board();
  const answer = await call(`POST ${regular}`, ada);
  const entry = answer.body as Entry;
  expect(answer).toMatchObject({ status: 201, headers: { location: `${regular}/${entry.id}` } });
  expect(shown(entry)).toEqual({ ...common, ...ada, key: null, list_id: regular.split('/')[3] });
  expect(await give(`GET ${regular}/${entry.id}`)).toEqual(entry);
  expect(await give(`GET ${regular}`)).toEqual(wholePage([entry]));
});

test.each([
  [{}, {}],
  [{ status: 'Trial' }, { status: 'Trial' }],
  [{ status: 'Signed' }, { status: 'Signed', closed_at: start }],
  [{ status: 'Gone' }, { status: 'Gone', closed_at: start }],
  [{ assignee_email: 'mina@example.com' }, { assignee: { email: 'mina@example.com' } }],
  [{ assignee_email: null, contact_id: null }, {}],
  [
    { one_time_value_cents: 2 ** 53 - 1, recurring_value_cents: 5, recurring_value_period: 'monthly' },
    { one_time_value_cents: 2 ** 53 - 1, recurring_value_cents: 5, recurring_value_period: 'monthly' },
  ],
  [{ list_fields: [{ name: 'Day', value: '2026-05-04' }] }, { list_fields: day('2026-05-04') }],
])('creates an entry of a process with %j', async (body, changed) => {
  const { give, deals, ada } = await board();
  const entry = await give<Entry>(`POST ${deals}`, { ...ada, ...body });
  expect(shown(entry)).toEqual({
    ...common,
    ...unvalued,
    ...ada,
    key: 'DEAL-1',
    list_id: deals.split('/')[3],
    ...changed,
  });
  expect(await give(`GET ${deals}/${entry.id}`)).toEqual(entry);
});

test('an entry of an organization may name a contact', async () => {
  const { give, firmDeals, acme, contact } = await board();
  const entry = await give<Entry>(`POST ${firmDeals}`, { ...acme, contact_id: contact.id });
  expect(shown(entry)).toMatchObject({ ...acme, contact_id: contact.id });
});

test.each([
  [{ entryable_id: undefined }, ['#/entryable_id required']],
  [{ entryable_type: undefined }, ['#/entryable_type required']],
  [{ entryable_id: noId }, ['#/entryable_id not_found']],
  [{ entryable_type: 'Deal' }, ['#/entryable_type value']],
  [{ entryable_type: 'Organization' }, ['#/entryable_type value', '#/entryable_id not_found']],
  [{ status: 'lead' }, ['#/status value']],
  [{ status: null }, ['#/status type']],
  [{ assignee_email: 'mina' }, ['#/assignee_email value']],
  [{ contact_id: noId }, ['#/contact_id not_found']],
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
  const { faults, give, deals, ada } = await board();
  expect(await faults(`POST ${deals}`, JSON.parse(JSON.stringify({ ...ada, ...body })))).toEqual(expected);
  expect(await give(`GET ${deals}`)).toEqual(wholePage([]));
});

test.each(['POST', 'PATCH'])('%s rejects process fields for an entry of a regular list', async (method) => {
  const { faults, give, regular, ada } = await board();
  const { id } = await give<Entry>(`POST ${regular}`, ada);
  const other = await give<Contact>('POST /v1/contacts', { first_name: 'Grace' });
  const target = method === 'POST' ? { ...ada, entryable_id: other.id } : {};
  const path = method === 'POST' ? regular : `${regular}/${id}`;
  const body = {
    status: 'Lead',
    one_time_value_cents: 1,
    recurring_value_cents: 0,
    recurring_value_period: 'annual',
  };
  expect(await faults(`${method} ${path}`, { ...target, ...body })).toEqual([
    '#/status process_only',
    '#/one_time_value_cents process_only',
    '#/recurring_value_cents process_only',
    '#/recurring_value_period process_only',
  ]);
});

test('returns the assignee of an entry of a regular list only if it is set', async () => {
  const { give, faults, regular, ada } = await board();
  const entry = await give<Entry>(`POST ${regular}`, { ...ada, assignee_email: 'mina@example.com' });
  expect(entry).toMatchObject({ key: null, assignee: { email: 'mina@example.com' } });
  const path = `${regular}/${entry.id}`;
  expect(await give(`PATCH ${path}`, { assignee_email: null })).not.toHaveProperty('assignee');
  expect(await give(`PATCH ${path}`, { assignee_email: 'kenji@example.com' })).toEqual({
    ...entry,
    assignee: { email: 'kenji@example.com' },
  });
  expect(await faults(`PATCH ${path}`, { assignee_email: 'kenji' })).toEqual(['#/assignee_email value']);
});

test('refuses a contact in a list of organizations, and an organization in a list of contacts', async () => {
  const { faults, firms, regular, ada, acme } = await board();
  expect(await faults(`POST ${firms}`, ada)).toEqual(['#/entryable_type value']);
  expect(await faults(`POST ${regular}`, acme)).toEqual(['#/entryable_type value']);
  expect(await faults(`POST ${firms}`, { ...acme, entryable_id: ada.entryable_id })).toEqual([
    '#/entryable_id not_found',
  ]);
});

test.each([
  ['a regular list', true, 'regular', ['#/entryable_id taken']],
  ['a process without duplicates', false, 'deals', ['#/entryable_id taken']],
  ['a process with duplicates', true, 'deals', ['status 201']],
] as const)('adding the same record twice to %s', async (_, duplicates_allowed, where, expected) => {
  const lists = await board({ duplicates_allowed });
  await lists.give(`POST ${lists[where]}`, lists.ada);
  expect(await lists.faults(`POST ${lists[where]}`, lists.ada)).toEqual(expected);
});

test('accepts a record again after its entry was deleted', async () => {
  const { give, regular, ada } = await board();
  const { id } = await give<Entry>(`POST ${regular}`, ada);
  await give(`DELETE ${regular}/${id}`);
  const again = await give<Entry>(`POST ${regular}`, ada);
  expect(again.id).not.toBe(id);
});

test('numbers keys from 1 in each process and never reuses them', async () => {
  const { give, deals, firmDeals, ada, acme } = await board();
  const made = async (path: string, target: object) => give<Entry>(`POST ${path}`, target);
  const first = await made(deals, ada);
  const second = await made(deals, ada);
  await give(`DELETE ${deals}/${second.id}`);
  const third = await made(deals, ada);
  const elsewhere = await made(firmDeals, acme);
  expect([first, second, third, elsewhere].map(({ key }) => key)).toEqual([
    'DEAL-1',
    'DEAL-2',
    'DEAL-3',
    'DEAL-1',
  ]);
});

test('a rejected entry uses no key', async () => {
  const { faults, give, deals, ada } = await board();
  await faults(`POST ${deals}`, { ...ada, status: 'No' });
  expect((await give<Entry>(`POST ${deals}`, ada)).key).toBe('DEAL-1');
});

test('the error for a duplicate contains the phrase that clients search for', async () => {
  const { call, give, regular, ada } = await board();
  await give(`POST ${regular}`, ada);
  expect((await call(`POST ${regular}`, ada)).body).toMatchObject({
    detail: `The contact ${ada.entryable_id} has already been taken: "Board" has an entry for it.`,
  });
});
