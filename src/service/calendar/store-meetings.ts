import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import type { RecordingStatus, Summary, Utterance } from '../../contract/recordings.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { createRow, insertRow, updateRow } from '../db/statements.ts';
import type { CalendarMeeting } from './calendar-meetings.ts';

/** A meeting to store. The interface itself only reads meetings. */
export interface Meeting {
  /** The key by which its calendar identifies it; null if it comes from no calendar. */
  readonly source: string | null;
  readonly title: string;
  /** ISO 8601 with a numeric UTC offset. */
  readonly start_at: string;
  readonly end_at: string;
  readonly conference_link: string | null;
  readonly conference_type: string | null;
  readonly attendees: readonly string[];
}

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

/** The creation and change times of a record. */
interface RecordTimes {
  readonly created: Date;
  readonly updated: Date;
}

/** The effect of an import on a record. */
export type ImportAction = 'new' | 'updated' | 'unchanged';

/** The result of an import for one calendar event. */
export type ImportedEvent = {
  readonly id: string;
  readonly start_at: string;
  readonly title: string;
  readonly action: ImportAction;
};

/** Stores all meetings of a calendar, or none. A stored meeting with the same `source` is updated if it differs. */
export function storeEvents(
  db: Database,
  meetings: readonly CalendarMeeting[],
  now: Date,
): Promise<ImportedEvent[]> {
  return db.transaction(async (db) => {
    const events: ImportedEvent[] = [];
    for (const meeting of meetings) {
      const { rowId, action } = await storeEvent(db, meeting, now);
      const { start_at, title } = meeting;
      events.push({ id: ids.calendarEvent.encode(rowId), start_at, title, action });
    }
    return events;
  });
}

async function storeEvent(
  db: Database,
  meeting: CalendarMeeting,
  now: Date,
): Promise<{ rowId: number; action: ImportAction }> {
  const stored = await db.first<Omit<CalendarMeeting, 'attendees'> & { id: number }>(
    sql`select id, source, title, start_at, end_at, conference_link, conference_type
      from calendar_event where source = ${meeting.source}`,
  );
  if (!stored)
    return { rowId: await storeMeeting(db, meeting, [], { created: now, updated: now }), action: 'new' };
  const { id: rowId, ...event } = stored;
  const rows = await db.all<{ email: string }>(
    sql`select email from calendar_event_attendee where calendar_event_id = ${rowId} order by position`,
  );
  if (isDeepStrictEqual({ ...event, attendees: rows.map(({ email }) => email) }, meeting))
    return { rowId, action: 'unchanged' };
  await updateRow(db, 'calendar_event', rowId, { ...toEventColumns(meeting), updated_at: now.getTime() });
  await db.run(sql`delete from calendar_event_attendee where calendar_event_id = ${rowId}`);
  await storeAttendees(db, rowId, meeting.attendees);
  return { rowId, action: 'updated' };
}

function toEventColumns({ attendees: _, ...event }: Meeting) {
  return { ...event, starts_at: Date.parse(event.start_at) };
}

/** Stores a meeting with its recordings and returns its row id. */
export function storeMeeting(
  db: Database,
  meeting: Meeting,
  recordings: readonly MeetingRecording[],
  times: RecordTimes,
): Promise<number> {
  const created_at = times.created.getTime();
  const updated_at = times.updated.getTime();
  return db.transaction(async (db) => {
    const event = { ...toEventColumns(meeting), created_at, updated_at };
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
