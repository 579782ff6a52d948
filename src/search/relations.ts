import type { Relation } from './index/documents.ts';
import { readPassages } from './index/index-details.ts';
import { getKeyRange, getKind, guard, type IndexFile } from './index/index-file.ts';
import type { Kind } from './kinds.ts';

type Statements = Pick<IndexFile, 'prepare'>;

/** A record that belongs to another one. */
export interface RelatedRecord {
  readonly n: number;
  readonly id: string;
  /** The list of an entry. */
  readonly list_id: string | null;
  /** The time of the record, in seconds since 1970: the start of a meeting, or the last update. */
  readonly at: number;
}

/** A contact of an organization. */
export interface RelatedContact {
  readonly id: string;
  /** In the form for comparison. */
  readonly emails: readonly string[];
  /** The start of the last meeting that the contact attended, in seconds since 1970; 0 if there is none. */
  readonly met_at: number;
}

/** Returns the records of a kind that belong to any of the owners and are not later than a time, latest first. */
export function listRelated(
  index: Statements,
  kind: Kind,
  owners: readonly Relation[],
  { until = Number.MAX_SAFE_INTEGER, limit }: { readonly until?: number; readonly limit: number },
): RelatedRecord[] {
  const { first, last } = getKeyRange(kind);
  const selection = index.prepare(
    `select n, record.id, parent as list_id, record.at from relation cross join record using (n)
    where relation.kind = ? and relation.id = ? and n between ? and ? and relation.at <= ?
    order by relation.at desc, n desc limit ?`,
  );
  const records = new Map<number, RelatedRecord>();
  guard(() => {
    for (const owner of owners) {
      const rows = selection.all(owner.kind, owner.id, first, last, until, limit) as RelatedRecord[]; // its columns
      for (const row of rows) records.set(row.n, row);
    }
  });
  return [...records.values()].sort((left, right) => right.at - left.at).slice(0, limit);
}

/** Returns the contacts of organizations and other contacts, the one who was met last first. */
export function listRelatedContacts(
  index: Statements,
  {
    organizations,
    contacts,
  }: { readonly organizations: readonly string[]; readonly contacts: readonly string[] },
  until: number,
): RelatedContact[] {
  const { first, last } = getKeyRange('contacts');
  const columns = `record.id, record.at, email, (select max(met.at) from relation as met
    where met.kind = 'attendee' and met.id = email and met.at <= ?) as met_at`;
  const ofOrganization = index.prepare(
    `select ${columns} from relation join record using (n) left join contact_address using (n)
    where relation.kind = 'organization' and relation.id = ? and n between ? and ?`,
  );
  const byId = index.prepare(
    `select ${columns} from record left join contact_address using (n) where record.id = ? and n between ? and ?`,
  );
  interface Row {
    readonly id: string;
    readonly at: number;
    readonly email: string | null;
    readonly met_at: number | null;
  }
  const people = new Map<string, RelatedContact & Pick<Row, 'at'>>();
  const add = (rows: readonly Row[]) => {
    for (const { id, at, email, met_at } of rows) {
      const { emails = [], met_at: earlier = 0 } = people.get(id) ?? {};
      const addresses = email === null ? emails : [...new Set([...emails, email])];
      people.set(id, { id, at, emails: addresses, met_at: Math.max(earlier, met_at ?? 0) });
    }
  };
  guard(() => {
    for (const id of contacts) add(byId.all(until, id, first, last) as Row[]); // the columns of the statement
    for (const id of organizations) add(ofOrganization.all(until, id, first, last) as Row[]);
  });
  return [...people.values()].sort((left, right) => right.met_at - left.met_at || right.at - left.at);
}

/** Returns the passages of meetings, with the id of the meeting. */
export const listPassages = (index: Statements, meetings: readonly Pick<RelatedRecord, 'n' | 'id'>[]) =>
  guard(() =>
    meetings.flatMap(({ n, id }) => readPassages(index, n).map((passage) => ({ event_id: id, ...passage }))),
  );

/** Returns the kinds of the records with an id. */
export function findKinds(index: Statements, id: string): Kind[] {
  const rows = guard(() => index.prepare('select n from record where id = ?').all(id)) as { n: number }[]; // its column
  return rows.map(({ n }) => getKind(n));
}

/** Returns the contacts who have addresses, and the addresses without a contact. */
export function findAttendees(index: Statements, addresses: readonly string[]) {
  const selection = index.prepare(
    'select record.id, organization_id from contact_address join record using (n) where email = ? order by n limit 1',
  );
  return guard(() =>
    addresses.map((email) => {
      const row = selection.get(email) as { id: string; organization_id: string | null } | undefined; // its columns
      return { email, contact_id: row?.id, organization_id: row?.organization_id ?? undefined };
    }),
  );
}

/** Returns the addresses that attended the last meetings, the latest meeting first. */
export function listLastAttendees(index: Statements, until: number): string[] {
  const sql =
    "select id from relation where kind = 'attendee' and at <= ? order by at desc, n desc limit 200";
  return (guard(() => index.prepare(sql).all(until)) as { id: string }[]).map(({ id }) => id); // the column of the statement
}

/** Returns the address that attends the most meetings: one of our own. */
export function findOwnAddress(index: Statements): string | undefined {
  const sql =
    "select id from relation where kind = 'attendee' group by id order by count(*) desc, id limit 1";
  return (guard(() => index.prepare(sql).get()) as { id: string } | undefined)?.id; // the column of the statement
}
