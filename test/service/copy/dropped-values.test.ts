import { expect } from 'vitest';
import { ids } from '../../../src/service/db/ids.ts';
import { test } from '../engines.ts';
import { createTarget, openRequests } from './locations.ts';
import { createSourceOf, readTexts, restore } from './records.ts';

const stamps = { created_at: '2025-01-02T03:04:05.678Z', updated_at: '2025-02-03T04:05:06.789Z' };
const organization = { id: 'o1', name: 'Acme', domains: ['acme.example'], custom_fields: {}, ...stamps };
const contact = {
  ...{ id: 'c1', first_name: 'Ada', last_name: null, emails: ['ada@acme.example'], phone_numbers: [] },
  ...{ organization_id: 'o1', custom_fields: {}, ...stamps },
};
const list = {
  ...{ id: 'l1', name: 'Deals', process: true, entry_type: 'Contact', identifier: 'D', ...stamps },
  ...{ duplicates_allowed: false, entry_label: 'Deal', status_label: 'Stage', archived_at: null },
  ...{ fields: [], statuses: [{ name: 'Open', type: 'active' }] },
};
const entry = {
  ...{ id: 'e1', key: 'D-1', list_id: 'l1', entryable_id: 'c1', entryable_type: 'Contact', contact_id: null },
  ...{ list_fields: {}, status: 'Open', assignee: null, one_time_value_cents: 0, recurring_value_cents: 0 },
  ...{ recurring_value_period: 'annual', closed_at: null, next_entry_id: null, ...stamps },
};
const recording = {
  ...{ id: 'r1', status: 'done', started_at: '2025-03-01T01:00:00.000Z', audio_duration: 60 },
  ended_at: '2025-03-01T02:00:00.000Z',
};
const event = {
  ...{
    id: 'v1',
    title: 'Kick-off',
    start_at: '2025-03-01T10:00:00+09:00',
    end_at: '2025-03-01T11:00:00+09:00',
  },
  ...{ conference_link: '', conference_type: '', attendees: [], recordings: [recording], ...stamps },
};
const fullRecording = { ...recording, calendar_event_id: 'v1', summary: null, transcript: null, ...stamps };

/** Restores records. Returns the dropped values as lines, and the records of the new workspace. */
async function restoreRecords(records: Parameters<typeof createSourceOf>[0]) {
  const target = await createTarget();
  const { rows, dropped } = await restore(target, createSourceOf(records));
  const texts = await readTexts(target);
  return {
    rows: Object.fromEntries(rows.flatMap(({ noun, rows }) => (rows > 0 ? [[noun, rows]] : []))),
    dropped: dropped.map(
      ({ noun, field, reason, count, ids }) => `${noun} ${field ?? '-'} ${count} ${ids.join(',')}: ${reason}`,
    ),
    read: (noun: keyof typeof texts) => texts[noun].map((text) => JSON.parse(text)),
  };
}

test('names the values that it cannot store, and stores the rest of their records', async () => {
  const unknown = { ...contact, id: 'c2', emails: [], score: 7, nickname: '' };
  const { rows, dropped, read } = await restoreRecords({
    organizations: [organization],
    contacts: [
      { ...contact, emails: ['ada@acme.example', 'ADA@acme.example'] },
      unknown,
      { ...contact, id: 'c3', emails: ['Ada@Acme.example', 'c3@acme.example'], organization_id: 'o9' },
      {
        ...contact,
        id: 'c4',
        first_name: 'Nul\0',
        emails: [],
        phone_numbers: undefined,
        created_at: undefined,
      },
      {
        ...contact,
        id: 'c5',
        emails: [],
        custom_fields: { f: { name: 'Role', data_type: 'text', value: 'x' } },
      },
    ],
    lists: [{ ...list, statuses: [{ name: 'Open', type: 'active', color: 'red' }] }],
    entries: [
      { ...entry, next_entry_id: 'e2', assignee: { id: 'u1', email: 'mina@acme.example' } },
      { ...entry, id: 'e2' },
    ],
    events: [event],
    recordings: [fullRecording],
  });
  expect(rows).toEqual({ organizations: 1, contacts: 5, lists: 1, entries: 2, events: 1, recordings: 1 });
  expect(dropped.sort()).toEqual([
    'contacts custom_fields 1 c5: no field "Role"',
    'contacts emails 2 c1,c3: duplicate address',
    'contacts first_name 1 c4: unsupported characters',
    'contacts organization_id 1 c3: reference to a missing record',
    'contacts score 1 c2: unknown field',
    'entries assignee 1 e1: unsupported value',
    'entries key 1 e2: duplicate key',
    'entries next_entry_id 1 e1: unsupported value',
    'lists statuses 1 l1: unsupported value',
  ]);
  expect(read('contacts')).toMatchObject([
    { id: 'c1', emails: ['ada@acme.example'] },
    { id: 'c2' },
    { id: 'c3', emails: ['c3@acme.example'], organization_id: null },
    { id: 'c4', first_name: 'Nul\uFFFD', created_at: stamps.updated_at },
    { id: 'c5' },
  ]);
  expect(read('entries')).toMatchObject([{ assignee: { email: 'mina@acme.example' } }, { key: null }]);
});

