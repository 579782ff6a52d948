import type { CalendarEvent } from '../contract/calendar-events.ts';
import type { Contact } from '../contract/contacts.ts';
import type { Entry } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import type { List } from '../contract/lists.ts';
import type { Note } from '../contract/notes.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import { formatFullName } from '../values/full-name.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { formatAmount } from '../values/money.ts';
import type { RawJson } from '../values/raw-json.ts';
import { listDetails } from './details.ts';
import type { Paint, TableStyle } from './paint.ts';
import { sanitizeLine } from './sanitize.ts';
import { measureWidth, pad, truncate } from './width.ts';
import { wrap } from './wrap.ts';

/** A part of a relationship, or the reason why it could not be read. */
export type Part<T> = T | Failure;

/** Some records; `more` is the number of those left out, null if it is unknown. */
export interface Section<T> {
  readonly records: readonly T[];
  readonly more: number | null;
}

export interface ListedEntry {
  readonly entry: RawJson<Received<Entry>>;
  readonly list: RawJson<Received<List>>;
}

/** A meeting with the summaries of its recordings. */
export interface Meeting {
  readonly event: RawJson<Received<CalendarEvent>>;
  readonly summary: string | undefined;
  /** The first sentence of the summary. */
  readonly headline: string | undefined;
  readonly actionItems: readonly string[];
  /** Why a recording could not be read. */
  readonly failure: Failure | undefined;
}

/** A contact, organization or entry with the records that belong to it. */
export interface Relationship {
  readonly subject: 'contact' | 'organization' | 'entry';
  readonly entry: ListedEntry | undefined;
  readonly contact: Part<RawJson<Received<Contact>> | undefined>;
  readonly organization: Part<RawJson<Received<Organization>> | undefined>;
  /** The contacts of an organization. */
  readonly people: Part<Section<RawJson<Received<Contact>>>> | undefined;
  /** Open entries; of closed ones, the number by status. */
  readonly entries: Part<Section<ListedEntry> & { readonly closed: ReadonlyMap<string, number> }>;
  /** Notes about the organization. */
  readonly notes: Part<Section<RawJson<Received<Note>>>>;
  readonly upcoming: Part<Section<RawJson<Received<CalendarEvent>>>>;
  readonly meetings: Part<Section<Meeting>>;
}

const indent = '  ';

/** The most lines of a text. */
const maxLines = { value: 4, note: 4, headline: 2, actionItem: 2, reason: 3 };

