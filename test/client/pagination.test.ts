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
const items = (from: number, to: number): Item[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => ({ id: from + index }));

const bare = (data: readonly unknown[]): Page => ({
  data,
  end: undefined,
  hasMore: undefined,
  total: undefined,
});

/** Returns a page as the specification defines it: a slice of the list at this moment. */
function sliced(list: readonly unknown[], first: number, after: number): Page {
  const data = list.slice(after, after + first);
  const end = after + data.length;
  return { data, end, hasMore: end < list.length, total: list.length };
}

/** A list of a service, with its requests and the highest number of simultaneous ones. */
function service(page: (first: number, after: number, count: number) => Page) {
  const requests: string[] = [];
  const atOnce = { now: 0, most: 0 };
  const read = async (first: number, after: number) => {
    const count = requests.push(`${first}@${after}`) - 1;
    atOnce.now += 1;
    atOnce.most = Math.max(atOnce.most, atOnce.now);
    // Later pages are answered first, so that their order is not by chance.
    for (let turns = Math.max(1, 20 - count); turns > 0; turns -= 1) await Promise.resolve();
    atOnce.now -= 1;
    const slice = page(first, after, count);
    return { ...slice, data: slice.data.map(toRawJson) };
  };
  return { read, requests, atOnce };
}

const all: PagingOptions = { size: 10, limit: undefined, concurrency: 4 };

/** Reads a list. Returns what was read, the requests, and the failure that ended it. */
async function read(
  page: (first: number, after: number, count: number) => Page,
  paging: Partial<PagingOptions> = {},
) {
  const { read, requests, atOnce } = service(page);
  const batches: Batch[] = [];
  let failure: unknown;
  try {
    for await (const batch of readPages(read, { ...all, ...paging })) batches.push(batch);
  } catch (error) {
    failure = error;
  }
  const values = batches.flatMap(({ records }) => records.map(({ value }) => value));
  const ids = values.map((value) => (value as Item | null)?.id);
  return { batches, values, ids, last: batches.at(-1), requests, atOnce: atOnce.most, failure };
}

const idsOf = (list: readonly Item[]) => list.map(({ id }) => id);

test('requests later pages concurrently and returns them in order', async () => {
  const { ids, requests, atOnce } = await read((first, after) => sliced(items(0, 95), first, after));
  expect({ ids, requests, atOnce }).toEqual({
    ids: idsOf(items(0, 95)),
    requests: [
      '10@0',
      '10@9',
      '10@18',
      '10@27',
      '10@36',
      '10@45',
      '10@54',
      '10@63',
      '10@72',
      '10@81',
      '10@90',
    ],
    atOnce: 4,
  });
});

test.each([
  ['an empty list', 0, {}, ['10@0']],
  ['a short page', 3, {}, ['10@0']],
  ['one full page', 10, {}, ['10@0']],
  ['one record more than a page', 11, {}, ['10@0', '10@9']],
  ['a limit below the page', 50, { limit: 3 }, ['3@0']],
  ['a limit of one page', 50, { limit: 10 }, ['10@0']],
  ['a limit within the third page', 95, { limit: 25 }, ['10@0', '10@9', '10@18']],
  ['a limit beyond the list', 12, { limit: 40 }, ['10@0', '10@9']],
  ['one page at a time', 25, { concurrency: 1 }, ['10@0', '10@9', '10@18']],
  ['the largest pages', 1300, { size: 500 }, ['500@0', '500@499', '500@998']],
])('requests only the pages that are needed: %s', async (_, length, paging, expected) => {
  const { limit = length } = paging as Partial<PagingOptions>;
  const result = await read((first, after) => sliced(items(0, length), first, after), paging);
  expect({ ids: result.ids, requests: result.requests, last: result.last }).toEqual({
    ids: idsOf(items(0, Math.min(length, limit))),
    requests: expected,
    last: { records: expect.any(Array), total: length, hasMore: limit < length },
  });
});