test('names the records that it cannot store, and stores all other records', async () => {
  const field = { name: 'Role', data_type: 'text', accepts_multiple_values: false, options: [], ...stamps };
  const { rows, dropped } = await restoreRecords({
    customFields: [
      { ...field, id: 'f1', model: 'contact' },
      { ...field, id: 'f2', model: 'contact' },
      { ...field, id: 'f3', model: 'ticket' },
    ],
    organizations: [organization],
    contacts: [contact, { ...contact, first_name: 'Twin' }, { ...contact, id: 'x'.repeat(1001), emails: [] }],
    lists: [list, { ...list, id: 'l2', entry_type: 'Ticket' }],
    entries: [entry, { ...entry, id: 'e2', list_id: 'l2' }, { ...entry, id: 'e3', entryable_id: 'c9' }],
    notes: [
      { id: 'n1', organization_id: 'o1', deal_id: null, body: 'x', ...stamps },
      { id: 'n2', organization_id: null, deal_id: null, body: 'x', ...stamps },
    ],
    events: [event, { ...event, id: 'v2', recordings: [{ ...recording, id: 'r2', status: 'failed' }] }],
    recordings: [fullRecording, { ...fullRecording, id: 'r3', calendar_event_id: 'v9' }],
  });
  const one = { customFields: 1, organizations: 1, contacts: 1, lists: 1, entries: 1, notes: 1, events: 1 };
  expect(rows).toEqual({ ...one, recordings: 2 });
  expect(dropped.sort()).toEqual([
    'contacts - 1 c1: duplicate id',
    `contacts - 1 ${'x'.repeat(1001)}: id too long`,
    'customFields - 1 f2: duplicate name',
    'customFields - 1 f3: unknown model',
    'entries - 1 e2: missing list',
    'entries - 1 e3: missing contact or organization',
    'events - 1 v2: no completed recording',
    'lists - 1 l2: unknown type of entries',
    'notes - 1 n2: missing organization',
    'recordings - 1 r3: missing meeting',
  ]);
});

test('keeps values that only other services have', async () => {
  const definition = { name: 'Size', data_type: 'currency' };
  const { dropped, read } = await restoreRecords({
    organizations: [organization],
    contacts: [contact],
    lists: [{ ...list, fields: undefined, statuses: undefined }],
    entries: [
      {
        ...{ ...entry, recurring_value_period: 'quarterly', created_at: '2025-01-02T03:04:05Z' },
        list_fields: { size: { ...definition, value: ['S', 'M'] } },
      },
    ],
    events: [{ ...event, recordings: [recording, { ...recording, id: 'r2', status: 'queued' }] }],
    recordings: [fullRecording],
  });
  expect(dropped).toEqual([]);
  expect(read('lists')).toMatchObject([
    { fields: [{ name: 'Size', data_type: 'text', accepts_multiple_values: true }] },
  ]);
  expect(read('entries')).toMatchObject([
    { recurring_value_period: 'quarterly', list_fields: { size: { value: ['S', 'M'] } } },
  ]);
  expect(read('recordings')).toMatchObject([{ id: 'r1' }, { id: 'r2', status: 'queued' }]);
});

test('new records never get the id of another record', async () => {
  const target = await createTarget();
  // Two ids that look like those of a workspace, among others.
  const contacts = [ids.contact.encode(4), 'c2', ids.contact.encode(3)].map((id) => ({
    ...contact,
    id,
    emails: [],
  }));
  await restore(target, createSourceOf({ organizations: [organization], contacts }));
  const { read } = await openRequests(target);
  expect((await read('POST contacts', { first_name: 'New' })).id).toBe(ids.contact.encode(5));
});
