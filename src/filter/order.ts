import { Failure } from '../contract/errors.ts';
import type { JsonObject } from '../values/json-object.ts';
import { type Field, isMissing } from './filter.ts';
import { getComparator, type Key } from './kinds.ts';

/** A field and a direction, as typed. */
export interface SortOrder {
  readonly name: string;
  readonly isDescending: boolean;
}

/** Parses `FIELD`, `-FIELD`, `FIELD:asc` or `FIELD:desc`. @throws {Failure} usage if there are two directions */
export function parseSortOrder(text: string): SortOrder {
  const [, minus, name = text, direction] = /^(-?)(.+?)(?::(asc|desc))?$/is.exec(text) ?? [];
  if (minus && direction)
    throw new Failure('usage', `"${text}" has two directions; use -${name} or ${name}:${direction}.`);
  return { name, isDescending: minus === '-' || direction?.toLowerCase() === 'desc' };
}

/** An item with the key by which it is sorted; undefined if it has none. */
interface SortedItem<T> {
  readonly item: T;
  readonly key: Key | undefined;
  readonly position: number;
}

/**
 * Creates a list that is sorted by the first value of a field. Items without a value are last, and equal items keep
 * their order. Holds fewer than twice `limit` items.
 */
export function createSortedList<T>(field: Field, isDescending: boolean, limit = Number.POSITIVE_INFINITY) {
  const { toKey, compare } = getComparator(field.kind, field.options);
  const compareItems = (one: SortedItem<T>, other: SortedItem<T>): number => {
    if (one.key === undefined || other.key === undefined)
      return Number(one.key === undefined) - Number(other.key === undefined) || one.position - other.position;
    const order = compare(one.key, other.key);
    return (isDescending ? -order : order) || one.position - other.position;
  };
  let items: SortedItem<T>[] = [];
  let count = 0;
  /** The last item that is held for now; those after it are dropped. */
  let last: SortedItem<T> | undefined;
  const keepFirst = () => {
    items = items.sort(compareItems).slice(0, limit);
    last = items[limit - 1];
  };
  return {
    add(item: T, record: JsonObject): void {
      const value = field.read(record).find((one) => !isMissing(one));
      const newItem = { item, key: isMissing(value) ? undefined : toKey(value), position: count };
      count += 1;
      if (last && compareItems(newItem, last) > 0) return;
      items.push(newItem);
      if (items.length >= 2 * limit) keepFirst();
    },
    /** Returns the number of items that were added. */
    getCount: () => count,
    /** Returns the first items in order. */
    toArray(): T[] {
      keepFirst();
      return items.map(({ item }) => item);
    },
  };
}
