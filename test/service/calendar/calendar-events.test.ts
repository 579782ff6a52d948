import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { CalendarEvent } from '../../../src/contract/calendar-events.ts';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import type { Recording } from '../../../src/contract/recordings.ts';
import { type MeetingRecording, storeMeeting } from '../../../src/service/calendar/store-meetings.ts';
import { createPage } from '../../client/loopback.ts';
import { test } from '../engines.ts';
import { anyId, openTestWorkspace } from '../service.ts';

const summary = {
  summary: 'All went well.',
  topics: [{ title: 'Doors', content: 'One stays open.' }],
  action_items: ['Close the door'],
  detected_language: 'en',
};
const transcript = [
  {
    participant: { name: 'Ada' },
    words: [{ text: 'Hello.', start_timestamp: { relative: 1.2 }, end_timestamp: { relative: 1.65 } }],
    language_code: 'en',
  },
];

/** Creates a recording of the meeting on a day. */
function createRecording(status: MeetingRecording['status'], day: string): MeetingRecording {
  const isDone = status === 'done';
  return {
    status,
    started_at: Date.parse(`${day}T08:00:40Z`),
    ended_at: isDone ? Date.parse(`${day}T08:30:00Z`) : null,
    audio_duration: isDone ? 1760 : null,
    summary: isDone ? summary : null,
    transcript: isDone ? transcript : null,
  };
}

/** Creates a workspace with a meeting on each day. */
async function createMeetings(
  meetings: readonly { day: string; attendees?: string[]; recordings?: MeetingRecording[]; start?: string }[],
) {
  const workspace = await openTestWorkspace();
  for (const { day, attendees = [], recordings = [createRecording('done', day)], start } of meetings) {
    await storeMeeting(
      workspace.db,
      {
        source: null,
        title: day,
        start_at: start ?? `${day}T10:00:00.000+02:00`,
        end_at: `${day}T10:30:00.000+02:00`,
        conference_link: null,
        conference_type: null,
        attendees,
      },
      recordings,
      { created_at: Date.parse(`${day}T00:00:00Z`), updated_at: Date.parse(`${day}T09:00:00Z`) },
    );
  }
  /** Returns the titles on a page. */
  const readTitles = async (query = '') => {
    const { data } = await workspace.sendOk<Page<CalendarEvent>>(`GET /v1/calendar_events${query}`);
    return data.map(({ title }) => title);
  };
  return { ...workspace, readTitles };
}

test('returns a meeting with its recordings, without summary and transcript', async () => {
  const day = '2026-05-04';
  const { sendOk, db } = await createMeetings([{ day, attendees: ['Ada@Example.com', 'b@example.com'] }]);
  await db.run(
    sql`update calendar_event set conference_link = 'https://z.example/1', conference_type = 'Zoom'`,
  );
  const record = {
    id: anyId,
    title: day,
    start_at: '2026-05-04T10:00:00.000+02:00',
    end_at: '2026-05-04T10:30:00.000+02:00',
    conference_link: 'https://z.example/1',
    conference_type: 'Zoom',
    attendees: [{ email: 'Ada@Example.com' }, { email: 'b@example.com' }],
    recordings: [
      {
        id: anyId,
        status: 'done',
        started_at: '2026-05-04T08:00:40.000Z',
        ended_at: '2026-05-04T08:30:00.000Z',
        audio_duration: 1760,
      },
    ],
    created_at: '2026-05-04T00:00:00.000Z',
    updated_at: '2026-05-04T09:00:00.000Z',
  };
  const list = await sendOk<Page<CalendarEvent>>('GET /v1/calendar_events');
  expect(list).toEqual(createPage([record]));
  expect(await sendOk(`GET /v1/calendar_events/${list.data[0]?.id}`)).toEqual(list.data[0]);
});

test('returns no null in a list: a recording that is processing ends after its duration so far', async () => {
  const day = '2026-05-04';
  const processing = { ...createRecording('processing', day), audio_duration: 90.5 };
  const { sendOk } = await createMeetings([{ day, recordings: [createRecording('done', day), processing] }]);
  expect(await sendOk('GET /v1/calendar_events')).toMatchObject({
    data: [
      {
        conference_link: '',
        conference_type: '',
        recordings: [
          { status: 'done', ended_at: '2026-05-04T08:30:00.000Z' },
          { status: 'processing', ended_at: '2026-05-04T08:02:10.500Z' },
        ],
      },
    ],
  });
});

