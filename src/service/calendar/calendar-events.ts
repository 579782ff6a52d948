import type { CalendarEvent } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import { quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import type { Encoders } from '../db/foreign-ids.ts';
import { fillPage } from '../db/page.ts';
import { createRecordReader, type ReadRows } from '../db/record-reader.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { readEventRecordings } from '../recordings/recordings.ts';
import { readEventPage } from './event-pages.ts';

/** Returns the handlers of calendar events (specification, 2.8 and 4.7). */
export function calendarEventHandlers({ db }: Deps): Handlers<'calendarEvents'> {
  return {
    list: (input) =>
      db.snapshot(async (db) => {
        const { total, rows } = await readEventPage(db, input);
        return fillPage(input.after ?? 0, total, eventReader.readIds(db, rows));
      }),
    get: ({ id }) =>
      db.snapshot(async (db) => {
        const [event] = await eventReader.readById(db, id);
        if (!event) throw new Failure('not_found', `No calendar event has the id ${quote(id)}.`);
        return event;
      }),
  };
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
