import { isDate, isDateTime } from './dates.ts';
import { isEmail, isUrl } from './domain.ts';
import { readObject } from './json-object.ts';
import { joinNames } from './text.ts';

/** The definition of a field, as far as the service sends it. */
export interface FieldType {
  readonly data_type?: unknown;
  readonly options?: unknown;
}

/** A parsed value, or a description of valid values. */
export type ParsedValue = { readonly value: unknown } | { readonly expected: string };

/** Parses a decimal number, which may have an exponent; NaN if the text is none. */
export const parseNumber = (text: string): number =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;

/** Parses a text by the data type of a field (specification, 2.2). Only a number is not a text in JSON. */
export function parseFieldValue(text: string, field: FieldType): ParsedValue {
  if (field.data_type === 'number') return parseExactNumber(text);
  const expected = findTextProblem(text, field);
  return expected === undefined ? { value: text } : { expected };
}

function parseExactNumber(text: string): ParsedValue {
  const value = parseNumber(text);
  if (!Number.isFinite(value)) return { expected: 'a number' };
  // kith itself prints large numbers that JSON cannot hold exactly; these texts are valid too.
  return isExactInJson(value) || String(value) === text
    ? { value }
    : { expected: 'a number with at most 15 digits' };
}

/** The types whose values are texts of a certain form, with its description and its check. */
const textForms = new Map<
  unknown,
  readonly [expected: string, isValid: (text: string | undefined) => boolean]
>([
  ['date', ['a date such as 2026-05-01', isDate]],
  ['datetime', ['a time such as 2026-05-01T09:30:00Z', isDateTime]],
  ['url', ['a URL such as https://acme.example', isUrl]],
  ['user', ['the email address of a user', isEmail]],
]);

/** Describes the valid values of a field if a text, or undefined for any other value, is not one of them. */
export function findTextProblem(
  text: string | undefined,
  { data_type, options }: FieldType,
): string | undefined {
  if (data_type === 'select' && Array.isArray(options) && options.length > 0) {
    return options.includes(text) ? undefined : `one of ${joinNames(options)}`;
  }
  const [expected, isValid] = textForms.get(data_type) ?? ['a text', (value) => value !== undefined];
  return isValid(text) ? undefined : expected;
}

/** Whether JSON keeps a number exactly: it is finite, and an integer fits into a double. */
export function isExactInJson(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Whether a stored value equals one from a file or a flag. The service may write times and email addresses in another form. */
export function isSameValue(stored: unknown, value: unknown, dataType: unknown): boolean {
  if (Array.isArray(stored) && Array.isArray(value)) {
    return (
      stored.length === value.length && value.every((one, index) => isSameValue(stored[index], one, dataType))
    );
  }
  if (typeof stored !== 'string' || typeof value !== 'string') return stored === value;
  if (dataType === 'datetime') return Date.parse(stored) === Date.parse(value);
  if (dataType === 'user') return stored.toLowerCase() === value.toLowerCase();
  return stored === value;
}

/** The members of records that hold the values of fields which a user has defined. */
export const fieldContainers = ['custom_fields', 'list_fields'] as const;
export type FieldContainer = (typeof fieldContainers)[number];

/** Whether a member of a record holds the values of defined fields. */
export const isFieldContainer = (name: string): name is FieldContainer =>
  fieldContainers.some((one) => one === name);

/** The value of a field that a user has defined. */
interface DefinedValue {
  /** The name of the field, or its id if the service sends no name. */
  readonly name: string;
  readonly dataType: unknown;
  readonly value: unknown;
}

/** Returns the values in `custom_fields` or `list_fields`, which a record has by the ids of the fields. */
export function listDefinedValues(container: unknown): DefinedValue[] {
  return Object.entries(readObject(container)).map(([id, field]) => {
    const { name, data_type, value } = readObject(field);
    return { name: String(name ?? id), dataType: data_type, value };
  });
}

/** Returns the value of a field in `custom_fields` or `list_fields`, by its name; null if it has none. */
export const findDefinedValue = (container: unknown, name: string): unknown =>
  listDefinedValues(container).find((field) => field.name === name)?.value ?? null;

/** Fields of any record that hold several texts. */
const textFields = ['emails', 'domains', 'phone_numbers'];

/** Returns the value of a field as a request body has it: for a field with several texts, its texts. */
export function normalizeTexts(name: string | undefined, value: unknown): unknown {
  const isTexts = name !== undefined && textFields.includes(name);
  return isTexts && value !== undefined && value !== null ? [value].flat().map(readItem) : value;
}

/** Members that may hold the text of an email address, a domain or a phone number, most specific first. */
const textMembers = ['email', 'address', 'domain', 'url', 'phone_number', 'phone', 'number', 'value', 'name'];

/** Reads a field with several texts, each a string or an object that holds one, with or without an array. */
export function readTexts(value: unknown): string[] {
  return [value].flat().map(readItem).filter(isScalar).map(String);
}

/** Returns the text of an item, or the item if it has none. */
function readItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const fields: Readonly<Record<string, unknown>> = { ...item };
  return textMembers.map((name) => fields[name]).find(isScalar) ?? item;
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';
