import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import type { RecordingStatus, Summary, Utterance } from '../../contract/recordings.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createRow, insertRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import type { CalendarMeeting } from './calendar-meetings.ts';

/** A meeting to store; `start_at` and `end_at` have a numeric UTC offset. The interface itself only reads meetings. */
export type Meeting = Readonly<
  Pick<
    Row<'calendar_event'>,
    'source' | 'title' | 'start_at' | 'end_at' | 'conference_link' | 'conference_type'
  >
> & { readonly attendees: readonly string[] };

/** A recording to store; `summary` and `transcript` are null unless it is `done`. */
export interface MeetingRecording {
  readonly status: RecordingStatus;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  /** Seconds. */
  readonly audio_duration: number | null;
  readonly summary: Summary | null;
  readonly transcript: readonly Utterance[] | null;
}

/** The effect of an import on a record. */
export type ImportAction = 'new' | 'updated' | 'unchanged';

/** Stores all meetings of a calendar, or none. A stored meeting with the same `source` is updated if it differs. */
export function storeEvents(db: Database, meetings: readonly CalendarMeeting[], now: Date) {
  return db.transaction(async (db) => {
    const events: { id: string; start_at: string; title: string; action: ImportAction }[] = [];
    for (const meeting of meetings) {
      const { source, start_at, title } = meeting;
      const stored = await db.first<Row<'calendar_event'>>(
        sql`select * from calendar_event where source = ${source}`,
      );
      const action = stored ? await updateEvent(db, stored, meeting, now) : 'new';
      const rowId = stored?.id ?? (await storeMeeting(db, meeting, [], { created: now, updated: now }));
      events.push({ id: ids.calendarEvent.encode(rowId), start_at, title, action });
    }
    return events;
  });
}

async function updateEvent(
  db: Database,
  stored: Row<'calendar_event'>,
  meeting: CalendarMeeting,
  now: Date,
): Promise<ImportAction> {
  const { attendees } = meeting;
  const rows = await db.all<{ email: string }>(
    sql`select email from calendar_event_attendee where calendar_event_id = ${stored.id} order by position`,
  );
  const before = { ...stored, attendees: rows.map(({ email }) => email) };
  if (isDeepStrictEqual({ ...before, ...meeting }, before)) return 'unchanged';
  await updateRow(db, 'calendar_event', stored.id, { ...toColumns(meeting), updated_at: now.getTime() });
  await db.run(sql`delete from calendar_event_attendee where calendar_event_id = ${stored.id}`);
  await storeAttendees(db, stored.id, attendees);
  return 'updated';
}

const toColumns = ({ attendees: _, ...event }: Meeting) => ({
  ...event,
  starts_at: Date.parse(event.start_at),
});

/** Stores a meeting with its recordings and returns its row id. */
export function storeMeeting(
  db: Database,
  meeting: Meeting,
  recordings: readonly MeetingRecording[],
  times: { readonly created: Date; readonly updated: Date },
): Promise<number> {
  const created_at = times.created.getTime();
  const updated_at = times.updated.getTime();
  return db.transaction(async (db) => {
    const event = { ...toColumns(meeting), created_at, updated_at };
    const calendar_event_id = await createRow(db, 'calendar_event', event);
    await storeAttendees(db, calendar_event_id, meeting.attendees);
    for (const { summary, transcript, ...recording } of recordings) {
      const started_at = recording.started_at.getTime();
      await insertRow(db, 'recording', {
        ...recording,
        calendar_event_id,
        started_at,
        ended_at: recording.ended_at?.getTime() ?? null,
        summary: summary && JSON.stringify(summary),
        transcript: transcript && JSON.stringify(transcript),
        created_at: started_at,
        updated_at,
      });
    }
    return calendar_event_id;
  });
}

async function storeAttendees(db: Database, event: number, attendees: readonly string[]): Promise<void> {
  for (const [position, email] of attendees.entries()) {
    const attendee = { calendar_event_id: event, position, email, folded: email.toLowerCase() };
    await insertRow(db, 'calendar_event_attendee', attendee);
  }
}
