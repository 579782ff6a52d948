import sql, { join, type Sql } from 'sql-template-tag';
import type { CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import { type Input, pageSize } from '../../contract/grammar.ts';
import { quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { decodeId, type Encoders } from '../db/foreign-ids.ts';
import { countBefore, fillPage, locateOffset } from '../db/page.ts';
import { createRecordReader, type ReadRows } from '../db/record-reader.ts';
import { getOnly } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { readEventRecordings } from '../recordings/recordings.ts';

/** Returns the handlers of calendar events (specification, 2.8 and 4.7). */
export function calendarEventHandlers({ db }: Deps): Handlers<'calendarEvents'> {
  return {
    list(input) {
      const { updated_after, contact_id, organization_id } = input;
      const isByTime = [updated_after, contact_id, organization_id].every((filter) => filter === undefined);
      return db.snapshot((db) => (isByTime ? readPageByTime(db, input) : readFilteredPage(db, input)));
    },
    get: ({ id }) =>
      db.snapshot(async (db) => {
        const [event] = await eventReader.readById(db, id);
        if (!event) throw new Failure('not_found', `No calendar event has the id ${quote(id)}.`);
        return event;
      }),
  };
}

type Filters = Input<typeof calendarEvents.list>;

/** Milliseconds in a block of the tally of events; the latest blocks come first. */
const blockLength = 2 ** 26;
const tallyScope = 'calendar_event';

async function countRows(db: Database, condition: Sql): Promise<number> {
  const countQuery = sql`select count(*) as count from calendar_event where ${condition}`;
  return getOnly(await db.all<{ count: number }>(countQuery)).count;
}

/** Returns a page of the meetings in a time range. The tally locates it, so that a deep page costs no more than the first. */
async function readPageByTime(db: Database, filters: Filters) {
  const { first = pageSize.default, after = 0, starts_after, starts_before } = filters;
  const begin = starts_before === undefined ? 0 : await countFrom(db, starts_before * 1000);
  const { total: all, position } = await locateOffset(db, tallyScope, begin + after);
  const end = starts_after === undefined ? all : await countFrom(db, starts_after * 1000);
  const total = Math.max(0, end - begin);
  const limit = Math.min(first, total - after);
  if (!position || limit <= 0) return fillPage(after, total, eventReader.readIds(db, []));
  const latest = (1 - position.block) * blockLength;
  const selection = sql`shown and starts_at < ${latest}
    order by starts_at desc, id limit ${limit} offset ${position.offset}`;
  return readPage(db, after, total, selection);
}

/** Counts the events that start at or after a time in milliseconds. */
async function countFrom(db: Database, moment: number): Promise<number> {
  const block = -Math.floor(moment / blockLength);
  const inBlock = sql`shown and starts_at >= ${moment} and starts_at < ${(1 - block) * blockLength}`;
  return (await countBefore(db, tallyScope, block)) + (await countRows(db, inBlock));
}

/**
 * Returns a page of the meetings that match all filters. The cost grows with their number, because they are counted.
 */
async function readFilteredPage(db: Database, filters: Filters) {
  const { first = pageSize.default, after = 0, updated_after } = filters;
  const attendees = await decodeAttendees(db, filters);
  const condition = buildCondition(filters, attendees, sql`updated_at`);
  const total = await countRows(db, condition);
  // A few matches are read and sorted. If there are many, reading in order by start reaches the page sooner.
  const isReadInOrder =
    updated_after !== undefined &&
    (after + first) * (await locateOffset(db, tallyScope, 0)).total < total * total;
  // A plus sign keeps SQLite from using the index of a column.
  const order = isReadInOrder
    ? sql`${buildCondition(filters, attendees, sql`+updated_at`)} order by starts_at desc`
    : sql`${condition} order by +starts_at desc`;
  return readPage(db, after, total, sql`${order}, id limit ${first} offset ${after}`);
}

/** The rows of the contact and the organization to filter by: undefined without a filter, null if the id is not known. */
interface AttendeeRows {
  readonly contact: number | null | undefined;
  readonly organization: number | null | undefined;
}

async function decodeAttendees(db: Database, filters: Filters): Promise<AttendeeRows> {
  const decode = async (resource: 'contact' | 'organization', id: string | undefined) =>
    id === undefined ? undefined : ((await decodeId(db, resource, id)) ?? null);
  return {
    contact: await decode('contact', filters.contact_id),
    organization: await decode('organization', filters.organization_id),
  };
}

function buildCondition(filters: Filters, { contact, organization }: AttendeeRows, updatedAt: Sql): Sql {
  const { updated_after, starts_after, starts_before } = filters;
  const attended = sql`select calendar_event_id from calendar_event_attendee join contact_email using (folded)`;
  const conditions = [sql`shown`];
  if (updated_after !== undefined) conditions.push(sql`${updatedAt} > ${updated_after * 1000}`);
  if (starts_after !== undefined) conditions.push(sql`starts_at >= ${starts_after * 1000}`);
  if (starts_before !== undefined) conditions.push(sql`starts_at < ${starts_before * 1000}`);
  if (contact !== undefined) conditions.push(sql`id in (${attended} where contact_id = ${contact})`);
  if (organization !== undefined) {
    conditions.push(sql`id in (${attended} join contact on contact.id = contact_id
      where organization_id = ${organization})`);
  }
  return join(conditions, ' and ');
}

/** Reads a page of events. `selection` is a condition, followed by the order and the window of the page. */
async function readPage(db: Database, after: number, total: number, selection: Sql) {
  const rows = await db.all<{ id: number }>(sql`select id from calendar_event where ${selection}`);
  const rowIds = rows.map(({ id }) => id);
  return fillPage(after, total, eventReader.readIds(db, rowIds));
}

type EventRow = Row<'calendar_event'> & { readonly attendees: string[] };

export const eventReader = createRecordReader<EventRow>({
  table: 'calendar_event',
  resource: 'calendarEvent',
  columns: [
    ...['id', 'title', 'start_at', 'end_at', 'starts_at', 'conference_link', 'conference_type', 'shown'],
    ...['created_at', 'updated_at'],
  ],
  parts: {
    attendees: {
      table: 'calendar_event_attendee',
      owner: 'calendar_event_id',
      columns: ['email'],
      order: 'position',
    },
  },
})(buildEvents);

/** Builds events for lists. */
async function buildEvents(
  { rows }: ReadRows<EventRow, never>,
  ids: Encoders,
  db: Database,
): Promise<CalendarEvent[]> {
  const shownRows = rows.filter(({ shown }) => shown === 1);
  if (shownRows.length === 0) return [];
  const findRecordings = await readEventRecordings(
    db,
    shownRows.map(({ id }) => id),
  );
  return shownRows.map((row) => ({
    id: ids.calendarEvent.encode(row.id),
    title: row.title,
    start_at: row.start_at,
    end_at: row.end_at,
    conference_link: row.conference_link ?? '',
    conference_type: row.conference_type ?? '',
    attendees: row.attendees.map((email) => ({ email })),
    recordings: findRecordings(row.id, ids),
    ...formatStamps(row),
  }));
}
