import sql, { empty, join, type Sql } from 'sql-template-tag';
import type { calendarEvents } from '../../contract/calendar-events.ts';
import { type Input, pageSize } from '../../contract/grammar.ts';
import type { Database } from '../db/database.ts';
import { decodeId } from '../db/foreign-ids.ts';
import { type BlockCount, countBefore, countRecords, locateOffset, type TallySource } from '../db/page.ts';
import { isIn } from '../db/render-sql.ts';
import { getOnly } from '../db/statements.ts';

type Filters = Input<typeof calendarEvents.list>;

/** The rows of a page in their order, and the number of all matches. */
interface RowPage {
  readonly total: number;
  readonly rows: readonly number[];
}

/** Milliseconds in a block of the tally of events; the latest blocks come first. */
const blockLength = 2 ** 26;

const allEvents: TallySource = { scopes: ['calendar_event'] };
const updates: TallySource = { scopes: ['calendar_event:updated'] };

/** The maximum number of addresses of a contact whose tallies are added. */
const maxAddresses = 50;

/** Finds the events of a page, ordered by their start, the latest first (specification, 4.7). */
export async function readEventPage(db: Database, filters: Filters): Promise<RowPage> {
  if (filters.organization_id !== undefined) return readMatches(db, filters);
  const addresses =
    filters.contact_id === undefined ? undefined : await readAddresses(db, filters.contact_id);
  if (addresses?.length === 0) return { total: 0, rows: [] };
  if (addresses && addresses.length > maxAddresses) return readMatches(db, filters);
  const attended = addresses ? await findAttended(db, addresses) : allEvents;
  const { updated_after } = filters;
  if (updated_after === undefined) return readByTime(db, attended, filters, addresses);
  const moment = updated_after * 1000;
  const updated = await countUpdated(db, moment);
  const older = (await countRecords(db, allEvents)) - updated;
  // Reading a match takes as long as counting four older events from the index.
  if (older >= 4 * Math.min(updated, await countRecords(db, attended))) return readMatches(db, filters);
  const excess = older === 0 ? [] : await countOlder(db, moment, addresses);
  return readByTime(db, { ...attended, excess: [...(attended.excess ?? []), ...excess] }, filters, addresses);
}

async function readAddresses(db: Database, contact: string): Promise<string[]> {
  const row = await decodeId(db, 'contact', contact);
  const selection = sql`select folded from contact_email where contact_id = ${row ?? null} order by position`;
  return (await db.all<{ folded: string }>(selection)).map(({ folded }) => folded);
}

/** Returns the tally of the events that any of some addresses attended. An event that several addresses attended counts once. */
async function findAttended(db: Database, addresses: readonly string[]): Promise<TallySource> {
  const scopes = addresses.map((address) => `attendee:${address}`);
  if (addresses.length === 1) return { scopes };
  const totals = await Promise.all(scopes.map((scope) => countRecords(db, { scopes: [scope] })));
  const busiest = addresses[totals.indexOf(Math.max(...totals))] ?? '';
  const others = addresses.filter((address) => address !== busiest);
  const excess =
    await db.all<BlockCount>(sql`select -(starts_at >> 26) as block, sum(repetitions) as records from (
      select starts_at, count(*) - 1 + (select count(*) from attendance as busiest
        where busiest.folded = ${busiest} and busiest.calendar_event_id = other.calendar_event_id) as repetitions
      from attendance as other where ${isIn('folded', others)} group by calendar_event_id, starts_at
    ) as events where repetitions > 0 group by -(starts_at >> 26)`);
  return { scopes, excess };
}

/** Counts the events that were updated after a time in milliseconds. */
async function countUpdated(db: Database, moment: number): Promise<number> {
  const block = -Math.floor(moment / blockLength);
  const end = (1 - block) * blockLength;
  const inBlock = sql`shown and updated_at > ${moment} and updated_at < ${end}`;
  return (
    (await countBefore(db, updates, block)) + (await countRows(db, sql`calendar_event where ${inBlock}`))
  );
}

/** Counts the events that were not updated after a time, in each block. If `addresses` is set, counts only their events. */
const countOlder = (db: Database, moment: number, addresses: readonly string[] | undefined) =>
  db.all<BlockCount>(sql`select -(starts_at >> 26) as block, count(*) as records from calendar_event
    where shown and updated_at <= ${moment}
    ${addresses ? sql`and exists (select 1 from attendance where calendar_event_id = id and ${isIn('folded', addresses)})` : empty}
    group by -(starts_at >> 26)`);

const countRows = async (db: Database, source: Sql): Promise<number> =>
  getOnly(await db.all<{ count: number }>(sql`select count(*) as count from ${source}`)).count;

