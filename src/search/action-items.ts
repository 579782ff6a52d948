import type { KnownItem } from '../actions/match-items.ts';
import { getKeyRange, guard, type IndexFile } from './index/index-file.ts';

type Statements = Pick<IndexFile, 'prepare'>;

/** A contact who attends a meeting, or an address without a contact. */
interface IndexedAttendee {
  /** In the form for comparison. */
  readonly email: string;
  /** Empty without a contact. */
  readonly first_name: string;
  readonly last_name: string;
  readonly organization_id: string | null;
}

/** A meeting with its action items. */
export interface IndexedMeeting {
  readonly id: string;
  readonly title: string;
  readonly start_at: string;
  readonly attendees: readonly IndexedAttendee[];
  readonly items: readonly KnownItem[];
  /** Whether the meeting has no unfinished or unreadable recording, which may have other items. */
  readonly isComplete: boolean;
}

/** Number of meetings in a page. */
const pageSize = 200;

interface MeetingRow extends Pick<IndexedMeeting, 'id' | 'title' | 'start_at'> {
  readonly n: number;
  readonly at: number;
  readonly attendees: string;
  readonly items: string;
  readonly is_complete: number;
}

/**
 * One statement reads everything about a meeting: a list may have thousands of meetings. The next update reads a meeting
 * with the stamp -1 again.
 */
const columns = `n, id, at, title, start_at,
  (select json_group_array(json_object('email', value, 'first_name', ifnull(first_name, ''),
      'last_name', ifnull(last_name, ''), 'organization_id', organization_id))
    from json_each(attendees) left join contact_address as address
      on email = value and address.n = (select min(n) from contact_address where email = value)) as attendees,
  (select json_group_array(json_object('id', id, 'text', text))
    from (select id, text from action_item where action_item.n = meeting_items.n order by position)) as items,
  is_complete and not exists (select 1 from record where record.n = meeting_items.n and stamp = -1) as is_complete`;

/** Yields the meetings with action items in pages, the latest first. `since`: seconds since 1970. */
export function* readMeetings(index: Statements, since = 0): Generator<readonly IndexedMeeting[]> {
  const selection = index.prepare(
    `select ${columns} from meeting_items where at >= ? and (at, n) < (?, ?) order by at desc, n desc limit ?`,
  );
  let last = { at: Number.MAX_SAFE_INTEGER, n: 0 };
  for (;;) {
    const { at, n } = last;
    const rows = guard(() => selection.all(since, at, n, pageSize)) as MeetingRow[]; // the columns of the statement
    yield rows.map(toMeeting);
    const end = rows.at(-1);
    if (!end || rows.length < pageSize) return;
    last = end;
  }
}

/** Reads a meeting that has, or had, action items. */
export function readIndexedMeeting(index: Statements, id: string): IndexedMeeting | undefined {
  const row = guard(() => index.prepare(`select ${columns} from meeting_items where id = ?`).get(id));
  return row === undefined ? undefined : toMeeting(row as MeetingRow); // the columns of the statement
}

/** Whether the index has a meeting, and the meeting has no items. */
export function isMeetingWithoutItems(index: Statements, id: string): boolean {
  const { first, last } = getKeyRange('meetings');
  const sql = `select 1 from record where id = ? and n between ? and ? and stamp <> -1
    and n not in (select n from meeting_items)`;
  return guard(() => index.prepare(sql).get(id, first, last)) !== undefined;
}

/** Returns the ids of the meetings with an item whose id begins with a text. */
export function findMeetingsByItem(index: Statements, start: string): string[] {
  const sql =
    'select distinct m.id from action_item i join meeting_items m on m.n = i.n where i.id >= ? and i.id < ?';
  const rows = guard(() => index.prepare(sql).all(start, `${start}\u{10ffff}`)) as { id: string }[];
  return rows.map(({ id }) => id);
}

const toMeeting = ({ id, title, start_at, attendees, items, is_complete }: MeetingRow): IndexedMeeting => ({
  ...{ id, title, start_at },
  attendees: JSON.parse(attendees),
  items: JSON.parse(items),
  isComplete: is_complete === 1,
});
