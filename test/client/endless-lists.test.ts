import { expect, test } from 'vitest';
import { readPages } from '../../src/client/pagination.ts';
import { toRawJson } from '../../src/values/raw-json.ts';

/** Reads a list whose pages have the records `toIds(after)`, and returns the ids and the failure that ends the read. */
async function readAll(
  toIds: (after: number) => readonly number[],
  toTotal: (after: number) => number | undefined,
) {
  const ids: unknown[] = [];
  const read = async (_: number, after: number) => {
    const data = toIds(after).map((id) => toRawJson({ id }));
    return { data, end: after + data.length, hasMore: data.length > 0, total: toTotal(after) };
  };
  try {
    for await (const { records } of readPages(read, { size: 100 }))
      ids.push(...records.map(({ value }) => value.id));
    return { ids, failure: undefined };
  } catch (failure) {
    return { ids, failure };
  }
}

const createRange = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);

const endless = 'The list from the service does not end: kith received ';

test.each<[title: string, length: number, total: (after: number) => number | undefined, message: string]>([
  ['more than 1,000 instead of 3', 1, () => 3, `${endless}1001 of 3 records.`],
  ['ten times as many as announced', 10, () => 150, `${endless}1504 of 150 records.`],
  ['as many as it announces again on each page', 10, (after) => after + 10, `${endless}1009 of 10 records.`],
  ['10,000 pages without a total', 1, () => undefined, `${endless}10001 pages.`],
])('fails if a list with new records on every page sends %s', async (_, length, toTotal, message) => {
  const { failure } = await readAll((after) => createRange(after, after + length), toTotal);
  expect(failure).toEqual(expect.objectContaining({ code: 'failed', message }));
});

test('accepts a list with up to ten times the records that it announces', async () => {
  const toIds = (after: number) => createRange(after, Math.min(after + 100, 2000));
  expect(
    await readAll(
      (after) => (after < 2000 ? toIds(after) : []),
      () => 200,
    ),
  ).toMatchObject({ ids: createRange(0, 2000) });
});

test('fails if a list starts again after thousands of records', async () => {
  const toIds = (after: number) => createRange(after, after + 100).map((id) => id % 9950);
  const { ids, failure } = await readAll(toIds, () => undefined);
  expect(failure).toMatchObject({ message: expect.stringContaining('repeats earlier ones') });
  expect(ids).toEqual(createRange(0, 9950));
});