/** Returns a page of the events in a time range. A tally locates it, so that a deep page costs no more than the first. */
async function readByTime(
  db: Database,
  source: TallySource,
  { first = pageSize.default, after = 0, starts_after, starts_before, updated_after }: Filters,
  addresses: readonly string[] | undefined,
): Promise<RowPage> {
  const updatedAfter = updated_after === undefined ? undefined : sql`> ${updated_after * 1000}`;
  /** Selects the id and the start of matching events, for each address in a window. */
  const select = (bounds: Sql, window = empty): Sql => {
    if (!addresses) {
      // A plus sign keeps SQLite from using the index of a column.
      const isUpdated = updatedAfter ? sql`and +updated_at ${updatedAfter}` : empty;
      return sql`select id, starts_at from calendar_event where shown and ${bounds} ${isUpdated} ${window}`;
    }
    const wasUpdated = updatedAfter
      ? sql`and (select updated_at from calendar_event where id = calendar_event_id) ${updatedAfter}`
      : empty;
    const selections = addresses.map(
      (address) => sql`select * from (select calendar_event_id as id, starts_at from attendance
        where folded = ${address} and ${bounds} ${wasUpdated} ${window}) as attended`,
    );
    return join(selections, ' union ');
  };
  /** Counts the events that start at or after a time in milliseconds. */
  const countFrom = async (moment: number) => {
    const block = -Math.floor(moment / blockLength);
    const bounds = sql`starts_at >= ${moment} and starts_at < ${(1 - block) * blockLength}`;
    return (await countBefore(db, source, block)) + (await countRows(db, sql`(${select(bounds)}) as events`));
  };
  const begin = starts_before === undefined ? 0 : await countFrom(starts_before * 1000);
  const { total: all, position } = await locateOffset(db, source, begin + after);
  const end = starts_after === undefined ? all : await countFrom(starts_after * 1000);
  const total = Math.max(0, end - begin);
  const limit = Math.min(first, total - after);
  if (!position || limit <= 0) return { total, rows: [] };
  const latest = (1 - position.block) * blockLength;
  const order = sql`order by starts_at desc, id`;
  const events = select(sql`starts_at < ${latest}`, sql`${order} limit ${position.offset + limit}`);
  const page = sql`select id from (${events}) as events ${order} limit ${limit} offset ${position.offset}`;
  return { total, rows: await readIds(db, page) };
}

const readIds = async (db: Database, selection: Sql): Promise<number[]> =>
  (await db.all<{ id: number }>(selection)).map(({ id }) => id);

/** Returns a page of the events that match all filters. The cost grows with their number, because they are read. */
async function readMatches(db: Database, filters: Filters): Promise<RowPage> {
  const { first = pageSize.default, after = 0, starts_after, starts_before, updated_after } = filters;
  const attendees = await selectAttendees(db, filters);
  const buildCondition = (updatedAt: Sql) =>
    join(
      [
        sql`shown`,
        ...(updated_after === undefined ? [] : [sql`${updatedAt} > ${updated_after * 1000}`]),
        ...(starts_after === undefined ? [] : [sql`starts_at >= ${starts_after * 1000}`]),
        ...(starts_before === undefined ? [] : [sql`starts_at < ${starts_before * 1000}`]),
        ...attendees,
      ],
      ' and ',
    );
  const condition = buildCondition(sql`updated_at`);
  const total = await countRows(db, sql`calendar_event where ${condition}`);
  // A few matches are read and sorted. If there are many, reading in order by start reaches the page sooner.
  const isReadInOrder =
    updated_after !== undefined && (after + first) * (await countRecords(db, allEvents)) < total * total;
  const order = isReadInOrder
    ? sql`${buildCondition(sql`+updated_at`)} order by starts_at desc`
    : sql`${condition} order by +starts_at desc`;
  const page = sql`select id from calendar_event where ${order}, id limit ${first} offset ${after}`;
  return { total, rows: await readIds(db, page) };
}

/** Returns the conditions for the contact and the organization to filter by. */
async function selectAttendees(db: Database, { contact_id, organization_id }: Filters): Promise<Sql[]> {
  const attended = sql`select calendar_event_id from attendance join contact_email using (folded)`;
  const conditions: Sql[] = [];
  if (contact_id !== undefined) {
    const contact = (await decodeId(db, 'contact', contact_id)) ?? null;
    conditions.push(sql`id in (${attended} where contact_id = ${contact})`);
  }
  if (organization_id !== undefined) {
    const organization = (await decodeId(db, 'organization', organization_id)) ?? null;
    conditions.push(sql`id in (${attended} join contact on contact.id = contact_id
      where organization_id = ${organization})`);
  }
  return conditions;
}
