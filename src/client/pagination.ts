import { Failure } from '../contract/errors.ts';
import { pageSize } from '../contract/grammar.ts';
import type { RawJson } from '../values/raw-json.ts';
import { readRecordId } from '../values/record-id.ts';
import type { ListPage } from './responses.ts';

/** How a list is read. */
export interface PagingOptions {
  /** Records per page. */
  readonly size: number;
  /** The maximum number of records; undefined: all. */
  readonly limit: number | undefined;
  /** The number of pages requested at once. It applies after the first page, which contains the total. */
  readonly concurrency: number;
  /** Where the list begins. If it is set, the batches have `findEnd`. */
  readonly start?: ListStart | undefined;
}

/** A position in a list of the service. */
export interface ListStart {
  readonly offset: number;
  /** The id of the record before the position. It shows whether the list has changed. */
  readonly lastId?: string | number | undefined;
}

const defaults: PagingOptions = { size: 100, limit: undefined, concurrency: 4 };

/** The records of one page that no earlier page had, with the total of the list if the service sends it. */
export interface Batch<T = unknown> {
  readonly records: readonly RawJson<T>[];
  readonly total: number | undefined;
  /** Whether the list has records after this batch. */
  readonly hasMore: boolean;
  /** Whether a filter dropped records from the list. It is then unknown whether a later record matches. */
  readonly isFiltered?: boolean;
  /** The time of the service's clock when it responded. */
  readonly at?: Date;
  /** Returns the offset after a record of this batch. */
  readonly findEnd?: (record: RawJson) => number;
  /** Whether the record before the start of the list was not found near it: records may be missing or repeated. */
  readonly isShifted?: boolean;
}

/**
 * Reads a list page by page, in order and each record once. `read` reads the page that begins at an offset.
 * @throws {Failure} failed if the list does not end: more records are promised but none arrives, or far more than
 * announced
 */
export async function* readPages<T>(
  read: (first: number, after: number) => Promise<ListPage<T>>,
  paging: Partial<PagingOptions>,
): AsyncGenerator<Batch<T>> {
  const { size, limit, concurrency, start } = { ...defaults, ...paging };
  const first = limit === undefined ? size : Math.min(size, limit);
  const dropRepeated = createDeduplicator();
  const checkEnd = createEndCheck();
  let remaining = limit ?? Number.POSITIVE_INFINITY;
  const firstPage = start && (await readFirstPage(read, start, first));
  let { offset = 0, isShifted = false } = firstPage ?? {};
  let pendingPages: Promise<ListPage<T>>[] = firstPage ? [Promise.resolve(firstPage.page)] : [];
  let step = 0;
  while (remaining > 0) {
    const page = await (pendingPages.shift() ?? read(first, offset));
    const newRecords = dropRepeated(page.data);
    checkEnd(page);
    const next = findNextOffset(page, offset, first, newRecords.length);
    const records = newRecords.slice(0, remaining);
    remaining -= records.length;
    const { total, at } = page;
    const hasMore = next !== undefined || records.length < newRecords.length;
    const pageStart = offset;
    const findEnd = (record: RawJson) => pageStart + (page.data as readonly RawJson[]).indexOf(record) + 1;
    yield {
      records,
      total,
      hasMore,
      ...(at && { at }),
      ...(start && { findEnd }),
      ...(isShifted && { isShifted }),
    };
    isShifted = false;
    if (next === undefined) return;
    // If a page is longer or shorter than expected, the pages requested after it begin at wrong offsets.
    if (pendingPages.length > 0 && next !== offset + step) pendingPages = [];
    if (pendingPages.length === 0) step = next - offset;
    offset = next;
    const end = total === undefined || step < first ? 0 : Math.min(total, offset + remaining);
    while (pendingPages.length < concurrency && offset + pendingPages.length * step < end) {
      const request = read(first, offset + pendingPages.length * step);
      request.catch(() => {}); // thrown when the page is awaited
      pendingPages.push(request);
    }
  }
}