test.each<[string, (count: number) => number, number]>([
  ['grows', (count) => Math.min(58, 25 + 12 * count), 58],
  ['shrinks', (count) => Math.max(12, 60 - 10 * count), 30],
])('reads a list to its current end if it %s meanwhile', async (_, lengthAt, length) => {
  const { ids, last } = await read((first, after, count) => sliced(items(0, lengthAt(count)), first, after), {
    concurrency: 2,
  });
  expect({ ids, more: last?.hasMore }).toEqual({ ids: idsOf(items(0, length)), more: false });
});

test('fails, with each record once, if thousands are added in front meanwhile', async () => {
  const isEarly = (count: number) => count < 20;
  const { ids, failure } = await read(
    (first, after, count) => sliced(items(isEarly(count) ? 0 : -3000, 5000), first, after),
    { size: 100 },
  );
  expect(failure).toMatchObject({ message: expect.stringContaining('repeats earlier ones') });
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['a total', { total: 45, hasMore: undefined }],
  ['has_next_page', { total: undefined, hasMore: true }],
  ['both', { total: 45, hasMore: true }],
])('reads pages of 4 records instead of 10 from a service that sends %s', async (_, { total, hasMore }) => {
  const list = items(0, 45);
  const result = await read((_, after) => {
    const { data, end, hasMore: goesOn } = sliced(list, 4, after);
    return { data, end, total, hasMore: hasMore && goesOn };
  });
  expect(result.ids).toEqual(idsOf(list));
  expect(result.atOnce).toBe(1);
});

test('reads a list of a service that returns 25 records instead of 10', async () => {
  const list = items(0, 120);
  const result = await read((_, after) => sliced(list, 25, after));
  expect({ ids: result.ids, requests: result.requests }).toEqual({
    ids: idsOf(list),
    requests: ['10@0', '10@24', '10@48', '10@72', '10@96'],
  });
});

test.each([
  ['all that there is, and says that it is all', false],
  ['all that there is, and says nothing', undefined],
])('reports more records after a limit if the service sends %s', async (_, more) => {
  const page = { ...bare(items(0, 10)), hasMore: more };
  const { ids, last, requests } = await read(() => page, { limit: 4 });
  expect({ ids, more: last?.hasMore }).toEqual({ ids: [0, 1, 2, 3], more: true });
  expect(requests).toEqual(['4@0']);
  expect((await read(() => page, { limit: 10 })).last?.hasMore).toBe(more === undefined);
});

test('ignores a total below the number of records received', async () => {
  const list = items(0, 25);
  const { ids } = await read((first, after) => ({ ...bare(list.slice(after, after + first)), total: 4 }));
  expect(ids).toEqual(idsOf(list));
});

test('requests later pages again after a page that is shorter than expected', async () => {
  const list = items(0, 60);
  const { ids } = await read((first, after) => sliced(list, after === 20 ? 7 : first, after));
  expect(ids).toEqual(idsOf(list));
});

test.each([
  ['short last page', 23, ['10@0', '10@9', '10@18']],
  ['last page full, then an empty one', 20, ['10@0', '10@9', '10@18']],
  ['empty', 0, ['10@0']],
])('reads bare arrays: %s', async (_, length, expected) => {
  const list = items(0, length);
  const { ids, requests } = await read((first, after) => bare(list.slice(after, after + first)));
  expect({ ids, requests }).toEqual({ ids: idsOf(list), requests: expected });
});

test.each([10, 30, 5000, 9000])('stops if each page is the same array of %i records', async (length) => {
  const list = items(0, length);
  const { ids, requests } = await read((_first, _after, count) => {
    if (count > 3) throw new Error('read forever');
    return bare(list);
  });
  expect(ids).toEqual(idsOf(list));
  expect(requests).toEqual(['10@0', `10@${length - 1}`]);
});

test.each<[string, Page, string]>([
  [
    'a cursor that stays',
    { data: items(0, 10), end: 0, hasMore: true, total: undefined },
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
])('fails instead of looping if %s', async (_, page, message) => {
  const { failure } = await read(() => page);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code: 'failed', message });
});

