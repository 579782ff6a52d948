import sql, { raw } from 'sql-template-tag';
import { type MeetingRecording, storeMeeting } from '../../src/service/calendar/store-meetings.ts';
import type { Database } from '../../src/service/db/database.ts';
import { withWorkspace } from '../../src/service/db/open.ts';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import { fillSample } from '../../src/service/demo/fill.ts';
import { isDatabaseUrl } from '../../src/values/database-url.ts';

/** The time at which the records of a filled workspace were created, and the latest event was updated. */
export const time = Date.UTC(2026, 4, 4);
const tenYears = 10 * 365.25 * 86_400_000;

/** Returns the email address of the contact in a row. */
export const getEmail = (row: number): string =>
  `${(Math.imul(row, 2_654_435_761) >>> 0).toString(16)}@example.com`;

/** Returns the national phone number of the contact in a row. */
export const getPhone = (row: number): string => String(2_012_000_000 + row * 7);

// The same in SQL, for the row `i`.
const emailNumber = '(i * 2654435761) & 4294967295';
const phone = '(2012000000 + i * 7)';
const stamps = `${time} + i, ${time} + i`;

/** Returns the tables of contacts with the values of their row `i`. */
const buildTables = (email: string): Readonly<Record<string, string>> => ({
  'organization (name, created_at, updated_at)': `'Organization ' || i, ${stamps}`,
  'contact (first_name, last_name, organization_id, created_at, updated_at)': `'First ' || i, 'Last ' || i, i, ${stamps}`,
  'contact_email (folded, email, contact_id, position)': `${email}, ${email}, i, 0`,
  'contact_phone (contact_id, position, number, national)': `i, 0, '+1' || ${phone}, ${phone}`,
});

/** Returns the SQL for the email address of the contact in the row `i`. */
const buildEmail = (location: string) =>
  `${isDatabaseUrl(location) ? `to_hex(${emailNumber})` : `printf('%x', ${emailNumber})`} || '@example.com'`;

/**
 * Fills a workspace, a file or a PostgreSQL database, with `records` contacts. Each has an organization of its own, and
 * values of five custom fields if `hasFields` is true.
 */
export async function fillContacts(
  location: string,
  records: number,
  { hasFields = false } = {},
): Promise<void> {
  await fillTables(location, buildTables(buildEmail(location)), records);
  if (hasFields) await fillFields(location);
}

/** Custom fields: the name, the type, and the JSON of their value in the row `i`. */
const customFields = [
  ['Region', 'text', `'"Region ' || (i % 17) || '"'`],
  ['Website', 'url', `'"https://example.com/people/' || i || '"'`],
  ['Score', 'number', `'' || (i * 7 % 1000)`],
  ['Since', 'date', `'"2026-05-' || (10 + i % 20) || '"'`],
  ['Tier', 'select', `'"Gold"'`],
] as const;

/** Creates custom fields of contacts, with a value of each for every contact. */
function fillFields(location: string): Promise<void> {
  const [isSingle, type] = isDatabaseUrl(location) ? ['false', 'jsonb'] : ['0', 'text'];
  return withWorkspace(location, (db) =>
    db.transaction(async (db) => {
      for (const [index, [name, dataType, value]] of customFields.entries()) {
        const row = raw(String(index + 1));
        await db.run(sql`insert into custom_field
          (model, name, data_type, accepts_multiple_values, options, created_at, updated_at)
          values ('contact', ${name}, ${dataType}, ${raw(isSingle ?? '')}, '["Gold"]', 0, 0)`);
        await db.run(sql`insert into contact_value (record_id, field_id, value)
          select i, ${row}, cast(${raw(value)} as ${raw(type ?? '')}) from (select id as i from contact) as rows`);
      }
    }),
  );
}

/**
 * Fills a PostgreSQL database with `records` events, all attended by another contact. Without triggers, which would take
 * half an hour for a million: the statements of the migration fill their tables.
 */
