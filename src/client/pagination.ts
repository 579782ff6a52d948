import { Failure } from '../contract/errors.ts';
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
  /** The names of the fields by which the records were selected and sorted. */
  readonly usedFields?: readonly string[];
  /** The time of the service's clock when it responded. */
  readonly at?: Date;
  /** Returns the offset after a record of this batch. */
  readonly findEnd?: (record: RawJson) => number;
  /** Whether the record before the start of the list was not found near it: records may be missing or repeated. */
  readonly isShifted?: boolean;
  /**
   * Whether records before this batch were deleted while the list was read. The page before was read again, so that no
   * record is missing, but an earlier batch may have a deleted record.
   */
  readonly isReread?: boolean;
}

/** Reads the page that begins at an offset. `overlap`: the number of its records that the previous page also has. */
type ReadPage<T> = (first: number, after: number, overlap: number) => Promise<ListPage<T>>;

/**
 * Reads a list page by page, in order and each record once.
 * @throws {Failure} failed if the list does not end: more records are promised but none arrives, or far more than
 * announced
 */
export async function* readPages<T>(
  read: ReadPage<T>,
  paging: Partial<PagingOptions>,
): AsyncGenerator<Batch<T>> {
  const { size, limit, concurrency, start } = { ...defaults, ...paging };
  const pages = new OverlappingPages(read, { size, first: Math.min(size, limit ?? size), start });
  let remaining = limit ?? Number.POSITIVE_INFINITY;
  while (remaining > 0) {
    const { page, after, newRecords, next, changes } = await pages.readNext();
    const records = newRecords.slice(0, remaining);
    remaining -= records.length;
    const { total, at, data } = page;
    const hasMore = next !== undefined || records.length < newRecords.length;
    const findEnd = (record: RawJson) => after + (data as readonly RawJson[]).indexOf(record) + 1;
    yield { records, total, hasMore, ...(at && { at }), ...(start && { findEnd }), ...changes };
    if (next === undefined) return;
    pages.prefetch(concurrency, total === undefined ? 0 : Math.min(total, next + remaining));
  }
}

/** A page of a list, and the parameters with which it was requested. */
interface Slice<T> {
  readonly page: ListPage<T>;
  readonly first: number;
  readonly after: number;
}

/** A slice that continues a list, and how the list changed before it. */
type FoundSlice<T> = Slice<T> & Pick<Batch, 'isShifted' | 'isReread'>;

type RecordId = ReturnType<typeof readRecordId>;

interface PageSizes extends Pick<PagingOptions, 'size' | 'start'> {
  /** The number of records of the first page. */
  readonly first: number;
}

/** The number of records on each side of a position that are searched for the last record before it. */
const searchedRecords = 100;

/**
 * Reads the pages of a list. Each page begins with the last record of the page before. If it does not, records before it
 * were deleted, and records that were not read yet have moved to earlier pages.
 */
class OverlappingPages<T> {
  readonly #read: ReadPage<T>;
  readonly #size: number;
  readonly #first: number;
  /** The ids of the delivered records: about 8 MB for 100,000 records. */
  readonly #ids = new Set<RecordId>();
  readonly #checkEnd = createEndCheck();
  /** The position of the next record. */
  #offset: number;
  /** The id of the record before it; undefined if pages cannot overlap, as when cursors are not offsets. */
  #lastId: RecordId;
  #last: Slice<T> | undefined;
  #pending: { readonly offset: number; readonly slice: Promise<Slice<T>> }[] = [];
  /** Whether a page can begin at any offset. */
  #canOverlap = true;

  constructor(read: ReadPage<T>, { size, first, start }: PageSizes) {
    this.#read = read;
    this.#size = size;
    this.#first = first;
    this.#offset = start?.offset ?? 0;
    this.#lastId = start?.lastId;
  }

