import sql, { type Sql } from 'sql-template-tag';
import { type Page, pageSize } from '../../contract/grammar.ts';
import type { Database } from './database.ts';
import { maxPageBytes, type RecordReader } from './record-reader.ts';

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

export interface BlockCount {
  readonly block: number;
  readonly records: number;
}

/** The lists whose records the tally counts together, and the numbers to subtract, because a list has other records too. */
export interface TallySource {
  readonly scopes: readonly string[];
  readonly excess?: readonly BlockCount[];
}

/**
 * Returns the number of records of a source, and the position of the record at `after`: its block, and the number of
 * earlier records in the block. There is no position after the end.
 */
export async function locateOffset(db: Database, source: TallySource, after: number) {
  const groups = await readGroups(db, source);
  const total = sumRecords(groups);
  const group = locateAmong(groups, after);
  if (!group) return { total, position: undefined };
  const start = group.block * groupSize;
  const blocks = await readBlocks(db, source, start, start + groupSize);
  return { total, position: locateAmong(blocks, group.offset) };
}

export const countRecords = async (db: Database, source: TallySource): Promise<number> =>
  sumRecords(await readGroups(db, source));

/** Returns the number of records of a source in the blocks before this one. */
export async function countBefore(db: Database, source: TallySource, end: number): Promise<number> {
  const part = Math.floor(end / groupSize);
  const groups = (await readGroups(db, source)).filter(({ block }) => block < part);
  return sumRecords([...groups, ...(await readBlocks(db, source, part * groupSize, end))]);
}

/** Reads the groups of blocks, in their order. */
const readGroups = (db: Database, { scopes, excess = [] }: TallySource) =>
  combineCounts(
    scopes.map(
      (scope) => sql`select part as block, records from tally_group where scope = ${scope} order by part`,
    ),
    db,
    excess.map(({ block, records }) => ({ block: Math.floor(block / groupSize), records })),
  );

/** Reads the blocks in a range, in their order. */
const readBlocks = (db: Database, { scopes, excess = [] }: TallySource, from: number, to: number) =>
  combineCounts(
    scopes.map(
      (scope) => sql`select block, records from tally
        where scope = ${scope} and block >= ${from} and block < ${to} order by block`,
    ),
    db,
    excess.filter(({ block }) => block >= from && block < to),
  );

/** Adds the counts that statements select, subtracts the excess, and returns them in the order of the blocks. */
async function combineCounts(
  selections: readonly Sql[],
  db: Database,
  excess: readonly BlockCount[],
): Promise<readonly BlockCount[]> {
  const lists: BlockCount[][] = [];
  for (const selection of selections) lists.push(await db.all<BlockCount>(selection));
  if (lists.length === 1 && excess.length === 0) return lists[0] ?? [];
  const sums = new Map<number, number>();
  const add = (sign: number) => (count: BlockCount) =>
    sums.set(count.block, (sums.get(count.block) ?? 0) + sign * count.records);
  lists.flat().forEach(add(1));
  excess.forEach(add(-1));
  return Array.from(sums, ([block, records]) => ({ block, records })).sort((a, b) => a.block - b.block);
}

const sumRecords = (counts: readonly BlockCount[]) => counts.reduce((sum, { records }) => sum + records, 0);

/** Finds the block that contains the record at an offset, and the record's offset in it. */
function locateAmong(counts: readonly BlockCount[], after: number) {
  let before = 0;
  for (const { block, records } of counts) {
    if (after < before + records) return { block, offset: after - before };
    before += records;
  }
  return undefined;
}

/** A page as JSON. Its records are parsed only if someone reads them. */
export class JsonPage<T> {
  readonly json: string;
  #page: Page<T> | undefined;

  constructor(json: string) {
    this.json = json;
  }

  get page(): Page<T> {
    this.#page ??= JSON.parse(this.json) as Page<T>; // `json` was built from records of this type
    return this.#page;
  }
}

/**
 * Reads a page of a list in id order (specification, 4.9). The table `tally` gives the block of ids in which the page
 * begins, so that page 10,000 takes no longer than page 1. `scope`: the name of the list in `tally`.
 */
export async function readPage<T>(
  db: Database,
  scope: string,
  { first = pageSize.default, after = 0 }: PageRequest,
  { readWindow }: RecordReader<T>,
): Promise<JsonPage<T>> {
  const { total, position } = await locateOffset(db, { scopes: [scope] }, after);
  const window = {
    from: (position?.block ?? 0) * blockSize,
    offset: position?.offset ?? 0,
    limit: position ? Math.min(first, total - after) : 0,
  };
  return fillPage(after, total, readWindow(db, window));
}

/** Builds a page from batches, up to `maxPageBytes` but with at least one record. `after`: its offset in the list. */
export async function fillPage<T>(
  after: number,
  total: number,
  batches: AsyncIterable<readonly string[]>,
): Promise<JsonPage<T>> {
  const texts: string[] = [];
  let count = 0;
  let bytes = 0;
  /** Adds records if they fit. */
  const add = (records: readonly string[]) => {
    const text = records.join(',');
    const size = Buffer.byteLength(text);
    if (bytes + size > maxPageBytes && (count > 0 || records.length > 1)) return false;
    bytes += size;
    count += records.length;
    texts.push(text);
    return true;
  };
  for await (const batch of batches) {
    // Each record repeats the names of its fields, so a batch may exceed the limit.
    if (batch.length > 0 && !add(batch) && !batch.every((record) => add([record]))) break;
  }
  const pagination = JSON.stringify(buildPagination(after, total, count));
  return new JsonPage(`{"data":[${texts.join(',')}],"pagination":${pagination}}`);
}

/** Builds the page that begins at an offset of a list with `total` records. */
export const buildPage = <T>(after: number, total: number, data: T[]): Page<T> => ({
  data,
  pagination: buildPagination(after, total, data.length),
});

function buildPagination(after: number, total: number, count: number) {
  const end = after + count;
  return { end_cursor: end, has_next_page: end < total, total_count: total };
}
