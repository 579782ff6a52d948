import sql from 'sql-template-tag';
import { beforeEach, expect } from 'vitest';
import { dataTypes } from '../../../src/contract/field-types.ts';
import { storeMeeting } from '../../../src/service/calendar/store-meetings.ts';
import { withWorkspace } from '../../../src/service/db/open.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';
import { createEngineSample, test } from '../engines.ts';
import { createTarget, openRequests } from './locations.ts';
import { createSource, readTexts, restore, workspaces } from './records.ts';

beforeEach(requirePostgres);

const readTally = (location: string) =>
  withWorkspace(location, (db) =>
    db.all(sql`select scope, block, records from tally where records <> 0 order by scope, block`),
  );

test('restores the records of the sample byte for byte, with the identity of its workspace', async () => {
  const sample = await createEngineSample();
  const identity = await workspaces.identity(sample);
  const texts = await readTexts(sample);
  const target = await createTarget();
  const { rows, dropped } = await restore(target, createSource(texts, identity));
  expect(dropped).toEqual([]);
  expect(rows).toContainEqual({ noun: 'contacts', rows: 150 });
  expect(await readTexts(target)).toEqual(texts);
  expect(await workspaces.identity(target)).toBe(identity);
  expect(await readTally(target)).toEqual(await readTally(sample));
});

/** A value of each type of field. */
const values: Record<(typeof dataTypes)[number], unknown> = {
  text: '한빛 "물류"\u2028',
  textarea: 'سطر\nثانٍ',
  url: 'https://acme.example/a?b=c',
  number: 1.5e300,
  date: '2026-05-01',
  datetime: '2026-05-01T09:30:00+09:00',
  select: ['b', 'a'],
  user: ['mina@tidewater.example'],
  contact: [],
};

/** Fills a workspace with values of all types, duplicates, gaps, closed entries and a meeting with three recordings. */
async function fillWorkspace(location: string) {
  const { db, read, send } = await openRequests(location);
  const fields = dataTypes.map((data_type) => ({
    ...{ name: `Field ${data_type}`, data_type },
    ...(data_type === 'select' && { options: ['a', 'b'] }),
    ...(['select', 'user', 'contact'].includes(data_type) && { accepts_multiple_values: true }),
  }));
  for (const model of ['contact', 'organization', 'deal'])
    for (const field of fields) await read('POST custom_fields', { ...field, model });
  const deleted = await read('POST contacts', { first_name: '삭제' });
  const organization = await read('POST organizations', {
    name: 'شركة',
    domains: ['b.example', 'a.example'],
  });
  const allValues = Object.entries({ ...values, contact: [deleted.id] }).map(([type, value]) => ({
    ...{ name: `Field ${type}`, value },
  }));
  const contact = await read('POST contacts', {
    ...{ first_name: '김', last_name: '지우', emails: ['B@Acme.example', 'a@acme.example'] },
    ...{ phone_numbers: ['+82 10-5550-1234', '(415) 555-0100'], organization_id: organization.id },
    custom_fields: allValues,
  });
  await read(`PATCH organizations/${organization.id}`, { custom_fields: allValues });
  await read('POST notes', { organization_id: organization.id, body: '메모\n', deal_id: 'DEAL-1' });
  const entry = { entryable_id: contact.id, entryable_type: 'Contact' };
  const list = await read('POST lists', { name: 'All', process: false, entry_type: 'Contact', fields });
  await read(`POST lists/${list.id}/entries`, {
    ...entry,
    ...{ list_fields: allValues, assignee_email: 'mina@tidewater.example' },
  });
  const deals = await read('POST lists', {
    ...{ name: 'Deals', process: true, entry_type: 'Contact', identifier: 'A-B', duplicates_allowed: true },
    ...{ fields: fields.slice(0, 2), entry_label: 'Deal', status_label: '단계' },
  });
  const path = `lists/${deals.id}/entries`;
  const [first] = [
    await read(`POST ${path}`, entry),
    await read(`POST ${path}`, { ...entry, status: 'Won' }),
  ];
  const last = await read(`POST ${path}`, {
    ...entry,
    contact_id: contact.id,
    one_time_value_cents: 2 ** 53 - 1,
  });
  await read(`PATCH lists/${deals.id}`, { duplicates_allowed: false, identifier: 'NEW' });
  await send(`DELETE contacts/${deleted.id}`);
  await send(`DELETE ${path}/${first.id}`);
  await read('POST lists', { name: 'Empty', process: false, entry_type: 'Organization', fields });
  await db.run(sql`update list set archived_at = 1 where name = 'Empty'`);
  await storeMeetings(db);
  return { path, entry, last };
}

async function storeMeetings(db: Parameters<typeof storeMeeting>[0]) {
  const recording = { started_at: 5000, ended_at: 65_000, audio_duration: 59.5 };
  const word = { text: 'مرحبا', start_timestamp: { relative: 0.1 }, end_timestamp: { relative: 1 } };
  const transcript = [{ participant: { name: '지우' }, words: [word], language_code: 'ar' }];
  const summary = { summary: 's', topics: [], action_items: ['a'], detected_language: 'ar', mood: { x: 1 } };
  const meeting = {
    ...{
      source: null,
      title: '회의',
      start_at: '2026-05-01T09:00:00+09:00',
      end_at: '2026-05-01T10:00:00+09:00',
    },
    ...{ conference_link: null, conference_type: 'Zoom', attendees: ['B@Acme.example', 'b@acme.example'] },
  };
  const recordings = [
    { ...recording, status: 'done' as const, summary, transcript },
    { ...recording, status: 'done' as const, started_at: 6000, summary, transcript: [] },
    {
      ...{ status: 'processing' as const, started_at: 7000, ended_at: null, audio_duration: null },
      ...{ summary: null, transcript: null },
    },
  ];
  for (const title of ['회의', 'Later'])
    await storeMeeting(db, { ...meeting, title }, recordings, { created_at: 1, updated_at: 2 });
}

test('restores every type of value byte for byte, and continues keys and ids', async () => {
  const [source, target, back] = [await createTarget(), await createTarget(), await createTestDatabase()];
  const { path, entry, last } = await fillWorkspace(source);
  const texts = await readTexts(source);
  expect(Object.values(texts).every(({ length }) => length > 0)).toBe(true);
  const summary = await restore(target, createSource(texts));
  expect(summary.dropped).toEqual([]);
  expect(summary.rows).toEqual(Object.entries(texts).map(([noun, { length }]) => ({ noun, rows: length })));
  expect(await readTexts(target)).toEqual(texts);
  await restore(back, createSource(await readTexts(target)));
  expect(await readTexts(back)).toEqual(texts);
  for (const location of [target, back]) {
    const { read, send } = await openRequests(location);
    expect(await send(`POST ${path}`, entry)).toMatchObject({ status: 422 });
    const other = await read('POST contacts', { first_name: 'Other' });
    const created = await read(`POST ${path}`, { ...entry, entryable_id: other.id });
    expect(created).toMatchObject({ key: 'NEW-4' });
    expect(created.id).not.toBe(last.id);
    expect(await read('GET contacts?phone_number=010 5550 1234')).toMatchObject({
      data: [{ first_name: '김' }],
    });
    expect(texts.contacts.join()).not.toContain(other.id);
  }
});
