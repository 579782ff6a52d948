import type { Selectable } from 'kysely';
import type { CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import { type Input, type Page, pageSize } from '../../contract/grammar.ts';
import { type Database, textOf } from '../db/database.ts';
import type { Ids } from '../db/hashids.ts';
import { ids } from '../db/ids.ts';
import { buildPage, countBefore, locateOffset } from '../db/page.ts';
import { fitRows, readingBytesOfRows } from '../db/page-bytes.ts';
import { belonging, reading } from '../db/reading.ts';
import { only } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { readEventRecordings } from '../recordings/recordings.ts';

type EventRow = Omit<Selectable<Tables['calendar_event']>, 'source' | 'shown'>;

/** Specification, 2.8 and 4.7. */
export function calendarEventHandlers({ db }: Deps): Handlers<'calendarEvents'> {
  return {
    list(input) {
      const { updated_after, contact_id, organization_id } = input;
      const isFiltered = [updated_after, contact_id, organization_id].some((filter) => filter !== undefined);
      return isFiltered ? filteredPage(db, input) : pageInTime(db, input);
    },
    async get({ id }) {
      const key = ids.calendarEvent.decode(id) ?? -1;
      const rows = await rowById(db, key);
      if (rows.length === 0) throw new Failure('not_found', `No calendar event has the id "${id}".`);
      return only(await eventRecords(db, rows));
    },
  };
}

type Filters = Input<typeof calendarEvents.list>;

/** Milliseconds in a block of the tally of events; the latest blocks come first. */
const span = 2 ** 26;
const scope = 'calendar_event';

const columns = [
  'id',
  'title',
  'start_at',
  'end_at',
  'starts_at',
  'conference_link',
  'conference_type',
  'created_at',
  'updated_at',
] as const;

const rowById = reading('calendar_event', columns, 'where shown = 1 and id = ?', (id: number) => [id]);

const rowsBefore = reading(
  'calendar_event',
  columns,
  'where shown = 1 and starts_at < ? order by starts_at desc, id limit ? offset ?',
  (moment: number, limit: number, offset: number) => [moment, limit, offset],
);

const countBytes = readingBytesOfRows({
  table: 'calendar_event',
  columns: ['title', 'start_at', 'end_at', 'conference_link', 'conference_type'],
  parts: [['calendar_event_attendee', 'calendar_event_id', ['email']]],
});

const counted = (where: string) => `select cast(count(*) as text) as text from calendar_event where ${where}`;
const countBetween = counted('shown = 1 and starts_at >= ? and starts_at < ?');

/** Where only times of start are asked for, the events follow one another: the tally says where, at any length. */
async function pageInTime(db: Database, filters: Filters): Promise<Page<CalendarEvent>> {
  const { first = pageSize.default, after = 0, starts_after, starts_before } = filters;
  const begin = starts_before === undefined ? 0 : await countFrom(db, starts_before * 1000);
  const { total: all, position } = await locateOffset(db, scope, begin + after);
  const end = starts_after === undefined ? all : await countFrom(db, starts_after * 1000);
  const total = Math.max(0, end - begin);
  const limit = Math.min(first, total - after);
  if (!position || limit <= 0) return buildPage(after, total, []);
  const rows = await rowsBefore(db, (1 - position.block) * span, limit, position.offset);
  return buildPage(after, total, await eventRecords(db, await fitRows(db, rows, countBytes)));
}

/** How many events start at a moment or later. */
async function countFrom(db: Database, moment: number): Promise<number> {
  const block = -Math.floor(moment / span);
  const events = Number(await textOf(db, countBetween, [moment, (1 - block) * span]));
  return (await countBefore(db, scope, block)) + events;
}

/** What passes the other filters has to be counted: this costs as much as events pass. */
async function filteredPage(db: Database, filters: Filters): Promise<Page<CalendarEvent>> {
  const { first = pageSize.default, after = 0, updated_after } = filters;
  const { where, values } = shown(filters, 'updated_at');
  const total = Number(await textOf(db, counted(where), values));
  // Few are found and then put in order; of very many the page is met sooner by going through the order.
  const isWalked =
    updated_after !== undefined && (after + first) * (await locateOffset(db, scope, 0)).total < total * total;
  // SQLite takes no index for what has a plus sign.
  const found = isWalked
    ? `${shown(filters, '+updated_at').where} order by starts_at desc`
    : `${where} order by +starts_at desc`;
  const page = reading('calendar_event', columns, `where ${found}, id limit ? offset ?`, () => [
    ...values,
    first,
    after,
  ]);
  return buildPage(after, total, await eventRecords(db, await fitRows(db, await page(db), countBytes)));
}

/** The events that are shown, those with a completed recording, and pass the filters; each value has a `?`. */
function shown(
  filters: Filters,
  updatedAt: 'updated_at' | '+updated_at',
): { where: string; values: number[] } {
  const { updated_after, starts_after, starts_before, contact_id, organization_id } = filters;
  const attended = 'select calendar_event_id from calendar_event_attendee join contact_email using (folded)';
  const conditions = [
    { sql: `${updatedAt} > ?`, value: milliseconds(updated_after) },
    { sql: 'starts_at >= ?', value: milliseconds(starts_after) },
    { sql: 'starts_at < ?', value: milliseconds(starts_before) },
    { sql: `id in (${attended} where contact_id = ?)`, value: rowOf(ids.contact, contact_id) },
    {
      sql: `id in (${attended} join contact on contact.id = contact_id where organization_id = ?)`,
      value: rowOf(ids.organization, organization_id),
    },
  ];
  const given = conditions.flatMap(({ sql, value }) => (value === undefined ? [] : [{ sql, value }]));
  return {
    // Written out: only so does SQLite know that the indexes of shown events serve.
    where: ['shown = 1', ...given.map(({ sql }) => sql)].join(' and '),
    values: given.map(({ value }) => value),
  };
}

const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

/** The row of an id that is filtered by; no record has the row -1. */
const rowOf = ({ decode }: Ids, id: string | undefined) =>
  id === undefined ? undefined : (decode(id) ?? -1);

const attendeesOf = belonging('calendar_event_attendee', 'calendar_event_id', ['email'], ['position']);

async function eventRecords(db: Database, rows: readonly EventRow[]): Promise<CalendarEvent[]> {
  if (rows.length === 0) return [];
  const keys = rows.map(({ id }) => id);
  const attendees = await attendeesOf(db, keys);
  const recordings = await readEventRecordings(db, keys);
  return rows.map((row) => ({
    id: ids.calendarEvent.encode(row.id),
    title: row.title,
    start_at: row.start_at,
    end_at: row.end_at,
    conference_link: row.conference_link ?? '',
    conference_type: row.conference_type ?? '',
    attendees: attendees(row.id).map(({ email }) => ({ email })),
    recordings: recordings(row.id),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }));
}