/** Renders a relationship as one screen: the record, then a block for each kind of record that belongs to it. */
export function renderRelationship(relationship: Relationship, { width, paint }: TableStyle): string {
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
      records.flatMap((note) => formatNote(note, inner)),
    ),
    ...renderSection('Upcoming meetings', upcoming, (records) =>
      alignRows(records.map(listMeetingCells), inner),
    ),
    ...renderSection('Past meetings', meetings, (records) =>
      records.flatMap((meeting) => formatMeeting(meeting, inner, paint)),
    ),
  ];
  const missing = empty.filter((name) => name !== 'upcoming meetings');
  const lines = [
    paint.bold(truncate(formatTitle(relationship), room)),
    ...formatDetails(relationship, room, paint),
    ...sections,
    ...(missing.length > 0 ? ['', ...wrap(`No ${listWords.format(missing)}.`, room, 2).map(paint.dim)] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Notes are about organizations, also those that are shown with a contact. */
function formatNotesHeading({ people, organization }: Relationship): string {
  const name = people ? '' : formatPart(organization, formatOrganizationName);
  return name === '' ? 'Notes' : sanitizeLine(`Notes about ${name}`);
}

const listWords = new Intl.ListFormat('en', { type: 'disjunction' });

function formatTitle({ subject, entry, contact, organization }: Relationship): string {
  const { key, id, entryable_type } = entry?.entry.value ?? {};
  const isContact = subject === 'contact' || entryable_type === 'Contact';
  const name = isContact
    ? formatPart(contact, formatContactName)
    : formatPart(organization, formatOrganizationName);
  return [...(entry ? [key ?? id ?? ''] : []), name].map(sanitizeLine).join(': ');
}

/** Formats a record that may be missing or unreadable. */
function formatPart<T>(part: Part<RawJson<T> | undefined>, format: (record: T) => string): string {
  return part === undefined || part instanceof Failure ? '' : format(part.value);
}

const formatContactName = ({ id, first_name, last_name, emails }: Received<Contact>): string =>
  formatFullName(first_name, last_name) || emails?.[0] || id || '';

const formatOrganizationName = ({ id, name, domains }: Received<Organization>): string =>
  name || domains?.[0] || id || '';

/** Formats a record by its name and id; if it could not be read, the reason. */
function formatOwner<T extends { readonly id?: string | null }>(
  part: Part<RawJson<T> | undefined>,
  format: (record: T) => string,
): string {
  if (part instanceof Failure) return formatFailure(part);
  const { id } = part?.value ?? {};
  const name = formatPart(part, format);
  return !id || name === id ? name : `${name} (${id})`;
}

const formatFailure = ({ message }: Failure) => sanitizeLine(`Not available: ${message}`);

/** Formats the fields of the record that was asked for. */
function formatDetails(relationship: Relationship, width: number, paint: Paint): string[] {
  const details = listSubjectDetails(relationship);
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

function listSubjectDetails(relationship: Relationship): [string, string][] {
  const { subject, entry, contact, organization, entries } = relationship;
  const organizationName = formatOwner(organization, formatOrganizationName);
  const contactName = formatOwner(contact, formatContactName);
  const closed = { 'Closed entries': entries instanceof Failure ? '' : formatCounts(entries.closed) };
  if (subject === 'contact')
    return listFilled(contact, ['first_name', 'last_name', 'organization_id'], {
      Organization: organizationName,
      ...closed,
    });
  if (subject === 'organization') return listFilled(organization, ['name'], closed);
  const { entry: record, list } = entry ?? {};
  return listFilled(record, entryFields, {
    List: list?.value.name ?? '',
    Status: record?.value.status ?? '',
    Value: record ? formatValue(record.value) : '',
    Organization: organizationName,
    Contact: contactName,
  });
}

/** The fields of an entry that are shown in other words. */
const entryFields = [
  ...['key', 'list_id', 'entryable_id', 'entryable_type', 'contact_id', 'next_entry_id'],
  ...['status', 'one_time_value_cents', 'recurring_value_cents', 'recurring_value_period'],
];

/** Lists the names of details with the text of all their lines. */
const listTexts = (record: JsonObject) =>
  listDetails(record).map(([name, lines]): [string, string] => [name, lines.join(' ')]);

/** Lists the fields of a record that have a value, with others after the id. */
function listFilled(
  part: Part<RawJson | undefined>,
  omitted: readonly string[],
  others: Readonly<Record<string, string>>,
): [string, string][] {
  if (part === undefined || part instanceof Failure) return [];
  const hidden = [...omitted, 'id', 'created_at', 'updated_at'];
  const { id, ...fields } = readObject(part.value);
  const visible = Object.fromEntries(Object.entries(fields).filter(([name]) => !hidden.includes(name)));
  const details = [...Object.entries({ id: String(id ?? ''), ...others }), ...listTexts(visible)];
  return details
    .filter(([, value]) => value !== '' && value !== '-')
    .map(([name, value]) => [toLabel(name), sanitizeLine(value)]);
}

const formatCounts = (counts: ReadonlyMap<string, number>) =>
  Array.from(counts, ([name, count]) => `${count} ${name}`).join(', ');

/** `phone_numbers` -> `Phone numbers`. */
function toLabel(name: string): string {
  const words = name.replaceAll('_', ' ');
  return name === 'id' ? 'ID' : words.charAt(0).toUpperCase() + words.slice(1);
}

function listPersonCells({ value }: RawJson<Received<Contact>>): string[] {
  const { emails, phone_numbers } = value;
  return [value.id ?? '', formatContactName(value), emails?.[0] ?? '', phone_numbers?.[0] ?? ''];
}

function listEntryCells({ entry: { value }, list }: ListedEntry): string[] {
  const { id, key, status } = value;
  return [id ?? '', key ?? '', status ?? '', formatValue(value), list.value.name ?? ''];
}

function listMeetingCells({ value: { id, start_at, title } }: RawJson<Received<CalendarEvent>>): string[] {
  return [id ?? '', formatStart(start_at), title ?? ''];
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

function formatNote({ value }: RawJson<Received<Note>>, width: number): string[] {
  const { id, body, created_at, deal_id } = value;
  return [
    ...alignRows([[id ?? '', formatDay(created_at), deal_id ?? '']], width),
    ...wrapInner(body ?? '', width, maxLines.note),
  ];
}

function formatMeeting(
  { event, headline, actionItems, failure }: Meeting,
  width: number,
  paint: Paint,
): string[] {
  const problem = failure ? `Summary not available: ${failure.message}` : '';
  return [
    ...alignRows([listMeetingCells(event)], width),
    ...wrapInner(headline ?? '', width, maxLines.headline),
    ...wrapInner(problem, width, maxLines.reason).map(paint.red),
    ...(actionItems.length > 0 ? [`${indent}Action items:`] : []),
    ...actionItems.flatMap((item) => wrapInner(item, width, maxLines.actionItem, '- ')),
  ];
}

/** Wraps a text under a heading, with a mark before its first line; none if it is empty. */
function wrapInner(text: string, width: number, count: number, mark = ''): string[] {
  if (text === '') return [];
  const margin = indent + ' '.repeat(mark.length);
  const lines = wrap(sanitizeLine(text), width - margin.length, count);
  return lines.map((line, index) => `${index === 0 ? indent + mark : margin}${line}`);
}

const formatStart = (time: string | null | undefined) => (time ?? '').slice(0, 16).replace('T', ' ');
const formatDay = (time: string | null | undefined) => (time ?? '').slice(0, 10);
const formatValue = (entry: Received<Entry>) =>
  [
    entry.one_time_value_cents ? formatAmount(entry.one_time_value_cents) : '',
    entry.recurring_value_cents
      ? `${formatAmount(entry.recurring_value_cents)}/${entry.recurring_value_period}`
      : '',
  ]
    .filter(Boolean)
    .join(' + ');
