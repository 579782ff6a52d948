import { isDeepStrictEqual } from 'node:util';
import sql from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import type { Utterance } from '../../contract/recordings.ts';
import type { RecordingChoice, RemovableRecording } from '../../contract/workspace.ts';
import type { ImportAction } from '../calendar/store-meetings.ts';
import type { Database } from '../db/database.ts';
import { encodeId, selectRow, withEncoders } from '../db/foreign-ids.ts';
import { forUpdate } from '../db/render-sql.ts';
import { createRow, deleteRow, findRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import type { RecordingContent, TranscriptFile } from './recording-files.ts';

const listHint = '`kith meetings list` shows the recordings of each meeting.';

/**
 * Stores a recording of a calendar event. Updates the stored recording with the same words. If there is none, `choice`
 * decides whether to update or add a recording.
 * @throws {Failure} `not_found` for an unknown event or recording, `usage` if several recordings match.
 */
export function importRecording(
  db: Database,
  eventId: string,
  content: RecordingContent,
  choice: RecordingChoice,
  now: Date,
) {
  return db.transaction(async (db) => {
    const event = await findRow(db, 'calendar_event', selectRow('calendarEvent', eventId), forUpdate);
    if (!event) {
      const hint = 'To print the ids, import the calendar again: kith workspace import-events FILE';
      throw new Failure('not_found', `No calendar event has the id "${eventId}".`, { hint });
    }
    const match = matchRecording(await readRecordings(db, event.id), content, choice, eventId);
    const { transcript, language } = content;
    const words = transcript.flatMap(({ words }) => words);
    const audio_duration = words.reduce(
      (last, { end_timestamp }) => Math.max(last, end_timestamp.relative),
      0,
    );
    // A completed recording always has a summary (specification, 3.2).
    const empty = { summary: '', topics: [], action_items: [], detected_language: language };
    const summary = content.summary ?? match?.summary ?? empty;
    const describe = async (rowId: number, action: ImportAction) => ({
      id: await encodeId(db, 'recording', rowId),
      calendar_event_id: eventId,
      status: 'done' as const,
      audio_duration,
      action,
    });
    if (match && isDeepStrictEqual(match, { ...match, status: 'done', summary, transcript }))
      return describe(match.id, 'unchanged');
    const started_at = match?.started_at ?? event.starts_at;
    const updated_at = now.getTime();
    const columns = {
      status: 'done' as const,
      started_at,
      ended_at: started_at + Math.round(audio_duration * 1000),
      audio_duration,
      summary: JSON.stringify(summary),
      transcript: JSON.stringify(transcript),
      updated_at,
    };
    await updateRow(db, 'calendar_event', event.id, { updated_at });
    if (match) {
      await updateRow(db, 'recording', match.id, columns);
      return describe(match.id, 'updated');
    }
    const created = { ...columns, calendar_event_id: event.id, created_at: updated_at };
    return describe(await createRow(db, 'recording', created), 'new');
  });
}

type StoredRecording = Pick<Row<'recording'>, 'id' | 'status' | 'started_at'> &
  TranscriptFile & { readonly publicId: string };

async function readRecordings(db: Database, event: number): Promise<StoredRecording[]> {
  const rows = await db.all<Row<'recording'>>(
    sql`select * from recording where calendar_event_id = ${event} order by id`,
  );
  return withEncoders(db, true, (ids) =>
    rows.map(({ id, status, started_at, summary, transcript }) => ({
      id,
      publicId: ids.recording.encode(id),
      status,
      started_at,
      summary: JSON.parse(summary ?? 'null'),
      transcript: JSON.parse(transcript ?? '[]'),
    })),
  );
}

/** Returns the stored recording to update; undefined if the recording is to be added. */
function matchRecording(
  storedRecordings: readonly StoredRecording[],
  content: RecordingContent,
  choice: RecordingChoice,
  eventId: string,
): StoredRecording | undefined {
  if (choice.recording !== undefined) {
    const chosenRecording = storedRecordings.find(({ publicId }) => publicId === choice.recording);
    if (chosenRecording) return chosenRecording;
    const message = `The meeting ${eventId} has no recording with the id "${choice.recording}".`;
    throw new Failure('not_found', message, { hint: listHint });
  }
  const completedRecordings = storedRecordings.filter(({ status }) => status === 'done');
  const words = readWords(content.transcript);
  const sameTranscript = completedRecordings.find(({ transcript }) =>
    isDeepStrictEqual(readWords(transcript), words),
  );
  if (sameTranscript || choice.isAdded || completedRecordings.length === 0) return sameTranscript;
  const [only, ...others] = completedRecordings;
  if (others.length === 0) return only;
  const candidates = completedRecordings.map(({ publicId }) => publicId).join(', ');
  throw new Failure(
    'usage',
    `The meeting ${eventId} has ${completedRecordings.length} recordings: ${candidates}.`,
    {
      hint: 'Pass --recording ID to update one of them, or --add to add another one.',
    },
  );
}

/** Returns the words with speakers and times, without the language. */
function readWords(transcript: readonly Utterance[]): unknown {
  return transcript.map(({ participant, words }) => ({ participant, words }));
}

/** Finds a recording that can be removed. @throws {Failure} `not_found` */
export async function findRecording(db: Database, recordingId: string): Promise<RemovableRecording> {
  const { id, title, start_at, calendar_event_id } = await readRecordingRow(db, recordingId);
  const duplicate = await db.first(sql`select id from recording
    where calendar_event_id = ${calendar_event_id} and status = 'done' and id <> ${id} limit 1`);
  const event = await encodeId(db, 'calendarEvent', calendar_event_id);
  return { id: recordingId, calendar_event_id: event, title, start_at, isLast: duplicate === undefined };
}

/** Removes a recording. Its meeting is listed only if another recording is done. @throws {Failure} `not_found` */
export function removeRecording(db: Database, recordingId: string, now: Date): Promise<void> {
  return db.transaction(async (db) => {
    const { id, calendar_event_id } = await readRecordingRow(db, recordingId);
    await deleteRow(db, 'recording', id);
    await updateRow(db, 'calendar_event', calendar_event_id, { updated_at: now.getTime() });
  });
}

async function readRecordingRow(db: Database, recordingId: string) {
  const row = await db.first<{ id: number; calendar_event_id: number; title: string; start_at: string }>(
    sql`select recording.id, calendar_event_id, title, start_at
      from recording join calendar_event on calendar_event.id = calendar_event_id
      where recording.id = ${selectRow('recording', recordingId)}`,
  );
  if (row) return row;
  throw new Failure('not_found', `No recording has the id "${recordingId}".`, { hint: listHint });
}
