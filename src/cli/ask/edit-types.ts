import { type DataType, dataTypes } from '../../contract/fields.ts';
import { statusTypes } from '../../contract/lists.ts';
import { extractHost, isEmail, normalizeDomain, normalizeEmail } from '../../values/domain.ts';
import { isSameValue, type ParsedValue, parseFieldValue } from '../../values/field-values.ts';
import { isObject, readObject } from '../../values/json-object.ts';
import { parseCents } from '../../values/money.ts';
import { findName } from '../../values/names.ts';
import { checkNumber, isSameNumber } from '../../values/phone.ts';
import { describeForms } from '../flags/references.ts';

/** The type of a field in the editor, and how it is cleared. */
export interface EditType {
  readonly data_type: EditDataType;
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

type EditDataType =
  | DataType
  | 'email'
  | 'phone'
  | 'domain'
  | 'money'
  | 'boolean'
  | 'organization'
  | 'status'
  | 'definition';

interface TypeRules {
  /** Describes the valid texts for a comment and for an error: `a number`. */
  readonly description?: string;
  /** Parses a text; if omitted, by the rules of the data type of a custom field. */
  readonly parse?: (text: string) => unknown;
  /** Whether a stored value equals another one; if omitted, by the same rules. */
  readonly isSame?: (stored: string, other: string) => boolean;
  /** Whether the comment is omitted because the name of the field says enough. */
  readonly isObvious?: true;
}

const keepIf = (isValid: (text: string) => boolean) => (text: string) => (isValid(text) ? text : undefined);

const rules: Readonly<Record<EditDataType, TypeRules>> = {
  text: {},
  textarea: {},
  select: {},
  url: { description: 'a URL such as https://acme.example' },
  number: { description: 'a number' },
  date: { description: 'a date such as 2026-05-01' },
  datetime: { description: 'a time such as 2026-05-01T09:30:00Z' },
  user: { description: 'an email address' },
  contact: { description: `a contact: ${describeForms('contact')}` },
  organization: { description: `an organization: ${describeForms('organization')}` },
  email: {
    description: 'an email address such as ada@analytical.example',
    parse: keepIf(isEmail),
    isSame: (stored, other) => normalizeEmail(stored) === normalizeEmail(other),
    isObvious: true,
  },
  phone: {
    description: 'a phone number',
    parse: keepIf((text) => checkNumber(text) === undefined),
    isSame: isSameNumber,
    isObvious: true,
  },
  domain: {
    description: 'a domain such as analytical.example',
    parse: keepIf((text) => extractHost(text) !== undefined),
    isSame: (stored, other) => normalizeDomain(stored) === normalizeDomain(other),
    isObvious: true,
  },
  money: { description: 'an amount such as 1200.50', parse: parseCents, isObvious: true },
  boolean: {
    description: 'true or false',
    parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  },
  status: { description: `statuses, each with a name and a type: ${statusTypes.join(', ')}` },
  definition: {
    description: `To add a field, add its name and data_type: ${dataTypes.join(', ')}. Fields cannot be removed or renamed.`,
  },
};

/** Parses a text by a type, other than a reference. */
export function parseText(text: string, type: EditType): ParsedValue {
  const { parse, description = '' } = rules[type.data_type];
  if (!parse) {
    const option = type.isAnyCase ? findName(type.options ?? [], text) : undefined;
    return parseFieldValue(option ?? text, type);
  }
  const value = parse(text);
  return value === undefined ? { expected: description } : { value };
}

/** Describes the valid values of a type for a comment; undefined if any text is valid. */
export function describeType({ data_type, options = [], isMultiple }: EditType): string | undefined {
  const { description, isObvious } = rules[data_type];
  if (isObvious || data_type === 'status' || data_type === 'definition')
    return isObvious ? undefined : description;
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
  const { data_type } = type;
  const { isSame } = rules[data_type];
  const [ones, others] = [[stored].flat(), [other].flat()];
  if (isSame)
    return (
      ones.length === others.length && ones.every((one, index) => isSame(String(one), String(others[index])))
    );
  const all = [...ones, ...others];
  if (all.every(isObject))
    return JSON.stringify(ones.map(listMembers)) === JSON.stringify(others.map(listMembers));
  return isSameValue(stored, other, data_type);
}

/** Returns the members of a status or a definition. The service may omit those with a default. */
function listMembers(item: unknown): unknown[] {
  const { name, type, data_type, accepts_multiple_values, options } = readObject(item);
  return [name, type ?? data_type, accepts_multiple_values === true, options ?? []];
}

/** Returns the values that are not in a list. */
export function listMissing(values: unknown, list: unknown, { data_type }: EditType): string[] {
  const { isSame = Object.is } = rules[data_type];
  const known = [list ?? []].flat().map(String);
  const all = [values ?? []].flat().map(String);
  return all.filter((text) => !known.some((one) => isSame(one, text)));
}
