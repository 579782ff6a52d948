import { Failure } from '../contract/errors.ts';
import { TextSet } from '../dense/text-set.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { ListPage } from './responses.ts';

/** Reads the page that begins at an offset. */
export type ReadPageAt = (first: number, after: number) => Promise<ListPage>;

/** How a list is read. */
export interface PagingOptions {
  /** Records to a page. */
  readonly size: number;
  /** Records at the most; undefined: all. */
  readonly limit: number | undefined;
  /** Pages asked for side by side, once the total is known. */
  readonly concurrency: number;
}

/** What is not said of a list. */
const wholeList: PagingOptions = { size: 100, limit: undefined, concurrency: 4 };

/** Records in their order, with the total of the list where the service told it. */
export interface Batch {
  readonly records: readonly RawJson[];
  readonly total: number | undefined;
  /** Whether the list goes on after this batch. */
  readonly hasMore: boolean;
  /** The time on the service's clock when it answered. */
  readonly at?: Date;
}

/**
 * A list, page by page in order, each record once (cli.md, "The HTTP core"). Throws `failed` where the
 * service promises more but gives nothing new, so that no list is read for ever.
 */
export async function* readPages(read: ReadPageAt, paging: Partial<PagingOptions>): AsyncGenerator<Batch> {
  const { size, limit, concurrency } = { ...wholeList, ...paging };
  const first = limit === undefined ? size : Math.min(size, limit);
  const newIn = recentIds(new TextSet());
  let left = limit ?? Number.POSITIVE_INFINITY;
  let offset = 0;
  let ahead: Promise<ListPage>[] = [];
  let step = 0;
  while (left > 0) {
    const page = await (ahead.shift() ?? read(first, offset));
    const fresh = newIn(page.data);
    const next = nextOffset(page, offset, first, fresh.length);
    const records = fresh.slice(0, left);
    left -= records.length;
    const more = next !== undefined || records.length < fresh.length;
    yield { records, total: page.total, hasMore: more, ...(page.at && { at: page.at }) };
    if (next === undefined) return;
    // A page that is not as long as planned moves all that follow: what was asked for ahead is let go.
    if (ahead.length > 0 && next !== offset + step) ahead = [];
    if (ahead.length === 0) step = next - offset;
    offset = next;
    ahead.push(...asked(read, first, { offset, step, total: page.total, left }, concurrency, ahead.length));
  }
}

/** The offset of the next page, or undefined at the end. */
function nextOffset(page: ListPage, offset: number, first: number, fresh: number): number | undefined {
  const { data, end, total } = page;
  const next = end ?? offset + data.length;
  // A service that gives fewer records than were asked for may tell only by its total that there are more.
  // One that is less than what has come already says nothing.
  const more = page.hasMore ?? (total === undefined || total < next ? undefined : next < total);
  if (more === undefined && end === undefined) {
    return data.length >= first && fresh > 0 ? next : undefined;
  }
  if (more === false || (more === undefined && (data.length === 0 || data.length < first))) return undefined;
  if (next <= offset) throw new Failure('failed', `The list does not go on: its cursor stays at ${next}.`);
  if (fresh === 0) throw new Failure('failed', 'The list promises more, but repeats what it gave before.');
  return next;
}

interface Plan {
  readonly offset: number;
  readonly step: number;
  readonly total: number | undefined;
  readonly left: number;
}

/** Requests for the pages after those that are under way, as far as the total and the limit reach. */
function asked(
  read: ReadPageAt,
  first: number,
  plan: Plan,
  concurrency: number,
  underWay: number,
): Promise<ListPage>[] {
  const { offset, step, total, left } = plan;
  const requests: Promise<ListPage>[] = [];
  if (total === undefined || step < first) return requests;
  for (let index = underWay; index < concurrency; index += 1) {
    const after = offset + index * step;
    if (after >= total || index * step >= left) break;
    const request = read(first, after);
    request.catch(() => {}); // told when its turn comes
    requests.push(request);
  }
  return requests;
}

/**
 * How many ids are remembered at the least: pages overlap by what is put in front of a list while it is read, and
 * memory must not grow. What one page gave is remembered whole: a service may give all that it has each time.
 */
const remembered = 4000;

/** Gives the records of a page that no page near it had. One whose id is neither a text nor a number is always new. */
function recentIds(recent: TextSet): (page: readonly RawJson[]) => RawJson[] {
  let last = 0;
  const isNew = (sent: RawJson) => {
    const id = idOf(sent);
    return id === undefined || recent.add(id);
  };
  return (page) => {
    if (recent.size >= 2 * remembered) recent.keepLast(Math.max(remembered, last));
    last = page.length;
    return page.filter(isNew);
  };
}

const idFirst = '{"id":"';

/** The id with which a record begins, as it mostly does; else that of its value, which has to be read for it. */
function idOf(sent: RawJson): string | undefined {
  const plain = !sent.ours && sent.text.startsWith(idFirst) && plainText(sent.text, idFirst.length);
  if (plain) return plain;
  const { value: record } = sent;
  const id = typeof record === 'object' && record !== null && 'id' in record ? record.id : undefined;
  if (typeof id === 'string') return id;
  return typeof id === 'number' ? `\0${id}` : undefined; // 1 is not "1"
}

/** What stands before the next quote; undefined where it has escapes. */
function plainText(text: string, start: number): string | undefined {
  const found = text.slice(start, text.indexOf('"', start));
  return found.includes('\\') ? undefined : found;
}
