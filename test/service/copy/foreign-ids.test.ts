import { expect } from 'vitest';
import { ids } from '../../../src/service/db/ids.ts';
import { test } from '../engines.ts';
import { createTarget, openRequests } from './locations.ts';
import { createSourceOf, readTexts, restore } from './records.ts';

const stamps = { created_at: '2025-01-02T03:04:05.678Z', updated_at: '2025-02-03T04:05:06.789Z' };

/** An id of a contact that is the hashid of the row of another contact. */
const misleadingId = ids.contact.encode(1);

const uuid = '0b9ac1f4-6f0e-4c1b-8a64-2b6f3c1d9e01';

/** The records of a service with UUIDs, numbers as text, and one id that looks like the id of a kith workspace. */
const records = {
  customFields: [
    {
      ...{ id: 'cf_role', name: 'Role', model: 'contact', data_type: 'text', ...stamps },
      ...{ accepts_multiple_values: false, options: [] },
    },
    {
      ...{ id: 'cf_boss', name: 'Boss', model: 'contact', data_type: 'contact', ...stamps },
      ...{ accepts_multiple_values: false, options: [] },
    },
  ],
  organizations: [
    { id: 'org/1', name: 'Acme', domains: ['acme.example'], custom_fields: {}, ...stamps },
    { id: '4711', name: '한빛물류', domains: [], custom_fields: {}, ...stamps },
  ],
  contacts: [
    {
      ...{ id: uuid, first_name: 'Ada', last_name: null, emails: ['ada@acme.example'] },
      ...{ phone_numbers: ['010-5550-1234'], organization_id: 'org/1', ...stamps },
      custom_fields: {
        cf_role: { name: 'Role', data_type: 'text', value: 'CTO' },
        cf_boss: { name: 'Boss', data_type: 'contact', value: misleadingId },
      },
    },
    {
      ...{ id: misleadingId, first_name: 'Grace', last_name: 'Hopper', emails: [] },
      ...{ phone_numbers: [], organization_id: '4711', ...stamps },
      custom_fields: {
        cf_role: { name: 'Role', data_type: 'text', value: null },
        cf_boss: { name: 'Boss', data_type: 'contact', value: null },
      },
    },
  ],
  lists: [
    {
      ...{ id: 'L-1', name: 'Pipeline', process: true, entry_type: 'Contact' },
      fields: [{ name: 'Source', data_type: 'text', accepts_multiple_values: false, options: [] }],
      ...{ identifier: 'DEAL', duplicates_allowed: true, entry_label: 'Deal', status_label: 'Stage' },
      statuses: [
        { name: 'Open', type: 'active' },
        { name: 'Won', type: 'won' },
      ],
      ...{ ...stamps, archived_at: null },
    },
  ],
  entries: [
    {
      ...{ id: '1', key: 'DEAL-7', list_id: 'L-1', entryable_id: misleadingId, entryable_type: 'Contact' },
      ...{ contact_id: uuid, list_fields: { source: { name: 'Source', data_type: 'text', value: 'Fair' } } },
      ...{ status: 'Won', assignee: { email: 'mina@tidewater.example' }, one_time_value_cents: 120_000 },
      ...{ recurring_value_cents: 0, recurring_value_period: 'annual' },
      ...{ closed_at: '2025-03-01T00:00:00.000Z', next_entry_id: null, ...stamps },
    },
  ],
  notes: [{ id: 'n1', organization_id: '4711', deal_id: 'DEAL-7', body: 'مرحبا', ...stamps }],
  events: [
    {
      ...{ id: 'ev 1', title: 'Kick-off', start_at: '2025-03-01T10:00:00+09:00' },
      ...{ end_at: '2025-03-01T11:00:00+09:00', conference_link: '', conference_type: 'Zoom' },
      attendees: [{ email: 'Ada@acme.example' }],
      recordings: [
        {
          ...{ id: 'rec-1', status: 'done', started_at: '2025-03-01T01:00:00.000Z' },
          ...{ ended_at: '2025-03-01T02:00:00.000Z', audio_duration: 3600 },
        },
      ],
      ...stamps,
    },
  ],
  recordings: [
    {
      ...{ id: 'rec-1', calendar_event_id: 'ev 1', status: 'done', started_at: '2025-03-01T01:00:00.000Z' },
      ...{ ended_at: '2025-03-01T02:00:00.000Z', audio_duration: 3600 },
      summary: {
        summary: 'All is well.',
        topics: [],
        action_items: [],
        detected_language: 'en',
        mood: 'good',
      },
      ...{ transcript: [], ...stamps },
    },
  ],
};

/** Restores the records, and returns functions that send requests to the new workspace. */
async function openRestored() {
  const location = await createTarget();
  const summary = await restore(location, createSourceOf(records));
  return { location, summary, ...(await openRequests(location)) };
}

