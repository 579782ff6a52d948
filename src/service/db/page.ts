import type { Page } from '../../contract/grammar.ts';
import { pageSize } from '../../contract/grammar.ts';
import type { Database } from './database.ts';
import { fitLimit, type RecordTexts, readingBytes } from './page-bytes.ts';
import { reading } from './reading.ts';
import type { Tables } from './tables.ts';

/** The size of a block of the table `tally`, in ids. */
const blockSize = 512;

/** How many blocks lie in a row of `tally_group`. */
const groupSize = 64;

/** As `first`: all records from the offset on. */
export const allRows = -1;

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

const groupsOf = reading(
  'tally_group',
  ['part', 'records'],
  'where scope = ? order by part',
  (scope: string) => [scope],
);

const blocksOf = reading(
  'tally',
  ['block', 'records'],
  'where scope = ? and block >= ? and block < ? order by block',
  (scope: string, from: number, to: number) => [scope, from, to],
);

/** How many records a list has, and where the one at `after` lies; no place: after the end. */
export async function placeIn(
  db: Database,
  scope: string,
  after: number,
): Promise<{ total: number; place: Place | undefined }> {
  const groups = await groupsOf(db, scope);
  const total = sumOf(groups);
  const inGroup = placeAmong(groups, after);
  if (!inGroup) return { total, place: undefined };
  const { part } = inGroup.among;
  const blocks = await blocksOf(db, scope, part * groupSize, (part + 1) * groupSize);
  const inBlock = placeAmong(blocks, inGroup.offset);
  return { total, place: inBlock && { block: inBlock.among.block, offset: inBlock.offset } };
}

/** How many records of a list lie in the blocks before this one. */
export async function countBefore(db: Database, scope: string, block: number): Promise<number> {
  const group = Math.floor(block / groupSize);
  const groups = (await groupsOf(db, scope)).filter(({ part }) => part < group);
  return sumOf([...groups, ...(await blocksOf(db, scope, group * groupSize, block))]);
}

/** What is counted in the tally. */
interface Counted {
  readonly records: number;
}

function sumOf(parts: readonly Counted[]): number {
  return parts.reduce((sum, { records }) => sum + records, 0);
}

/** The one among some parts in which a record lies, and how many come before it there. */
function placeAmong<Part extends Counted>(
  parts: readonly Part[],
  after: number,
): { among: Part; offset: number } | undefined {
  let before = 0;
  for (const part of parts) {
    if (after < before + part.records) return { among: part, offset: after - before };
    before += part.records;
  }
  return undefined;
}

/**
 * One page of a table in the order of its ids (specification, 4.9). The tally says in which block of ids the
 * page begins, so that page 10,000 costs what the first does. A page of long texts holds fewer records than asked for.
 */
export async function pageOf<T>(
  db: Database,
  scope: string,
  { first = pageSize.default, after = 0 }: Asked,
  countBytes: (db: Database, window: Window) => Promise<number>,
  read: (window: Window) => Promise<T[]>,
): Promise<Page<T>> {
  const { total, place } = await placeIn(db, scope, after);
  if (!place) return pageAt(after, total, []);
  const { block, offset } = place;
  const from = block * blockSize;
  const left = total - after;
  const wanted = first === allRows ? left : Math.min(first, left);
  const limit = await fitLimit(wanted, (limit) => countBytes(db, { from, offset, limit }));
  return pageAt(after, total, await read({ from, offset, limit }));
}

const pageWindow = 'where id >= ?1 order by id limit ?2 offset ?3';
const windowValues = ({ from, limit, offset }: Window) => [from, limit, offset];

/** Counts the bytes of text in a page of a table. */
export const pageBytes = (texts: RecordTexts) => readingBytes(texts, pageWindow, windowValues);

/** The rows of a page of a table. */
export function pageRows<Table extends keyof Tables, Column extends keyof Tables[Table] & string>(
  table: Table,
  columns: readonly Column[],
) {
  return reading(table, columns, pageWindow, windowValues);
}

/** The page that begins at an offset, of a list with so many records. */
export function pageAt<T>(after: number, total: number, data: T[]): Page<T> {
  const end = after + data.length;
  return { data, pagination: { end_cursor: end, has_next_page: end < total, total_count: total } };
}

/** One page of the rows that a look-up found; `read` may give only the first of them. */
export async function pageOfFound<Row, T>(
  found: readonly Row[],
  { first = pageSize.default, after = 0 }: Asked,
  read: (rows: readonly Row[]) => Promise<T[]>,
): Promise<Page<T>> {
  return pageAt(after, found.length, await read(found.slice(after, after + first)));
}
