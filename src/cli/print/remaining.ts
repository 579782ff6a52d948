import type { Batch } from '../../client/pagination.ts';
import { formatCount } from '../../values/text.ts';

/** Describes the records of a list that follow those shown; undefined if there are none. */
export function describeRemaining(
  { total, hasMore }: Pick<Batch, 'total' | 'hasMore'>,
  shown: number,
): string | undefined {
  if (!hasMore || (total !== undefined && total <= shown)) return undefined;
  return total === undefined ? 'More records follow' : formatCount(total - shown, 'more record');
}