export function fillEvents(location: string, records: number): Promise<void> {
  const stamp = `${time} - i * 1000`;
  const statements = [
    'set local session_replication_role = replica',
    `insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at, shown)
      select 'Event ' || i, '', '', ${time} - ${Math.floor(tenYears / records)} * i, ${stamp}, ${stamp}, true
      from generate_series(1::bigint, ${records}) as i`,
    `insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
      select id, 'done', ${time}, ${time}, ${time} from calendar_event`,
    `insert into calendar_event_attendee (calendar_event_id, position, email, folded)
      select id, 0, 'all@example.com', 'all@example.com' from calendar_event`,
    `insert into attendance select id, 'all@example.com', starts_at from calendar_event`,
    ...[
      ["'calendar_event'", 'starts_at'],
      ["'attendee:all@example.com'", 'starts_at'],
      ["'calendar_event:updated'", 'updated_at'],
    ].map(
      ([scope, moment]) => `insert into tally_block
        select ${scope}, -(${moment} >> 26), count(*) from calendar_event group by -(${moment} >> 26)`,
    ),
    `insert into tally_part select scope, block >> 6, sum(records) from tally_block
      where scope like 'calendar_event%' or scope like 'attendee:%' group by scope, block >> 6`,
    'set local session_replication_role = origin',
    `insert into contact (first_name, created_at, updated_at) values ('Everywhere', ${time}, ${time})`,
    `insert into contact_email select 'all@example.com', 'all@example.com', max(id), 0 from contact`,
  ];
  const fill = (db: Database) =>
    db.transaction(async (db) => {
      for (const statement of statements) await db.run(raw(statement));
    });
  return withWorkspace(location, fill, { statementTimeout: 3600 });
}

function fillTables(location: string, tables: Readonly<Record<string, string>>, records: number) {
  return withWorkspace(
    location,
    async (db) => {
      await db.transaction(async (db) => {
        for (const [table, columns] of Object.entries(tables)) {
          await db.run(sql`with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${raw(`${records}`)})
          insert into ${raw(table)} select ${raw(columns)} from n`);
        }
      });
      if (!isDatabaseUrl(location)) await db.run(sql`pragma wal_checkpoint(truncate)`);
    },
    { statementTimeout: 3600 },
  );
}

/**
 * Fills a workspace file with the sample, and with `contacts` contacts. For every 20 contacts, there are two
 * organizations with two notes each, two meetings with the recordings of the sample, and a deal. Meetings are two hours
 * apart.
 */
export async function fillRelationships(file: string, contacts: number): Promise<void> {
  const tenth = contacts / 10;
  const start = `${Date.now()} - i * 7200000`;
  const moment = `strftime('%Y-%m-%dT%H:%M:%S+00:00', (${start}) / 1000, 'unixepoch')`;
  const times = `${start}, ${start}`;
  const email = (row: string) => `'person' || ${row} || '@organization' || (${row} % ${tenth}) || '.example'`;
  const attendee = `calendar_event_attendee (calendar_event_id, position, email, folded)`;
  const pick = (column: string, table: string) => `(select ${column} from ${table} where id = 1 + i % 20)`;
  const find = (table: string, condition: string) => `(select id from ${table} where ${condition})`;
  const guest = email(`(i % ${tenth / 10})`);
  await withWorkspace(file, fillSample);
  await fillTables(
    file,
    {
      'organization (id, name, created_at, updated_at)': `1000 + i, 'Organization ' || i, ${times}`,
      'calendar_event (id, title, start_at, end_at, starts_at, created_at, updated_at)': `1000 + i, 'Meeting ' || i, ${moment}, ${moment}, ${start}, ${times}`,
      'recording (calendar_event_id, status, started_at, created_at, updated_at, summary, transcript)': `1000 + i, 'done', ${start}, ${times}, ${pick('summary', 'recording')}, ${pick('transcript', 'recording')}`,
      [attendee]: `1000 + i, 0, 'mina@tidewater.example', 'mina@tidewater.example'`,
    },
    tenth,
  );
  await fillTables(file, { [attendee]: `1000 + i, 1, ${guest}, ${guest}` }, tenth);
  await fillTables(
    file,
    {
      'contact (id, first_name, last_name, organization_id, created_at, updated_at)': `1000 + i, 'First ' || i, 'Last ' || i, 1001 + (i - 1) % ${tenth}, ${times}`,
      'contact_email (folded, email, contact_id, position)': `${email('i')}, ${email('i')}, 1000 + i, 0`,
    },
    contacts,
  );
  const note = {
    'note (organization_id, body, created_at, updated_at)': `1001 + (i - 1) % ${tenth}, ${pick('body', 'note')}, ${times}`,
  };
  await fillTables(file, note, tenth * 2);
  await fillTables(
    file,
    {
      'entry (id, list_id, key, entryable_organization_id, status, one_time_value_cents, created_at, updated_at)': `1000 + i, ${find('list', "identifier = 'DEAL'")}, 'DEAL-' || (1000 + i), 1000 + i, 'Negotiation', i * 100, ${times}`,
      'entry_value (record_id, field_id, value)': `1000 + i, ${find('list_field', "name = 'Expected close'")}, json_quote(date((${start}) / 1000, 'unixepoch'))`,
    },
    tenth / 2,
  );
}

