import { type Selectable, sql } from 'kysely';
import type { CalendarEvent, calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import { type Input, type Page, pageSize } from '../contract/grammar.ts';
import { type Database, textOf } from './database.ts';
import type { Deps, Handlers } from './deps.ts';
import { ids } from './ids.ts';
import { countBefore, pageAt, placeIn } from './page.ts';
import { belonging, reading } from './reading.ts';
import { recordingsOf } from './recordings.ts';
import { only } from './rows.ts';
import type { Tables } from './tables.ts';
import { timestamp } from './time.ts';

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

const countBetween =
  'select cast(count(*) as text) as text from calendar_event where shown = 1 and starts_at >= ? and starts_at < ?';

/** Where only times of start are asked for, the events follow one another: the tally says where, at any length. */
async function pageInTime(db: Database, filters: Filters): Promise<Page<CalendarEvent>> {
  const { first = pageSize.default, after = 0, starts_after, starts_before } = filters;
  const begin = starts_before === undefined ? 0 : await countFrom(db, starts_before * 1000);
  const { total: all, place } = await placeIn(db, scope, begin + after);
  const end = starts_after === undefined ? all : await countFrom(db, starts_after * 1000);
  const total = Math.max(0, end - begin);
  const limit = Math.min(first, total - after);
  if (!place || limit <= 0) return pageAt(after, total, []);
  const rows = await rowsBefore(db, (1 - place.block) * span, limit, place.offset);
  return pageAt(after, total, await eventRecords(db, rows));
}

/** How many events start at a moment or later. */
async function countFrom(db: Database, moment: number): Promise<number> {
  const block = -Math.floor(moment / span);
  const counted = Number(await textOf(db, countBetween, [moment, (1 - block) * span]));
  return (await countBefore(db, scope, block)) + counted;
}

/** What passes the other filters has to be counted: this costs as much as events pass. */
async function filteredPage(db: Database, filters: Filters): Promise<Page<CalendarEvent>> {
  const { first = pageSize.default, after = 0, updated_after, ...others } = filters;
  const { total } = await shown(db, filters)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  // Few are found and then put in order; of very many the page is met sooner by going through the order.
  const isWalked =
    updated_after !== undefined && (after + first) * (await placeIn(db, scope, 0)).total < total * total;
  const query = isWalked
    ? shown(db, others)
        .where(sql`+updated_at`, '>', updated_after * 1000)
        .orderBy('starts_at', 'desc')
    : shown(db, filters).orderBy(sql`+starts_at`, 'desc');
  const rows = await query.select(columns).orderBy('id').limit(first).offset(after).execute();
  return pageAt(after, total, await eventRecords(db, rows));
}

/** The events that are shown, those with a completed recording, and pass the filters. */
function shown(db: Database, filters: Filters) {
  const { updated_after, starts_after, starts_before, contact_id, organization_id } = filters;
  // Written out: only so does SQLite know that the indexes of shown events serve.
  let query = db.selectFrom('calendar_event').where('shown', '=', sql.lit(1));
  if (updated_after !== undefined) query = query.where('updated_at', '>', updated_after * 1000);
  if (starts_after !== undefined) query = query.where('starts_at', '>=', starts_after * 1000);
  if (starts_before !== undefined) query = query.where('starts_at', '<', starts_before * 1000);
  const attended = db
    .selectFrom('calendar_event_attendee')
    .innerJoin('contact_email', 'contact_email.folded', 'calendar_event_attendee.folded')
    .select('calendar_event_attendee.calendar_event_id');
  if (contact_id !== undefined) {
    const contact = ids.contact.decode(contact_id) ?? -1;
    query = query.where('calendar_event.id', 'in', attended.where('contact_email.contact_id', '=', contact));
  }
  if (organization_id !== undefined) {
    const organization = ids.organization.decode(organization_id) ?? -1;
    query = query.where(
      'calendar_event.id',
      'in',
      attended
        .innerJoin('contact', 'contact.id', 'contact_email.contact_id')
        .where('contact.organization_id', '=', organization),
    );
  }
  return query;
}

const attendeesOf = belonging('calendar_event_attendee', 'calendar_event_id', ['email'], ['position']);

async function eventRecords(db: Database, rows: readonly EventRow[]): Promise<CalendarEvent[]> {
  if (rows.length === 0) return [];
  const keys = rows.map(({ id }) => id);
  const attendees = await attendeesOf(db, keys);
  const recordings = await recordingsOf(db, keys);
  return rows.map((row) => ({
    id: ids.calendarEvent.encode(row.id),
    title: row.title,
    start_at: row.start_at,
    end_at: row.end_at,
    conference_link: row.conference_link,
    conference_type: row.conference_type,
    attendees: attendees(row.id).map(({ email }) => ({ email })),
    recordings: recordings(row.id),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }));
}
