import { Failure } from '../contract/errors.ts';
import type { JsonObject } from '../values/json-object.ts';
import { createSortedList } from '../values/sorted-list.ts';
import { getComparator, type Key } from './comparators.ts';
import { type Field, isMissing } from './filter.ts';

/** Parses `FIELD`, `-FIELD`, `FIELD:asc` or `FIELD:desc`. @throws {Failure} usage if there are two directions */
export function parseSortOrder(text: string) {
  const [, minus, name = text, direction] = /^(-?)(.+?)(?::(asc|desc))?$/is.exec(text) ?? [];
  if (minus && direction)
    throw new Failure('usage', `"${text}" has two directions; use -${name} or ${name}:${direction}.`);
  return { name, isDescending: minus === '-' || direction?.toLowerCase() === 'desc' };
}

/** Creates a list that is sorted by the first value of a field of records. Items without a value are last. */
export function createFieldSortedList<T>(field: Field, isDescending: boolean, limit?: number) {
  const { toKey, compare } = getComparator(field.type, field.options);
  type KeyedItem = { readonly item: T; readonly key: Key | undefined };
  const { add, getCount, toArray } = createSortedList<KeyedItem>((left, right) => {
    if (left.key === undefined || right.key === undefined)
      return Number(left.key === undefined) - Number(right.key === undefined);
    const order = compare(left.key, right.key);
    return isDescending ? -order : order;
  }, limit);
  return {
    add(item: T, record: JsonObject): void {
      const value = field.read(record).find((key) => !isMissing(key));
      add({ item, key: isMissing(value) ? undefined : toKey(value) });
    },
    getCount,
    toArray: (): T[] => toArray().map(({ item }) => item),
  };
}