test('restores records with the ids of another service', async () => {
  const { location, summary, read } = await openRestored();
  expect(summary.dropped).toEqual([]);
  const texts = await readTexts(location);
  for (const [noun, list] of Object.entries(records))
    expect(texts[noun as keyof typeof texts].map((text) => JSON.parse(text))).toEqual(list);
  expect(await read('GET organizations/org%2F1')).toEqual(records.organizations[0]);
  expect(await read(`GET contacts/${misleadingId}`)).toEqual(records.contacts[1]);
  expect(await read('GET lists/L-1/entries/1')).toEqual(records.entries[0]);
  expect(await read('GET contacts?phone_number=010 5550 1234')).toMatchObject({ data: [{ id: uuid }] });
  expect(await read('GET contacts?email=ADA@acme.example')).toMatchObject({ data: [{ id: uuid }] });
  for (const filter of [`contact_id=${uuid}`, 'organization_id=org/1'])
    expect(await read(`GET calendar_events?${filter}`)).toMatchObject({ data: [{ id: 'ev 1' }] });
  expect(await read(`GET calendar_events?contact_id=${misleadingId}`)).toMatchObject({ data: [] });
});

test('a service that opened the workspace with its own ids reads and writes the restored records', async () => {
  const location = await createTarget();
  const { send, read } = await openRequests(location);
  const { id } = await read('POST contacts', { first_name: 'Own' });
  expect(await read('GET contacts')).toMatchObject({ data: [{ id }] });
  await send(`DELETE contacts/${id}`);
  await restore(location, createSourceOf(records));
  expect(await read('GET contacts')).toMatchObject({ data: records.contacts });
  expect(await read(`GET contacts/${uuid}`)).toEqual(records.contacts[0]);
  expect(await read('GET lists/L-1/entries/1')).toEqual(records.entries[0]);
  expect(await read('GET calendar_events/ev%201')).toEqual(records.events[0]);
  expect(await read('GET recordings/rec-1')).toEqual({ data: records.recordings[0] });
  expect(await read(`PATCH contacts/${uuid}`, { first_name: 'B' })).toMatchObject({ id: uuid });
  const note = { organization_id: 'org/1', body: 'x' };
  expect(await read('POST notes', note)).toMatchObject(note);
  const { status } = await send('POST notes', { ...note, organization_id: ids.organization.encode(1) });
  expect([status, id, await read(`GET contacts/${id}`)]).toEqual([422, misleadingId, records.contacts[1]]);
  expect(JSON.stringify((await send('POST contacts', { emails: ['ada@acme.example'] })).body)).toContain(
    uuid,
  );
});

test('does not find a record by the hashid of its row', async () => {
  const { send } = await openRestored();
  for (const path of [
    `contacts/${ids.contact.encode(2)}`,
    `organizations/${ids.organization.encode(1)}`,
    `lists/${ids.list.encode(1)}`,
    `lists/L-1/entries/${ids.entry.encode(1)}`,
    `calendar_events/${ids.calendarEvent.encode(1)}`,
    `recordings/${ids.recording.encode(1)}`,
    'contacts/%00',
  ])
    expect(await send(`GET ${path}`)).toMatchObject({ status: 404 });
  const response = await send('PATCH contacts/no-such-id', { first_name: 'A' });
  expect(response).toMatchObject({ status: 404, body: { detail: 'No contact has the id "no-such-id".' } });
});

test('writes to records with the ids of another service', async () => {
  const { send, read } = await openRestored();
  const tag = (await send(`GET contacts/${uuid}`)).headers.etag;
  const changed = await send(
    `PATCH contacts/${uuid}`,
    { organization_id: '4711', custom_fields: [{ name: 'Boss', value: uuid }] },
    { ifMatch: tag },
  );
  expect(changed).toMatchObject({
    status: 200,
    body: { id: uuid, organization_id: '4711', custom_fields: { cf_boss: { value: uuid } } },
  });
  expect(await send(`PATCH contacts/${uuid}`, {}, { ifMatch: tag })).toMatchObject({ status: 412 });
  const created = await send('POST contacts', { first_name: 'New', organization_id: 'org/1' });
  const id = ids.contact.encode(3);
  expect(created).toMatchObject({ status: 201, body: { id, organization_id: 'org/1' } });
  expect(created.headers.location).toBe(`/v1/contacts/${id}`);
  const taken = await send('POST contacts', { emails: ['ada@acme.example'] });
  expect(JSON.stringify(taken.body)).toContain(`taken by the contact ${uuid}.`);
  const entry = {
    entryable_id: uuid,
    entryable_type: 'Contact',
    list_fields: [{ name: 'Source', value: 'X' }],
  };
  expect(await read('POST lists/L-1/entries', entry)).toMatchObject({
    key: 'DEAL-8',
    list_id: 'L-1',
    entryable_id: uuid,
    list_fields: { source: { value: 'X' } },
  });
  expect(await read('POST notes', { organization_id: '4711', body: 'x' })).toMatchObject({
    organization_id: '4711',
  });
  expect(await read('PATCH notes/n1', { body: 'y' })).toMatchObject({ id: 'n1', body: 'y' });
  expect(await read('PATCH lists/L-1/entries/1', { status: 'Open' })).toMatchObject({
    id: '1',
    closed_at: null,
  });
  expect(await send(`DELETE contacts/${misleadingId}`)).toMatchObject({ status: 204 });
  expect(await send(`GET contacts/${misleadingId}`)).toMatchObject({ status: 404 });
  expect(await send('GET lists/L-1/entries/1')).toMatchObject({ status: 404 });
});
