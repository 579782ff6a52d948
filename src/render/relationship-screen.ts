import type { CalendarEvent } from '../contract/calendar-events.ts';
import type { Contact } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import type { Note } from '../contract/notes.ts';
import type { Received } from '../contract/received.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type Display, plainDisplay } from './display.ts';
import {
  type Detail,
  formatContactName,
  formatEntryValue,
  formatFailure,
  formatNotesHeading,
  formatSubject,
  type ListedEntry,
  listSubjectDetails,
  type Meeting,
  type Part,
  type Relationship,
  type Section,
} from './relationship.ts';
import type { Paint, TableStyle } from './text/paint.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { measureWidth, pad, truncate, wrap } from './text/width.ts';

const indent = '  ';

/** Maximum number of lines of a text. */
const maxLines = { value: 4, note: 4, headline: 2, actionItem: 2, reason: 3 };

/** Renders a relationship as one screen: the record, then a block for each kind of record that belongs to it. */
export function renderRelationship(
  relationship: Relationship,
  { width, paint, display = plainDisplay }: TableStyle,
): string {
  const { entry, people, entries, notes, upcoming, meetings } = relationship;
  const room = width ?? Number.POSITIVE_INFINITY;
  const inner = room - indent.length;
  const empty: string[] = [];
  const renderSection = <T>(
    heading: string,
    section: Part<Section<T>> | undefined,
    format: (record: readonly T[]) => readonly string[],
  ): string[] => {
    if (section === undefined) return [];
    const head = ['', paint.bold(truncate(heading, room))];
    if (section instanceof Failure) {
      const reason = wrap(formatFailure(section), inner, maxLines.reason);
      return [...head, ...reason.map((line) => indent + paint.red(line))];
    }
    const { records, more } = section;
    if (records.length === 0) {
      empty.push(`${heading.charAt(0).toLowerCase()}${heading.slice(1)}`);
      return [];
    }
    const rest = more === 0 ? [] : [paint.dim(more === null ? 'and more' : `and ${more} more`)];
    return [...head, ...[...format(records), ...rest].map((line) => indent + line)];
  };
  const sections = [
    ...renderSection('People', people, (records) => alignRows(records.map(listPersonCells), inner)),
    ...renderSection(entry ? 'Other open entries' : 'Open entries', entries, (records) => [
      ...alignRows(records.filter(isDeal).map(listEntryCells), inner),
      ...alignRows(records.filter((one) => !isDeal(one)).map(listEntryCells), inner),
    ]),
    ...renderSection(formatNotesHeading(relationship), notes, (records) =>
      records.flatMap((note) => formatNote(note, inner, display)),
    ),
    ...renderSection('Upcoming meetings', upcoming, (records) =>
      alignRows(
        records.map((event) => listMeetingCells(event, display)),
        inner,
      ),
    ),
    ...renderSection('Past meetings', meetings, (records) =>
      records.flatMap((meeting) => formatMeeting(meeting, inner, { paint, display })),
    ),
  ];
  const missing = empty.filter((name) => name !== 'upcoming meetings');
  const lines = [
    paint.bold(truncate(formatSubject(relationship), room)),
    ...formatDetails(listSubjectDetails(relationship, display), room, paint),
    ...sections,
    ...(missing.length > 0
      ? ['', ...wrap(`No ${listWords.format(missing)}.`, room, 2).map((line) => paint.dim(line))]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

const listWords = new Intl.ListFormat('en', { type: 'disjunction' });

/** Formats the fields of the subject. */
function formatDetails(details: readonly Detail[], width: number, paint: Paint): string[] {
  const nameWidth = Math.min(
    Math.max(...details.map(([name]) => measureWidth(name))),
    Math.max(8, Math.floor(width / 3)),
  );
  const margin = ' '.repeat(nameWidth + 2);
  return details.flatMap(([name, value]) =>
    wrap(value, width - margin.length, maxLines.value).map((line, index) =>
      index > 0 ? margin + line : `${paint.dim(pad(truncate(name, nameWidth), nameWidth))}  ${line}`,
    ),
  );
}

function listPersonCells({ value }: RawJson<Received<Contact>>): string[] {
  const { emails, phone_numbers } = value;
  return [value.id ?? '', formatContactName(value), emails?.[0] ?? '', phone_numbers?.[0] ?? ''];
}

function listEntryCells({ entry: { value }, list }: ListedEntry): string[] {
  const { id, key, status } = value;
  return [id ?? '', key ?? '', status ?? '', formatEntryValue(value), list.value.name ?? ''];
}

function listMeetingCells({ value }: RawJson<Received<CalendarEvent>>, { formatTime }: Display): string[] {
  const { id, start_at, title } = value;
  return [id ?? '', formatTime(start_at ?? ''), title ?? ''];
}

/** Whether an entry is in a process. */
const isDeal = ({ entry: { value } }: ListedEntry) => Boolean(value.key || value.status);

/** Aligns the cells of rows, without columns that are empty in all of them. */
function alignRows(rows: readonly (readonly string[])[], width: number): string[] {
  const texts = rows.map((row) => row.map(sanitizeLine));
  const widths = (texts[0] ?? []).map((_, index) =>
    Math.max(...texts.map((row) => measureWidth(row[index] ?? ''))),
  );
  return texts.map((row) => {
    const cells = row.flatMap((text, index) => (widths[index] ? [pad(text, widths[index])] : []));
    return truncate(cells.join('  ').trimEnd(), width);
  });
}

function formatNote({ value }: RawJson<Received<Note>>, width: number, { formatTime }: Display): string[] {
  const { id, body, created_at, deal_id } = value;
  return [
    ...alignRows([[id ?? '', formatTime(created_at ?? ''), deal_id ?? '']], width),
    ...wrapInner(body ?? '', width, maxLines.note),
  ];
}

function formatMeeting(
  { event, headline, actionItems, failure }: Meeting,
  width: number,
  { paint, display }: Required<Pick<TableStyle, 'paint' | 'display'>>,
): string[] {
  const problem = failure ? `Summary not available: ${failure.message}` : '';
  return [
    ...alignRows([listMeetingCells(event, display)], width),
    ...wrapInner(headline ?? '', width, maxLines.headline),
    ...wrapInner(problem, width, maxLines.reason).map((line) => paint.red(line)),
    ...(actionItems.length > 0 ? [`${indent}Action items:`] : []),
    ...actionItems.flatMap((item) => wrapInner(item, width, maxLines.actionItem, '- ')),
  ];
}

/** Wraps a text under a heading, with a mark before its first line; empty if the text is empty. */
function wrapInner(text: string, width: number, count: number, mark = ''): string[] {
  if (text === '') return [];
  const margin = indent + ' '.repeat(mark.length);
  const lines = wrap(sanitizeLine(text), width - margin.length, count);
  return lines.map((line, index) => `${index === 0 ? indent + mark : margin}${line}`);
}
