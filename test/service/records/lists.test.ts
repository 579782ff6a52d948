import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import type { List } from '../../../src/contract/lists.ts';
import { test } from '../engines.ts';
import { anyId, createPage, laterTime, openTestWorkspace, startTimes, unknownId } from '../service.ts';

const list = { name: 'Newsletter', process: false, entry_type: 'Contact' };
const pipeline = {
  name: 'Sales',
  process: true,
  entry_type: 'Organization',
  identifier: 'DEAL',
  duplicates_allowed: true,
};
const defaults = [
  { name: 'Open', type: 'active' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
];
const statuses = [
  { name: 'Lead', type: 'active' },
  { name: 'Signed', type: 'won' },
];
const labels = { entry_label: 'Entry', status_label: 'Status' };
const day = { name: 'Day', data_type: 'date', accepts_multiple_values: false, options: [] };
const topics = { name: 'Topics', data_type: 'select', accepts_multiple_values: true, options: ['A', 'B'] };

test.each([
  [list, { ...list, fields: [] }],
  [
    { ...list, fields: [{ name: 'Note' }, { name: 'Day', data_type: 'date' }, topics] },
    { ...list, fields: [{ ...day, name: 'Note', data_type: 'text' }, day, topics] },
  ],
  [pipeline, { ...pipeline, ...labels, statuses: defaults, fields: [] }],
  [
    { ...pipeline, statuses: [] },
    { ...pipeline, ...labels, statuses: defaults, fields: [] },
  ],
  [
    {
      ...pipeline,
      duplicates_allowed: false,
      statuses,
      entry_label: 'Deal',
      status_label: 'Stage',
      fields: [topics],
    },
    {
      ...pipeline,
      duplicates_allowed: false,
      statuses,
      entry_label: 'Deal',
      status_label: 'Stage',
      fields: [topics],
    },
  ],
  [
    { ...pipeline, identifier: 'x'.repeat(50) },
    { ...pipeline, identifier: 'x'.repeat(50), ...labels, statuses: defaults, fields: [] },
  ],
])('POST %j returns the whole record', async (body, expected) => {
  const { call, sendOk } = await openTestWorkspace();
  const response = await call('POST /v1/lists', body);
  const { id } = response.body as List;
  const record = { id: anyId, ...expected, archived_at: null, ...startTimes };
  expect(response).toEqual({ status: 201, headers: { location: `/v1/lists/${id}` }, body: record });
  expect(await sendOk(`GET /v1/lists/${id}`)).toEqual(record);
  expect(await sendOk('GET /v1/lists')).toEqual(createPage([record]));
});

test.each([
  [{}, ['#/name required', '#/process required', '#/entry_type required']],
  [{ ...list, name: ' ', entry_type: 'Deal' }, ['#/entry_type value', '#/name value']],
  [{ ...list, process: 'no' }, ['#/process type']],
  [
    { ...pipeline, ...labels, statuses, process: false },
    [
      '#/identifier process_only',
      '#/duplicates_allowed process_only',
      '#/entry_label process_only',
      '#/status_label process_only',
      '#/statuses process_only',
    ],
  ],
  [{ ...list, process: true }, ['#/identifier required', '#/duplicates_allowed required']],
  [{ ...pipeline, identifier: '' }, ['#/identifier value']],
  [{ ...pipeline, identifier: '  ' }, ['#/identifier value']],
  [{ ...pipeline, identifier: 'x'.repeat(51) }, ['#/identifier value']],
  [{ ...pipeline, statuses: [{ name: 'Done', type: 'done' }] }, ['#/statuses/0/type value']],
  [{ ...pipeline, statuses: [{ name: 'Done' }] }, ['#/statuses/0/type required']],
  [{ ...pipeline, statuses: [{ name: 'Won', type: 'won', color: 1 }] }, ['#/statuses/0/color unknown']],
  [{ ...pipeline, statuses: [...statuses, { name: 'Lead', type: 'lost' }] }, ['#/statuses/2/name taken']],
  [{ ...pipeline, statuses: [{ name: '', type: 'won' }] }, ['#/statuses/0/name value']],
  [{ ...list, archived_at: null }, ['#/archived_at unknown']],
  [{ ...list, fields: [{}] }, ['#/fields/0/name required']],
  [{ ...list, fields: [day, { name: 'Day' }] }, ['#/fields/1/name taken']],
  [{ ...list, fields: [{ name: 'X', data_type: 'user' }] }, ['#/fields/0/accepts_multiple_values required']],
  [
    { ...list, fields: [{ name: 'X', data_type: 'select' }] },
    ['#/fields/0/accepts_multiple_values required', '#/fields/0/options required'],
  ],
  [
    {
      ...list,
      fields: [{ name: '', data_type: 'boolean' }, { ...topics, options: ['A', 'A'] }, { name: '' }],
    },
    ['#/fields/0/data_type value', '#/fields/1/options/1 taken', '#/fields/2/name value'],
  ],
])('POST %j returns every error', async (body, expected) => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  expect(await findFieldErrors('POST /v1/lists', body)).toEqual(expected);
  expect(await sendOk('GET /v1/lists')).toEqual(createPage([]));
});

