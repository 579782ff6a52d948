import { expect, test } from 'vitest';
import { type Batch, type PagingOptions, readPages } from '../../src/client/pagination.ts';
import type { ListPage } from '../../src/client/responses.ts';
import { Failure } from '../../src/contract/errors.ts';
import { parseRawJson, toRawJson } from '../../src/values/raw-json.ts';

interface Item {
  readonly id: number;
}

/** A page, with its records as values. */
type Page = Omit<ListPage, 'data'> & { readonly data: readonly unknown[] };

/** Items with the ids from `from` up to, but without, `to`. */
const createItems = (from: number, to: number): Item[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => ({ id: from + index }));

const createBarePage = (data: readonly unknown[]): Page => ({
  data,
  end: undefined,
  hasMore: undefined,
  total: undefined,
});

/** A page as the specification has it: a slice of the list at this moment. */
function slicePage(list: readonly unknown[], first: number, after: number): Page {
  const data = list.slice(after, after + first);
  const end = after + data.length;
  return { data, end, hasMore: end < list.length, total: list.length };
}

/** Creates a paged list that records its requests and their maximum concurrency. */
function createPagedService(readSlice: (first: number, after: number, count: number) => Page) {
  const requests: string[] = [];
  const concurrency = { now: 0, most: 0 };
  const read = async (first: number, after: number) => {
    const count = requests.push(`${first}@${after}`) - 1;
    concurrency.now += 1;
    concurrency.most = Math.max(concurrency.most, concurrency.now);
    // Later pages are answered first, so that their order is not by chance.
    for (let ticks = Math.max(1, 20 - count); ticks > 0; ticks -= 1) await Promise.resolve();
    concurrency.now -= 1;
    const result = readSlice(first, after, count);
    return { ...result, data: result.data.map(toRawJson) };
  };
  return { read, requests, concurrencyCount: concurrency };
}

const all: PagingOptions = { size: 10, limit: undefined, concurrency: 4 };

async function read(
  readSlice: (first: number, after: number, count: number) => Page,
  options: Partial<PagingOptions> = {},
) {
  const { read, requests, concurrencyCount: concurrency } = createPagedService(readSlice);
  const batches: Batch[] = [];
  for await (const batch of readPages(read, { ...all, ...options })) batches.push(batch);
  return { ids: readIds(batches), last: batches.at(-1), requests, concurrencyCount: concurrency.most };
}

const readIds = (batches: readonly Batch[]) =>
  batches.flatMap(({ records }) => records.map(({ value }) => (value as Item).id));
const listIds = (list: readonly Item[]) => list.map(({ id }) => id);

test('requests later pages concurrently and returns them in order', async () => {
  const {
    ids,
    requests,
    concurrencyCount: concurrency,
  } = await read((first, after) => slicePage(createItems(0, 95), first, after));
  expect({ ids, requests, concurrencyCount: concurrency }).toEqual({
    ids: listIds(createItems(0, 95)),
    requests: ['10@0', '10@10', '10@20', '10@30', '10@40', '10@50', '10@60', '10@70', '10@80', '10@90'],
    concurrencyCount: 4,
  });
});

test.each([
  ['an empty list', 0, {}, ['10@0']],
  ['a short page', 3, {}, ['10@0']],
  ['one full page', 10, {}, ['10@0']],
  ['one record more than a page', 11, {}, ['10@0', '10@10']],
  ['a limit below the page', 50, { limit: 3 }, ['3@0']],
  ['a limit of one page', 50, { limit: 10 }, ['10@0']],
  ['a limit within the third page', 95, { limit: 25 }, ['10@0', '10@10', '10@20']],
  ['a limit beyond the list', 12, { limit: 40 }, ['10@0', '10@10']],
  ['one page at a time', 25, { concurrency: 1 }, ['10@0', '10@10', '10@20']],
])('requests only the pages that are needed: %s', async (_, length, options, requests) => {
  const { limit = length } = options as Partial<PagingOptions>;
  const result = await read((first, after) => slicePage(createItems(0, length), first, after), options);
  expect({ ids: result.ids, requests: result.requests, last: result.last }).toEqual({
    ids: listIds(createItems(0, Math.min(length, limit))),
    requests,
    last: { records: expect.any(Array), total: length, hasMore: limit < length },
  });
});