test('fails after the new records if a page repeats the previous one', async () => {
  const { ids, requests, failure } = await read((first, after) => ({
    ...{ data: items(0, 10), end: after + first, hasMore: true, total: 100 },
  }));
  const message = 'The service says that the list has more records, but repeats earlier ones.';
  expect(failure).toMatchObject({ code: 'failed', message });
  expect(ids).toEqual(idsOf(items(0, 10)));
  expect(requests).toEqual(['10@0', '10@9', '10@18', '10@27', '10@36', '10@10']);
});

test('follows a cursor that is ahead of the records', async () => {
  const { ids, requests } = await read((_, after) =>
    after === 0
      ? { data: items(0, 10), end: 1000, hasMore: true, total: undefined }
      : { data: items(10, 12), end: 1002, hasMore: false, total: undefined },
  );
  expect({ ids, requests }).toEqual({ ids: idsOf(items(0, 12)), requests: ['10@0', '10@1000'] });
});

test('drops the records of an overlap, which do not count towards the limit', async () => {
  const list = [...items(0, 10), ...items(5, 15), ...items(14, 24)];
  const page = (first: number, after: number) => sliced(list, first, after);
  expect((await read(page)).ids).toEqual(idsOf(items(0, 24)));
  expect((await read(page, { limit: 12 })).ids).toEqual(idsOf(items(0, 12)));
});

test.each([
  ['no id', [{ name: 'a' }, { name: 'a' }]],
  ['an id of null', [{ id: null }, { id: null }]],
  ['no fields at all', ['a', 'a', 1, null, null]],
  ['ids that differ in their type alone', [{ id: 1 }, { id: '1' }]],
])('returns all records with %s', async (_, list) => {
  expect((await read((first, after) => sliced(list, first, after))).values).toEqual(list);
});

test('drops an overlap after tens of thousands of records', async () => {
  const list = [...items(0, 30_000), ...items(29_700, 30_100)];
  const { ids } = await read((first, after) => sliced(list, first, after), { size: 500 });
  expect(ids).toEqual(idsOf(items(0, 30_100)));
});

test('distinguishes ids that differ only after a quotation mark', async () => {
  const ids = ['a"b', 'a"c', 'a'];
  const data = ids.map((id) => parseRawJson(JSON.stringify({ id })));
  const values: unknown[] = [];
  for await (const { records } of readPages(async () => ({ ...bare([]), data }), all))
    values.push(...records.map(({ value }) => idOf(value)));
  expect(values).toEqual(ids);
});

test('sends no more requests if the consumer stops early', async () => {
  const { read, requests } = service((first, after) => sliced(items(0, 1000), first, after));
  for await (const { records } of readPages(read, all))
    if (records.some(({ value }) => idOf(value) === 10)) break;
  const earlier = [...requests];
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(earlier).toEqual(['10@0', '10@9', '10@18', '10@27', '10@36']);
  expect(requests).toEqual(earlier);
});

const idOf = (item: unknown) => (item as Item).id;

test('reports a failed page in its turn, without unhandled rejections', async () => {
  const { ids, failure } = await read((first, after) => {
    if (after >= 18) throw new Failure('unavailable', `No page at ${after}.`);
    return sliced(items(0, 100), first, after);
  });
  expect(failure).toMatchObject({ code: 'unavailable', message: 'No page at 18.' });
  expect(ids).toEqual(idsOf(items(0, 19)));
});

const withoutTotal: typeof sliced = (list, first, after) => ({
  ...sliced(list, first, after),
  total: undefined,
});

const asArray: typeof sliced = (list, first, after) => bare(list.slice(after, after + first));

/** A list of which records are deleted before the request with a number. */
const deleting =
  (at: number, isDeleted: (id: number) => boolean, list: (count: number) => Item[] = () => items(0, 45)) =>
  (count: number) =>
    list(count).filter(({ id }) => count < at || !isDeleted(id));

