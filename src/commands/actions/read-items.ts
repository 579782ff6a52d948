import { applyStates, type ItemWithState, isDone } from '../../actions/apply-states.ts';
import type { ActionLedger } from '../../actions/ledger.ts';
import type { ItemState } from '../../actions/ledger-format.ts';
import { createPersonFinder } from '../../actions/person.ts';
import type { Session } from '../../cli/command/context.ts';
import { readIndex } from '../../cli/connect/search-index.ts';
import { readUser } from '../../cli/connect/settings.ts';
import type { Result } from '../../contract/documents/results.ts';
import {
  findMeetingsByItem,
  type IndexedMeeting,
  isMeetingWithoutItems,
  readIndexedMeeting,
  readMeetings,
} from '../../search/action-items.ts';
import type { IndexFile } from '../../search/index/index-file.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { loadActionLedger, resolveLedgerFile } from './ledger-file.ts';

/** An action item of a meeting's summary. */
export type ActionItem = Result<'actions'>;

export interface ActionFilters {
  /** The path of the action ledger. If omitted, the workspace's ledger. */
  readonly ledger?: string | undefined;
  /** If omitted, open, done and removed items. */
  readonly state?: 'open' | 'done' | undefined;
  readonly isMine?: boolean | undefined;
  /** Only items of meetings that start at or after this time, in seconds since 1970. */
  readonly since?: number | undefined;
  /** The age in seconds above which the index is updated first; if omitted, the default. */
  readonly maxAge?: number | undefined;
}

/** Reads the action items of all meetings from the search index, in pages, the latest meetings first. */
export async function* readActionItems(
  session: Session,
  { ledger: file, state, isMine = false, since, maxAge }: ActionFilters = {},
): AsyncGenerator<readonly ActionItem[]> {
  const user = isMine ? normalizeEmail(await readUser(session)) : undefined;
  const ledger = await loadActionLedger(session, await resolveLedgerFile(session, file));
  const pages = readIndex(session, maxAge, (index) => readPages(index, ledger, since));
  for await (const items of pages) {
    const selected = items.filter((item) => state === undefined || item.state === state);
    yield user === undefined ? selected : selected.filter(({ person }) => person === user);
  }
}

/** An item whose id begins with a text. */
export interface FoundItem {
  readonly item: ActionItem;
  /** Whether the typed text is a whole id, not just the start. */
  readonly isExact: boolean;
}

/** Finds the items whose ids begin with a text, in the index or in the ledger. */
export async function findActionItems(
  session: Session,
  ledger: ActionLedger,
  starts: readonly string[],
): Promise<ReadonlyMap<string, readonly FoundItem[]>> {
  const matches = new Map<string, readonly FoundItem[]>();
  const results = readIndex(session, undefined, (index) =>
    starts.map((start): [string, readonly FoundItem[]] => [start, findInIndex(index, ledger, start)]),
  );
  for await (const [start, items] of results) matches.set(start, items);
  return matches;
}

function findInIndex(index: IndexFile, ledger: ActionLedger, start: string): readonly FoundItem[] {
  const stated = Array.from(ledger.listAll()).filter(({ id }) => id.startsWith(start));
  const meetings = new Set([...findMeetingsByItem(index, start), ...stated.map(({ event_id }) => event_id)]);
  return Array.from(meetings).flatMap((id) => {
    const meeting = readIndexedMeeting(index, id);
    if (!meeting) return [];
    const { items } = applyStates(meeting.items, ledger.listStates(id));
    // An export may have stored the state of a changed text with another id than the index.
    const describe = createDescriber(meeting);
    return items.flatMap((item, position) => {
      const ids = [item.id, meeting.items[position]?.id ?? item.id];
      if (!ids.some((id) => id.startsWith(start))) return [];
      return [{ item: describe(item), isExact: ids.includes(start) }];
    });
  });
}

function* readPages(
  index: IndexFile,
  ledger: ActionLedger,
  since: number | undefined,
): Generator<readonly ActionItem[]> {
  const listedMeetings = new Set<string>();
  for (const meetings of readMeetings(index, since)) {
    yield meetings.flatMap((meeting) => {
      const states = ledger.listStates(meeting.id);
      if (states.length > 0) listedMeetings.add(meeting.id);
      return listItems(meeting, states);
    });
  }
  // The index does not store the time of a meeting without items.
  if (since !== undefined) return;
  const emptyMeetings = ledger.meetingIds.filter(
    (id) => !listedMeetings.has(id) && isMeetingWithoutItems(index, id),
  );
  yield emptyMeetings.flatMap((id) =>
    listItems({ ...emptyMeeting, id, items: [], isComplete: true }, ledger.listStates(id)),
  );
}

const emptyMeeting = { title: '', start_at: '', attendees: [] };

/** Returns the action items of a meeting with their states. */
export function listItems(meeting: IndexedMeeting, states: readonly ItemState[]): ActionItem[] {
  const { items, removed } = applyStates(meeting.items, states);
  const describe = createDescriber(meeting);
  return [
    ...items.map((item) => describe(item)),
    // The summary of an unfinished recording may still contain the item.
    ...(meeting.isComplete ? removed : []).map((state) => describe({ ...state, state }, 'removed')),
  ];
}

function createDescriber({ id: event_id, title, start_at, attendees }: IndexedMeeting) {
  const findPerson = createPersonFinder(attendees);
  const organizations = attendees.flatMap(({ organization_id }) => organization_id ?? []);
  const organization_ids = [...new Set(organizations)];
  return (item: ItemWithState, state: ActionItem['state'] = isDone(item) ? 'done' : 'open'): ActionItem => ({
    id: item.id,
    state,
    text: item.text,
    person: findPerson(item.text)?.email ?? null,
    event_id,
    title,
    start_at: start_at || null,
    organization_ids,
    changed_at: item.state?.at ?? null,
  });
}
