import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import { createBoardWorkspace, createDayField, withNormalizedFieldId } from '../board-workspace.ts';
import { test } from '../engines.ts';
import { createPage, laterTime, openTestWorkspace, startTime, unknownId } from '../service.ts';

/** An entry of a process with everything set, and a later clock. */
async function deal(status = 'Lead') {
  const lists = await createBoardWorkspace();
  const { id: contact_id } = await lists.sendOk<Contact>('POST /v1/contacts', { first_name: 'Grace' });
  const entry = await lists.sendOk<Entry>(`POST ${lists.firmDeals}`, {
    ...lists.acme,
    status,
    contact_id,
    assignee_email: 'mina@example.com',
    one_time_value_cents: 100,
    recurring_value_cents: 5,
    recurring_value_period: 'monthly',
    list_fields: [{ name: 'Day', value: '2026-05-04' }],
  });
  lists.clock.time = laterTime;
  return { ...lists, entry, path: `${lists.firmDeals}/${entry.id}` };
}

test.each([
  [{ status: 'Trial' }, { status: 'Trial' }],
  [{ assignee_email: 'kenji@example.com' }, { assignee: { email: 'kenji@example.com' } }],
  [
    { assignee_email: null, contact_id: null },
    { assignee: null, contact_id: null },
  ],
  [
    { one_time_value_cents: 0, recurring_value_cents: 7, recurring_value_period: 'one_time' },
    { one_time_value_cents: 0, recurring_value_cents: 7, recurring_value_period: 'one_time' },
  ],
  [{ list_fields: [{ name: 'Day', value: '2026-05-05' }] }, { list_fields: createDayField('2026-05-05') }],
  [{ list_fields: [{ name: 'Day', value: null }] }, { list_fields: createDayField(null) }],
])('PATCH %j changes only the fields that it names', async (body, changed) => {
  const { sendOk, entry, path } = await deal();
  const record = { ...withNormalizedFieldId(entry), ...changed, updated_at: laterTime };
  expect(withNormalizedFieldId(await sendOk<Entry>(`PATCH ${path}`, body))).toEqual(record);
  expect(withNormalizedFieldId(await sendOk<Entry>(`GET ${path}`))).toEqual(record);
});

test('PATCH changes an entry of a regular list', async () => {
  const { clock, contact, sendOk, firms, acme } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${firms}`, acme);
  clock.time = laterTime;
  const body = { contact_id: contact.id, list_fields: [{ name: 'Day', value: '2026-05-05' }] };
  expect(withNormalizedFieldId(await sendOk<Entry>(`PATCH ${firms}/${entry.id}`, body))).toEqual({
    ...withNormalizedFieldId(entry),
    contact_id: contact.id,
    list_fields: createDayField('2026-05-05'),
    updated_at: laterTime,
  });
});

test.each([
  [
    { entryable_id: 'abcdef', entryable_type: 'Organization' },
    ['#/entryable_id unknown', '#/entryable_type unknown'],
  ],
  [{ status: null, one_time_value_cents: null }, ['#/status type', '#/one_time_value_cents type']],
  [
    { recurring_value_period: null, list_fields: null },
    ['#/recurring_value_period value', '#/list_fields type'],
  ],
  [{ status: 'Nowhere', contact_id: unknownId }, ['#/status value', '#/contact_id not_found']],
  [{ assignee_email: '' }, ['#/assignee_email value']],
  [{ status: 'Trial', list_fields: [{ name: 'Day', value: 'soon' }] }, ['#/list_fields/0/value value']],
])('PATCH %j is rejected and changes nothing', async (body, expected) => {
  const { findFieldErrors, sendOk, entry, path } = await deal();
  expect(await findFieldErrors(`PATCH ${path}`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(entry);
});

test.each([
  ['Lead', { status: 'Signed' }, laterTime],
  ['Lead', { status: 'Gone' }, laterTime],
  ['Lead', { status: 'Trial' }, null],
  ['Signed', { status: 'Trial' }, null],
  ['Signed', { status: 'Signed' }, startTime],
  ['Signed', { one_time_value_cents: 3 }, startTime],
  ['Signed', { status: 'Gone' }, laterTime],
])('an entry that is %s and changed by %j is closed at %s', async (status, body, closed_at) => {
  const { sendOk, path } = await deal(status);
  expect((await sendOk<Entry>(`PATCH ${path}`, body)).closed_at).toBe(closed_at);
});

test('DELETE deletes only the entry', async () => {
  const { call, sendOk, deals, ada } = await createBoardWorkspace();
  const [first, second] = [
    await sendOk<Entry>(`POST ${deals}`, ada),
    await sendOk<Entry>(`POST ${deals}`, ada),
  ];
  expect(await call(`DELETE ${deals}/${first.id}`)).toEqual({ status: 204, headers: {}, body: undefined });
  expect((await call(`GET ${deals}/${first.id}`)).status).toBe(404);
  expect(await sendOk(`GET ${deals}`)).toEqual(createPage([second]));
});

test.each(['GET', 'PATCH', 'DELETE'])('%s returns 404 for an entry of another list', async (method) => {
  const { call, sendOk, deals, regular, ada } = await createBoardWorkspace();
  const entry = await sendOk<Entry>(`POST ${deals}`, ada);
  const body = method === 'PATCH' ? {} : undefined;
  expect((await call(`${method} ${regular}/${entry.id}`, body)).status).toBe(404);
  expect(await sendOk(`GET ${deals}/${entry.id}`)).toEqual(entry);
});

test.each([
  ['GET /v1/lists/zzzzzz/entries', undefined],
  ['POST /v1/lists/zzzzzz/entries', {}],
  ['GET /v1/lists/zzzzzz/entries/zzzzzz', undefined],
])('%s returns 404', async (line, body) => {
  const { call } = await openTestWorkspace();
  expect((await call(line, body)).status).toBe(404);
});