/** The list with another record at its start, but not for the pages that the first prefetch requests after the next one. */
const withAddition = (count: number) => items(count === 1 || count > 4 ? -1 : 0, 45);

test.each<[string, (count: number) => Item[], typeof sliced, size?: number]>([
  ['one record of the first page', deleting(1, (id) => id === 3), sliced],
  ['one record while pages are requested concurrently', deleting(4, (id) => id === 3), sliced],
  ['one record of a list without a total', deleting(2, (id) => id === 3), withoutTotal],
  ['one record of a list without pagination', deleting(2, (id) => id === 3), asArray],
  ['the last record that was read', deleting(1, (id) => id === 9), sliced],
  ['three pages', deleting(4, (id) => id < 30), sliced],
  ['the rest of the list', deleting(3, (id) => id < 20), sliced],
  ['one record of a list in pages of one record', deleting(7, (id) => id === 0), sliced, 1],
  [
    'more records than a page of a service with a smaller page size has',
    deleting(7, (id) => id < 6),
    (list, first, after) => sliced(list, Math.min(first, 4), after),
  ],
  [
    'one record after pages were requested before another one was added',
    deleting(7, (id) => id === 3, withAddition),
    sliced,
  ],
])('reads every remaining record if someone deletes %s', async (_, list, describe, size = 10) => {
  const page = (first: number, after: number, count: number) => describe(list(count), first, after);
  const { ids, batches } = await read(page, { size });
  const remaining = idsOf(list(Number.POSITIVE_INFINITY)).filter((id) => id >= 0);
  expect(ids.filter((id = -1) => remaining.includes(id))).toEqual(remaining);
  expect(new Set(ids).size).toBe(ids.length);
  expect(batches.filter(({ isReread }) => isReread)).toHaveLength(1);
});

test.each<[string, (first: number, after: number, count: number) => Page]>([
  ['records are added at the end', (first, after, count) => sliced(items(0, 45 + count), first, after)],
  ['records are added at the start', (first, after, count) => sliced(items(-count, 45), first, after)],
  [
    'the service rounds offsets up to whole pages',
    (first, after) => sliced(items(0, 45), Math.min(first, 10), Math.ceil(after / 10) * 10),
  ],
  [
    'the service rounds offsets down to whole pages',
    (first, after) => sliced(items(0, 45), first, Math.floor(after / first) * first),
  ],
  ['pages have one record', (_, after) => sliced(items(0, 45), 1, after)],
  [
    'cursors are not offsets',
    (first, after) => {
      const page = sliced(items(0, 45), first, after / 1000);
      return { ...page, end: (page.end ?? 0) * 1000 };
    },
  ],
])('does not read a page again if %s', async (_, page) => {
  const { ids, batches } = await read(page);
  expect(ids.filter((id = -1) => id >= 0 && id < 45)).toEqual(idsOf(items(0, 45)));
  expect(new Set(ids).size).toBe(ids.length);
  expect(batches.filter(({ isReread }) => isReread)).toEqual([]);
});

test.each([
  ['has not changed', items(0, 30), items(10, 30), ['10@9', '10@18', '10@27']],
  ['lost earlier records', items(4, 30), items(10, 30), ['10@9', '200@0']],
  ['got records before them', [...items(90, 93), ...items(0, 30)], items(10, 30), ['10@9', '10@18', '10@27']],
  ['ends there', items(0, 10), [], ['10@9']],
])(
  'continues a list after the record before the position if the list %s',
  async (_, list, rest, requests) => {
    const start = { offset: 10, lastId: 9 };
    const result = await read((first, after) => sliced(list, first, after), { start });
    expect(result.ids).toEqual(rest.map(({ id }) => id));
    expect(result.requests).toEqual(requests);
    expect(result.last?.isShifted).toBeUndefined();
  },
);

