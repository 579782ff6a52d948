import type { Batch } from '../../client/pagination.ts';
import { formatCount } from '../../values/count.ts';

/** What a list has beyond the records that are shown, in words; undefined where that is nothing. */
export function leftOut(
  { total, hasMore }: Pick<Batch, 'total' | 'hasMore'>,
  shown: number,
): string | undefined {
  if (!hasMore || (total !== undefined && total <= shown)) return undefined;
  return total === undefined ? 'More records follow' : formatCount(total - shown, 'more record');
}
