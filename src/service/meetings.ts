import type { Summary, Turn } from '../contract/recordings.ts';
import { type Database, transact } from './database.ts';

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
  readonly status: 'processing' | 'done' | 'failed';
  readonly started_at: Date;
  readonly ended_at: Date | null;
  /** Seconds. */
  readonly audio_duration: number | null;
  readonly summary: Summary | null;
  readonly transcript: readonly Turn[] | null;
}

/** Stores a meeting with its recordings. `created` and `updated` stand for the calendar's own times. */
export function storeMeeting(
  db: Database,
  { attendees, ...event }: Meeting,
  recordings: readonly MeetingRecording[],
  { created, updated }: { readonly created: Date; readonly updated: Date },
): Promise<void> {
  return transact(db, async (db) => {
    const { id: calendar_event_id } = await db
      .insertInto('calendar_event')
      .values({
        ...event,
        starts_at: Date.parse(event.start_at),
        created_at: created.getTime(),
        updated_at: updated.getTime(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [position, email] of attendees.entries()) {
      const folded = email.toLowerCase();
      await db
        .insertInto('calendar_event_attendee')
        .values({ calendar_event_id, position, email, folded })
        .execute();
    }
    for (const { summary, transcript, started_at, ended_at, ...recording } of recordings) {
      await db
        .insertInto('recording')
        .values({
          ...recording,
          calendar_event_id,
          started_at: started_at.getTime(),
          ended_at: ended_at?.getTime() ?? null,
          created_at: started_at.getTime(),
          updated_at: updated.getTime(),
          summary: summary && JSON.stringify(summary),
          transcript: transcript && JSON.stringify(transcript),
        })
        .execute();
    }
  });
}
