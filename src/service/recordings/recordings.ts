import sql, { type Sql } from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import type { EventRecording, Recording } from '../../contract/recordings.ts';
import { quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { type Encoders, foreignIdsExist, selectRow, withEncoders } from '../db/foreign-ids.ts';
import { isIn } from '../db/render-sql.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps, formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';

/** The columns of a recording without its long texts. */
type EventRecordingRow = Pick<Row<'recording'>, keyof EventRecording>;

/** Reads the recordings of calendar events and returns a lookup by event (specification, 2.8). */
export async function readEventRecordings(db: Database, events: readonly number[]) {
  const rows = await db.all<EventRecordingRow & Pick<Row<'recording'>, 'calendar_event_id'>>(sql`
    select calendar_event_id, id, status, started_at, ended_at, audio_duration
    from recording where ${matchEvents(events)} order by started_at, id`);
  return (event: number, ids: Encoders): EventRecording[] =>
    rows
      .filter(({ calendar_event_id }) => calendar_event_id === event)
      .map((row) => toEventRecording(row, ids));
}

/** Returns the condition for recordings of events. Includes events between them if the ids are close together. */
function matchEvents(events: readonly number[]): Sql {
  const [first, last] = [Math.min(...events), Math.max(...events)];
  // For a list of ids, PostgreSQL may scan the whole table.
  return last - first < 4 * events.length
    ? sql`calendar_event_id between ${first} and ${last}`
    : isIn('calendar_event_id', events);
}

/** Returns the handlers of recordings (specification, 2.9 and 4.8). */
export function recordingHandlers({ db }: Deps): Handlers<'recordings'> {
  return {
    async get({ id }) {
      const record = await readRecording(db, selectRow('recording', id));
      if (!record) throw new Failure('not_found', `No recording has the id ${quote(id)}.`);
      return { data: record };
    },
  };
}

/** Reads the recording with a row id, or the result of `selectRow`, if there is one. */
export async function readRecording(db: Database, id: number | Sql): Promise<Recording | undefined> {
  const row = await db.first<Row<'recording'> & { readonly hasForeignIds: number }>(
    sql`select recording.*, ${foreignIdsExist} as "hasForeignIds" from recording where id = ${id}`,
  );
  return row && withEncoders(db, row.hasForeignIds === 1, (ids) => toRecording(row, ids));
}

function toEventRecording(row: EventRecordingRow, ids: Encoders): EventRecording {
  return {
    id: ids.recording.encode(row.id),
    status: row.status,
    started_at: formatTimestamp(row.started_at),
    // While a recording is processing, its end is unknown: its start plus the duration so far.
    ended_at: formatTimestamp(row.ended_at ?? row.started_at + Math.round((row.audio_duration ?? 0) * 1000)),
    audio_duration: row.audio_duration,
  };
}

function toRecording(row: Row<'recording'>, ids: Encoders): Recording {
  const { id, ...fields } = toEventRecording(row, ids);
  const isDone = row.status === 'done';
  return {
    id,
    calendar_event_id: ids.calendarEvent.encode(row.calendar_event_id),
    ...fields,
    summary: isDone && row.summary !== null ? JSON.parse(row.summary) : null,
    transcript: isDone && row.transcript !== null ? JSON.parse(row.transcript) : null,
    ...formatStamps(row),
  };
}
