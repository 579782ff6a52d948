import { isDeepStrictEqual } from 'node:util';
import { dataTypes } from '../../contract/field-types.ts';
import { findType } from '../../contract/list-fields.ts';
import { isEmpty, isFieldContainer } from '../../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../../values/json-object.ts';

/** Returns the fields of a record whose values another record does not have. Additional values are no difference. */
export function findLostFields(expected: JsonObject, actual: JsonObject): string[] {
  return Object.keys(expected).filter((name) => !hasValue(name, expected[name], actual[name]));
}

function hasValue(name: string, expected: unknown, actual: unknown): boolean {
  if (isEmpty(expected) || isDeepStrictEqual(expected, actual)) return true;
  if (isFieldContainer(name)) return hasDefinedValues(expected, actual);
  if (Array.isArray(expected)) return Array.isArray(actual) && hasItems(name, expected, actual);
  if (isObject(expected)) return isObject(actual) && findLostFields(expected, actual).length === 0;
  // Another service may format the same moment in another form.
  if (isTime(name)) return Date.parse(String(expected)) === Date.parse(String(actual));
  // The definition of a field whose type is unknown has the type text.
  return name === 'data_type' && !dataTypes.some((type) => type === expected);
}

const isTime = (name: string) =>
  findType(name) === 'datetime' || name === 'started_at' || name === 'ended_at';

function hasItems(name: string, expected: readonly unknown[], actual: readonly unknown[]): boolean {
  if (expected.length > actual.length) return false;
  const items = sortById(actual);
  return sortById(expected).every((item, index) => hasValue(name, item, items[index]));
}

/** Sorts records by id. Other items keep their order. */
function sortById(items: readonly unknown[]): readonly unknown[] {
  const getId = (item: unknown) => String(readObject(item).id ?? '');
  return items.toSorted((a, b) => (getId(a) < getId(b) ? -1 : getId(a) > getId(b) ? 1 : 0));
}

/** Whether fields have the same values. Fields are found by id, or by name if another service does not send their ids. */
function hasDefinedValues(expected: unknown, actual: unknown): boolean {
  const fields = readObject(actual);
  return Object.entries(readObject(expected)).every(([id, item]) => {
    const { name = id, value } = isObject(item) && 'value' in item ? item : { value: item };
    if (isEmpty(value)) return true;
    const field = fields[id] ?? Object.values(fields).find((field) => readObject(field).name === name);
    return isDeepStrictEqual(readObject(field).value, value);
  });
}
