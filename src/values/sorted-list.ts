/**
 * Creates a list of the first items in an order, which holds fewer than twice `limit` items. Equal items keep the order
 * in which they were added.
 */
export function createSortedList<T>(
  compare: (left: T, right: T) => number,
  limit = Number.POSITIVE_INFINITY,
) {
  let items: T[] = [];
  let count = 0;
  /** The last of the first items so far. Items after it are dropped. */
  let last: T | undefined;
  const keepFirst = () => {
    items = items.sort(compare).slice(0, limit);
    last = items[limit - 1];
  };
  return {
    add(item: T): void {
      count += 1;
      if (last !== undefined && compare(item, last) >= 0) return;
      items.push(item);
      if (items.length >= 2 * limit) keepFirst();
    },
    /** Returns the number of items that were added. */
    getCount: () => count,
    /** Returns the first items in order. */
    toArray(): readonly T[] {
      keepFirst();
      return items;
    },
  };
}