test.each<[MeetingRecording['status'][], boolean]>([
  [[], false],
  [['processing'], false],
  [['failed'], false],
  [['failed', 'processing'], false],
  [['done'], true],
  [['processing', 'done', 'failed'], true],
])('returns a meeting whose recordings are %j: %s', async (statuses, isListed) => {
  const day = '2026-05-04';
  const { call, sendOk, db } = await createMeetings([
    { day, recordings: statuses.map((status) => createRecording(status, day)) },
  ]);
  const { data } = await sendOk<Page<CalendarEvent>>('GET /v1/calendar_events');
  expect(data.map(({ recordings }) => recordings.map(({ status }) => status))).toEqual(
    isListed ? [statuses] : [],
  );
  await db.run(sql`delete from recording where status = 'done'`);
  for (const { id } of data) expect((await call(`GET /v1/calendar_events/${id}`)).status).toBe(404);
});

test('sorts meetings by the moment they start, latest first, then by id', async () => {
  const { readTitles } = await createMeetings([
    { day: '2026-05-04' },
    { day: '2026-05-06', start: '2026-05-06T01:00:00.000+09:00' },
    { day: '2026-05-05', start: '2026-05-05T23:00:00.000-07:00' },
    { day: '2026-05-03', start: '2026-05-04T08:00:00.000Z' },
  ]);
  expect(await readTitles()).toEqual(['2026-05-05', '2026-05-06', '2026-05-04', '2026-05-03']);
});

const toSeconds = (text: string) => Date.parse(text) / 1000;

test('filters and pages meetings', async () => {
  const days = ['04', '05', '06', '07'];
  // The meeting of a day starts at 08:00Z and was updated at 09:00Z.
  const { readTitles } = await createMeetings(days.map((day) => ({ day: `2026-05-${day}` })));
  const at = (time: string) => toSeconds(`2026-05-${time}Z`);
  const rows: readonly (readonly [query: string, ...days: string[]])[] = [
    [`?starts_after=${at('05T08:00:00')}`, '07', '06', '05'],
    [`?starts_after=${at('05T08:00:01')}`, '07', '06'],
    [`?starts_before=${at('05T08:00:00')}`, '04'],
    [`?starts_before=${at('05T08:00:01')}`, '05', '04'],
    [`?updated_after=${at('05T09:00:00')}`, '07', '06'],
    [`?updated_after=${at('05T08:59:59')}`, '07', '06', '05'],
    [`?starts_after=${at('05T00:00:00')}&starts_before=${at('07T00:00:00')}`, '06', '05'],
    ['?first=2', '07', '06'],
    ['?first=2&after=2', '05', '04'],
    [`?first=1&after=1&starts_before=${at('07T00:00:00')}`, '05'],
  ];
  for (const [query, ...expected] of rows)
    expect([query, await readTitles(query)]).toEqual([query, expected.map((day) => `2026-05-${day}`)]);
});

test('counts the listed meetings that pass the filters', async () => {
  const days = Array.from({ length: 28 }, (_, index) => `2026-05-${String(index + 1).padStart(2, '0')}`);
  const hiddenEvent = { day: '2026-06-01', recordings: [createRecording('processing', '2026-06-01')] };
  const { sendOk } = await createMeetings([...days.map((day) => ({ day })), hiddenEvent]);
  const pages = await Promise.all(
    ['', '?after=25', `?starts_before=${toSeconds('2026-05-11T00:00:00Z')}&first=4`].map((query) =>
      sendOk<Page<CalendarEvent>>(`GET /v1/calendar_events${query}`),
    ),
  );
  expect(pages.map(({ data, pagination }) => [data.length, pagination])).toEqual([
    [25, { end_cursor: 25, has_next_page: true, total_count: 28 }],
    [3, { end_cursor: 28, has_next_page: false, total_count: 28 }],
    [4, { end_cursor: 4, has_next_page: true, total_count: 10 }],
  ]);
});

