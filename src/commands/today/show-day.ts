import { type CommandResult, toBatch } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { findOwnSetting } from '../../cli/connect/settings.ts';
import type { parseDays } from '../../cli/flags/moment.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { resolveUser } from '../../cli/references/complete-address.ts';
import type { CalendarEvent } from '../../contract/calendar-events.ts';
import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import {
  type Day,
  type DayAction,
  type DayActions,
  type DayMeeting,
  describeMissingSections,
  toDayDocument,
  toDayRows,
} from '../../render/screens/day.ts';
import type { Section } from '../../render/screens/relationship.ts';
import { views } from '../../render/views.ts';
import { createDayFormat, readLocalTime } from '../../values/dates.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { createSortedList } from '../../values/sorted-list.ts';
import { type ActionFilters, readActionItems } from '../actions/read-items.ts';
import { createPeople } from '../show/people.ts';
import { readPart } from '../show/read-sections.ts';
import { selectMeetings } from '../show/select-meetings.ts';
import { type DayRange, readDeals } from './read-deals.ts';
import { readFollowUps } from './read-follow-ups.ts';
import { PartyCollector } from './read-parties.ts';

interface DayFlags extends Pick<ActionFilters, 'ledger' | 'maxAge'> {
  readonly date: ReturnType<typeof parseDays> | undefined;
  readonly user: string | undefined;
  readonly field: string | undefined;
  readonly stale: number | undefined;
  readonly tz: string | undefined;
}

/** Maximum number of action items if --limit is omitted. */
const maxActions = 5;

/** Maximum number of follow-ups. `kith followup` lists the others. */
const maxFollowUps = 3;

export async function showDay(session: Session, flags: DayFlags): Promise<CommandResult> {
  const { user: typedUser, tz: zone } = flags;
  const range = readRange(session, flags);
  const user = await (typedUser === undefined
    ? findOwnSetting(session, 'user')
    : resolveUser(session, typedUser));
  if (user === undefined && !session.call.commandLine)
    await session.messages.note(
      "No user is set, so this is everyone's day. `kith workspace info` lists the assignees.",
    );
  const collector = new PartyCollector(session.runtime.now().getTime(), user && normalizeEmail(user), zone);
  const query = { ...flags, user, range, collector: collector.today === range.date ? collector : undefined };
  const day = await withProgress(session, async (update) => {
    update('Reading records');
    return readDay(session, query);
  });
  const { renderDay } = await import('../../render/screens/day-screen.ts');
  return {
    kind: 'records',
    batches: toBatch(toDayRows(day).map(toRawJson)),
    view: views.day,
    render: (style) => () => renderDay(day, { ...style, zone }),
    document: toRawJson(toDayDocument(day)),
    zone,
    failure: describeMissingSections(day),
  };
}

interface DayQuery extends Omit<DayFlags, 'date'> {
  readonly range: DayRange;
  /** Set if the day is today. */
  readonly collector: PartyCollector | undefined;
}

async function readDay(session: Session, query: DayQuery): Promise<Day> {
  const { user, range, field, stale: staleDays, tz: zone, ledger, maxAge, collector } = query;
  const { limit } = await session.preferences();
  const read = <T>(load: () => Promise<T>) => readPart(session.signal, load);
  const readingDeals = read(() =>
    readDeals(session, { user, range, field, staleDays, zone, limit, collector }),
  );
  // An unknown field ends the command before anything else is read.
  if (field !== undefined) {
    const result = await readingDeals;
    if (result instanceof Failure && result.code === 'usage') throw result;
  }
  const readingActions = read(() => readActions(session, query));
  const readFirst = async (facts: PartyCollector): Promise<Section<Result<'follow-up'>>> => {
    for (const part of [await readingDeals, await readingActions]) if (part instanceof Failure) throw part;
    const first = { limit: Math.min(session.globals.limit ?? limit, maxFollowUps), ledger, maxAge };
    const { lines, total } = await readFollowUps(session, facts, first);
    return { records: lines.map(({ record }) => record), more: total - lines.length };
  };
  const [meetings, deals, actions, followUps] = await Promise.all([
    read(() => readDayMeetings(session, range, zone)),
    readingDeals,
    readingActions,
    collector && read(() => readFirst(collector)),
  ]);
  return {
    date: range.date,
    user,
    meetings,
    deals: deals instanceof Failure ? deals : deals.due,
    actions,
    stale: staleDays === undefined ? undefined : deals instanceof Failure ? deals : deals.stale,
    staleDays,
    followUps,
  };
}

/** @throws {Failure} usage if the flag names several days */
function readRange(session: Session, { date: resolve, tz: zone }: DayFlags): DayRange {
  const now = session.runtime.now();
  const today = createDayFormat(zone)(now.getTime());
  const days = resolve?.({ now, zone });
  const { first, last, end } = days ?? { first: today, last: today, end: '' };
  if (first !== last)
    throw new Failure('usage', `--date: ${first} to ${last} is more than one day.`, {
      hint: 'Use a day such as 2026-05-01, tomorrow or "next monday".',
    });
  const start = readLocalTime(`${first}T00:00`, zone);
  const nextDay = end || createDayFormat('UTC')(Date.parse(`${first}T00:00Z`) + 86_400_000);
  return {
    date: first,
    start,
    end: readLocalTime(`${nextDay}T00:00`, zone),
    overdueBefore: first === today ? now.getTime() : start,
  };
}

/** Reads the meetings of a day in their order, with their attendees. */
async function readDayMeetings(
  session: Session,
  { start, end }: DayRange,
  zone: string | undefined,
): Promise<Section<DayMeeting>> {
  const times = { starts_after: Math.ceil(start / 1000), starts_before: Math.ceil(end / 1000) };
  const events: Received<CalendarEvent>[] = [];
  let more: number | null = 0;
  for await (const { records, total, hasMore } of await selectMeetings(session, times, { tz: zone })) {
    for (const { value } of records) {
      const event = value as Received<CalendarEvent>; // the client has checked the shape
      // A service may include the end of the range.
      if (Date.parse(event.start_at) < end) events.push(event);
    }
    more = !hasMore ? 0 : total === undefined ? null : Math.max(0, total - events.length);
  }
  const people = createPeople(session);
  const listAddresses = ({ attendees }: Received<CalendarEvent>) =>
    attendees.map(({ email }) => email).filter(Boolean);
  await people.load(events.flatMap(listAddresses));
  const records = events
    .toReversed()
    .map((event) => ({ event, attendees: listAddresses(event).map(people.get) }));
  return { records, more };
}

/** Reads the open action items of meetings that start before `end`: those of the user, if any, then the others. */
async function readActions(
  session: Session,
  { ledger, maxAge, user, range: { end }, collector }: DayQuery,
): Promise<DayActions> {
  const limit = session.globals.limit ?? Math.min((await session.preferences()).limit, maxActions);
  const address = user && normalizeEmail(user);
  const isOwn = ({ person }: DayAction) => address === undefined || person === address;
  const getRank = (action: DayAction) => (isOwn(action) ? 0 : 1);
  const list = createSortedList<DayAction>((left, right) => getRank(left) - getRank(right), limit);
  let ownCount = 0;
  for await (const items of readActionItems(session, { state: 'open', ledger, maxAge }))
    for (const item of items) {
      collector?.addItem(item);
      const { id, text, person, event_id, title, start_at } = item;
      if (Date.parse(start_at ?? '') >= end) continue;
      const action = { id, text, person, event_id, title, start_at };
      list.add(action);
      if (isOwn(action)) ownCount += 1;
    }
  const records = list.toArray();
  return { records, more: list.getCount() - records.length, ownCount };
}