test.each<[string, (count: number) => number, number]>([
  ['grows', (count) => Math.min(58, 25 + 12 * count), 58],
  ['shrinks', (count) => Math.max(12, 60 - 10 * count), 30],
])('reads a list to its current end if it %s meanwhile', async (_, lengthAt, length) => {
  const { ids, last } = await read(
    (first, after, count) => slicePage(createItems(0, lengthAt(count)), first, after),
    {
      concurrency: 2,
    },
  );
  expect({ ids, more: last?.hasMore }).toEqual({ ids: listIds(createItems(0, length)), more: false });
});

test('returns each record once if some are added in front meanwhile', async () => {
  const { ids } = await read((first, after, count) => slicePage(createItems(-count, 40), first, after));
  expect(ids.filter((id) => id >= 0)).toEqual(listIds(createItems(0, 40)));
  expect(new Set(ids).size).toBe(ids.length);
});

test('returns each record once if thousands are added in front meanwhile', async () => {
  const { read } = createPagedService((first, after, count) =>
    slicePage(createItems(count < 20 ? 0 : -3000, 5000), first, after),
  );
  const received: number[] = [];
  const reading = async () => {
    for await (const batch of readPages(read, { ...all, size: 100 })) received.push(...readIds([batch]));
  };
  await expect(reading()).rejects.toThrow('repeats earlier ones');
  expect(new Set(received).size).toBe(received.length);
});

test.each([
  ['a total', { total: 45, hasMore: undefined }],
  ['has_next_page', { total: undefined, hasMore: true }],
  ['both', { total: 45, hasMore: true }],
])('reads pages of 4 records instead of 10 from a service that sends %s', async (_, { total, hasMore }) => {
  const list = createItems(0, 45);
  const result = await read((_, after) => {
    const { data, end, hasMore: goesOn } = slicePage(list, 4, after);
    return { data, end, total, hasMore: hasMore && goesOn };
  });
  expect(result.ids).toEqual(listIds(list));
  expect(result.concurrencyCount).toBe(1);
});

test('reads a list of a service that returns 25 records instead of 10', async () => {
  const list = createItems(0, 120);
  const result = await read((_, after) => slicePage(list, 25, after));
  expect({ ids: result.ids, requests: result.requests }).toEqual({
    ids: listIds(list),
    requests: ['10@0', '10@25', '10@50', '10@75', '10@100'],
  });
});

test.each([
  ['all that there is, and says that it is all', false],
  ['all that there is, and says nothing', undefined],
])('reports more records after a limit if the service sends %s', async (_, more) => {
  const readSlice = { ...createBarePage(createItems(0, 10)), hasMore: more };
  const { ids, last, requests } = await read(() => readSlice, { limit: 4 });
  expect({ ids, more: last?.hasMore, requests }).toEqual({
    ids: [0, 1, 2, 3],
    more: true,
    requests: ['4@0'],
  });
  expect((await read(() => readSlice, { limit: 10 })).last?.hasMore).toBe(more === undefined);
});

test('ignores a total below the number of records received', async () => {
  const list = createItems(0, 25);
  const { ids } = await read((first, after) => ({
    ...createBarePage(list.slice(after, after + first)),
    total: 4,
  }));
  expect(ids).toEqual(listIds(list));
});

test('requests later pages again after a page that is shorter than expected', async () => {
  const list = createItems(0, 60);
  const { ids } = await read((first, after) => slicePage(list, after === 20 ? 7 : first, after));
  expect(ids).toEqual(listIds(list));
});

test.each([
  ['short last page', 23, ['10@0', '10@10', '10@20']],
  ['last page full, then an empty one', 20, ['10@0', '10@10', '10@20']],
  ['empty', 0, ['10@0']],
])('reads bare arrays: %s', async (_, length, requests) => {
  const list = createItems(0, length);
  const { ids, requests: asked } = await read((first, after) =>
    createBarePage(list.slice(after, after + first)),
  );
  expect({ ids, requests: asked }).toEqual({ ids: listIds(list), requests });
});

test.each([10, 30, 5000, 9000])('stops if each page is the same array of %i records', async (length) => {
  const list = createItems(0, length);
  const { ids, requests } = await read((_first, _after, count) => {
    if (count > 3) throw new Error('read forever');
    return createBarePage(list);
  });
  expect(ids).toEqual(listIds(list));
  expect(requests).toEqual(['10@0', `10@${length}`]);
});

