import type { CalendarEvent } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import type { EventRecording } from '../../contract/recordings.ts';
import { createLocalFormat, getZoneName } from '../../values/dates.ts';
import {
  type Block,
  createHeading,
  createRows,
  createSection,
  createText,
  extraColumn,
  flexibleColumn,
  keptColumn,
  renderBlocks,
} from '../blocks.ts';
import type { TableStyle } from '../text/paint.ts';
import { type Attendee, createAttendeeRows } from './attendees.ts';
import { formatFailure, type Meeting, type Part } from './relationship.ts';

/** A meeting with its attendees and summaries. */
export interface MeetingDetails extends Meeting {
  readonly attendees: Part<readonly Attendee[]>;
  /** Whether each action item is done. */
  readonly doneItems: Part<readonly boolean[]>;
}

/** How times are shown. */
interface TimeStyle {
  /** The time zone; undefined for that of this machine. */
  readonly zone: string | undefined;
}

/** Renders a meeting as one screen: time, attendees, summary, action items and recordings. */
export function renderMeeting(
  { event: { value: event }, attendees, summaries, actionItems, doneItems, failure }: MeetingDetails,
  { width, paint, zone }: Pick<TableStyle, 'width' | 'paint'> & TimeStyle,
): string {
  const { recordings } = event;
  const isDone = doneItems instanceof Failure ? [] : doneItems;
  const missing = [
    ...(summaries.some(({ text }) => text) || failure ? [] : ['summary']),
    ...(actionItems.length > 0 || failure ? [] : ['action items']),
  ];
  const end = missing.length > 0 ? `No ${missing.join(' or ')}.` : '';
  return renderBlocks(
    [
      createHeading(event.title || event.id),
      { kind: 'fields', fields: listFields(event, zone), paintLabel: paint.dim },
      ...createFilledSection('Attendees', listAttendeeBlocks(event, attendees)),
      ...summaries.flatMap(({ text = '', recordingId }) =>
        createFilledSection(
          recordings.length > 1 ? `Summary of recording ${recordingId}` : 'Summary',
          listParagraphs(text),
        ),
      ),
      ...(failure ? createSection('Summary', [createFailureText(failure)]) : []),
      ...createFilledSection(
        'Action items',
        actionItems.map((item, index) => createText(item, { mark: isDone[index] ? '[x] ' : '[ ] ' })),
      ),
      ...createFilledSection('Recordings', listRecordingRows(recordings, zone)),
      ...(end === '' ? [] : [createText(''), createText(end, { style: 'dim' })]),
    ],
    { width, paint },
  );
}

const createFilledSection = (heading: string, blocks: readonly Block[]): Block[] =>
  blocks.length === 0 ? [] : createSection(heading, blocks);

const createFailureText = (failure: Failure) => createText(formatFailure(failure), { style: 'red' });

function listFields(event: Received<CalendarEvent>, zone: string | undefined) {
  const { id, conference_link, conference_type } = event;
  const fields = {
    ID: id,
    Time: formatMeetingTime(event, zone),
    'Conference link': conference_link,
    'Conference type': conference_type,
  };
  return Object.entries(fields).flatMap(([label, text]) => (text ? [{ label, texts: [text] }] : []));
}

/** Formats the time of a meeting in a zone: `2026-05-01 09:30 to 10:00 Europe/Berlin (30 min)`. */
function formatMeetingTime(
  { start_at, end_at }: Received<CalendarEvent>,
  timeZone: string | undefined,
): string {
  const [start, end] = [Date.parse(start_at), Date.parse(end_at)];
  if (Number.isNaN(start)) return start_at;
  const formatLocal = createLocalFormat(timeZone);
  const toText = (time: number) => formatLocal(time).replace('T', ' ').slice(0, -':00'.length);
  const zone = getZoneName(timeZone);
  if (Number.isNaN(end) || end <= start) return `${toText(start)} ${zone}`;
  const [startDay = ''] = toText(start).split(' ');
  const endText = toText(end).replace(`${startDay} `, '');
  return `${toText(start)} to ${endText} ${zone} (${formatDuration(end - start)})`;
}

/** Formats milliseconds: `30 min`, `1 h 30 min`. */
function formatDuration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  const parts = [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ') || '0 min';
}

function listAttendeeBlocks(event: Received<CalendarEvent>, attendees: MeetingDetails['attendees']): Block[] {
  if (attendees instanceof Failure)
    return [createFailureText(attendees), createText(event.attendees.map(({ email }) => email).join(', '))];
  return attendees.length === 0 ? [] : [createAttendeeRows(attendees)];
}

const listParagraphs = (text: string): Block[] =>
  text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .flatMap((paragraph, index) => [...(index > 0 ? [createText('')] : []), createText(paragraph)]);

const recordingColumns = [keptColumn, keptColumn, flexibleColumn, extraColumn, extraColumn];

/** Lists recordings with their status, start and length, and the command that prints the transcript. */
function listRecordingRows(
  recordings: readonly Received<EventRecording>[],
  zone: string | undefined,
): Block[] {
  if (recordings.length === 0) return [];
  const formatLocal = createLocalFormat(zone);
  const rows = recordings.map(({ id, status, started_at, ended_at }) => {
    const [start, end] = [Date.parse(started_at), Date.parse(ended_at)];
    const time = Number.isNaN(start)
      ? started_at
      : formatLocal(start).replace('T', ' ').slice(0, -':00'.length);
    const length = end > start ? formatDuration(end - start) : '';
    const isDone = status === 'done';
    return [id, status ?? '', isDone ? `kith meetings transcript ${id}` : '', time, length];
  });
  return [createRows(recordingColumns, rows)];
}