/** A process with a select and a date, a list, and a later clock. */
async function sales() {
  const created = await openTestWorkspace();
  const process = await created.sendOk<List>('POST /v1/lists', {
    ...pipeline,
    entry_type: 'Contact',
    statuses,
    fields: [topics, day],
  });
  const regular = await created.sendOk<List>('POST /v1/lists', { ...list, fields: [day] });
  created.clock.time = laterTime;
  const path = `/v1/lists/${process.id}`;
  /** An entry of a new contact in the process. */
  const entry = async (values: object = {}) => {
    const { id } = await created.sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
    const target = { entryable_id: id, entryable_type: 'Contact' };
    return created.sendOk<Entry>(`POST ${path}/entries`, { ...target, ...values });
  };
  return { ...created, process, regular, path, entry };
}

test.each([
  [{ name: 'Deals' }, { name: 'Deals' }],
  [{ identifier: 'D' }, { identifier: 'D' }],
  [{ duplicates_allowed: false }, { duplicates_allowed: false }],
  [
    { entry_label: 'Deal', status_label: 'Stage' },
    { entry_label: 'Deal', status_label: 'Stage' },
  ],
  [{ statuses: defaults }, { statuses: defaults }],
  [{ statuses: [] }, { statuses: defaults }],
  [{ fields: [{ name: 'New' }] }, { fields: [topics, day, { ...day, name: 'New', data_type: 'text' }] }],
  [
    {
      fields: [
        { name: 'Topics', options: ['C'] },
        { name: 'New', data_type: 'url' },
      ],
    },
    { fields: [{ ...topics, options: ['C'] }, day, { ...day, name: 'New', data_type: 'url' }] },
  ],
  [
    { fields: [{ name: 'Day', data_type: 'datetime' }] },
    { fields: [topics, { ...day, data_type: 'datetime' }] },
  ],
  [
    { fields: [{ name: 'Topics', data_type: 'text' }] },
    { fields: [{ ...day, name: 'Topics', data_type: 'text' }, day] },
  ],
])('PATCH %j changes only the fields that it names', async (body, changed) => {
  const { call, process, path } = await sales();
  const record = { ...process, ...changed, updated_at: laterTime };
  expect(await call(`PATCH ${path}`, body)).toEqual({ status: 200, headers: {}, body: record });
  expect((await call(`GET ${path}`)).body).toEqual(record);
});

test.each([
  [{ entry_type: 'Contact', process: true }, ['#/entry_type unknown', '#/process unknown']],
  [{ name: null }, ['#/name type']],
  [{ identifier: '' }, ['#/identifier value']],
  [{ statuses: null, duplicates_allowed: null }, ['#/duplicates_allowed type', '#/statuses type']],
  [{ statuses: [{ name: 'Lead', type: 'done' }] }, ['#/statuses/0/type value']],
  [{ statuses: [{ name: 'Signed', type: 'won' }] }, ['#/statuses in_use']],
  [{ statuses: [] }, ['#/statuses in_use']],
  [{ fields: [{ name: 'Topics', options: [] }] }, ['#/fields/0/options value']],
  [{ fields: [{ name: 'Day', options: ['A'] }] }, ['#/fields/0/options value']],
  [{ fields: [{ name: 'Topics', data_type: 'text' }] }, ['#/fields/0 in_use']],
  [{ fields: [{ name: 'Topics', accepts_multiple_values: false }] }, ['#/fields/0 in_use']],
  [{ fields: [day, day] }, ['#/fields/1/name taken']],
  [
    { fields: [{ name: 'Day', data_type: 'select' }] },
    ['#/fields/0/accepts_multiple_values required', '#/fields/0/options required'],
  ],
])('PATCH %j of a process in use is rejected and changes nothing', async (body, expected) => {
  const { findFieldErrors, sendOk, process, path, entry } = await sales();
  await entry({ list_fields: [{ name: 'Topics', value: ['A'] }] });
  expect(await findFieldErrors(`PATCH ${path}`, body)).toEqual(expected);
  expect(await sendOk(`GET ${path}`)).toEqual(process);
});

