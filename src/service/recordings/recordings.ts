import type { Selectable } from 'kysely';
import { Failure } from '../../contract/errors.ts';
import type { EventRecording, Recording } from '../../contract/recordings.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { belonging, byId } from '../db/reading.ts';
import type { Tables } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';

type RecordingRow = Selectable<Tables['recording']>;

/** What a calendar event shows of a recording: all but the long texts. */
type EventRecordingRow = Pick<
  RecordingRow,
  'id' | 'calendar_event_id' | 'status' | 'started_at' | 'ended_at' | 'audio_duration'
>;

const rowsOfEvents = belonging(
  'recording',
  'calendar_event_id',
  ['id', 'status', 'started_at', 'ended_at', 'audio_duration'],
  ['started_at', 'id'],
);

const rowById = byId('recording', [
  'id',
  'calendar_event_id',
  'status',
  'started_at',
  'ended_at',
  'audio_duration',
  'summary',
  'transcript',
  'created_at',
  'updated_at',
]);

/** The recordings of calendar events, as these show them (specification, 2.8). */
export async function readEventRecordings(db: Database, events: readonly number[]) {
  const rowsOf = await rowsOfEvents(db, events);
  return (event: number): EventRecording[] => rowsOf(event).map(toEventRecording);
}

/** Specification, 2.9 and 4.8. */
export function recordingHandlers({ db }: Deps): Handlers<'recordings'> {
  return {
    async get({ id }) {
      const key = ids.recording.decode(id);
      const row = key === undefined ? undefined : await rowById(db, key);
      if (!row) throw new Failure('not_found', `No recording has the id "${id}".`);
      return { data: toRecording(row) };
    },
  };
}

function toEventRecording(row: EventRecordingRow): EventRecording {
  return {
    id: ids.recording.encode(row.id),
    status: row.status,
    started_at: formatTimestamp(row.started_at),
    ended_at: formatTimestamp(row.ended_at ?? computeEnd(row)),
    audio_duration: row.audio_duration,
  };
}

/** The start of a recording plus its duration so far; the end of one that is still processing is not known. */
function computeEnd({ started_at, audio_duration }: EventRecordingRow): number {
  return started_at + Math.round((audio_duration ?? 0) * 1000);
}

function toRecording(row: RecordingRow): Recording {
  const { id, ...shown } = toEventRecording(row);
  const done = row.status === 'done';
  return {
    id,
    calendar_event_id: ids.calendarEvent.encode(row.calendar_event_id),
    ...shown,
    summary: done && row.summary !== null ? JSON.parse(row.summary) : null,
    transcript: done && row.transcript !== null ? JSON.parse(row.transcript) : null,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}