test('continues a list at the same offset, and says so, if the record before it was deleted', async () => {
  const list = items(0, 30).filter(({ id }) => id !== 9);
  const start = { offset: 10, lastId: 9 };
  const { ids, batches } = await read((first, after) => sliced(list, first, after), { start });
  expect(ids).toEqual(idsOf(items(11, 30)));
  expect(batches.map(({ isShifted }) => isShifted)).toEqual([true, undefined]);
});

test('finds the end of each record of a continued list', async () => {
  const paging = { start: { offset: 5 }, limit: 12 };
  const { batches } = await read((first, after) => sliced(items(0, 30), first, after), paging);
  const ends = batches.flatMap(({ records, findEnd }) => records.map((record) => findEnd?.(record)));
  expect(ends).toEqual(idsOf(items(6, 18)));
});

/** The sizes of the records of lists whose pages have at most 10 bytes, apart from a single record. */
const boundedLists: Readonly<Record<string, readonly number[]>> = {
  'all small': Array(97).fill(1),
  'all large': Array(23).fill(20),
  'small, then large': [...Array(40).fill(1), ...Array(20).fill(20)],
  'large, then small': [...Array(20).fill(20), ...Array(40).fill(1)],
  'one large among small ones': items(0, 100).map(({ id }) => (id === 37 ? 20 : 1)),
  alternating: items(0, 100).map(({ id }) => (id % 12 === 0 ? 9 : 1)),
};

test.each(Object.entries(boundedLists))(
  'reads each record once from pages that are bounded by bytes: %s',
  async (_, sizes) => {
    const list = items(0, sizes.length);
    const page = (first: number, after: number) => {
      let size = 0;
      const count = sizes.slice(after, after + first).findIndex((bytes, index) => {
        size += bytes;
        return size > 10 && index > 0;
      });
      return sliced(list, count < 0 ? first : count, after);
    };
    for (const concurrency of [1, 4]) {
      for (const limit of [undefined, 1, 15, 23, 58]) {
        const { ids, last } = await read(page, { limit, concurrency });
        const length = Math.min(limit ?? sizes.length, sizes.length);
        expect(ids).toEqual(idsOf(items(0, length)));
        expect(last?.hasMore).toBe(length < sizes.length);
      }
    }
  },
);

/** Reads a list whose pages have the records `toItems(after)`, one after the other. */
const readEndless = (
  toItems: (after: number) => readonly Item[],
  toTotal: (after: number) => number | undefined = () => undefined,
) =>
  read(
    (_, after) => {
      const data = toItems(after);
      return { data, end: after + data.length, hasMore: data.length > 0, total: toTotal(after) };
    },
    { size: 100 },
  );

const endless = 'The list from the service does not end: kith received ';

test.each<[title: string, length: number, total: (after: number) => number | undefined, message: string]>([
  ['more than 1,000 instead of 3', 1, () => 3, `${endless}1001 of 3 records.`],
  ['ten times as many as announced', 10, () => 150, `${endless}1504 of 150 records.`],
  ['as many as it announces again on each page', 10, (after) => after + 10, `${endless}1009 of 10 records.`],
  ['10,000 pages without a total', 1, () => undefined, `${endless}10001 pages.`],
])('fails if a list with new records on every page sends %s', async (_, length, toTotal, message) => {
  const { failure } = await readEndless((after) => items(after, after + length), toTotal);
  expect(failure).toMatchObject({ code: 'failed', message });
});

test('accepts a list with up to ten times the records that it announces', async () => {
  const { ids, failure } = await readEndless(
    (after) => items(after, Math.min(after + 100, 2000)),
    () => 200,
  );
  expect([failure, ids]).toEqual([undefined, idsOf(items(0, 2000))]);
});

test('fails if a list starts again after thousands of records', async () => {
  const { ids, failure } = await readEndless((after) =>
    items(after, after + 100).map(({ id }) => ({ id: id % 9950 })),
  );
  expect(failure).toMatchObject({ message: expect.stringContaining('repeats earlier ones') });
  expect(ids).toEqual(idsOf(items(0, 9950)));
});
