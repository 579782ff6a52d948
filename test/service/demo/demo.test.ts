import { createHash } from 'node:crypto';
import sql, { raw } from 'sql-template-tag';
import { expect, test } from 'vitest';
import type { CalendarEvent } from '../../../src/contract/calendar-events.ts';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { CustomField } from '../../../src/contract/custom-fields.ts';
import type { Entry } from '../../../src/contract/entries.ts';
import { dataTypes } from '../../../src/contract/field-types.ts';
import type { ValueMap } from '../../../src/contract/fields.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { List } from '../../../src/contract/lists.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import type { Recording } from '../../../src/contract/recordings.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { ids } from '../../../src/service/db/ids.ts';
import { openDatabase } from '../../../src/service/db/sqlite/open-workspace.ts';
import { fillSample } from '../../../src/service/demo/fill.ts';
import { buildTranscript, measureDuration } from '../../../src/service/demo/meetings.ts';
import { createSampleWorkspace } from '../../support/kith.ts';
import { openTestWorkspace } from '../service.ts';

/** Opens a copy of the sample; `all` reads a whole list of it. */
async function openSample() {
  const workspace = await openTestWorkspace(createSampleWorkspace());
  const all = async <T>(noun: string) => {
    const { data, pagination } = await workspace.sendOk<Page<T>>(`GET /v1/${noun}?first=500`);
    expect(pagination).toEqual({ end_cursor: data.length, has_next_page: false, total_count: data.length });
    return data;
  };
  const readRecordings = async (events: readonly CalendarEvent[]) => {
    const recordingIds = events.flatMap(({ recordings }) => recordings.map(({ id }) => id));
    const responses = recordingIds.map((id) =>
      workspace.sendOk<{ data: Recording }>(`GET /v1/recordings/${id}`),
    );
    return (await Promise.all(responses)).map(({ data }) => data);
  };
  return { ...workspace, all, readRecordings };
}

test('the sample has the documented number of records', async () => {
  const { all } = await openSample();
  const lists = await all<List>('lists');
  const entries = await Promise.all(lists.map(({ id }) => all<Entry>(`lists/${id}/entries`)));
  const inProcesses = entries.filter((_, index) => lists[index]?.process).flat();
  expect({
    organizations: (await all('organizations')).length,
    contacts: (await all('contacts')).length,
    lists: lists.filter(({ process }) => !process).length,
    processes: lists.filter(({ process }) => process).length,
    entriesOfProcesses: inProcesses.length,
    meetings: (await all('calendar_events')).length,
  }).toEqual({
    organizations: 40,
    contacts: 150,
    lists: 2,
    processes: 2,
    entriesOfProcesses: 120,
    meetings: 36,
  });
  expect(entries.map(({ length }) => length > 0)).toEqual([true, true, true, true]);
});

test('the sample has custom fields of all nine types, each with values', async () => {
  const { all } = await openSample();
  const fields = await all<CustomField>('custom_fields');
  const listTypes = (maps: readonly ValueMap[]) =>
    new Set(
      maps
        .flatMap((map) => Object.values(map))
        .filter(({ value }) => value !== null)
        .map(({ data_type }) => data_type),
    );
  const records = [...(await all<Contact>('contacts')), ...(await all<Organization>('organizations'))];
  const sorted = [...dataTypes].sort();
  expect([...new Set(fields.map(({ data_type }) => data_type))].sort()).toEqual(sorted);
  expect([...listTypes(records.map(({ custom_fields }) => custom_fields))].sort()).toEqual(sorted);
});

test('the names use four scripts, and some contacts have several emails and phone numbers', async () => {
  const { all } = await openSample();
  const contacts = await all<Contact>('contacts');
  const names = contacts.map(({ first_name, last_name }) => `${first_name ?? ''}${last_name ?? ''}`);
  const scripts = {
    Latin: /\p{sc=Latn}/u,
    Korean: /\p{sc=Hang}/u,
    Japanese: /\p{sc=Hira}|\p{sc=Kana}|\p{sc=Han}/u,
    Arabic: /\p{sc=Arab}/u,
  };
  const missing = Object.entries(scripts).filter(([, script]) => !names.some((name) => script.test(name)));
  expect(missing).toEqual([]);
  expect(contacts.some(({ emails }) => emails.length > 1)).toBe(true);
  expect(contacts.some(({ phone_numbers }) => phone_numbers.length > 1)).toBe(true);
});

