import type { CalendarEvent } from '../../contract/calendar-events.ts';
import type { Contact } from '../../contract/contacts.ts';
import type { Entry } from '../../contract/entries.ts';
import type { Note } from '../../contract/notes.ts';
import type { Organization } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import type { Recording } from '../../contract/recordings.ts';
import { findNamedDate } from '../../followup/named-dates.ts';
import { getLabel } from '../../records/label.ts';
import { formatCell } from '../../render/cells.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import { readActionItems, renderSummary } from '../../transcripts/summary.ts';
import { joinWords, parseTranscript } from '../../transcripts/transcript.ts';
import { createDayFormat } from '../../values/dates.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { listDefinedValues } from '../../values/field-values.ts';
import { listEntryOwners, listRelations, type Relation } from '../relations.ts';

/** The texts of a record. Words in the title count most, then words in `about`, then words in `body`. */
export interface IndexDocument {
  readonly title: string;
  /** Where the record belongs, as results show it: the organization of a contact, the list and status of an entry. */
  readonly place?: string;
  /** The key of an entry. */
  readonly key?: string | undefined;
  readonly about: readonly string[];
  readonly body: readonly string[];
  readonly phones?: readonly string[];
  /** The time that the record is about, in seconds since 1970. */
  readonly at: number;
  /** The addresses by which the attendees of meetings are found. */
  readonly addresses?: ContactAddresses;
  readonly actionItems?: MeetingItems;
  /**
   * The owners of the record, except of a closed entry; the attendees and finished recordings of a meeting; the day that
   * a note names.
   */
  readonly relations?: readonly Relation[];
  /** The time of the relations if it is not `at`, in seconds since 1970. */
  readonly relatedAt?: number;
}

/** A contact by its email addresses, in the form for comparison. */
interface ContactAddresses {
  readonly emails: readonly string[];
  readonly first_name: string;
  readonly last_name: string;
  readonly organization_id: string | null;
}

/** The action items of a meeting. */
interface MeetingItems {
  readonly title: string;
  readonly start_at: string;
  /** The addresses of the attendees, in the form for comparison. */
  readonly attendees: readonly string[];
  readonly texts: readonly string[];
  /** Whether no recording is unfinished or unreadable, so that the meeting has no other items. */
  readonly isComplete: boolean;
}

type Stamps = Received<Pick<Contact, 'created_at' | 'updated_at'>>;

/** A note names a date, such as "Friday", by the calendar of the person who updates the index. */
const toLocalDay = createDayFormat(undefined);

const toSeconds = (time: string) => Math.floor(Date.parse(time) / 1000) || 0;

const readUpdateTime = ({ updated_at, created_at }: Stamps) => toSeconds(updated_at || created_at);

/** Returns the document of a contact. `organization`: the name of its organization; empty if it has none. */
export function createContactDocument(contact: Received<Contact>, organization: string): IndexDocument {
  const { phone_numbers: phones = [] } = contact;
  return {
    title: getLabel('contacts', contact),
    place: organization,
    about: contact.emails,
    body: [...phones, ...formatFields(contact.custom_fields)],
    phones,
    at: readUpdateTime(contact),
    addresses: {
      emails: [...new Set(contact.emails.map(normalizeEmail))],
      first_name: contact.first_name ?? '',
      last_name: contact.last_name ?? '',
      organization_id: contact.organization_id ?? null,
    },
    relations: listRelations(['organization', contact.organization_id]),
  };
}

/** Returns the texts of an organization. */
export function createOrganizationDocument(organization: Received<Organization>): IndexDocument {
  return {
    title: getLabel('organizations', organization),
    about: organization.domains,
    body: formatFields(organization.custom_fields),
    at: readUpdateTime(organization),
  };
}

/** Returns the texts of a note about an organization. */
export function createNoteDocument(note: Received<Note>, organization: string): IndexDocument {
  const writtenAt = toSeconds(note.created_at);
  return {
    title: organization,
    about: splitLines(note.body),
    body: [],
    at: readUpdateTime(note),
    relations: listRelations(
      ['organization', note.organization_id],
      ['day', findNamedDate(note.body, toLocalDay(writtenAt * 1000))],
    ),
    relatedAt: writtenAt,
  };
}

/** Returns the texts of an entry of a list, for a contact or an organization with a name. */
export function createEntryDocument(entry: Received<Entry>, list: string, name: string): IndexDocument {
  const { key, status, assignee, list_fields } = entry;
  const place = [list, key, status].filter(Boolean).join(' · ');
  return {
    title: name,
    place: [list, status].filter(Boolean).join(' · '),
    key: key ?? undefined,
    about: place === '' ? [] : [place],
    body: [...(assignee?.email ? [assignee.email] : []), ...formatFields(list_fields)],
    at: readUpdateTime(entry),
    relations: listEntryOwners(entry).map(({ kind, id }) => ({
      kind: entry.closed_at ? 'closed' : kind,
      id,
    })),
  };
}

/** Returns the texts of a meeting with the recordings that could be read. */
export function createMeetingDocument(
  { title, start_at, attendees, recordings: listedRecordings }: Received<CalendarEvent>,
  recordings: readonly Received<Recording>[],
): IndexDocument {
  const emails = attendees.map((attendee) => attendee.email).filter(Boolean);
  const addresses = [...new Set(emails.map(normalizeEmail))];
  const finished = listedRecordings.filter(({ status }) => status !== 'failed');
  const done = listedRecordings.filter(({ status }) => status === 'done');
  return {
    title,
    about: recordings.flatMap(({ summary }) => splitSummary(summary)),
    body: [...recordings.flatMap(({ transcript }) => splitTranscript(transcript)), ...emails],
    at: toSeconds(start_at),
    actionItems: {
      title,
      start_at,
      attendees: addresses,
      texts: recordings.flatMap(({ summary }) => readActionItems(summary)).map(collapseWhitespace),
      isComplete: recordings.length === finished.length,
    },
    relations: listRelations(
      ...addresses.map((address) => ['attendee', address] as const),
      ...done.map(({ id }) => ['recording', id] as const),
    ),
  };
}

/** Formats the values of custom fields: `Industry: Logistics`. */
function formatFields(fields: unknown): string[] {
  return listDefinedValues(fields).flatMap(({ name, value }) => {
    const text = collapseWhitespace(formatCell(value, ', '));
    return text === '' ? [] : [`${collapseWhitespace(name)}: ${text}`];
  });
}

function splitLines(text: string | null | undefined): string[] {
  return (text ?? '').split(/\r?\n/).map(collapseWhitespace).filter(Boolean);
}

/** Returns the lines of a summary without the headings that each summary has. */
function splitSummary(summary: unknown): string[] {
  const lines = splitLines(renderSummary(summary, 1)).filter((line) => !line.startsWith('# '));
  return lines.map((line) => line.replace(/^(#+|- \[ \]|-) /, ''));
}

function splitTranscript(transcript: unknown): string[] {
  return parseTranscript(transcript).flatMap(({ speaker, words }) => {
    const text = joinWords(words.map((word) => word.text));
    return text === '' ? [] : [speaker === '' ? text : `${speaker}: ${text}`];
  });
}

/** Returns the lines of a document for excerpts, the most informative ones first. */
export const joinTexts = ({ about, body }: IndexDocument): string => [...about, ...body].join('\n');
