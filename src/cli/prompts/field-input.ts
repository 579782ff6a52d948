import { isMultiple, type RecordField } from '../../contract/field-table.ts';
import {
  dataTypes,
  type FieldType,
  fieldTypes,
  isSameValue,
  parseValue,
  type TypedField,
} from '../../contract/field-types.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import { isObject, readObject } from '../../values/json-object.ts';
import { describeForms, type FlagReference } from '../flags/references.ts';

/** Whether a type's values are ids, for which a person may type a name. */
export const isReference = (type: FieldType): type is FlagReference =>
  type === 'contact' || type === 'organization';

/** Returns the reason why a text is not a valid value; undefined if it is valid. Does not check references. */
export function findProblem(text: string, field: TypedField): string | undefined {
  const parsed = parseValue(text, field);
  return 'expected' in parsed ? describeProblem(text, parsed.expected) : undefined;
}

export const describeProblem = (text: string, expected: string) => `"${text}" is not ${expected}.`;

/** Descriptions of values in comments that differ from those in errors. */
const descriptions: Readonly<Partial<Record<FieldType, string>>> = {
  user: 'an email address',
  contact: `a contact: ${describeForms('contact')}`,
  organization: `an organization: ${describeForms('organization')}`,
  status: `statuses, each with a name and a type: ${statusTypes.join(', ')}`,
  definition: `To add a field, add its name and data_type: ${dataTypes.join(', ')}. Fields cannot be removed or renamed.`,
};

/** The types whose values need no description. */
const obviousTypes: readonly FieldType[] = ['email', 'phone', 'domain', 'money'];

/** Describes a field's valid values for a comment; undefined if any text is valid. */
export function describeValues(field: RecordField): string | undefined {
  const { type, options = [] } = field;
  if (obviousTypes.includes(type)) return undefined;
  const description = descriptions[type] ?? fieldTypes[type].expected;
  if (type === 'status' || type === 'definition') return description;
  const each = type === 'select' && options.length > 0 ? `one of: ${options.join(', ')}` : description;
  if (!isMultiple(field)) return each;
  return each === undefined ? 'several values' : `several values, each ${each}`;
}

export const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Whether two values of a field are the same for the service. */
export function isSameFieldValue(stored: unknown, other: unknown, field: RecordField): boolean {
  if (isEmpty(stored) || isEmpty(other)) return isEmpty(stored) && isEmpty(other);
  const { type, listUpdate } = field;
  if (listUpdate === 'add')
    return listMissing(stored, other, type).length + listMissing(other, stored, type).length === 0;
  const [storedItems, otherItems] = [[stored].flat(), [other].flat()];
  if ([...storedItems, ...otherItems].every(isObject))
    return JSON.stringify(storedItems.map(listMembers)) === JSON.stringify(otherItems.map(listMembers));
  return isMultiple(field) ? isSameValue(storedItems, otherItems, type) : isSameValue(stored, other, type);
}

/** Returns the members of a status or a definition. The service may omit those with a default. */
function listMembers(item: unknown): unknown[] {
  const { name, type, data_type, accepts_multiple_values, options } = readObject(item);
  return [name, type ?? data_type, accepts_multiple_values === true, options ?? []];
}

/** Returns the values that are not in a list. */
export function listMissing(values: unknown, list: unknown, type: FieldType): string[] {
  const known = [list ?? []].flat().map(String);
  const all = [values ?? []].flat().map(String);
  return all.filter((text) => !known.some((one) => isSameValue(one, text, type)));
}
