import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../contract/errors.ts';
import type { Summary, Utterance } from '../../contract/recordings.ts';
import type { RecordingChoice, RemovableRecording } from '../../contract/workspace.ts';
import { type ImportAction, storeRecording } from '../calendar/store-meetings.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { touchRecord } from '../records/change-record.ts';

/** The content of a recording as its files have it; without a summary, the stored one stays. */
export interface RecordingContent {
  readonly transcript: readonly Utterance[];
  readonly summary: Summary | null;
  readonly language: string;
}

/** A recording as an import reports it; `audio_duration` in seconds. */
export type ImportedRecording = {
  readonly id: string;
  readonly calendar_event_id: string;
  readonly status: 'done';
  readonly audio_duration: number;
  readonly action: ImportAction;
};

/**
 * Stores the recording of a calendar event, which is listed from then on. The recording with the same words is the
 * same recording; otherwise `choice` says which one is updated, or that one is added.
 * @throws {Failure} `not_found` for an unknown event or recording, `usage` if several recordings could be meant.
 */
export function importRecording(
  db: Database,
  eventId: string,
  content: RecordingContent,
  choice: RecordingChoice,
  now: Date,
): Promise<ImportedRecording> {
  return transact(db, async (db) => {
    const event = await findEvent(db, eventId);
    const match = matchRecording(await readRecordings(db, event.id), content, choice, eventId);
    const { row, action } = match
      ? { row: match.id, action: await updateRecording(db, match, content, now) }
      : { row: await addRecording(db, event, content, now), action: 'new' as const };
    if (action !== 'unchanged') await touchRecord(db, 'calendar_event', event.id, now);
    return {
      id: ids.recording.encode(row),
      calendar_event_id: eventId,
      status: 'done',
      audio_duration: measureDuration(content.transcript),
      action,
    };
  });
}

/** The row of an event that can get a recording. */
interface EventRow {
  readonly id: number;
  readonly starts_at: number;
}

async function findEvent(db: Database, eventId: string): Promise<EventRow> {
  const event = await db
    .selectFrom('calendar_event')
    .select(['id', 'starts_at'])
    .where('id', '=', ids.calendarEvent.decode(eventId) ?? -1)
    .executeTakeFirst();
  if (event) return event;
  throw new Failure('not_found', `No calendar event has the id "${eventId}".`, {
    hint: '`kith workspace import-events` prints the ids and is safe to run again.',
  });
}

/** A stored recording. */
interface StoredRecording {
  readonly id: number;
  readonly isDone: boolean;
  readonly started_at: number;
  readonly summary: Summary | null;
  readonly transcript: readonly Utterance[];
}

/** The recordings of an event, oldest first. */
async function readRecordings(db: Database, event: number): Promise<StoredRecording[]> {
  const rows = await db
    .selectFrom('recording')
    .select(['id', 'status', 'started_at', 'summary', 'transcript'])
    .where('calendar_event_id', '=', event)
    .orderBy('id')
    .execute();
  return rows.map(({ id, status, started_at, summary, transcript }) => ({
    id,
    isDone: status === 'done',
    started_at,
    summary: JSON.parse(summary ?? 'null'),
    transcript: JSON.parse(transcript ?? '[]'),
  }));
}

/** Finds the stored recording that a file is about; undefined if the file is a new one. */
function matchRecording(
  stored: readonly StoredRecording[],
  content: RecordingContent,
  choice: RecordingChoice,
  eventId: string,
): StoredRecording | undefined {
  if (choice.recording !== undefined) {
    const key = ids.recording.decode(choice.recording);
    const chosen = stored.find(({ id }) => id === key);
    if (chosen) return chosen;
    throw new Failure(
      'not_found',
      `The meeting ${eventId} has no recording with the id "${choice.recording}".`,
    );
  }
  const done = stored.filter(({ isDone }) => isDone);
  const words = readWords(content.transcript);
  const same = done.find(({ transcript }) => isDeepStrictEqual(readWords(transcript), words));
  if (same || choice.isAdded || done.length === 0) return same;
  const [only, ...others] = done;
  if (others.length === 0) return only;
  const known = done.map(({ id }) => ids.recording.encode(id)).join(', ');
  throw new Failure('usage', `The meeting ${eventId} has ${done.length} recordings: ${known}.`, {
    hint: 'Pass --recording ID to update one of them, or --add to add another one.',
  });
}

/** Who says what and when, whatever the language is called. */
function readWords(transcript: readonly Utterance[]): unknown {
  return transcript.map(({ participant, words }) => ({ participant, words }));
}

async function addRecording(
  db: Database,
  { id, starts_at }: EventRow,
  { transcript, summary, language }: RecordingContent,
  now: Date,
): Promise<number> {
  const columns = buildContentColumns(starts_at, transcript);
  const recording = {
    status: 'done' as const,
    started_at: new Date(starts_at),
    ended_at: new Date(columns.ended_at),
    audio_duration: columns.audio_duration,
    summary: summary ?? createEmptySummary(language),
    transcript,
  };
  return storeRecording(db, id, recording, { created: now, updated: now });
}

/** A recording that is done has a summary (specification, 3.2); this one is for a recording without. */
function createEmptySummary(language: string): Summary {
  return { summary: '', topics: [], action_items: [], detected_language: language };
}

/** Gives a recording the content of its files, if that is another one. */
async function updateRecording(
  db: Database,
  before: StoredRecording,
  content: RecordingContent,
  now: Date,
): Promise<ImportAction> {
  const { transcript } = content;
  const summary = content.summary ?? before.summary ?? createEmptySummary(content.language);
  if (isDeepStrictEqual(before, { ...before, isDone: true, summary, transcript })) return 'unchanged';
  await db
    .updateTable('recording')
    .set({
      ...buildContentColumns(before.started_at, transcript),
      status: 'done',
      summary: JSON.stringify(summary),
      transcript: JSON.stringify(transcript),
      updated_at: now.getTime(),
    })
    .where('id', '=', before.id)
    .execute();
  return 'updated';
}

function buildContentColumns(started_at: number, transcript: readonly Utterance[]) {
  const audio_duration = measureDuration(transcript);
  return { audio_duration, ended_at: started_at + Math.round(audio_duration * 1000) };
}

/** Seconds until the last word ends. */
function measureDuration(transcript: readonly Utterance[]): number {
  let last = 0;
  for (const { words } of transcript) {
    for (const { end_timestamp } of words) last = Math.max(last, end_timestamp.relative);
  }
  return last;
}

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
