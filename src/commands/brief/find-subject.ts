import type { Session } from '../../cli/command/context.ts';
import { isEntryKey } from '../../cli/flags/references.ts';
import { type EntryMatch, findEntryByKey } from '../../cli/references/entry-keys.ts';
import { isDayName } from '../../cli/references/meetings-by-day.ts';
import { isPossibleId, readLookup } from '../../cli/references/reference-kinds.ts';
import { resolveReference, tryCall } from '../../cli/references/resolve-reference.ts';
import { Failure } from '../../contract/errors.ts';
import type { IndexFile } from '../../search/index/index-file.ts';
import { findIdsByName } from '../../search/lookup.ts';
import {
  findAttendees,
  findKinds,
  listEntryOwners,
  listLastAttendees,
  listOwners,
  type Relation,
} from '../../search/relations.ts';
import { extractLastPathPart } from '../../values/domain.ts';
import { quoteShellWord } from '../../values/text.ts';

interface SubjectId {
  readonly kind: 'organizations' | 'contacts' | 'entries' | 'meetings';
  readonly id: string;
  /** The entry with its list, if the subject is one. */
  readonly deal?: EntryMatch;
}

/** The record that a brief is about, and the organizations and contacts whose records it shows. */
export interface Subject extends SubjectId {
  readonly organizations: readonly string[];
  readonly contacts: readonly string[];
}

type OwnCheck = (address: string) => boolean;

/**
 * Finds the subject that `who` names; if omitted, the organization or contact of the last meeting.
 * @throws {Failure} not_found, or usage if several records match
 */
export async function findSubject(
  session: Session,
  index: IndexFile,
  who: string | undefined,
  isOwn: OwnCheck,
): Promise<Subject> {
  const subject =
    who === undefined ? findLastMet(session, index, isOwn) : await findRecord(session, index, who);
  const { kind, id, deal } = subject;
  const owners = deal ? listEntryOwners(deal.entry) : listOwners(index, kind, id);
  const self = kind === 'organizations' ? 'organization' : kind === 'contacts' ? 'contact' : undefined;
  const all = [...(self ? [{ kind: self, id }] : []), ...owners];
  const listIds = (of: Relation['kind']) => all.flatMap((owner) => (owner.kind === of ? [owner.id] : []));
  const attendees = findAttendees(
    index,
    listIds('attendee').filter((address) => !isOwn(address)),
  );
  const contacts = [...listIds('contact'), ...attendees.flatMap(({ contact_id }) => contact_id ?? [])];
  const contactOrganizations = contacts.flatMap((contact) => listOwners(index, 'contacts', contact));
  const organizations = [...listIds('organization'), ...contactOrganizations.map((employer) => employer.id)];
  return { ...subject, organizations: [...new Set(organizations)], contacts: [...new Set(contacts)] };
}

/** The kinds of records that a name may match, in order of precedence. */
const nameKinds = { organizations: 'organization', contacts: 'contact', meetings: 'event' } as const;
const indexedKinds = ['organizations', 'contacts', 'meetings'] as const;

async function findRecord(session: Session, index: IndexFile, who: string): Promise<SubjectId> {
  const deal = isEntryKey(who) ? await tryCall(() => findEntryByKey(session, who)) : undefined;
  if (deal && 'value' in deal) return { kind: 'entries', id: deal.value.entry.id, deal: deal.value };
  if (isDayName(who)) return { kind: 'meetings', id: await resolveReference(session, 'event', who) };
  const [owner] = findAttendees(index, [who]);
  if (owner?.contact_id) return { kind: 'contacts', id: owner.contact_id };
  if (readLookup(who)) return { kind: 'contacts', id: await resolveReference(session, 'contact', who) };
  const id = isPossibleId(who) ? who : extractLastPathPart(who);
  const known = id === undefined ? [] : findKinds(index, id);
  const kind = indexedKinds.find((candidate) => known.includes(candidate));
  if (kind && id !== undefined) return { kind, id };
  return findByName(session, index, who);
}

/** @throws {Failure} not_found, or usage if several records of a kind match */
async function findByName(session: Session, index: IndexFile, who: string): Promise<SubjectId> {
  const hint = `kith search ${quoteShellWord(who)}`;
  for (const comparison of ['whole', 'part'] as const)
    for (const kind of indexedKinds) {
      const ids = findIdsByName(index, kind, who, comparison);
      if (!ids) throw new Failure('usage', `Too many ${kind} match "${who}".`, { hint });
      const [first, ...others] = ids;
      if (first !== undefined && others.length === 0) return { kind, id: first };
      if (first !== undefined) return { kind, id: await resolveReference(session, nameKinds[kind], who) };
    }
  throw new Failure('not_found', `No organization, contact, deal or meeting has the id or name "${who}".`, {
    hint,
  });
}

/** Finds the organization, or else the contact, of the last meeting with somebody else. @throws {Failure} not_found */
function findLastMet(session: Session, index: IndexFile, isOwn: OwnCheck): SubjectId {
  const addresses = listLastAttendees(index, session.runtime.now().getTime() / 1000);
  const people = findAttendees(
    index,
    addresses.filter((address) => !isOwn(address)),
  );
  const { contact_id, organization_id } = people.find((person) => person.contact_id !== null) ?? {};
  if (organization_id) return { kind: 'organizations', id: organization_id };
  if (contact_id) return { kind: 'contacts', id: contact_id };
  throw new Failure('not_found', 'No meeting with a contact has started yet.', { hint: 'kith brief NAME' });
}
