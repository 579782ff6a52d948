import { Failure } from '../../contract/errors.ts';
import type { RemovableRecording } from '../../contract/workspace.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { touchRecord } from '../records/change-record.ts';

/** Finds a recording that can be removed. @throws {Failure} `not_found` */
export async function findRecording(db: Database, recordingId: string): Promise<RemovableRecording> {
  const { id, title, start_at, calendar_event_id } = await readRecordingRow(db, recordingId);
  const other = await db
    .selectFrom('recording')
    .select('id')
    .where('calendar_event_id', '=', calendar_event_id)
    .where('status', '=', 'done')
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  const event = ids.calendarEvent.encode(calendar_event_id);
  return { id: recordingId, calendar_event_id: event, title, start_at, isLast: other === undefined };
}

/** Removes a recording; its meeting is no longer listed if no other one is done. @throws {Failure} `not_found` */
export function removeRecording(db: Database, recordingId: string, now: Date): Promise<void> {
  return transact(db, async (db) => {
    const { id, calendar_event_id } = await readRecordingRow(db, recordingId);
    await db.deleteFrom('recording').where('id', '=', id).execute();
    await touchRecord(db, 'calendar_event', calendar_event_id, now);
  });
}

async function readRecordingRow(db: Database, recordingId: string) {
  const row = await db
    .selectFrom('recording')
    .innerJoin('calendar_event', 'calendar_event.id', 'recording.calendar_event_id')
    .select(['recording.id', 'calendar_event_id', 'title', 'start_at'])
    .where('recording.id', '=', ids.recording.decode(recordingId) ?? -1)
    .executeTakeFirst();
  if (row) return row;
  throw new Failure('not_found', `No recording has the id "${recordingId}".`, {
    hint: '`kith events list` shows the recordings of each meeting.',
  });
}
