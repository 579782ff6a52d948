import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Page } from '../contract/grammar.ts';
import { pageSize } from '../contract/grammar.ts';
import type { Database } from './database.ts';
import { reading } from './reading.ts';
import type { Tables } from './tables.ts';

/** The size of a block of the table `tally`, in ids. */
const blockSize = 512;

/** How many blocks lie in a row of `tally_group`. */
const groupSize = 64;

/** Which part of a list is asked for. */
export interface Asked {
  readonly first?: number | undefined;
  readonly after?: number | undefined;
}

/** Where a page of rows begins: skip `offset` rows of those with `id >= from`, take `limit`. */
export interface Window {
  readonly from: number;
  readonly offset: number;
  readonly limit: number;
}

/** The block in which the record at an offset lies, and how many of the block come before it. */
export interface Place {
  readonly block: number;
  readonly offset: number;
}

const groupsOf = reading((db, scope: string) =>
  db.selectFrom('tally_group').select(['part as key', 'records']).where('scope', '=', scope).orderBy('part'),
);

const blocksOf = reading((db, scope: string, from: number, to: number) =>
  db
    .selectFrom('tally')
    .select(['block as key', 'records'])
    .where('scope', '=', scope)
    .where('block', '>=', from)
    .where('block', '<', to)
    .orderBy('block'),
);

/** How many records a list has, and where the one at `after` lies; no place: after the end. */
export async function placeIn(
  db: Database,
  scope: string,
  after: number,
): Promise<{ total: number; place: Place | undefined }> {
  const groups = await groupsOf(db, scope);
  const total = sumOf(groups);
  const group = partAt(groups, after);
  if (!group) return { total, place: undefined };
  const blocks = await blocksOf(db, scope, group.key * groupSize, (group.key + 1) * groupSize);
  const block = partAt(blocks, group.offset);
  return { total, place: block && { block: block.key, offset: block.offset } };
}

/** How many records of a list lie in the blocks before this one. */
export async function countBefore(db: Database, scope: string, block: number): Promise<number> {
  const group = Math.floor(block / groupSize);
  const groups = (await groupsOf(db, scope)).filter(({ key }) => key < group);
  return sumOf([...groups, ...(await blocksOf(db, scope, group * groupSize, block))]);
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { records }) => sum + records, 0);
}

interface Part {
  readonly key: number;
  readonly records: number;
}

/** The part in which a record lies, and how many come before it there. */
function partAt(parts: readonly Part[], after: number): { key: number; offset: number } | undefined {
  let before = 0;
  for (const { key, records } of parts) {
    if (after < before + records) return { key, offset: after - before };
    before += records;
  }
  return undefined;
}

/**
 * One page of a table in the order of its ids (specification, 4.9). The tally says in which block of ids the
 * page begins, so that page 10,000 costs what the first does.
 */
export async function pageOf<T>(
  db: Database,
  scope: string,
  { first = pageSize.default, after = 0 }: Asked,
  read: (window: Window) => Promise<T[]>,
): Promise<Page<T>> {
  const { total, place } = await placeIn(db, scope, after);
  if (!place) return pageAt(after, total, []);
  const { block, offset } = place;
  return pageAt(after, total, await read({ from: block * blockSize, offset, limit: first }));
}

/** The rows of a page, of a query of all rows of a table. */
export function pageRows<Table extends keyof Tables, Row>(
  build: (db: Database) => SelectQueryBuilder<Tables, Table, Row>,
): (db: Database, window: Window) => Promise<Row[]> {
  const rows = reading((db, from: number, offset: number, limit: number) =>
    build(db).where(sql<SqlBool>`id >= ${from}`).orderBy(sql`id`).limit(limit).offset(offset),
  );
  return (db, { from, offset, limit }) => rows(db, from, offset, limit);
}

/** The page that begins at an offset, of a list with so many records. */
export function pageAt<T>(after: number, total: number, data: T[]): Page<T> {
  const end = after + data.length;
  return { data, pagination: { end_cursor: end, has_next_page: end < total, total_count: total } };
}

/** The one page that holds all that a look-up found. */
export function pageOfFound<T>(found: readonly T[], { first = pageSize.default, after = 0 }: Asked): Page<T> {
  return pageAt(after, found.length, found.slice(after, after + first));
}
