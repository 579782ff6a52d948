import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { type Page, pageSize } from '../../contract/grammar.ts';
import type { Database } from './database.ts';
import { isIn } from './render-sql.ts';
import type { RecordRows } from './statements.ts';
import type { Row } from './tables.ts';

/** The number of ids in a block of the table `tally`. */
const blockSize = 512;

/** The number of blocks in a row of `tally_group`. */
const groupSize = 64;

/** The requested part of a list. */
export interface PageRequest {
  /** The maximum number of records; infinite for all. */
  readonly first?: number | undefined;
  readonly after?: number | undefined;
}

/**
 * Returns the number of records in a list, and the position of the record at `after` (none after the end): its block, and
 * how many records of the block come before it.
 */
export async function locateOffset(db: Database, scope: string, after: number) {
  const groups = await readGroups(db, scope);
  const total = sumRecords(groups);
  const group = locateAmong(groups, after);
  if (!group) return { total, position: undefined };
  const { part } = group.tally;
  const blocks = await readBlocks(db, scope, part * groupSize, (part + 1) * groupSize);
  const location = locateAmong(blocks, group.offset);
  return { total, position: location && { block: location.tally.block, offset: location.offset } };
}

/** Returns the number of records of a list in the blocks before this one. */
export async function countBefore(db: Database, scope: string, block: number): Promise<number> {
  const group = Math.floor(block / groupSize);
  const groups = (await readGroups(db, scope)).filter(({ part }) => part < group);
  return sumRecords([...groups, ...(await readBlocks(db, scope, group * groupSize, block))]);
}

const readGroups = (db: Database, scope: string) =>
  db.all<Pick<Row<'tally_group'>, 'part' | 'records'>>(
    sql`select part, records from tally_group where scope = ${scope} order by part`,
  );

const readBlocks = (db: Database, scope: string, from: number, to: number) =>
  db.all<Pick<Row<'tally'>, 'block' | 'records'>>(sql`select block, records from tally
    where scope = ${scope} and block >= ${from} and block < ${to} order by block`);

interface Tally {
  readonly records: number;
}

const sumRecords = (tallies: readonly Tally[]) => tallies.reduce((sum, { records }) => sum + records, 0);

/** Finds the tally that contains the record at an offset, and the record's offset in it. */
function locateAmong<T extends Tally>(tallies: readonly T[], after: number) {
  let before = 0;
  for (const tally of tallies) {
    if (after < before + tally.records) return { tally, offset: after - before };
    before += tally.records;
  }
  return undefined;
}

/** A list that is read page by page in the order of its ids. */
export interface PagedList {
  /** The list in the table `tally`. */
  readonly scope: string;
  readonly measureRows: MeasureRows;
  /** A condition with `and` at its end, for a list that is a part of its table. */
  readonly filter?: Sql;
}

/**
 * Reads a page of a list (specification, 4.9). The tally says in which block of ids the page begins, so that page 10,000
 * costs no more than the first. A page of long texts has fewer records than requested.
 */
export async function readPage<T>(
  db: Database,
  { scope, measureRows, filter = empty }: PagedList,
  { first = pageSize.default, after = 0 }: PageRequest,
  read: (rowIds: readonly number[]) => Promise<T[]>,
): Promise<Page<T>> {
  const { total, position } = await locateOffset(db, scope, after);
  if (!position) return buildPage(after, total, []);
  const from = position.block * blockSize;
  const limit = Math.min(first, total - after);
  const window = sql`where ${filter} id >= ${from} order by id limit ${limit} offset ${position.offset}`;
  const { rowIds, bytes } = await measureRows(db, window, filter === empty);
  const fitting = bytes <= maxPageBytes ? rowIds : await fitPage(db, rowIds, measureRows);
  return buildPage(after, total, await read(fitting));
}

/** Builds the page that begins at an offset of a list with `total` records. */
export function buildPage<T>(after: number, total: number, data: T[]): Page<T> {
  const end = after + data.length;
  return { data, pagination: { end_cursor: end, has_next_page: end < total, total_count: total } };
}

/** The largest page, in bytes of its texts. A single record may be larger. */
const maxPageBytes = 8 * 1024 * 1024;

/**
 * Returns the ids of the rows that `rows`, the end of a `select`, chooses, and the bytes of text in their records. It is
 * faster if these are known to be all records between the first and the last one.
 */
type MeasureRows = (
  db: Database,
  rows: Sql,
  areConsecutive?: boolean,
) => Promise<{ readonly rowIds: readonly number[]; readonly bytes: number }>;

/** Bytes of JSON around the value of a field, besides its name. */
const aroundValue = 60;

/** Returns a function that measures records. The database knows a text's length without reading it. */
export function createRowMeasure({ table, texts, parts = {}, fields }: RecordRows): MeasureRows {
  const select = raw(`select id, ${lengths(texts)} as bytes from ${table}`);
  const fieldBytes = fields
    ? sql` + records * coalesce((select sum(octet_length(name) + ${aroundValue}) from (${fields}) as fields), 0)`
    : empty;
  const sumParts = (condition: string) => {
    const sums = Object.values(parts).map(
      ({ table, owner, columns, texts = columns }) =>
        ` + coalesce((select sum(${lengths(texts)}) from ${table} where ${owner} ${condition}), 0)`,
    );
    return raw(sums.join(''));
  };
  const ofRange = sumParts('between first and last');
  const ofIds = sumParts('in (select id from page)');
  return async (db, rows, areConsecutive = false) => {
    const statement = sql`with page as materialized (${select} ${rows}), whole as materialized
      (select count(*) as records, sum(bytes) as own, min(id) as first, max(id) as last from page), total as
      materialized (select coalesce(own, 0)${areConsecutive ? ofRange : ofIds}${fieldBytes} as bytes from whole)
      select page.id, total.bytes from page, total`;
    const records = await db.all<{ id: number; bytes: number }>(statement);
    return { rowIds: records.map(({ id }) => id), bytes: records[0]?.bytes ?? 0 };
  };
}

const lengths = (columns: readonly string[]) =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

/** Returns the first of some row ids, half of them as often as necessary until their records fit into a page. */
export async function fitPage(
  db: Database,
  rowIds: readonly number[],
  measureRows: MeasureRows,
): Promise<readonly number[]> {
  if (rowIds.length <= 1) return rowIds;
  const { bytes } = await measureRows(db, sql`where ${isIn('id', rowIds)}`);
  return bytes <= maxPageBytes ? rowIds : fitPage(db, rowIds.slice(0, rowIds.length / 2), measureRows);
}
