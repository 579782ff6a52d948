import { expect, test } from 'vitest';
import { readPages } from '../../src/client/pagination.ts';
import { toRawJson } from '../../src/values/raw-json.ts';

/** The largest page in bytes, apart from a single record. */
const largest = 10;

/** Creates a list whose pages are limited by bytes but have at least one record. */
function readBounded(sizes: readonly number[]) {
  return async (first: number, after: number) => {
    let size = 0;
    const wanted = sizes.slice(after, after + first);
    const tooLarge = wanted.findIndex((bytes, index) => {
      size += bytes;
      return size > largest && index > 0;
    });
    const end = after + (tooLarge < 0 ? wanted.length : tooLarge);
    const data = sizes.slice(after, end).map((_, index) => toRawJson({ id: after + index }));
    return { data, end, hasMore: end < sizes.length, total: sizes.length };
  };
}

const sizesOf = (length: number, size: (index: number) => number) =>
  Array.from({ length }, (_, index) => size(index));

test.each<[string, readonly number[]]>([
  ['all small', sizesOf(97, () => 1)],
  ['all large', sizesOf(23, () => 20)],
  ['small, then large', sizesOf(60, (index) => (index < 40 ? 1 : 20))],
  ['large, then small', sizesOf(60, (index) => (index < 20 ? 20 : 1))],
  ['one large among small ones', sizesOf(100, (index) => (index === 37 ? 20 : 1))],
  ['alternating', sizesOf(100, (index) => (index % 12 === 0 ? 9 : 1))],
])('reads each record once from pages that are bounded by bytes: %s', async (_, sizes) => {
  for (const concurrency of [1, 4]) {
    for (const limit of [undefined, 1, 15, 23, 58]) {
      const ids: unknown[] = [];
      let more = false;
      for await (const batch of readPages(readBounded(sizes), { size: 10, limit, concurrency })) {
        ids.push(...batch.records.map(({ value }) => (value as { id: number }).id));
        more = batch.hasMore;
      }
      const wanted = Math.min(limit ?? sizes.length, sizes.length);
      expect(ids).toEqual(sizesOf(wanted, (index) => index));
      expect(more).toBe(wanted < sizes.length);
    }
  }
});
