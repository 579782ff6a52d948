import type { Page } from '../contract/grammar.ts';
import { pageSize } from '../contract/grammar.ts';
import type { Database } from './database.ts';

/** The size of a block of the table `tally`, in ids. */
const blockSize = 4096;

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
  const blocks = await db
    .selectFrom('tally')
    .select(['block', 'records'])
    .where('scope', '=', scope)
    .orderBy('block')
    .execute();
  let total = 0;
  let window: Window | undefined;
  for (const { block, records } of blocks) {
    if (!window && after < total + records) {
      window = { from: block * blockSize, offset: after - total, limit: first };
    }
    total += records;
  }
  return pageAt(after, total, window ? await read(window) : []);
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
