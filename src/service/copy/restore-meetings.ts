import type { WorkspaceRecords } from '../../contract/workspace.ts';
import { foldEmail } from '../../values/domain.ts';
import { insertRows } from '../db/statements.ts';
import { parseTime, type RestoreContext, readStamps, type StoreRecords } from './restore-context.ts';

export const storeNotes: StoreRecords<'notes'> = async (context, records) => {
  const organizations = await context.numbers.find(
    'organizations',
    records.map(({ value }) => value.organization_id),
  );
  const stored = records.filter(({ id, value }) => {
    if (organizations.has(value.organization_id)) return true;
    context.dropped.add('notes', id, undefined, 'missing organization');
    return false;
  });
  const rows = stored.map(({ row, value }) => ({
    id: row,
    organization_id: organizations.get(value.organization_id),
    deal_id: value.deal_id,
    body: value.body,
    ...readStamps(context, value),
  }));
  await insertRows(context.db, 'note', rows);
  return stored;
};

export const storeEvents: StoreRecords<'events'> = async (context, records) => {
  const rows = records.map(({ row, value }) => {
    const { title, start_at, end_at, conference_link, conference_type } = value;
    const stamps = readStamps(context, value);
    return {
      id: row,
      source: null,
      title,
      start_at,
      end_at,
      starts_at: parseTime(start_at) ?? stamps.created_at,
      conference_link: conference_link || null,
      conference_type: conference_type || null,
      ...stamps,
    };
  });
  await insertRows(context.db, 'calendar_event', rows);
  const attendees = records.flatMap(({ row, value }) =>
    value.attendees.map(({ email }, position) => ({
      calendar_event_id: row,
      position,
      email,
      folded: foldEmail(email),
    })),
  );
  await insertRows(context.db, 'calendar_event_attendee', attendees);
  return records;
};

export const storeRecordings: StoreRecords<'recordings'> = async (context, records) => {
  const events = await context.numbers.find(
    'events',
    records.map(({ value }) => value.calendar_event_id),
  );
  const stored = records.filter(({ id, value }) => {
    if (events.has(value.calendar_event_id)) return true;
    context.dropped.add('recordings', id, undefined, 'missing meeting');
    return false;
  });
  const rows = stored.map(({ row, value }) => ({
    id: row,
    calendar_event_id: events.get(value.calendar_event_id),
    ...toRecordingColumns(context, value),
  }));
  await insertRows(context.db, 'recording', rows);
  return stored;
};

function toRecordingColumns(context: RestoreContext, value: WorkspaceRecords['recordings']) {
  const { status, audio_duration, summary, transcript } = value;
  const stamps = readStamps(context, value);
  const duration = typeof audio_duration === 'number' && Number.isFinite(audio_duration);
  return {
    // Another service may have other statuses than the contract. They are kept.
    status: status ?? 'processing',
    started_at: parseTime(value.started_at) ?? stamps.created_at,
    ended_at: parseTime(value.ended_at),
    audio_duration: duration ? audio_duration : null,
    summary: summary && JSON.stringify(summary),
    transcript: transcript && JSON.stringify(transcript),
    ...stamps,
  };
}