test('an entry has closed_at if and only if its status is won or lost, and keys are sequential', async () => {
  const { all } = await openSample();
  for (const { id, identifier, statuses = [] } of (await all<List>('lists')).filter(
    ({ process }) => process,
  )) {
    const entries = await all<Entry>(`lists/${id}/entries`);
    expect(entries.map(({ key }) => key)).toEqual(entries.map((_, index) => `${identifier}-${index + 1}`));
    const invalidEntries = entries.filter(({ status, closed_at = null, created_at }) => {
      const isOpen = statuses.find(({ name }) => name === status)?.type === 'active';
      return isOpen ? closed_at !== null : closed_at === null || closed_at <= created_at;
    });
    expect(invalidEntries).toEqual([]);
    expect(new Set(entries.map(({ status }) => status))).toEqual(new Set(statuses.map(({ name }) => name)));
  }
});

test('the meetings span six months, latest first, each with a contact of the sample as attendee', async () => {
  const { all } = await openSample();
  const events = await all<CalendarEvent>('calendar_events');
  const startTimes = events.map(({ start_at }) => Date.parse(start_at));
  expect(startTimes).toEqual([...startTimes].sort((one, other) => other - one));
  const days = ((startTimes[0] ?? 0) - (startTimes.at(-1) ?? 0)) / 86_400_000;
  expect(Math.round(days / 30.4)).toBe(6);
  const knownEmails = new Set((await all<Contact>('contacts')).flatMap(({ emails }) => emails));
  expect(events.filter(({ attendees }) => !attendees.some(({ email }) => knownEmails.has(email)))).toEqual(
    [],
  );
});

test('a second recording is still processing, and a 37th meeting without a completed one is hidden', async () => {
  const { all, call, db, sendOk } = await openSample();
  const events = await all<CalendarEvent>('calendar_events');
  const statuses = events.map(({ recordings }) => recordings.map(({ status }) => status).join());
  expect(statuses.toSorted()).toEqual([...Array(35).fill('done'), 'done,processing']);
  const rows = await db.all<{ id: number }>(sql`select id from calendar_event`);
  const listedIds = new Set(events.map(({ id }) => id));
  const hiddenIds = rows.map(({ id }) => id).filter((id) => !listedIds.has(ids.calendarEvent.encode(id)));
  expect([rows.length, hiddenIds.length]).toEqual([37, 1]);
  const hiddenRecordings = await db.all<{ status: string }>(
    sql`select status from recording where calendar_event_id = ${hiddenIds[0] ?? 0}`,
  );
  expect(hiddenRecordings.map(({ status }) => status)).toEqual(['processing']);
  expect((await call(`GET /v1/calendar_events/${ids.calendarEvent.encode(hiddenIds[0] ?? 0)}`)).status).toBe(
    404,
  );
  const second = events.flatMap(({ recordings }) => recordings).find(({ status }) => status === 'processing');
  expect(await sendOk(`GET /v1/recordings/${second?.id}`)).toMatchObject({
    data: { ended_at: second?.started_at, audio_duration: null, summary: null, transcript: null },
  });
});

