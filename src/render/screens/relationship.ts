import type { CalendarEvent } from '../../contract/calendar-events.ts';
import type { Contact } from '../../contract/contacts.ts';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { List } from '../../contract/lists.ts';
import type { Note } from '../../contract/notes.ts';
import type { Organization } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import { getLabel } from '../../records/label.ts';
import { readObject } from '../../values/json-object.ts';
import { formatAmount, formatRecurringAmount } from '../../values/money.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { type Detail, listDetails } from '../details.ts';
import type { Display } from '../display.ts';
import { sanitizeLine } from '../text/sanitize.ts';

/** A part of a relationship, or the reason why it could not be read. */
export type Part<T> = T | Failure;

/** Some records. `more`: the number of omitted records, null if unknown. */
export interface Section<T> {
  readonly records: readonly T[];
  readonly more: number | null;
}

export interface ListedEntry {
  readonly entry: RawJson<Received<Entry>>;
  readonly list: RawJson<Received<List>>;
}

/** The texts in the summary of a recording. */
export interface MeetingSummary {
  readonly recordingId: string;
  readonly text: string | undefined;
  readonly actionItems: readonly string[];
}

/** A meeting with the summaries of its recordings. */
export interface Meeting {
  readonly event: RawJson<Received<CalendarEvent>>;
  readonly summary: string | undefined;
  /** The first sentence of the summary. */
  readonly headline: string | undefined;
  /** The action items of all summaries. */
  readonly actionItems: readonly string[];
  /** The summaries of the finished recordings that could be read, in order. */
  readonly summaries: readonly MeetingSummary[];
  /** The reason why a recording could not be read. */
  readonly failure: Failure | undefined;
}

/** A contact, organization or entry with the records that belong to it. */
export interface Relationship {
  readonly subject: PartyNoun | 'entry';
  readonly entry: ListedEntry | undefined;
  readonly contact: Part<RawJson<Received<Contact>> | undefined>;
  readonly organization: Part<RawJson<Received<Organization>> | undefined>;
  /** The contacts of an organization. */
  readonly people: Part<Section<RawJson<Received<Contact>>>> | undefined;
  /** Open entries, and the number of closed entries by status. */
  readonly entries: Part<Section<ListedEntry> & { readonly closed: ReadonlyMap<string, number> }>;
  /** Notes about the organization. */
  readonly notes: Part<Section<RawJson<Received<Note>>>>;
  readonly upcoming: Part<Section<RawJson<Received<CalendarEvent>>>>;
  readonly meetings: Part<Section<Meeting>>;
}

/** Returns the title of the screen: the name of the record, with the key of an entry. */
export function formatSubject({ subject, entry, contact, organization }: Relationship): string {
  const { key, id, entryable_type } = entry?.entry.value ?? {};
  const isContact = subject === 'contact' || entryable_type === 'Contact';
  const name = isContact
    ? formatPart(contact, formatContactName)
    : formatPart(organization, formatOrganizationName);
  return [...(entry ? [key ?? id ?? ''] : []), name].filter(Boolean).map(sanitizeLine).join(': ');
}

/** Formats a record that may be missing or unreadable. */
function formatPart<T>(part: Part<RawJson<T> | undefined>, format: (record: T) => string): string {
  return part === undefined || part instanceof Failure ? '' : format(part.value);
}

/** Returns the name of a contact, else the id. */
export const formatContactName = (contact: Received<Contact>): string =>
  getLabel('contacts', contact) || contact.id;

const formatOrganizationName = (organization: Received<Organization>): string =>
  getLabel('organizations', organization) || organization.id;

/** Formats a record by its name and id, or the reason why it could not be read. */
function formatOwner<T extends { readonly id: string }>(
  part: Part<RawJson<T> | undefined>,
  format: (record: T) => string,
): string {
  if (part instanceof Failure) return formatFailure(part);
  const { id } = part?.value ?? {};
  const name = formatPart(part, format);
  return !id || name === id ? name : `${name} (${id})`;
}

/** Formats the reason why a part is missing. */
export const formatFailure = ({ message }: Failure) => sanitizeLine(`Not available: ${message}`);

/** Returns the heading of the notes, which are about an organization even if they are shown with a contact. */
export function formatNotesHeading({ people, organization }: Relationship): string {
  const name = people ? '' : formatPart(organization, formatOrganizationName);
  return name === '' ? 'Notes' : sanitizeLine(`Notes about ${name}`);
}

/** Lists the fields of the subject. */
export function listSubjectDetails(relationship: Relationship, display: Display): Detail[] {
  const { subject, entry, contact, organization, entries } = relationship;
  const organizationName = formatOwner(organization, formatOrganizationName);
  const contactName = formatOwner(contact, formatContactName);
  const counts = entries instanceof Failure ? new Map<string, number>() : entries.closed;
  const closed = { 'Closed entries': Array.from(counts, ([name, count]) => `${count} ${name}`).join(', ') };
  if (subject === 'contact')
    return listFilled(contact, contactFields, { Organization: organizationName, ...closed }, display);
  if (subject === 'organization') return listFilled(organization, ['name'], closed, display);
  const { entry: record, list } = entry ?? {};
  const others = {
    List: list?.value.name ?? '',
    Status: record?.value.status ?? '',
    Value: record ? formatEntryValue(record.value) : '',
    Organization: organizationName,
    Contact: contactName,
  };
  return listFilled(record, entryFields, others, display);
}

/** The fields that are shown under other names. */
const contactFields = ['first_name', 'last_name', 'organization_id'];
const entryFields = [
  ...['key', 'list_id', 'entryable_id', 'entryable_type', 'contact_id', 'next_entry_id'],
  ...['status', 'one_time_value_cents', 'recurring_value_cents', 'recurring_value_period'],
];

/** Lists the fields of a record that have a value, with others after the id. */
function listFilled(
  part: Part<RawJson | undefined>,
  omittedFields: readonly string[],
  others: Readonly<Record<string, string>>,
  display: Display,
): Detail[] {
  if (part === undefined || part instanceof Failure) return [];
  const hiddenFields = [...omittedFields, 'id', 'created_at', 'updated_at'];
  const { id, ...fields } = readObject(part.value);
  const visible = Object.fromEntries(Object.entries(fields).filter(([name]) => !hiddenFields.includes(name)));
  const details = listDetails(visible, [], display).map(
    ({ label, texts }) => [label, texts.join(' ')] as const,
  );
  return [...Object.entries({ ID: String(id), ...others }), ...details]
    .filter(([, text]) => text !== '' && text !== '-')
    .map(([label, text]) => ({ label, texts: [text] }));
}

/** Formats the values of an entry: `6,400.00 + 240.00/mo`. */
export function formatEntryValue({
  one_time_value_cents,
  recurring_value_cents,
  recurring_value_period,
}: Pick<Received<Entry>, 'one_time_value_cents' | 'recurring_value_cents' | 'recurring_value_period'>) {
  const once = one_time_value_cents ? formatAmount(one_time_value_cents) : '';
  const recurring = recurring_value_cents
    ? formatRecurringAmount(recurring_value_cents, recurring_value_period)
    : '';
  return [once, recurring].filter(Boolean).join(' + ');
}
