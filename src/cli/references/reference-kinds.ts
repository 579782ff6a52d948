import type { Client } from '../../client/client.ts';
import type { Batch, PagingOptions } from '../../client/pagination.ts';
import { type CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { type Contact, contacts } from '../../contract/contacts.ts';
import { type CustomField, customFields } from '../../contract/custom-fields.ts';
import { type List, lists } from '../../contract/lists.ts';
import { type Organization, organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import type { EventRecording } from '../../contract/recordings.ts';
import type { ReferenceKind } from '../../contract/singular-nouns.ts';
import { getLabel, listFullNames } from '../../records/label.ts';
import { comparisonForms, listIndexKeys, listNameKeys, toMatchKey } from '../../records/match.ts';
import { readDays } from '../../values/dates.ts';
import { extractHost, parseEmail } from '../../values/domain.ts';
import { foldName } from '../../values/names.ts';
import { isNumber } from '../../values/phone.ts';
import type { RecordKind } from '../command/command.ts';

/** A record that a reference may name. */
export interface Candidate {
  readonly id: string;
  /** The name, or an address if the record has none. */
  readonly name: string;
  /** The keys of the texts that name the record. */
  readonly keys: readonly string[];
  /** Its folded names and domains. */
  readonly names: readonly string[];
  /** The names and the parts of addresses that a part of a name may match. */
  readonly texts: readonly string[];
  /** Distinguishes it from other records of the same name. */
  readonly detail?: string | undefined;
  /** The email addresses of a contact. */
  readonly emails?: readonly string[] | undefined;
  /** The organization that distinguishes it from others, if there is no detail. */
  readonly organizationId?: string | undefined;
  readonly startsAt?: string | undefined;
  readonly recordings?: readonly Received<EventRecording>[] | undefined;
}

/** How the records of a kind are read and named. */
interface Kind {
  readonly noun: string;
  readonly plural: string;
  /** The noun on the command line. */
  readonly command: string;
  /** The part of a path before an id. */
  readonly collection: string;
  /** The kind of record that a picker offers. */
  readonly record: RecordKind;
  /** Reads one record. @throws {Failure} not_found */
  readonly read: (client: Client, id: string) => Promise<Candidate>;
  /** Reads all records, as the candidates of one page after the other. */
  readonly list: (client: Client, paging?: Partial<PagingOptions>) => AsyncIterable<CandidatePage>;
  readonly readKeys: (text: string) => readonly string[];
  /** Describes the properties that a text was compared with, for a failure: `id or name`. */
  readonly describe: (text: string) => string;
}

export type CandidatePage = Pick<Batch, 'total' | 'hasMore' | 'isReread'> & {
  readonly candidates: readonly Candidate[];
};

/** Whether a word could be an id. Ids are opaque. */
export const isPossibleId = (text: string) => /^[\w-]+$/.test(text);

/** Returns the lookup for an email address or a phone number; undefined if the text can only be a name or an id. */
export function readLookup(text: string) {
  const email = parseEmail(text);
  if (email !== undefined) return { email } as const;
  return isNumber(text) ? ({ phone_number: text.trim() } as const) : undefined;
}

export const kinds: Readonly<Record<ReferenceKind, Kind>> = {
  contact: {
    noun: 'contact',
    plural: 'contacts',
    command: 'contacts',
    collection: 'contacts',
    record: 'contacts',
    read: async (client, id) => ({ id, ...toContact(await client.read(contacts.get, { contact_id: id })) }),
    list: (client, paging) => toCandidates(client.pages(contacts.list, {}, paging), toContact),
    readKeys: (text) => listNameKeys('contacts', text),
    describe(text) {
      const lookup = readLookup(text);
      if (!lookup) return 'id or name';
      if ('email' in lookup) return 'email address';
      return isPossibleId(text) ? 'id or phone number' : 'phone number';
    },
  },
  organization: {
    noun: 'organization',
    plural: 'organizations',
    command: 'organizations',
    collection: 'organizations',
    record: 'organizations',
    read: async (client, id) => ({
      id,
      ...toOrganization(await client.read(organizations.get, { organization_id: id })),
    }),
    list: (client, paging) => toCandidates(client.pages(organizations.list, {}, paging), toOrganization),
    readKeys: (text) => listNameKeys('organizations', text),
    describe: (text) => (extractHost(text) === undefined ? 'id or name' : 'domain or name'),
  },
  list: {
    noun: 'list or process',
    plural: 'lists',
    command: 'lists',
    collection: 'lists',
    record: 'lists',
    read: async (client, id) => ({ id, ...toList(await client.read(lists.get, { list_id: id })) }),
    list: (client, paging) => toCandidates(client.pages(lists.list, {}, paging), toList),
    readKeys: (text) => listNameKeys('lists', text),
    describe: () => 'id or name',
  },
  custom_field: {
    noun: 'custom field',
    plural: 'custom fields',
    command: 'custom-fields',
    collection: 'custom_fields',
    record: 'customFields',
    read: async (client, id) => ({
      id,
      ...toCustomField(await client.read(customFields.get, { custom_field_id: id })),
    }),
    list: (client, paging) => toCandidates(client.pages(customFields.list, {}, paging), toCustomField),
    readKeys: (text) => listNameKeys('customFields', text),
    describe: () => 'id or name',
  },
  event: {
    noun: 'meeting',
    plural: 'meetings',
    command: 'meetings',
    collection: 'calendar_events',
    record: 'events',
    read: async (client, id) => ({ id, ...toMeeting(await client.read(calendarEvents.get, { id })) }),
    list: (client, paging) => toCandidates(client.pages(calendarEvents.list, {}, paging), toMeeting),
    readKeys: (text) => [toMatchKey('name', text)],
    describe: (text) => (readDays(text, '2026-01-01') ? 'date or title' : 'id or title'),
  },
};

async function* toCandidates<T extends { readonly id: string }>(
  batches: AsyncIterable<Batch<T>>,
  read: (record: T) => Omit<Candidate, 'id'>,
): AsyncGenerator<CandidatePage> {
  for await (const { records, ...page } of batches) {
    const candidates = records.map(({ value }) => ({ id: value.id, ...read(value) }));
    yield { candidates, ...page };
  }
}

/** Folds names. Omits empty ones, which an empty text would match. */
const foldNames = (names: readonly (string | null | undefined)[]) =>
  names.map((name) => foldName(name ?? '')).filter((key) => key !== '');

/** Reads a contact as a candidate. Its name is accepted with either part first. */
export function toContact(contact: Received<Contact>) {
  const names = [...new Set(foldNames(listFullNames(contact)))];
  const { emails } = contact;
  return {
    name: getLabel('contacts', contact),
    keys: names.map((name) => toMatchKey('typedName', name)),
    names,
    texts: [...names, ...emails.map((email) => email.replace(/@.*/s, ''))],
    detail: emails[0],
    emails,
    organizationId: contact.organization_id ?? undefined,
  };
}

/** The ending of a domain, which many domains share. */
const domainEnd = /(?<=.)(\.(ac|co|com|edu|go|gov|ne|net|or|org))?\.[^.]+$/;

function toOrganization(organization: Received<Organization>) {
  const { name, domains } = organization;
  const [names, hosts] = [foldNames([name]), domains.map(comparisonForms.domain)];
  return {
    name: getLabel('organizations', organization),
    keys: listIndexKeys('organizations', organization),
    names: [...names, ...hosts],
    texts: [...names, ...hosts.map((host) => host.replace(domainEnd, ''))],
    detail: domains[0],
  };
}

function toList({ name, process, archived_at }: Received<List>) {
  const kind = process ? 'process' : 'list';
  return { ...toNamed(name), detail: archived_at ? `archived ${kind}` : kind };
}

const toCustomField = ({ name, model }: Received<CustomField>) => ({
  ...toNamed(name),
  detail: model ?? undefined,
});

/** Returns the parts of a candidate that has only a name. */
function toNamed(name: string) {
  const names = foldNames([name]);
  return { name, keys: names.map((folded) => toMatchKey('name', folded)), names, texts: names };
}

export function toMeeting({ title, start_at, recordings }: Received<CalendarEvent>) {
  return {
    ...toNamed(title),
    detail: start_at.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' '),
    startsAt: start_at,
    recordings,
  };
}
