import type { KnownItem } from '../actions/match-items.ts';
import { readItems } from './index/index-details.ts';
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

interface MeetingRow {
  readonly n: number;
  readonly id: string;
  readonly at: number;
  readonly title: string;
  readonly start_at: string;
  readonly attendees: string;
  readonly is_complete: number;
}

const columns = 'n, id, at, title, start_at, attendees, is_complete';

/** Yields the meetings with action items in pages, the latest first. `since`: seconds since 1970. */
export function* readMeetings(index: Statements, since = 0): Generator<readonly IndexedMeeting[]> {
  const selection = index.prepare(
    `select ${columns} from meeting_items where at >= ? and (at, n) < (?, ?) order by at desc, n desc limit ?`,
  );
  let last = { at: Number.MAX_SAFE_INTEGER, n: 0 };
  for (;;) {
    const { at, n } = last;
    const rows = guard(() => selection.all(since, at, n, pageSize)) as MeetingRow[]; // the columns of the statement
    yield guard(() => rows.map((row) => toMeeting(index, row)));
    const end = rows.at(-1);
    if (!end || rows.length < pageSize) return;
    last = end;
  }
}

/** Reads a meeting that has, or had, action items. */
export function readIndexedMeeting(index: Statements, id: string): IndexedMeeting | undefined {
  return guard(() => {
    const row = index.prepare(`select ${columns} from meeting_items where id = ?`).get(id);
    return row === undefined ? undefined : toMeeting(index, row as MeetingRow); // the columns of the statement
  });
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

function toMeeting(index: Statements, row: MeetingRow): IndexedMeeting {
  const { n, id, title, start_at, attendees, is_complete } = row;
  const emails = JSON.parse(attendees) as string[]; // as the index writes them
  // The next update reads a meeting with this stamp again.
  const outdated = index.prepare('select 1 from record where n = ? and stamp = -1').get(n);
  return {
    id,
    title,
    start_at,
    attendees: emails.map((email) => readAttendee(index, email)),
    items: readItems(index, n),
    isComplete: is_complete === 1 && outdated === undefined,
  };
}

/** Returns the contact who has an email address, in the form for comparison. */
function readAttendee(index: Statements, email: string): IndexedAttendee {
  const selection = index.prepare(
    'select email, first_name, last_name, organization_id from contact_address where email = ? order by n limit 1',
  );
  const contact = selection.get(email) as IndexedAttendee | undefined; // the columns of the statement
  return contact ?? { email, first_name: '', last_name: '', organization_id: null };
}