test('finds meetings by any email of a contact, ignoring case, and by the contacts of an organization', async () => {
  const { sendOk, readTitles } = await createMeetings([
    { day: '2026-05-04', attendees: ['ADA@example.com', 'grace@example.com'] },
    { day: '2026-05-05', attendees: ['second@example.com', 'ada@example.com'] },
    { day: '2026-05-06', attendees: ['nobody@example.com'] },
    { day: '2026-05-07', attendees: ['grace@example.com'] },
    {
      day: '2026-05-08',
      attendees: ['ada@example.com'],
      recordings: [createRecording('processing', '2026-05-08')],
    },
  ]);
  const acme = await sendOk<Organization>('POST /v1/organizations', { name: 'Acme' });
  const other = await sendOk<Organization>('POST /v1/organizations', { name: 'Other' });
  const organization_id = acme.id;
  const ada = await sendOk<Contact>('POST /v1/contacts', {
    emails: ['Ada@Example.com', 'second@example.com'],
    organization_id,
  });
  const grace = await sendOk<Contact>('POST /v1/contacts', {
    emails: ['grace@example.com'],
    organization_id,
  });
  const daysByQuery = await Promise.all(
    [
      `contact_id=${ada.id}`,
      `contact_id=${grace.id}`,
      `organization_id=${acme.id}`,
      `organization_id=${other.id}`,
      `organization_id=${acme.id}&contact_id=${ada.id}`,
      `organization_id=${other.id}&contact_id=${ada.id}`,
    ].map((query) => readTitles(`?${query}`)),
  );
  expect(daysByQuery.map((days) => days.map((day) => day.slice(-2)))).toEqual([
    ['05', '04'],
    ['07', '04'],
    ['07', '05', '04'],
    [],
    ['05', '04'],
    [],
  ]);
});

test.each<[MeetingRecording['status'], object]>([
  ['done', { ended_at: '2026-05-04T08:30:00.000Z', audio_duration: 1760, summary, transcript }],
  [
    'processing',
    { ended_at: '2026-05-04T08:00:40.000Z', audio_duration: null, summary: null, transcript: null },
  ],
  ['failed', { ended_at: '2026-05-04T08:00:40.000Z', audio_duration: null, summary: null, transcript: null }],
])('returns a recording that is %s', async (status, expected) => {
  const day = '2026-05-04';
  const { sendOk } = await createMeetings([
    { day, recordings: [createRecording('done', day), createRecording(status, day)] },
  ]);
  const { data } = await sendOk<Page<CalendarEvent>>('GET /v1/calendar_events');
  const id = data[0]?.recordings[1]?.id;
  expect(await sendOk(`GET /v1/recordings/${id}`)).toEqual({
    data: {
      id,
      calendar_event_id: data[0]?.id,
      status,
      started_at: '2026-05-04T08:00:40.000Z',
      created_at: '2026-05-04T08:00:40.000Z',
      updated_at: '2026-05-04T09:00:00.000Z',
      ...expected,
    },
  });
});

test('hides summary and transcript until the recording is done', async () => {
  const day = '2026-05-04';
  const { db, sendOk } = await createMeetings([{ day }]);
  const { data } = await sendOk<Page<CalendarEvent>>('GET /v1/calendar_events');
  const path = `/v1/recordings/${data[0]?.recordings[0]?.id}`;
  const finished = await sendOk<{ data: Recording }>(`GET ${path}`);
  await db.run(sql`update recording set status = 'processing'`);
  expect(await sendOk(`GET ${path}`)).toEqual({
    data: { ...finished.data, status: 'processing', summary: null, transcript: null },
  });
});

test('keeps all digits of the duration of a recording', async () => {
  const day = '2026-05-04';
  const lengths = [0, 1760, 0.1 + 0.2, 2048.0000000000005, 1234.5678901234567, 1e-7];
  const recordings = lengths.map((audio_duration) => ({ ...createRecording('done', day), audio_duration }));
  const { sendOk } = await createMeetings([{ day, recordings }]);
  const { data } = await sendOk<Page<CalendarEvent>>('GET /v1/calendar_events');
  expect(data[0]?.recordings.map(({ audio_duration }) => audio_duration)).toEqual(lengths);
});
