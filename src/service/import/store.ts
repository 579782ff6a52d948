import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../contract/errors.ts';
import type { Summary, Turn } from '../../contract/recordings.ts';
import { type Database, transact } from '../database.ts';
import { ids } from '../ids.ts';
import { storeAttendees, storeMeeting, storeRecording } from '../meetings.ts';
import type { CalendarMeeting } from './calendar.ts';

/** What an import did to a record. */
type Action = 'new' | 'updated' | 'unchanged';

/** A calendar event as an import tells of it. */
export type ImportedEvent = {
  readonly id: string;
  readonly start_at: string;
  readonly title: string;
  readonly action: Action;
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
): Promise<{ row: number; action: Action }> {
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

/** What was said in a meeting; without a summary, the one that is there already stays. */
export interface Recorded {
  readonly transcript: readonly Turn[];
  readonly summary: Summary | null;
  readonly language: string;
}

/** A recording as an import tells of it; `audio_duration` in seconds. */
export type ImportedRecording = {
  readonly id: string;
  readonly calendar_event_id: string;
  readonly status: 'done';
  readonly audio_duration: number;
  readonly action: Action;
};

/**
 * Writes the recording of a calendar event, which then shows. One with the same words is found again: it is
 * untouched, or gets the other summary or language. Throws `not_found` for an id that no event has.
 */
export function storeTalk(
  db: Database,
  eventId: string,
  recorded: Recorded,
  now: Date,
): Promise<ImportedRecording> {
  return transact(db, async (db) => {
    const event = await db
      .selectFrom('calendar_event')
      .select(['id', 'starts_at'])
      .where('id', '=', ids.calendarEvent.decode(eventId) ?? -1)
      .executeTakeFirst();
    if (!event) {
      throw new Failure('not_found', `No calendar event has the id "${eventId}".`, {
        hint: '`kith workspace import-events` prints the ids, also when it is run again.',
      });
    }
    const { row, action } = await storeWords(db, event, recorded, now);
    if (action !== 'unchanged') {
      await db
        .updateTable('calendar_event')
        .set({ updated_at: now.getTime() })
        .where('id', '=', event.id)
        .execute();
    }
    const audio_duration = lengthOf(recorded.transcript);
    return {
      id: ids.recording.encode(row),
      calendar_event_id: eventId,
      status: 'done',
      audio_duration,
      action,
    };
  });
}

/** A recording that is there, as its row holds it. */
interface StoredWords {
  readonly id: number;
  readonly summary: Summary | null;
  readonly transcript: readonly Turn[];
}

async function storeWords(
  db: Database,
  event: { readonly id: number; readonly starts_at: number },
  recorded: Recorded,
  now: Date,
): Promise<{ row: number; action: Action }> {
  const words = wordsOf(recorded.transcript);
  const stored = await wordsStoredFor(db, event.id);
  const same = stored.find(({ transcript }) => isDeepStrictEqual(wordsOf(transcript), words));
  if (same) return { row: same.id, action: await updateWords(db, same, recorded, now) };
  const { transcript, summary, language } = recorded;
  const audio_duration = lengthOf(transcript);
  const recording = {
    status: 'done' as const,
    started_at: new Date(event.starts_at),
    ended_at: new Date(event.starts_at + Math.round(audio_duration * 1000)),
    audio_duration,
    // What is done has a summary (specification, 3.2); this one says nothing.
    summary: summary ?? { summary: '', topics: [], action_items: [], detected_language: language },
    transcript,
  };
  return {
    row: await storeRecording(db, event.id, recording, { created: now, updated: now }),
    action: 'new',
  };
}

/** The recordings of an event that are done. */
async function wordsStoredFor(db: Database, event: number): Promise<StoredWords[]> {
  const rows = await db
    .selectFrom('recording')
    .select(['id', 'summary', 'transcript'])
    .where('calendar_event_id', '=', event)
    .where('status', '=', 'done')
    .execute();
  return rows.map(({ id, summary, transcript }) => ({
    id,
    summary: JSON.parse(summary ?? 'null'),
    transcript: JSON.parse(transcript ?? '[]'),
  }));
}

/** Gives a recording with the same words the other summary or language, where they are others. */
async function updateWords(
  db: Database,
  before: StoredWords,
  { transcript, summary }: Recorded,
  now: Date,
): Promise<Action> {
  const next = { id: before.id, summary: summary ?? before.summary, transcript };
  if (isDeepStrictEqual(before, next)) return 'unchanged';
  await db
    .updateTable('recording')
    .set({
      summary: JSON.stringify(next.summary),
      transcript: JSON.stringify(transcript),
      updated_at: now.getTime(),
    })
    .where('id', '=', before.id)
    .execute();
  return 'updated';
}

/** Who says what and when, whatever the language is called. */
function wordsOf(transcript: readonly Turn[]): unknown {
  return transcript.map(({ participant, words }) => ({ participant, words }));
}

/** Seconds until the last word ends. */
function lengthOf(transcript: readonly Turn[]): number {
  let last = 0;
  for (const { words } of transcript) {
    for (const { end_timestamp } of words) last = Math.max(last, end_timestamp.relative);
  }
  return last;
}
