import { getKeyRange, guard, type IndexFile } from './index/index-file.ts';

type Statements = Pick<IndexFile, 'prepare'>;

/** A contact who attended a meeting. */
interface Attendance {
  readonly event_id: string;
  /** The start of the meeting, in seconds since 1970. */
  readonly at: number;
  /** In the form for comparison. */
  readonly email: string;
  readonly contact_id: string;
  readonly organization_id: string | null;
}

/** Returns the contacts who attended meetings since a time, latest first. `user`: only meetings that this user attended. */
export function listAttendances(index: Statements, since: number, user: string | undefined): Attendance[] {
  const selection = index.prepare(
    `select event.id as event_id, relation.at, email, contact.id as contact_id, organization_id from relation
    cross join contact_address as address on email = relation.id
    cross join record as contact on contact.n = address.n cross join record as event on event.n = relation.n
    where kind = 'attendee' and relation.at >= ?1 and (?2 is null or relation.n in
      (select n from relation where kind = 'attendee' and id = ?2)) order by relation.at desc`,
  );
  return guard(() => selection.all(since, user ?? null)) as Attendance[]; // the columns of the statement
}

/**
 * Returns when notes were written since a time, in seconds since 1970: of the named organizations, and of each other
 * organization with at least `minCount` of these notes.
 */
export function listNoteTimes(
  index: Statements,
  since: number,
  organizations: readonly string[],
  minCount: number,
): { readonly id: string; readonly times: readonly number[] }[] {
  const { first, last } = getKeyRange('notes');
  const selection = index.prepare(
    `select id, json_group_array(at) as times from relation indexed by relation_n
    where kind = 'organization' and n between ? and ? and at >= ?
    group by id having count(*) >= ? or id in (select value from json_each(?))`,
  );
  const values = [first, last, since, minCount, JSON.stringify(organizations)];
  const rows = guard(() => selection.all(...values)) as { id: string; times: string }[]; // the columns of the statement
  return rows.map(({ id, times }) => ({ id, times: JSON.parse(times) }));
}

/** A note that names a day. */
interface DatedNote {
  readonly id: string;
  readonly organization_id: string;
  /** When it was written, in seconds since 1970. */
  readonly at: number;
  readonly day: string;
}

/** Returns the notes that name a day in a range. */
export function listDatedNotes(index: Statements, from: string, to: string): DatedNote[] {
  const selection = index.prepare(
    `select record.id, owner.id as organization_id, named.at, named.id as day from relation as named
    cross join record using (n) cross join relation as owner on owner.n = named.n and owner.kind = 'organization'
    where named.kind = 'day' and named.id between ? and ?`,
  );
  return guard(() => selection.all(from, to)) as DatedNote[]; // the columns of the statement
}
