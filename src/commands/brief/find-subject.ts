import type { Session } from '../../cli/command/context.ts';
import { readIndex } from '../../cli/connect/search-index.ts';
import { isEntryKey, toEntryKind } from '../../cli/flags/references.ts';
import { findEntryByKey } from '../../cli/references/entry-keys.ts';
import { findIndexedIds } from '../../cli/references/index-lookups.ts';
import { isDayName } from '../../cli/references/meetings-by-day.ts';
import { readCandidate } from '../../cli/references/name-search.ts';
import { readLookup } from '../../cli/references/reference-kinds.ts';
import { readPossibleId, resolveReference, tryCall } from '../../cli/references/resolve-reference.ts';
import { calendarEvents } from '../../contract/calendar-events.ts';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import type { IndexFile } from '../../search/index/index-file.ts';
import type { Kind } from '../../search/kinds.ts';
import { findAttendees, findKinds, listLastAttendees } from '../../search/relations.ts';
import { quoteShellWord } from '../../values/text.ts';

/** Whom a brief is about, and the organizations and contacts whose records it shows. */
export interface Subject {
  readonly kind: 'organization' | 'contact' | 'deal' | 'meeting';
  readonly id: string;
  readonly name: string;
  readonly organizations: readonly string[];
  readonly contacts: readonly string[];
}

/** How a brief uses the index, and tells our own addresses from those of others. */
export interface SubjectOptions {
  readonly maxAge: number | undefined;
  readonly isOwn: (address: string) => boolean;
}

/**
 * Finds the subject that a word names; without a word, that of the last meeting.
 * @throws {Failure} not_found, or usage if several records match
 */
export async function findSubject(
  session: Session,
  who: string | undefined,
  options: SubjectOptions,
): Promise<Subject> {
  if (who === undefined) return findLastMet(session, options);
  const deal = isEntryKey(who) ? await tryCall(() => findEntryByKey(session, who)) : undefined;
  if (deal && 'value' in deal) return toDealSubject(session, deal.value.entry);
  const kind = isDayName(who) ? 'event' : await findKind(session, who, options);
  const id = await resolveReference(session, kind, who);
  if (kind === 'organization') return toOrganizationSubject(session, id);
  if (kind === 'contact') return toContactSubject(session, id);
  const { title, attendees } = await (await session.client()).read(calendarEvents.get, { id });
  const addresses = attendees.map(({ email }) => email).filter((address) => !options.isOwn(address));
  const people = await readFacts(session, options, (index) => findAttendees(index, addresses));
  return {
    ...{ kind: 'meeting', id, name: title },
    organizations: [...new Set(people.flatMap(({ organization_id }) => organization_id ?? []))],
    contacts: people.flatMap(({ contact_id }) => contact_id ?? []),
  };
}

/** Reads an index that is up to date. */
export async function readFacts<T>(
  session: Session,
  { maxAge }: Pick<SubjectOptions, 'maxAge'>,
  read: (index: IndexFile) => T,
): Promise<T> {
  for await (const facts of readIndex(session, maxAge, (index) => [read(index)])) return facts;
  throw new Failure('internal', 'The search index was not read.');
}

/** The kinds of records that a word may name, the first ones before the others. */
const subjectKinds = { organizations: 'organization', contacts: 'contact', meetings: 'event' } as const;

/** Finds the kind of the record that a word names. @throws {Failure} not_found if the index has no such record */
async function findKind(session: Session, who: string, options: SubjectOptions) {
  if (readLookup(who)) return 'contact';
  const id = readPossibleId('organization', who);
  const known: readonly Kind[] = await readFacts(session, options, (index) => findKinds(index, id ?? ''));
  for (const [indexKind, kind] of Object.entries(subjectKinds))
    if (known.some((found) => found === indexKind)) return kind;
  for (const comparison of ['whole', 'part'] as const)
    for (const kind of Object.values(subjectKinds))
      if ((await findIndexedIds(session, kind, who, comparison)).length > 0) return kind;
  throw new Failure('not_found', `No organization, contact, deal or meeting has the id or name "${who}".`, {
    hint: `kith search ${quoteShellWord(who)}`,
  });
}

async function toOrganizationSubject(session: Session, id: string): Promise<Subject> {
  const { name } = await readCandidate(session, 'organization', id);
  return { kind: 'organization', id, name, organizations: [id], contacts: [] };
}

async function toContactSubject(session: Session, id: string): Promise<Subject> {
  const { name, organizationId } = await readCandidate(session, 'contact', id);
  return { kind: 'contact', id, name, organizations: organizationId ? [organizationId] : [], contacts: [id] };
}

async function toDealSubject(session: Session, entry: Received<Entry>): Promise<Subject> {
  const { id, key, entryable_id, entryable_type, contact_id } = entry;
  const toParty = toEntryKind(entryable_type) === 'contact' ? toContactSubject : toOrganizationSubject;
  const { name, organizations, contacts } = await toParty(session, entryable_id);
  const people = [...new Set([...contacts, contact_id ?? []].flat())];
  return { kind: 'deal', id, name: `${key ?? id}: ${name}`, organizations, contacts: people };
}

/** Finds the organization, or else the contact, of the last meeting with somebody else. */
async function findLastMet(session: Session, options: SubjectOptions): Promise<Subject> {
  const now = Math.floor(session.runtime.now().getTime() / 1000);
  const people = await readFacts(session, options, (index) => {
    const addresses = listLastAttendees(index, now).filter((address) => !options.isOwn(address));
    return findAttendees(index, addresses);
  });
  const { contact_id, organization_id } = people.find((person) => person.contact_id !== null) ?? {};
  if (organization_id) return toOrganizationSubject(session, organization_id);
  if (contact_id) return toContactSubject(session, contact_id);
  throw new Failure('not_found', 'No meeting with a contact has started yet.', { hint: 'kith brief NAME' });
}