test('each completed recording has several speakers, and every word follows the previous one', async () => {
  const { all, readRecordings } = await openSample();
  const finishedRecordings = (await readRecordings(await all<CalendarEvent>('calendar_events'))).filter(
    ({ status }) => status === 'done',
  );
  const problems = finishedRecordings.flatMap(
    ({ id, audio_duration, started_at, ended_at, summary, transcript }) => {
      const utterances = transcript ?? [];
      const times = utterances.flatMap(({ words }) =>
        words.flatMap(({ start_timestamp, end_timestamp }) => [
          start_timestamp.relative,
          end_timestamp.relative,
        ]),
      );
      const checks = {
        words: utterances.every(
          ({ words }) => words.length > 0 && words.every(({ text }) => text.trim() !== ''),
        ),
        speakers: new Set(utterances.map(({ participant }) => participant.name)).size > 1,
        times: times.every((time, index) => time > (times[index - 1] ?? 0)),
        length: (audio_duration ?? 0) >= (times.at(-1) ?? 0),
        ended: Date.parse(ended_at ?? '') - Date.parse(started_at) === (audio_duration ?? 0) * 1000,
        language: utterances.every(({ language_code }) => language_code === summary?.detected_language),
        summary: summary?.summary !== '' && (summary?.topics.length ?? 0) > 0,
      };
      return Object.entries(checks).flatMap(([name, isValid]) => (isValid ? [] : [`${id}: ${name}`]));
    },
  );
  expect([finishedRecordings.length, problems]).toEqual([36, []]);
});

test('the meetings use eight languages', async () => {
  const { all, readRecordings } = await openSample();
  const languages = (await readRecordings(await all<CalendarEvent>('calendar_events'))).flatMap(
    ({ summary }) => (summary ? [summary.detected_language] : []),
  );
  expect([...new Set(languages)].sort()).toEqual(['ar', 'de', 'en', 'es', 'fr', 'ja', 'ko', 'pt']);
});

const stripIdentity = (rows: unknown) =>
  JSON.stringify(rows, (key, value) => (key === 'identity' ? undefined : value));

/** Returns a hash of each table, without the id of the workspace. */
async function hashTables(db: Database) {
  const schema = await db.all<{ name: string }>(
    sql`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
  );
  const tables = schema.map(({ name }) => name);
  const rows = await Promise.all(tables.map((table) => db.all(sql`select * from ${raw(table)}`)));
  const digests = rows.map((rows) => createHash('sha256').update(stripIdentity(rows)).digest('hex'));
  return Object.fromEntries(tables.map((table, index) => [table, digests[index]]));
}

test('creates the same sample every time, and only once per workspace', async () => {
  const { db } = await openSample();
  const other = openDatabase(':memory:');
  expect(await fillSample(other)).toEqual({ filled: true });
  const digests = await hashTables(other);
  expect(digests).toEqual(await hashTables(db));
  expect(await fillSample(other)).toEqual({ filled: false });
  expect(await hashTables(other)).toEqual(digests);
  other.close();
});

test('refuses to fill a workspace that has records', async () => {
  const { db, sendOk } = await openTestWorkspace();
  await sendOk('POST /v1/contacts', { first_name: 'Ada' });
  await expect(fillSample(db)).rejects.toMatchObject({ code: 'usage' });
  expect((await sendOk<Page<Contact>>('GET /v1/contacts')).pagination.total_count).toBe(1);
});

test.each([
  ['en', 'Good morning, Mina. Ready?', ['Good', 'morning,', 'Mina.', 'Ready?']],
  ['ko', '안녕하세요, 지우 님.', ['안녕하세요,', '지우', '님.']],
  ['ja', '冷蔵庫は、静かです。', ['冷蔵庫は、', '静かです。']],
  ['ar', 'صباح الخير، يا منى', ['صباح', 'الخير،', 'يا', 'منى']],
])('splits an utterance in %s into words', (language, text, words) => {
  const transcript = buildTranscript([{ Ada: text }], language);
  expect(transcript.map((turn) => turn.words.map((word) => word.text))).toEqual([words]);
});

test('times words by their letters and pauses by their punctuation', () => {
  const transcript = buildTranscript([{ Ada: 'Yes, no.' }, { Bob: 'Oh' }], 'en');
  const times = transcript.flatMap(({ words }) =>
    words.map(({ start_timestamp, end_timestamp }) => [start_timestamp.relative, end_timestamp.relative]),
  );
  expect(times).toEqual([
    [1.2, 1.466],
    [1.686, 1.89],
    [3.09, 3.294],
  ]);
  expect(measureDuration(transcript)).toBe(4);
});
