import { isDeepStrictEqual } from 'node:util';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import type { CalendarMeeting } from './calendar-file.ts';
import { storeAttendees, storeMeeting } from './meetings.ts';

/** What an import did to a record. */
export type ImportAction = 'new' | 'updated' | 'unchanged';

/** A calendar event as an import tells of it. */
export type ImportedEvent = {
  readonly id: string;
  readonly start_at: string;
  readonly title: string;
  readonly action: ImportAction;
};

/** Writes meetings by their `source`: all of them, or none. One that is there as it is stays untouched. */
export function storeEvents(
  db: Database,
  meetings: readonly CalendarMeeting[],
  now: Date,
): Promise<ImportedEvent[]> {
  return transact(db, async (db) => {
    const events: ImportedEvent[] = [];
    for (const meeting of meetings) {
      const { row, action } = await storeEvent(db, meeting, now);
      const { start_at, title } = meeting;
      events.push({ id: ids.calendarEvent.encode(row), start_at, title, action });
    }
    return events;
  });
}

async function storeEvent(
  db: Database,
  meeting: CalendarMeeting,
  now: Date,
): Promise<{ row: number; action: ImportAction }> {
  const { attendees, source, ...fields } = meeting;
  const stored = await db
    .selectFrom('calendar_event')
    .select(['id', 'title', 'start_at', 'end_at', 'conference_link', 'conference_type'])
    .where('source', '=', source)
    .executeTakeFirst();
  if (!stored) {
    return { row: await storeMeeting(db, meeting, [], { created: now, updated: now }), action: 'new' };
  }
  const { id, ...before } = stored;
  const taking = await db
    .selectFrom('calendar_event_attendee')
    .select('email')
    .where('calendar_event_id', '=', id)
    .orderBy('position')
    .execute();
  const known = taking.map(({ email }) => email);
  if (isDeepStrictEqual([{ ...before }, known], [fields, attendees])) return { row: id, action: 'unchanged' };
  await db
    .updateTable('calendar_event')
    .set({ ...fields, starts_at: Date.parse(fields.start_at), updated_at: now.getTime() })
    .where('id', '=', id)
    .execute();
  await db.deleteFrom('calendar_event_attendee').where('calendar_event_id', '=', id).execute();
  await storeAttendees(db, id, attendees);
  return { row: id, action: 'updated' };
}
