import type { Client } from '../../client/client.ts';
import { type Contact, contacts } from '../../contract/contacts.ts';
import { type Entry, entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { Input, Route } from '../../contract/grammar.ts';
import { type List, lists } from '../../contract/lists.ts';
import { type Note, notes } from '../../contract/notes.ts';
import type { Organization } from '../../contract/organizations.ts';
import type { Received, RouteRecord } from '../../contract/received.ts';
import type { ListedEntry, Part, Section } from '../../render/screens/relationship.ts';
import type { Semaphore } from '../../values/concurrency.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { createSortedList } from '../../values/sorted-list.ts';

/** The record whose relationship is read, and the entry that led to it. */
export type Subject = { readonly id: string; readonly entry?: ListedEntry } & (
  | { readonly kind: 'contact'; readonly record: Part<RawJson<Received<Contact>>> }
  | { readonly kind: 'organization'; readonly record: Part<RawJson<Received<Organization>>> }
);

/** The options, and the resources that all parts share. */
export interface Reader {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly now: Date;
  /** Maximum number of people, and of entries. */
  readonly limit: number;
  /** Maximum number of notes, and of meetings: both are long. */
  readonly recentLimit: number;
  /** Unix timestamp: only later notes and meetings. */
  readonly since: number | undefined;
  /** Receives the number of records that were read since the last call. */
  readonly onRead: (count: number) => void;
  /** Limits the tasks. Each task sends at most two requests at a time, so that there are at most 8. */
  readonly run: Semaphore;
}

/** Returns the id of the organization of a subject; null if it has none, or if the contact could not be read. */
export function getOrganizationId({ kind, id, record }: Subject): string | null {
  if (kind === 'organization') return id;
  return record instanceof Failure ? null : record.value.organization_id;
}

/** Returns a part of a screen, or its failure. The signal ends the command. */
export async function readPart<T>(signal: AbortSignal, load: () => Promise<T>): Promise<Part<T>> {
  try {
    return await load();
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    return error;
  }
}

/** Reads the contacts of an organization, and the addresses of all of them. */
export async function readPeople(reader: Reader, organizationId: string) {
  const people = createSelection<RawJson<Received<Contact>>>(reader.limit);
  const addresses: string[] = [];
  await scan(reader, contacts.list, {}, (contact) => {
    if (contact.value.organization_id !== organizationId) return;
    people.add(contact);
    addresses.push(...contact.value.emails);
  });
  return { ...people.finish(), addresses };
}

/** Reads the notes about an organization, latest first. The service lists them in no particular order. */
export async function readNotes(
  reader: Reader,
  organizationId: string,
): Promise<Section<RawJson<Received<Note>>>> {
  const { recentLimit, since = Number.NEGATIVE_INFINITY } = reader;
  const latest = createSelection<RawJson<Received<Note>>>(recentLimit, ({ value }) => value.created_at);
  if (organizationId !== '')
    await scan(reader, notes.list, {}, (note) => {
      const { organization_id, created_at } = note.value;
      const isEarly = Date.parse(created_at) < since * 1000;
      if (organization_id === organizationId && !isEarly) latest.add(note);
    });
  return latest.finish();
}

/** Reads the open entries of all lists, latest first, and counts the closed ones by status. */
export async function readEntries(reader: Reader, subject: Subject) {
  const open = createSelection<ListedEntry>(reader.limit, ({ entry }) => entry.value.created_at);
  const closed = new Map<string, number>();
  const readList = async (list: RawJson<Received<List>>) => {
    const list_id = list.value.id;
    await scan(reader, entries.list, { list_id }, (entry) => {
      if (!isEntryOf(subject, entry.value)) return;
      const { status } = entry.value;
      if (isOpen(entry.value, list.value)) open.add({ entry, list });
      else closed.set(status || 'closed', (closed.get(status || 'closed') ?? 0) + 1);
    });
  };
  const candidates: RawJson<Received<List>>[] = [];
  await scan(reader, lists.list, {}, (list) => {
    const { entry_type, archived_at } = list.value;
    // An entry in a list of organizations may have a contact.
    const mayContain = subject.kind === 'contact' || entry_type !== 'Contact';
    if (mayContain && !archived_at) candidates.push(list);
  });
  await Promise.all(candidates.map(readList));
  return { ...open.finish(), closed };
}

/**
 * Whether an entry belongs to the subject: it is about the subject, about a contact's organization, or names the
 * subject as its contact. Excludes the entry that led to the subject.
 */
function isEntryOf(subject: Subject, entry: Received<Entry>): boolean {
  const { kind, entry: origin } = subject;
  const { id, list_id, entryable_id, entryable_type, contact_id } = entry;
  if (origin?.entry.value.id === id && origin?.entry.value.list_id === list_id) return false;
  const contactId = kind === 'contact' ? subject.id : undefined;
  const organizationId = getOrganizationId(subject);
  if (contactId && contact_id === contactId) return true;
  return !!entryable_id && entryable_id === (entryable_type === 'Contact' ? contactId : organizationId);
}

export function isOpen({ status, closed_at }: Received<Entry>, { statuses }: Received<List>): boolean {
  const type = statuses?.find(({ name }) => name === status)?.type;
  return type ? type !== 'won' && type !== 'lost' : !closed_at;
}

/** The pages of a list that a task requests at once. */
const concurrency = 2;

/** Reads a whole list as one task. */
async function scan<R extends Route>(
  { client, run, onRead }: Reader,
  route: R,
  input: Omit<Input<R>, 'first' | 'after'>,
  visit: (record: RawJson<RouteRecord<R>>) => void,
): Promise<void> {
  await run(async () => {
    for await (const { records } of client.pages(route, input, { concurrency })) {
      records.forEach(visit);
      onRead(records.length);
    }
  });
}

/** Collects the latest records of a section, and counts the others. */
function createSelection<T>(limit: number, getTime?: (record: T) => string | null | undefined) {
  const getInstant = (record: T) => Date.parse(getTime?.(record) ?? '') || 0;
  const list = createSortedList<T>((left, right) => getInstant(right) - getInstant(left), limit);
  return {
    add: list.add,
    finish: (): Section<T> => {
      const records = list.toArray();
      return { records, more: list.getCount() - records.length };
    },
  };
}