/** The number of records on each side of a position that are searched for the last record before it. */
const searchedRecords = 100;

/**
 * Reads the first page after a position. It begins after the record that was last before the position: the offset of
 * the record changes if records before it are deleted or created.
 */
async function readFirstPage<T>(
  read: (first: number, after: number) => Promise<ListPage<T>>,
  { offset, lastId }: ListStart,
  first: number,
) {
  if (lastId === undefined || offset === 0) return { page: await read(first, offset), offset };
  // One request, if the list has not changed.
  for (const [count, after] of [
    [Math.min(first + 1, pageSize.max), offset - 1],
    [2 * searchedRecords, Math.max(0, offset - searchedRecords)],
  ] as const) {
    const page = await read(count, after);
    const index = page.data.findIndex((record) => readRecordId(record) === lastId);
    if (index < 0) continue;
    const data = page.data.slice(index + 1);
    const start = after + index + 1;
    const isUsable = data.length > 0 || page.hasMore === false;
    return { page: isUsable ? { ...page, data } : await read(first, start), offset: start };
  }
  return { page: await read(first, offset), offset, isShifted: true };
}

/** Returns the offset of the next page, or undefined at the end of the list. */
function findNextOffset(
  { data, end, total, hasMore }: ListPage,
  offset: number,
  first: number,
  newRecords: number,
): number | undefined {
  const next = end ?? offset + data.length;
  // The total counts only if it is not below the number of records received.
  const isContinued = hasMore ?? (total === undefined || total < next ? undefined : next < total);
  if (isContinued === false) return undefined;
  if (isContinued === undefined) {
    if (data.length < first || (end === undefined && newRecords === 0)) return undefined;
    if (end === undefined) return next;
  }
  if (next <= offset)
    throw new Failure('failed', `The service repeats a page of the list: its end_cursor stays at ${next}.`);
  if (newRecords === 0)
    throw new Failure('failed', 'The service says that the list has more records, but repeats earlier ones.');
  return next;
}

/** An endless list has this many times the records that it announced, but at least this many. */
const [endlessFactor, endlessCount] = [10, 1000];

/** An endless list that announces no total has more pages than this. */
const maxPages = 10_000;

/** Returns a function that is called for each page. It throws a failure if the list does not end. */
function createEndCheck(): (page: ListPage) => void {
  let announced: number | undefined;
  let pages = 0;
  let records = 0;
  return ({ data, total }) => {
    // The first total is valid: the total of an endless list may grow.
    announced ??= total;
    pages += 1;
    records += data.length;
    const isEndless =
      announced === undefined
        ? pages > maxPages
        : records > Math.max(endlessCount, announced * endlessFactor);
    if (!isEndless) return;
    const sentCount = announced === undefined ? `${pages} pages` : `${records} of ${announced} records`;
    throw new Failure('failed', `The list from the service does not end: kith received ${sentCount}.`);
  };
}

/** The minimum number of remembered ids: pages overlap by the records that are added while a list is read. */
const rememberedIds = 4000;

/**
 * Returns a function that drops records of earlier pages. It never drops a record of `kith api` without an id. It never
 * forgets the start of the list, so that a list that begins again has a page without new records.
 */
function createDeduplicator(): <T>(page: readonly RawJson<T>[]) => RawJson<T>[] {
  let recent = new Set<string | number>();
  let earlier = new Set<string | number>();
  let start: Set<string | number> | undefined;
  return (page) => {
    if (recent.size >= rememberedIds) {
      start ??= recent;
      [earlier, recent] = [recent, new Set()];
    }
    return page.filter((record) => {
      const id = readRecordId(record);
      if (id === undefined) return true;
      if (recent.has(id) || earlier.has(id) || start?.has(id)) return false;
      recent.add(id);
      return true;
    });
  };
}
