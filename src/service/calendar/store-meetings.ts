import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import type { RecordingStatus, Summary, Utterance } from '../../contract/recordings.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { getOnly } from '../db/statements.ts';
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
  if (!stored) {
    return { rowId: await storeMeeting(db, meeting, [], { created: now, updated: now }), action: 'new' };
  }
  const { id: rowId, ...event } = stored;
  const rows = await db.all<{ email: string }>(
    sql`select email from calendar_event_attendee where calendar_event_id = ${rowId} order by position`,
  );
  if (isDeepStrictEqual({ ...event, attendees: rows.map(({ email }) => email) }, meeting))
    return { rowId, action: 'unchanged' };
  const { title, start_at, end_at, conference_link, conference_type, attendees } = meeting;
  await db.run(sql`update calendar_event set title = ${title}, start_at = ${start_at}, end_at = ${end_at},
    starts_at = ${Date.parse(start_at)}, conference_link = ${conference_link},
    conference_type = ${conference_type}, updated_at = ${now.getTime()} where id = ${rowId}`);
  await db.run(sql`delete from calendar_event_attendee where calendar_event_id = ${rowId}`);
  await storeAttendees(db, rowId, attendees);
  return { rowId, action: 'updated' };
}

/** Stores a meeting with its recordings and returns its row id. */
export function storeMeeting(
  db: Database,
  meeting: Meeting,
  recordings: readonly MeetingRecording[],
  { created, updated }: RecordTimes,
): Promise<number> {
  return db.transaction(async (db) => {
    const { source, title, start_at, end_at, conference_link, conference_type, attendees } = meeting;
    const rows = await db.all<{ id: number }>(sql`insert into calendar_event
      (source, title, start_at, end_at, starts_at, conference_link, conference_type, created_at, updated_at)
      values (${source}, ${title}, ${start_at}, ${end_at}, ${Date.parse(start_at)}, ${conference_link},
      ${conference_type}, ${created.getTime()}, ${updated.getTime()}) returning id`);
    const { id } = getOnly(rows);
    await storeAttendees(db, id, attendees);
    for (const recording of recordings)
      await storeRecording(db, id, recording, { created: recording.started_at, updated });
    return id;
  });
}

async function storeAttendees(db: Database, event: number, attendees: readonly string[]): Promise<void> {
  for (const [position, email] of attendees.entries()) {
    await db.run(sql`insert into calendar_event_attendee (calendar_event_id, position, email, folded)
      values (${event}, ${position}, ${email}, ${email.toLowerCase()})`);
  }
}

/** Stores a recording of a meeting and returns its row id. */
export async function storeRecording(
  db: Database,
  event: number,
  recording: MeetingRecording,
  { created, updated }: RecordTimes,
): Promise<number> {
  const { status, started_at, ended_at, audio_duration, summary, transcript } = recording;
  const rows = await db.all<{ id: number }>(sql`insert into recording (calendar_event_id, status, started_at,
    ended_at, audio_duration, summary, transcript, created_at, updated_at)
    values (${event}, ${status}, ${started_at.getTime()}, ${ended_at?.getTime() ?? null}, ${audio_duration},
    ${summary && JSON.stringify(summary)}, ${transcript && JSON.stringify(transcript)},
    ${created.getTime()}, ${updated.getTime()}) returning id`);
  return getOnly(rows).id;
}