test('allows another type for a field whose values were cleared', async () => {
  const { call, sendOk, path, entry } = await sales();
  const { id } = await entry({ list_fields: [{ name: 'Day', value: '2026-05-04' }] });
  const number = { fields: [{ name: 'Day', data_type: 'number' }] };
  expect((await call(`PATCH ${path}`, number)).status).toBe(422);
  await sendOk(`PATCH ${path}/entries/${id}`, { list_fields: [{ name: 'Day', value: null }] });
  expect((await sendOk<List>(`PATCH ${path}`, number)).fields).toEqual([
    topics,
    { ...day, data_type: 'number' },
  ]);
});

test('allows removing a status that no entry has', async () => {
  const { call, sendOk, path, entry } = await sales();
  const { id } = await entry();
  const without = { statuses: [{ name: 'Signed', type: 'won' }] };
  expect((await call(`PATCH ${path}`, without)).status).toBe(422);
  await sendOk(`PATCH ${path}/entries/${id}`, { status: 'Signed' });
  expect((await call(`PATCH ${path}`, without)).body).toMatchObject(without);
});

test.each([
  [{ identifier: 'X' }, ['#/identifier process_only']],
  [{ statuses: [] }, ['#/statuses process_only']],
  [{ duplicates_allowed: false }, ['#/duplicates_allowed process_only']],
  [{ entry_label: 'X', status_label: 'Y' }, ['#/entry_label process_only', '#/status_label process_only']],
])('PATCH %j of a regular list is rejected', async (body, expected) => {
  const { findFieldErrors, regular } = await sales();
  expect(await findFieldErrors(`PATCH /v1/lists/${regular.id}`, body)).toEqual(expected);
});

test('a regular list is renamed without becoming a process', async () => {
  const { sendOk, regular } = await sales();
  expect(await sendOk(`PATCH /v1/lists/${regular.id}`, { name: 'Letter' })).toEqual({
    ...regular,
    name: 'Letter',
    updated_at: laterTime,
  });
});

test('a new identifier keeps existing keys and continues their numbers', async () => {
  const { sendOk, path, entry } = await sales();
  const before = await entry();
  await sendOk(`PATCH ${path}`, { identifier: 'D' });
  const after = await entry();
  const updated = await sendOk<Entry>(`GET ${path}/entries/${before.id}`);
  expect([updated.key, after.key]).toEqual(['DEAL-1', 'D-2']);
});

test('a field added to a list appears in its existing entries', async () => {
  const { sendOk, path, entry } = await sales();
  const { id, list_fields } = await entry();
  await sendOk(`PATCH ${path}`, { fields: [{ name: 'New', data_type: 'number' }] });
  const changed = await sendOk<Entry>(`GET ${path}/entries/${id}`);
  expect(Object.values(changed.list_fields)).toEqual([
    ...Object.values(list_fields),
    { name: 'New', data_type: 'number', value: null },
  ]);
});

test('deletes the entries of a deleted list, but not its contacts', async () => {
  const { call, path, entry } = await sales();
  const { entryable_id } = await entry();
  expect(await call(`DELETE ${path}`)).toEqual({ status: 204, headers: {}, body: undefined });
  expect((await call(`GET ${path}`)).status).toBe(404);
  expect((await call(`GET ${path}/entries`)).status).toBe(404);
  expect((await call(`GET /v1/contacts/${entryable_id}`)).status).toBe(200);
});

test.each(['GET', 'PATCH', 'DELETE'])('%s returns 404 for an unknown id', async (method) => {
  const { call } = await openTestWorkspace();
  const { status } = await call(`${method} /v1/lists/${unknownId}`, method === 'PATCH' ? {} : undefined);
  expect(status).toBe(404);
});
