import { expect, test } from 'vitest';
import { readPages } from '../../src/client/pagination.ts';
import { toRawJson } from '../../src/values/raw-json.ts';

/** The largest page in bytes, apart from a single record. */
const largest = 10;

/** Creates a list whose pages are limited by bytes but have at least one record. */
function readBounded(sizes: readonly number[]) {
  return async (first: number, after: number) => {
    let size = 0;
    const pageSizes = sizes.slice(after, after + first);
    const tooLarge = pageSizes.findIndex((bytes, index) => {
      size += bytes;
      return size > largest && index > 0;
    });
    const end = after + (tooLarge < 0 ? pageSizes.length : tooLarge);
    const data = sizes.slice(after, end).map((_, index) => toRawJson({ id: after + index }));
    return { data, end, hasMore: end < sizes.length, total: sizes.length };
  };
}

const createSizes = (length: number, size: (index: number) => number) =>
  Array.from({ length }, (_, index) => size(index));

test.each<[string, readonly number[]]>([
  ['all small', createSizes(97, () => 1)],
  ['all large', createSizes(23, () => 20)],
  ['small, then large', createSizes(60, (index) => (index < 40 ? 1 : 20))],
  ['large, then small', createSizes(60, (index) => (index < 20 ? 20 : 1))],
  ['one large among small ones', createSizes(100, (index) => (index === 37 ? 20 : 1))],
  ['alternating', createSizes(100, (index) => (index % 12 === 0 ? 9 : 1))],
])('reads each record once from pages that are bounded by bytes: %s', async (_, sizes) => {
  for (const concurrency of [1, 4]) {
    for (const limit of [undefined, 1, 15, 23, 58]) {
      const ids: unknown[] = [];
      let more = false;
      for await (const batch of readPages(readBounded(sizes), { size: 10, limit, concurrency })) {
        ids.push(...batch.records.map(({ value }) => (value as { id: number }).id));
        more = batch.hasMore;
      }
      const pageSizes = Math.min(limit ?? sizes.length, sizes.length);
      expect(ids).toEqual(createSizes(pageSizes, (index) => index));
      expect(more).toBe(pageSizes < sizes.length);
    }
  }
});