test.each<[string, Page, string]>([
  [
    'a cursor that stays',
    { data: createItems(0, 10), end: 0, hasMore: true, total: undefined },
    'The service repeats a page of the list: its end_cursor stays at 0.',
  ],
  [
    'nothing at all, and more promised',
    { data: [], end: undefined, hasMore: true, total: undefined },
    'The service repeats a page of the list: its end_cursor stays at 0.',
  ],
  [
    'an empty page, and more promised',
    { data: [], end: 10, hasMore: true, total: undefined },
    'The service says that the list has more records, but repeats earlier ones.',
  ],
])('fails instead of looping if %s', async (_, readSlice, message) => {
  const reading = read(() => readSlice);
  await expect(reading).rejects.toEqual(expect.objectContaining({ code: 'failed', message }));
  await expect(reading).rejects.toBeInstanceOf(Failure);
});

test('fails after the new records if a page repeats the previous one', async () => {
  const { read, requests } = createPagedService((first, after) => ({
    data: createItems(0, 10),
    end: after + first,
    hasMore: true,
    total: 100,
  }));
  const batches: Batch[] = [];
  const reading = (async () => {
    for await (const batch of readPages(read, all)) batches.push(batch);
  })();
  await expect(reading).rejects.toMatchObject({
    code: 'failed',
    message: 'The service says that the list has more records, but repeats earlier ones.',
  });
  expect({ ids: readIds(batches), requests: requests.length }).toEqual({
    ids: listIds(createItems(0, 10)),
    requests: 5,
  });
});

test('follows a cursor that is ahead of the records', async () => {
  const { ids, requests } = await read((_, after) =>
    after === 0
      ? { data: createItems(0, 10), end: 1000, hasMore: true, total: undefined }
      : { data: createItems(10, 12), end: 1002, hasMore: false, total: undefined },
  );
  expect({ ids, requests }).toEqual({ ids: listIds(createItems(0, 12)), requests: ['10@0', '10@1000'] });
});

test('drops the records of an overlap, which do not count towards the limit', async () => {
  const list = [...createItems(0, 10), ...createItems(5, 15), ...createItems(14, 24)];
  const readSlice = (first: number, after: number) => slicePage(list, first, after);
  expect((await read(readSlice)).ids).toEqual(listIds(createItems(0, 24)));
  expect((await read(readSlice, { limit: 12 })).ids).toEqual(listIds(createItems(0, 12)));
});

test.each([
  ['no id', [{ name: 'a' }, { name: 'a' }]],
  ['an id of null', [{ id: null }, { id: null }]],
  ['no fields at all', ['a', 'a', 1, null, null]],
  ['ids that differ in their type alone', [{ id: 1 }, { id: '1' }]],
])('returns all records with %s', async (_, list) => {
  const { read } = createPagedService((first, after) => slicePage(list, first, after));
  const batches: Batch[] = [];
  for await (const batch of readPages(read, all)) batches.push(batch);
  expect(batches.flatMap(({ records }) => records.map(({ value }) => value))).toEqual(list);
});

test('drops an overlap after tens of thousands of records', async () => {
  const list = [...createItems(0, 30_000), ...createItems(29_700, 30_100)];
  const { ids } = await read((first, after) => slicePage(list, first, after), { size: 500 });
  expect(ids).toEqual(listIds(createItems(0, 30_100)));
});

test('distinguishes ids that differ only after a quotation mark', async () => {
  const ids = ['a"b', 'a"c', 'a'];
  const data = ids.map((id) => parseRawJson(JSON.stringify({ id })));
  const batches: Batch[] = [];
  for await (const batch of readPages(async () => ({ ...createBarePage([]), data }), all))
    batches.push(batch);
  expect(readIds(batches)).toEqual(ids);
});

test('sends no more requests if the consumer stops early', async () => {
  const { read, requests } = createPagedService((first, after) =>
    slicePage(createItems(0, 1000), first, after),
  );
  for await (const { records } of readPages(read, all))
    if (records.some(({ value }) => getId(value) === 10)) break;
  const requestsSent = [...requests];
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect({ sent: requestsSent, requests }).toEqual({
    sent: ['10@0', '10@10', '10@20', '10@30', '10@40'],
    requests: requestsSent,
  });
});

const getId = (item: unknown) => (item as Item).id;

test('reports a failed page in its turn, without unhandled rejections', async () => {
  const batches: Batch[] = [];
  const reading = (async () => {
    for await (const batch of readPages(
      createPagedService((first, after) => {
        if (after >= 20) throw new Failure('unavailable', `No page at ${after}.`);
        return slicePage(createItems(0, 100), first, after);
      }).read,
      all,
    ))
      batches.push(batch);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'unavailable', message: 'No page at 20.' });
  expect(readIds(batches)).toEqual(listIds(createItems(0, 20)));
});