const vocabulary =
  'we should look at the numbers again before the next call because customer asked about pricing and delivery on monday'.split(
    ' ',
  );

/** Returns a generator of numbers that are the same on every machine. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Returns ten minutes of a transcript: 60 utterances of 25 words, 150 words per minute. */
function createTranscript(seed: number): MeetingRecording['transcript'] {
  const random = createRandom(seed);
  return Array.from({ length: 60 }, (_, utterance) => ({
    participant: { name: utterance % 2 === 0 ? 'Ada Lovelace' : 'Grace Hopper' },
    language_code: 'en',
    words: Array.from({ length: 25 }, (_, index) => {
      const start = (utterance * 25 + index) * 0.4;
      return {
        text: vocabulary[random(vocabulary.length)] ?? '',
        start_timestamp: { relative: Number(start.toFixed(3)) },
        end_timestamp: { relative: Number((start + 0.35).toFixed(3)) },
      };
    }),
  }));
}

/** Returns a recording of ten minutes. */
export function createRecording(seed: number): MeetingRecording {
  const started_at = Date.UTC(2026, 0, 1) + seed * 3_600_000;
  const random = createRandom(seed);
  const sentence = () =>
    `${Array.from({ length: 20 }, () => vocabulary[random(vocabulary.length)]).join(' ')}.`;
  return {
    status: 'done',
    started_at,
    ended_at: started_at + 600_000,
    audio_duration: 600,
    summary: {
      summary: [sentence(), sentence(), sentence()].join(' '),
      topics: [1, 2, 3, 4].map((n) => ({ title: `Topic ${n}`, content: `${sentence()} ${sentence()}` })),
      action_items: [sentence(), sentence()],
      detected_language: 'en',
    },
    transcript: createTranscript(seed),
  };
}

/** Creates a workspace file with meetings that have a recording of ten minutes each. */
export async function fillMeetings(file: string, meetings: number): Promise<void> {
  const db = openDatabase(file);
  try {
    const at = Date.UTC(2026, 4, 4);
    await db.transaction(async (db) => {
      for (let seed = 0; seed < meetings; seed += 1) {
        const recording = createRecording(seed);
        const start = new Date(recording.started_at).toISOString().replace('Z', '+00:00');
        const event = {
          source: null,
          title: `Meeting ${seed} about ${vocabulary[seed % vocabulary.length]}`,
          start_at: start,
          end_at: start,
          conference_link: null,
          conference_type: null,
          attendees: ['ada@example.com', 'grace@example.com'],
        };
        await storeMeeting(db, event, [recording], { created_at: at, updated_at: at });
      }
    });
  } finally {
    db.close();
  }
}
