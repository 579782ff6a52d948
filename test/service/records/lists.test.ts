import { expect } from 'vitest';
import type { Entry } from '../../../src/contract/entries.ts';
import type { List } from '../../../src/contract/lists.ts';
import { test } from '../engines.ts';
import { contact1, day, openWithRecord, topics } from '../nouns.ts';

/** Opens a workspace with a process; `entry` creates an entry of a contact in it. */
async function openProcess() {
  const { sendOk, ...workspace } = await openWithRecord('process');
  await sendOk('POST /v1/contacts', { first_name: 'Ada' });
  const entry = (values: object = {}) =>
    sendOk<Entry>(`POST ${workspace.path}/entries`, {
      ...{ entryable_id: contact1, entryable_type: 'Contact' },
      ...values,
    });
  return { ...workspace, sendOk, entry };
}

test('allows another type for a field whose values were cleared', async () => {
  const { call, sendOk, path, entry } = await openProcess();
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
  const { call, sendOk, path, entry } = await openProcess();
  const { id } = await entry();
  const without = { statuses: [{ name: 'Signed', type: 'won' }] };
  expect((await call(`PATCH ${path}`, without)).status).toBe(422);
  await sendOk(`PATCH ${path}/entries/${id}`, { status: 'Signed' });
  expect((await call(`PATCH ${path}`, without)).body).toMatchObject(without);
});

test('a new identifier keeps existing keys and continues their numbers', async () => {
  const { sendOk, path, entry } = await openProcess();
  const before = await entry();
  await sendOk(`PATCH ${path}`, { identifier: 'D' });
  const after = await entry();
  const updated = await sendOk<Entry>(`GET ${path}/entries/${before.id}`);
  expect([updated.key, after.key]).toEqual(['DEAL-1', 'D-2']);
});

test('a field added to a list appears in its existing entries', async () => {
  const { sendOk, path, entry } = await openProcess();
  const { id, list_fields } = await entry();
  await sendOk(`PATCH ${path}`, { fields: [{ name: 'New', data_type: 'number' }] });
  const changed = await sendOk<Entry>(`GET ${path}/entries/${id}`);
  expect(Object.values(changed.list_fields)).toEqual([
    ...Object.values(list_fields),
    { name: 'New', data_type: 'number', value: null },
  ]);
});
