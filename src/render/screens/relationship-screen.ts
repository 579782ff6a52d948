import type { CalendarEvent } from '../../contract/calendar-events.ts';
import type { Contact } from '../../contract/contacts.ts';
import { Failure } from '../../contract/errors.ts';
import type { Note } from '../../contract/notes.ts';
import type { Received } from '../../contract/received.ts';
import type { RawJson } from '../../values/raw-json.ts';
import {
  type Block,
  createHeading,
  createRows,
  createSection,
  createText,
  extraColumn,
  flexibleColumn,
  keptColumn,
  listMore,
  renderBlocks,
  titleColumn,
} from '../blocks.ts';
import { type Display, plainDisplay } from '../display.ts';
import type { TableStyle } from '../text/paint.ts';
import { wrap } from '../text/width.ts';
import {
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

const indent = 2;

/** Maximum number of lines of a text. */
const maxLines = { value: 4, note: 4, headline: 2, actionItem: 2, reason: 3, missing: 2 };

/** Renders a relationship as one screen: the record, then a block for each kind of record that belongs to it. */
export function renderRelationship(
  relationship: Relationship,
  { width, paint, display = plainDisplay }: TableStyle,
): string {
  const { entry, people, entries, notes, upcoming, meetings } = relationship;
  const missing: string[] = [];
  const listSection = <T>(
    heading: string,
    section: Part<Section<T>> | undefined,
    toBlocks: (records: readonly T[]) => readonly Block[],
  ): Block[] => {
    if (section === undefined) return [];
    if (!(section instanceof Failure) && section.records.length === 0) {
      if (section !== upcoming) missing.push(`${heading.charAt(0).toLowerCase()}${heading.slice(1)}`);
      return [];
    }
    const blocks =
      section instanceof Failure
        ? [createText(formatFailure(section), { style: 'red', maxLines: maxLines.reason })]
        : [...toBlocks(section.records), ...listMore(section.more)];
    return createSection(heading, blocks);
  };
  const sections = [
    ...listSection('People', people, (records) => [createRows(personColumns, records.map(listPersonCells))]),
    ...listSection(entry ? 'Other open entries' : 'Open entries', entries, (records) => [
      createRows(dealColumns, records.filter(isDeal).map(listEntryCells)),
      createRows(memberColumns, records.filter((one) => !isDeal(one)).map(listEntryCells)),
    ]),
    ...listSection(formatNotesHeading(relationship), notes, (records) =>
      records.flatMap((note) => listNoteBlocks(note, display)),
    ),
    ...listSection('Upcoming meetings', upcoming, (records) => [
      createRows(
        meetingColumns,
        records.map((event) => listMeetingCells(event, display)),
      ),
    ]),
    ...listSection('Past meetings', meetings, (records) =>
      records.flatMap((meeting) => listMeetingBlocks(meeting, display)),
    ),
  ];
  const fields: Block = {
    kind: 'fields',
    fields: listSubjectDetails(relationship, display),
    paintLabel: paint.dim,
    wrapText: (text, room) => wrap(text, room, maxLines.value),
  };
  const end = createText(`No ${listWords.format(missing)}.`, { style: 'dim', maxLines: maxLines.missing });
  return renderBlocks(
    [
      createHeading(formatSubject(relationship)),
      fields,
      ...sections,
      ...(missing.length > 0 ? [createText(''), end] : []),
    ],
    { width, paint },
  );
}

const listWords = new Intl.ListFormat('en', { type: 'disjunction' });

/** The columns of `listPersonCells`, `listEntryCells`, `listMeetingCells` and the first line of a note. */
const personColumns = [keptColumn, titleColumn, flexibleColumn, extraColumn];
const dealColumns = [keptColumn, keptColumn, flexibleColumn, extraColumn, extraColumn];
const memberColumns = [keptColumn, keptColumn, flexibleColumn, extraColumn, titleColumn];
const meetingColumns = [keptColumn, keptColumn, titleColumn];
const noteColumns = [keptColumn, keptColumn, extraColumn];

function listPersonCells({ value }: RawJson<Received<Contact>>): string[] {
  const { emails, phone_numbers = [] } = value;
  return [value.id, formatContactName(value), emails[0] ?? '', phone_numbers[0] ?? ''];
}

function listEntryCells({ entry: { value }, list }: ListedEntry): string[] {
  const { id, key, status } = value;
  return [id, key ?? '', status ?? '', formatEntryValue(value), list.value.name];
}

function listMeetingCells({ value }: RawJson<Received<CalendarEvent>>, { formatTime }: Display): string[] {
  const { id, start_at, title } = value;
  return [id, formatTime(start_at), title];
}

/** Whether an entry is in a process. */
const isDeal = ({ entry: { value } }: ListedEntry) => Boolean(value.key || value.status);

function listNoteBlocks({ value }: RawJson<Received<Note>>, { formatTime }: Display): Block[] {
  const { id, body, created_at, deal_id } = value;
  return [
    createRows(noteColumns, [[id, formatTime(created_at), deal_id ?? '']]),
    ...listInner(body, { maxLines: maxLines.note }),
  ];
}

function listMeetingBlocks({ event, headline, actionItems, failure }: Meeting, display: Display): Block[] {
  const problem = failure ? `Summary not available: ${failure.message}` : '';
  return [
    createRows(meetingColumns, [listMeetingCells(event, display)]),
    ...listInner(headline ?? '', { maxLines: maxLines.headline }),
    ...listInner(problem, { maxLines: maxLines.reason, style: 'red' }),
    ...listInner(actionItems.length > 0 ? 'Action items:' : ''),
    ...actionItems.flatMap((item) => listInner(item, { maxLines: maxLines.actionItem, mark: '- ' })),
  ];
}

/** Returns the block of a text below a row; empty if the text is empty. */
const listInner = (text: string, options: Parameters<typeof createText>[1] = {}) =>
  text === '' ? [] : [createText(text, { ...options, indent })];
