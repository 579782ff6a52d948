import type { Client } from '../../client/client.ts';
import { contacts } from '../../contract/contacts.ts';
import { entries } from '../../contract/entries.ts';
import { Failure, isRecordFailure } from '../../contract/errors.ts';
import { type EntryType, lists } from '../../contract/lists.ts';
import type { Field } from '../../filter/filter.ts';
import { pickAll } from '../../records/read-all.ts';
import { mapConcurrently } from '../../values/concurrency.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { readTexts } from '../../values/field-values.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { Session } from '../command/context.ts';
import { createNames } from '../references/name-loader.ts';
import { readCandidate } from '../references/name-search.ts';

/** Maximum number of simultaneous requests, apart from requests of the list itself. */
const maxRequests = 8;

/** Maximum number of contacts that are cached while a list is read. */
const maxContacts = 50_000;

/** Creates the field with the lists that contain a contact or an organization. */
export function createListField(client: Client, type: EntryType): Field {
  const members = new Map<string, ReadonlySet<string>>();
  /** The members that have not been read yet, by list. */
  const remaining = new Map<string, Set<string>>();
  return {
    name: 'list',
    type: 'list',
    isUnsortable: true,
    async load(records, ids) {
      requireIds('list', ids);
      for (const id of ids) {
        const ofList = members.get(id) ?? (await readMembers(client, id, type));
        members.set(id, ofList);
        const remainingIds = remaining.get(id) ?? new Set(ofList);
        remaining.set(id, remainingIds);
        for (const record of records) remainingIds.delete(String(record.id));
      }
    },
    isExhausted: (id) => remaining.get(id)?.size === 0,
    read: ({ id }) => [...members].flatMap(([list, ids]) => (ids.has(String(id)) ? [list] : [])),
  };
}

async function readMembers(client: Client, list_id: string, type: EntryType): Promise<ReadonlySet<string>> {
  const { name, entry_type } = await client.read(lists.get, { list_id });
  if (entry_type && entry_type !== type) {
    const [listedRecords, requestedRecords] = [entry_type, type].map(
      (entryType) => `${entryType.toLowerCase()}s`,
    );
    throw new Failure('usage', `The entries of "${name}" are ${listedRecords}, not ${requestedRecords}.`);
  }
  const ids = await pickAll(client, entries.list, { list_id }, ({ entryable_type, entryable_id }) =>
    entryable_type === type && entryable_id ? [entryable_id] : [],
  );
  return new Set(ids);
}

/**
 * Creates the field with the organization of an entry, or of its contact. The contacts of several entries are read from
 * the list of contacts if that takes fewer requests.
 */
export function createEntryOrganizationField(session: Session): Field {
  const names = createNames(session, { isRequired: true, isCurrent: true });
  const isOfContact = ({ entryable_type }: JsonObject) => entryable_type === 'Contact';
  return {
    name: 'organization',
    type: 'organization',
    async load(records) {
      const ids = records.filter(isOfContact).map(({ entryable_id }) => String(entryable_id));
      await names.load(ids.map((id) => ({ kind: 'contact', id })));
    },
    read: (record) => {
      const { entryable_id: id } = record;
      return [isOfContact(record) ? names.find('contact', String(id))?.organizationId : id];
    },
  };
}

/** Creates the field with the contacts who belong to the organization of a note. */
export function createNoteContactField(client: Client): Field {
  return createContactField({
    read: async (contact_id) => (await client.read(contacts.get, { contact_id })).organization_id,
    isOf: ({ organization_id }, organization) => Boolean(organization) && organization === organization_id,
    hasRecords: Boolean,
  });
}

/** Creates the field with the contacts who attend a meeting, by their current addresses (specification, 4.7). */
export function createAttendingContactField(session: Session): Field {
  return createContactField({
    async read(id) {
      const { emails = [] } = await readCandidate(session, 'contact', id);
      return new Set(emails.map(normalizeEmail));
    },
    isOf: (record, addresses) => readAttendees(record).some((address) => addresses.has(address)),
  });
}

interface ContactRelation<T> {
  /** Reads the part of a contact that is compared with each record. */
  readonly read: (id: string) => Promise<T>;
  readonly isOf: (record: JsonObject, part: T) => boolean;
  /** Whether a contact can have records. By default it can. */
  readonly hasRecords?: (part: T) => boolean;
}

/** Creates the field with the contacts of a record. It reads only the contacts that the expression names. */
function createContactField<T>({ read, isOf, hasRecords = () => true }: ContactRelation<T>): Field {
  const parts = new Map<string, T>();
  return {
    name: 'contact',
    type: 'contact',
    isUnsortable: true,
    async load(_, ids) {
      requireIds('contact', ids);
      for (const id of ids) if (!parts.has(id)) parts.set(id, await read(id));
    },
    isExhausted: (id) => parts.has(id) && !hasRecords(parts.get(id) as T), // as `has` says
    read: (record) => [...parts].flatMap(([id, part]) => (isOf(record, part) ? [id] : [])),
  };
}

/** Creates the field with the organizations whose contacts attend a meeting (specification, 4.7). */
export function createAttendingOrganizationField(client: Client): Field {
  const lookups = new Map<string, Promise<readonly string[]>>();
  const findOrganizations = (email: string) => {
    const lookup = lookups.get(email) ?? readOrganizations(client, email);
    lookups.set(email, lookup);
    return lookup;
  };
  const organizationsByEmail = new Map<string, readonly string[]>();
  return {
    name: 'organization',
    type: 'organization',
    isUnsortable: true,
    async load(records, ids) {
      requireIds('organization', ids);
      if (lookups.size > maxContacts) lookups.clear();
      organizationsByEmail.clear();
      await mapConcurrently(records.map(readAttendees), maxRequests, async (emails) => {
        // One attendee is enough, so the others are not looked up.
        for (const email of emails) {
          const organizations = await findOrganizations(email);
          organizationsByEmail.set(email, organizations);
          if (organizations.some((id) => ids.includes(id))) return;
        }
      });
    },
    read: (record) => readAttendees(record).flatMap((email) => organizationsByEmail.get(email) ?? []),
  };
}

/** Returns no organizations if the service rejects the request or does not have the record. */
async function readOrganizations(client: Client, email: string): Promise<readonly string[]> {
  try {
    const matches = await client.findContacts({ email });
    return matches.flatMap(({ value }) => value.organization_id ?? []);
  } catch (error) {
    if (!isRecordFailure(error)) throw error;
    return [];
  }
}

/** Returns the addresses of a meeting's attendees, in the form for comparison. */
export function readAttendees({ attendees }: JsonObject): string[] {
  if (!Array.isArray(attendees)) return [];
  return attendees.flatMap((attendee) => readTexts(readObject(attendee).email)).map(normalizeEmail);
}

/** @throws {Failure} usage for an empty value: only relations to named records are loaded */
function requireIds(name: string, ids: readonly string[]): void {
  if (ids.includes('')) throw new Failure('usage', `"${name}" cannot be compared with an empty value.`);
}
