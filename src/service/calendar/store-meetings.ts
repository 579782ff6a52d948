import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import type { Summary, Utterance } from '../../contract/recordings.ts';
import { foldEmail } from '../../values/domain.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createRow, insertRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';

/** A meeting to store; `start_at` and `end_at` have a numeric UTC offset. The API itself only reads meetings. */
export type Meeting = Readonly<
  Pick<
    Row<'calendar_event'>,
    'source' | 'title' | 'start_at' | 'end_at' | 'conference_link' | 'conference_type'
  >
> & { readonly attendees: readonly string[] };

/** A meeting with the key by which its calendar identifies it. */
export type CalendarMeeting = Meeting & { readonly source: string };

/** A recording to store; `summary` and `transcript` are null unless it is `done`. */
export interface MeetingRecording
  extends Readonly<Pick<Row<'recording'>, 'status' | 'started_at' | 'ended_at' | 'audio_duration'>> {
  readonly summary: Summary | null;
  readonly transcript: readonly Utterance[] | null;
}

/** The effect of an import on a record. */
export type ImportAction = 'new' | 'updated' | 'unchanged';

/** Stores all meetings of a calendar, or none. A stored meeting with the same `source` is updated if it differs. */
export function storeEvents(db: Database, meetings: readonly CalendarMeeting[], now: Date) {
  return db.transaction(async (db) => {
    const time = now.getTime();
    const events: { id: string; start_at: string; title: string; action: ImportAction }[] = [];
    for (const meeting of meetings) {
      const { source, start_at, title } = meeting;
      const stored = await db.first<Row<'calendar_event'>>(
        sql`select * from calendar_event where source = ${source}`,
      );
      const action = stored ? await updateEvent(db, stored, meeting, time) : 'new';
      const rowId =
        stored?.id ?? (await storeMeeting(db, meeting, [], { created_at: time, updated_at: time }));
      events.push({ id: ids.calendarEvent.encode(rowId), start_at, title, action });
    }
    return events;
  });
}

async function updateEvent(
  db: Database,
  stored: Row<'calendar_event'>,
  meeting: CalendarMeeting,
  updated_at: number,
): Promise<ImportAction> {
  const { attendees } = meeting;
  const rows = await db.all<{ email: string }>(
    sql`select email from calendar_event_attendee where calendar_event_id = ${stored.id} order by position`,
  );
  const before = { ...stored, attendees: rows.map(({ email }) => email) };
  if (isDeepStrictEqual({ ...before, ...meeting }, before)) return 'unchanged';
  await updateRow(db, 'calendar_event', stored.id, { ...toColumns(meeting), updated_at });
  await db.run(sql`delete from calendar_event_attendee where calendar_event_id = ${stored.id}`);
  await storeAttendees(db, stored.id, attendees);
  return 'updated';
}

const toColumns = ({ attendees: _, ...event }: Meeting) => ({
  ...event,
  starts_at: Date.parse(event.start_at),
});

/** Stores a meeting with its recordings and returns its row id. All times are milliseconds since 1970. */
export function storeMeeting(
  db: Database,
  meeting: Meeting,
  recordings: readonly MeetingRecording[],
  stamps: { readonly created_at: number; readonly updated_at: number },
): Promise<number> {
  return db.transaction(async (db) => {
    const calendar_event_id = await createRow(db, 'calendar_event', { ...toColumns(meeting), ...stamps });
    await storeAttendees(db, calendar_event_id, meeting.attendees);
    for (const { summary, transcript, ...recording } of recordings) {
      await insertRow(db, 'recording', {
        ...recording,
        calendar_event_id,
        summary: summary && JSON.stringify(summary),
        transcript: transcript && JSON.stringify(transcript),
        created_at: recording.started_at,
        updated_at: stamps.updated_at,
      });
    }
    return calendar_event_id;
  });
}

async function storeAttendees(db: Database, event: number, attendees: readonly string[]): Promise<void> {
  for (const [position, email] of attendees.entries()) {
    const attendee = { calendar_event_id: event, position, email, folded: foldEmail(email) };
    await insertRow(db, 'calendar_event_attendee', attendee);
  }
}
