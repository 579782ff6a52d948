import {
  dataTypes,
  type FieldType,
  fieldTypes,
  isSameValue,
  type ParsedValue,
  parseValue,
} from '../../contract/field-types.ts';
import { statusTypes } from '../../contract/record-fields.ts';
import { isObject, readObject } from '../../values/json-object.ts';
import { describeForms } from '../flags/references.ts';

/** The type of a field in the editor, and how it is cleared. */
export interface EditType {
  readonly data_type: FieldType;
  readonly options?: readonly string[] | undefined;
  /** Whether an option may be typed in any case. */
  readonly isAnyCase?: true;
  /** Whether it has several values; undefined if the service does not say. */
  readonly isMultiple?: boolean | undefined;
  /** Whether it cannot be cleared. */
  readonly isRequired?: boolean;
  /** The value of the cleared field; null if omitted. */
  readonly empty?: unknown;
}

/** What a comment says about values, if it is not what an error says. */
const descriptions: Readonly<Partial<Record<FieldType, string>>> = {
  user: 'an email address',
  contact: `a contact: ${describeForms('contact')}`,
  organization: `an organization: ${describeForms('organization')}`,
  status: `statuses, each with a name and a type: ${statusTypes.join(', ')}`,
  definition: `To add a field, add its name and data_type: ${dataTypes.join(', ')}. Fields cannot be removed or renamed.`,
};

/** The types about which the name of a field says enough. */
const obviousTypes: readonly FieldType[] = ['email', 'phone', 'domain', 'money'];

/** Parses a text by a type, other than a reference. */
export const parseText = (text: string, { data_type, options, isAnyCase }: EditType): ParsedValue =>
  parseValue(text, { type: data_type, options, isAnyCase });

/** Describes the valid values of a type for a comment; undefined if any text is valid. */
export function describeType({ data_type, options = [], isMultiple }: EditType): string | undefined {
  if (obviousTypes.includes(data_type)) return undefined;
  const description = descriptions[data_type] ?? fieldTypes[data_type].expected;
  if (data_type === 'status' || data_type === 'definition') return description;
  const each = data_type === 'select' && options.length > 0 ? `one of: ${options.join(', ')}` : description;
  if (!isMultiple) return each;
  return each === undefined ? 'several values' : `several values, each ${each}`;
}

/** Whether an update only adds values, and another request removes them (specification, 4.1 and 4.2). */
export const isAdditive = ({ data_type }: EditType) => data_type === 'email' || data_type === 'domain';

/** Whether a value is none. */
export const isNoValue = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Whether two values of a field are the same for the service. */
export function isSameFieldValue(stored: unknown, other: unknown, type: EditType): boolean {
  if (isNoValue(stored) || isNoValue(other)) return isNoValue(stored) && isNoValue(other);
  if (isAdditive(type))
    return listMissing(stored, other, type).length + listMissing(other, stored, type).length === 0;
  const [ones, others] = [[stored].flat(), [other].flat()];
  const all = [...ones, ...others];
  if (all.every(isObject))
    return JSON.stringify(ones.map(listMembers)) === JSON.stringify(others.map(listMembers));
  return isSameValue(type.isMultiple ? ones : stored, type.isMultiple ? others : other, type.data_type);
}

/** Returns the members of a status or a definition. The service may omit those with a default. */
function listMembers(item: unknown): unknown[] {
  const { name, type, data_type, accepts_multiple_values, options } = readObject(item);
  return [name, type ?? data_type, accepts_multiple_values === true, options ?? []];
}

/** Returns the values that are not in a list. */
export function listMissing(values: unknown, list: unknown, { data_type }: EditType): string[] {
  const known = [list ?? []].flat().map(String);
  const all = [values ?? []].flat().map(String);
  return all.filter((text) => !known.some((one) => isSameValue(one, text, data_type)));
}
