import type { Entry } from '../contract/entries.ts';
import type { Received } from '../contract/received.ts';
import { extractEmailHost, normalizeEmail, publicMailHosts } from '../values/domain.ts';
import { getKeyRange, getKind, guard, type IndexFile } from './index/index-file.ts';
import type { Kind } from './kinds.ts';

type Statements = Pick<IndexFile, 'prepare'>;

/**
 * An organization, a contact or a recording by id, an attendee by address in the form for comparison, or a day. `closed`:
 * the organization or contact of a closed entry.
 */
export interface Relation {
  readonly kind: 'organization' | 'contact' | 'closed' | 'attendee' | 'recording' | 'day';
  readonly id: string;
}

/** A record that belongs to another one. */
export interface RelatedId {
  readonly id: string;
  /** The list of an entry. */
  readonly list_id: string | null;
  /** The start of a meeting, or the last update, in seconds since 1970. */
  readonly at: number;
}

/** A contact of an organization. */
interface RelatedContact {
  readonly id: string;
  /** In the form for comparison. */
  readonly emails: readonly string[];
  /** The start of the last meeting that the contact attended, in seconds since 1970; undefined if there is none. */
  readonly met_at: number | undefined;
  /** The last update, in seconds since 1970. */
  readonly at: number;
}

/** Returns the relations whose ids are set. */
export const listRelations = (
  ...pairs: readonly (readonly [Relation['kind'], string | null | undefined])[]
): Relation[] => pairs.flatMap(([kind, id]) => (id ? [{ kind, id }] : []));

/** Returns the contact or organization of an entry, and its other contact. */
export const listEntryOwners = ({ entryable_type, entryable_id, contact_id }: Received<Entry>): Relation[] =>
  listRelations(
    [entryable_type === 'Organization' ? 'organization' : 'contact', entryable_id],
    ['contact', contact_id],
  );

/** Returns the records of a kind that belong to any of the owners and are not later than a time, latest first. */
export function listRelated(
  index: Statements,
  kind: Kind,
  owners: readonly Relation[],
  { until = Number.MAX_SAFE_INTEGER, limit }: { readonly until?: number; readonly limit: number },
): RelatedId[] {
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(
    `select distinct record.id, record.parent as list_id, record.at from json_each(?) as owner
    cross join relation on relation.kind = owner.value ->> 'kind' and relation.id = owner.value ->> 'id'
    cross join record using (n) where n between ? and ? and record.at <= ? order by record.at desc limit ?`,
  );
  const rows = guard(() => selection.all(JSON.stringify(owners), first, last, until, limit));
  return rows as RelatedId[]; // the columns of the statement
}

/** Returns contacts by id, then the other contacts of organizations; the contact met last comes first. */
export function listRelatedContacts(
  index: Statements,
  organizations: readonly string[],
  contacts: readonly string[],
  until: number,
): RelatedContact[] {
  const { first, last } = getKeyRange('contacts');
  const selection = index.prepare(
    `select record.id, record.at, json_group_array(email) filter (where email is not null) as emails,
      max((select max(at) from relation where kind = 'attendee' and id = email and at <= ?)) as met_at
    from record left join contact_address using (n) where n between ? and ? and n in (
      select n from json_each(?) cross join relation on kind = 'organization' and relation.id = value
      union select n from json_each(?) cross join record on record.id = value)
    group by n order by record.id in (select value from json_each(?)) desc, met_at desc, record.at desc`,
  );
  const ids = [organizations, contacts, contacts].map((list) => JSON.stringify(list));
  const rows = guard(() => selection.all(until, first, last, ...ids)) as (Pick<RelatedContact, 'id' | 'at'> &
    Record<'emails' | 'met_at', unknown>)[]; // the columns of the statement
  return rows.map(({ id, at, emails, met_at }) => ({
    id,
    at,
    emails: JSON.parse(String(emails)),
    met_at: (met_at as number | null) ?? undefined,
  }));
}

/** Returns the kinds of the records with an id. */
export function findKinds(index: Statements, id: string): Kind[] {
  const rows = guard(() => index.prepare('select n from record where id = ?').all(id)) as { n: number }[]; // its column
  return rows.map(({ n }) => getKind(n));
}

/** Returns the owners of a record; for a meeting, its attendees and finished recordings. */
export function listOwners(index: Statements, kind: Kind, id: string): Relation[] {
  const { first, last } = getKeyRange(kind);
  const sql = `select relation.kind, relation.id from record join relation using (n)
    where record.id = ? and n between ? and ?`;
  return guard(() => index.prepare(sql).all(id, first, last)) as Relation[]; // the columns of the statement
}

/** Finds the contact of each address, and the organization of the contact; null if there is none. */
export function findAttendees(index: Statements, addresses: readonly string[]) {
  const selection = index.prepare(
    `select record.id as contact_id, organization_id from json_each(?) as address
    left join contact_address on email = value left join record using (n) group by address.key order by address.key`,
  );
  const rows = guard(() => selection.all(JSON.stringify(addresses.map(normalizeEmail))));
  return rows as { contact_id: string | null; organization_id: string | null }[]; // the columns of the statement
}

/** Selects the addresses that attended the last meetings, the latest meeting first. */
const lastAttendees = `select id from relation indexed by relation_at where kind = 'attendee' and at <= ?
  order by at desc, n desc limit 200`;

/** Returns the addresses that attended the last meetings, the latest meeting first. */
export const listLastAttendees = (index: Statements, until: number): string[] =>
  (guard(() => index.prepare(lastAttendees).all(until)) as { id: string }[]).map(({ id }) => id); // its column

/**
 * Creates the function that tells whether an address is one of ours: it has the domain of the user, or else of the most
 * frequent attendee of the last meetings.
 */
export function createOwnCheck(index: Statements, user: string | undefined): (address: string) => boolean {
  const selection = index.prepare(
    `select id from (${lastAttendees}) group by id order by count(*) desc, id limit 1`,
  );
  const frequent = guard(() => selection.get(Number.MAX_SAFE_INTEGER)) as { id: string } | undefined; // its column
  const own = normalizeEmail(user ?? frequent?.id ?? '');
  const host = extractEmailHost(own);
  const isShared = publicMailHosts.has(host);
  return (address) => (isShared ? normalizeEmail(address) === own : extractEmailHost(address) === host);
}