  /** Reads the next page. `newRecords`: the records that no earlier page had; `next`: the offset of the page after it. */
  async readNext() {
    const { page, first, after, ...changes } = await this.#find();
    const following = page.data.slice(this.#findLast(page) + 1);
    this.#checkEnd(following.length, page.total);
    const newRecords = following.filter((record) => {
      const id = readRecordId(record);
      const { size } = this.#ids;
      return id === undefined || this.#ids.add(id).size > size; // one lookup in the set instead of two
    });
    const isNext = after >= this.#offset - 1;
    const next = findNextOffset(page, after, first, isNext ? newRecords.length : page.data.length);
    const { length, [length - 1]: lastRecord } = page.data;
    const end = after + length;
    this.#lastId = lastRecord && (page.end ?? end) === end ? readRecordId(lastRecord) : undefined;
    this.#last = { page, first, after };
    this.#offset = next ?? end;
    return { page, after, newRecords, next, changes };
  }

  /** Requests the pages up to the offset `end`, at most `concurrency` at once. */
  prefetch(concurrency: number, end: number): void {
    const { page, first } = this.#last ?? {};
    if (page?.data.length !== first) return; // The next offsets are not known.
    const step = this.#countRecords(this.#overlap) - this.#overlap;
    for (let offset = this.#offset; offset < end; offset += step) {
      if (offset <= (this.#pending.at(-1)?.offset ?? -1)) continue;
      if (this.#pending.length >= concurrency) return;
      const slice = this.#request(offset);
      slice.catch(() => {}); // thrown when the page is awaited
      this.#pending.push({ offset, slice });
    }
  }

  get #overlap(): 0 | 1 {
    return this.#canOverlap && this.#lastId !== undefined && this.#offset > 0 ? 1 : 0;
  }

  /** Requests the page at an offset, with the last records before it. */
  #request(offset: number, overlap: number = this.#overlap): Promise<Slice<T>> {
    return this.#fetch(this.#countRecords(overlap), offset - overlap, overlap);
  }

  /** Returns the number of records to request. A service may refuse more than the size. */
  #countRecords(overlap: number): number {
    return overlap > 0 ? Math.max(Math.min(this.#first + 1, this.#size), 2) : this.#first;
  }

  async #fetch(first: number, after: number, overlap = 0): Promise<Slice<T>> {
    return { page: await this.#read(first, after, overlap), first, after };
  }

  /** Finds the page with the next record. */
  async #find(): Promise<FoundSlice<T>> {
    const planned = this.#pending.shift();
    const isExpected = planned?.offset === this.#offset;
    let slice = await (isExpected ? planned.slice : this.#request(this.#offset));
    if (isExpected && this.#isNext(slice)) return slice;
    // The pages requested in advance begin at wrong offsets, or were read before the list changed.
    this.#pending = [];
    if (isExpected && this.#findLast(slice.page) < 0) slice = await this.#request(this.#offset);
    if (this.#isNext(slice)) return slice;
    // A page of large records may have only the last one. A service that ignores the offset repeats the page before.
    return this.#findLast(slice.page) < 0 ? this.#readAgain() : this.#request(this.#offset, 0);
  }

  /** Whether a record was delivered. A record of `kith api` may have no id. */
  #isDelivered(record: RawJson | undefined): boolean {
    const id = record && readRecordId(record);
    return id !== undefined && this.#ids.has(id);
  }

  readonly #findLast = ({ data }: ListPage) =>
    this.#lastId === undefined ? -1 : data.findIndex((record) => readRecordId(record) === this.#lastId);

  /** Whether a slice continues the list: it has the last record, and another one if the list has more. */
  #isNext({ page, after }: Slice<T>): boolean {
    const { data, hasMore, total = 0 } = page;
    const index = this.#findLast(page);
    const isComplete = index + 1 < data.length || !(hasMore ?? total > this.#offset);
    return after === this.#offset || (index >= 0 && isComplete);
  }

  /**
   * Reads the last page again, and earlier ones until one begins with a record that was delivered. At the start of the list,
   * searches for the record before it, whose offset changes if earlier records are deleted.
   */
  async #readAgain(): Promise<FoundSlice<T>> {
    const last = this.#last;
    const searched = { first: 2 * searchedRecords, after: Math.max(0, this.#offset - searchedRecords) };
    let slice = await this.#fetch((last ?? searched).first, (last ?? searched).after);
    const isFound = ({ page }: Slice<T>) => this.#findLast(page) >= 0 || this.#isDelivered(page.data[0]);
    if (!last) return isFound(slice) ? slice : { ...(await this.#request(this.#offset, 0)), isShifted: true };
    const [ids, lastIds] = [slice, last].map(({ page }) => JSON.stringify(page.data.map(readRecordId)));
    if (ids === lastIds) {
      this.#canOverlap = false; // the list has not changed
      return this.#request(this.#offset, 0);
    }
    while (slice.after > 0 && !isFound(slice))
      slice = await this.#fetch(
        this.#first,
        Math.max(0, slice.after - (slice.page.data.length || this.#first)),
      );
    return { ...slice, isReread: true };
  }
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
function createEndCheck(): (count: number, total: number | undefined) => void {
  let announced: number | undefined;
  let pages = 0;
  let records = 0;
  return (count, total) => {
    // The first total is valid: the total of an endless list may grow.
    announced ??= total;
    pages += 1;
    records += count;
    const isEndless =
      announced === undefined
        ? pages > maxPages
        : records > Math.max(endlessCount, announced * endlessFactor);
    if (!isEndless) return;
    const sentCount = announced === undefined ? `${pages} pages` : `${records} of ${announced} records`;
    throw new Failure('failed', `The list from the service does not end: kith received ${sentCount}.`);
  };
}
