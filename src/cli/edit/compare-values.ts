import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import { type FieldType, isSameValue } from '../../contract/field-types.ts';
import { isObject, readObject } from '../../values/json-object.ts';

export const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Whether two values of a field are the same for the service. */
export function isSameFieldValue(stored: unknown, value: unknown, field: RecordField): boolean {
  if (isEmpty(stored) || isEmpty(value)) return isEmpty(stored) && isEmpty(value);
  const { type, listUpdate } = field;
  if (listUpdate === 'add')
    return listMissing(stored, value, type).length + listMissing(value, stored, type).length === 0;
  const [storedItems, items] = [[stored].flat(), [value].flat()];
  if ([...storedItems, ...items].every(isObject))
    return JSON.stringify(storedItems.map(listMembers)) === JSON.stringify(items.map(listMembers));
  return isMultiple(field) ? isSameValue(storedItems, items, type) : isSameValue(stored, value, type);
}

/** Returns the members of a status or a definition. The service may omit members with a default. */
function listMembers(item: unknown): unknown[] {
  const { name, type, data_type, accepts_multiple_values, options } = readObject(item);
  return [name, type ?? data_type, accepts_multiple_values === true, options ?? []];
}

/** Returns the values that are not in a list. */
export function listMissing(values: unknown, list: unknown, type: FieldType): string[] {
  const items = [list ?? []].flat().map(String);
  const texts = [values ?? []].flat().map(String);
  return texts.filter((text) => !items.some((item) => isSameValue(item, text, type)));
}
