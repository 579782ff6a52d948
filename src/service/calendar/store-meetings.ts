import { isDeepStrictEqual } from 'node:util';
import type { RecordingStatus, Summary, Utterance } from '../../contract/recordings.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import type { CalendarMeeting } from './calendar-file.ts';

/** A meeting as it comes from outside: the interface itself only reads meetings. */
export interface Meeting {
  /** What its calendar calls it; null: it has none. */
  readonly source: string | null;
  readonly title: string;
  /** ISO 8601 with a numeric UTC offset. */
  readonly start_at: string;
  readonly end_at: string;
  readonly conference_link: string | null;
  readonly conference_type: string | null;
  readonly attendees: readonly string[];
}

/** A recording as it comes from outside; `summary` and `transcript` once it is `done`. */
export interface MeetingRecording {
  readonly status: RecordingStatus;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  /** Seconds. */
  readonly audio_duration: number | null;
  readonly summary: Summary | null;
  readonly transcript: readonly Utterance[] | null;
}

/** When a record was made and changed. */
interface RecordTimes {
  readonly created: Date;
  readonly updated: Date;
}

/**
 * Stores a meeting with its recordings and gives the number of its row. `created` and `updated` stand for the
 * calendar's own times.
 */
export function storeMeeting(
  db: Database,
  { attendees, ...event }: Meeting,
  recordings: readonly MeetingRecording[],
  { created, updated }: RecordTimes,
): Promise<number> {
  return transact(db, async (db) => {
    const { id } = await db
      .insertInto('calendar_event')
      .values({
        ...event,
        starts_at: Date.parse(event.start_at),
        created_at: created.getTime(),
        updated_at: updated.getTime(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await storeAttendees(db, id, attendees);
    for (const recording of recordings)
      await storeRecording(db, id, recording, { created: recording.started_at, updated });
    return id;
  });
}

/** Stores who takes part in a meeting that has nobody yet. */
export async function storeAttendees(
  db: Database,
  calendar_event_id: number,
  attendees: readonly string[],
): Promise<void> {
  for (const [position, email] of attendees.entries()) {
    const folded = email.toLowerCase();
    await db
      .insertInto('calendar_event_attendee')
      .values({ calendar_event_id, position, email, folded })
      .execute();
  }
}

/** Stores a recording of a meeting and gives the number of its row. */
export async function storeRecording(
  db: Database,
  calendar_event_id: number,
  { summary, transcript, started_at, ended_at, ...recording }: MeetingRecording,
  { created, updated }: RecordTimes,
): Promise<number> {
  const { id } = await db
    .insertInto('recording')
    .values({
      ...recording,
      calendar_event_id,
      started_at: started_at.getTime(),
      ended_at: ended_at?.getTime() ?? null,
      created_at: created.getTime(),
      updated_at: updated.getTime(),
      summary: summary && JSON.stringify(summary),
      transcript: transcript && JSON.stringify(transcript),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

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
