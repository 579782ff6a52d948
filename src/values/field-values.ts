import { isDate, isDateTime } from './dates.ts';
import { isUrl } from './domain.ts';
import { isEmail } from './email.ts';

/** What is known of a field that values are read for; a service may say less than the specification. */
export interface FieldType {
  readonly data_type?: unknown;
  readonly options?: unknown;
}

/** The value that a text stands for, or what the field takes instead. */
export type ParsedValue = { readonly value: unknown } | { readonly wanted: string };

/** Reads a text by the data type of a field (specification, 2.2): a number is one in JSON, all else is a text. */
export function parseFieldValue(text: string, field: FieldType): ParsedValue {
  if (field.data_type === 'number') return numberIn(text);
  const wanted = wantedFor(text, field);
  return wanted === undefined ? { value: text } : { wanted };
}

function numberIn(text: string): ParsedValue {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return { wanted: 'a number' };
  // Text that a number was printed as parses to the same number, however large.
  return isExactInJson(value) || String(value) === text
    ? { value }
    : { wanted: 'a number that JSON keeps whole' };
}

function wantedFor(text: string, { data_type, options }: FieldType): string | undefined {
  switch (data_type) {
    case 'date':
      return isDate(text) ? undefined : 'a date as 2026-05-01';
    case 'datetime':
      return isDateTime(text) ? undefined : 'a time as 2026-05-01T09:30:00Z';
    case 'url':
      return isUrl(text) ? undefined : 'a URL as https://acme.example';
    case 'user':
      return isEmail(text) ? undefined : 'the email address of a user';
    case 'select':
      return !Array.isArray(options) || options.length === 0 || options.includes(text)
        ? undefined
        : `one of ${options.join(', ')}`;
    default:
      return undefined;
  }
}

/** Whether a number goes through JSON as it was typed: it is finite, and a whole one has no more digits than fit. */
export function isExactInJson(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Fields of any record that hold several texts. */
const textFields = ['emails', 'domains', 'phone_numbers'];

/**
 * Returns the value of a field as a request body has it: for a field with several texts, its texts. An item without a
 * known text stays as it is.
 */
export function normalizeTexts(name: string | undefined, value: unknown): unknown {
  const isTexts = name !== undefined && textFields.includes(name);
  return isTexts && value !== undefined && value !== null ? [value].flat().map(readItem) : value;
}

/** Members that may hold the text of an email address, a domain or a phone number, most specific first. */
const textMembers = ['email', 'address', 'domain', 'url', 'phone_number', 'phone', 'number', 'value', 'name'];

/**
 * Reads a field with several texts (`emails`, `domains`, `phone_numbers`). Each may be sent as a string or as an object
 * that holds it; a single one may be sent without an array. An object without such a member has no text.
 */
export function readTexts(value: unknown): string[] {
  return [value].flat().map(readItem).filter(isScalar).map(String);
}

/** The text of an item, or the item if it has none. */
function readItem(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  const fields: Readonly<Record<string, unknown>> = { ...item };
  return textMembers.map((name) => fields[name]).find(isScalar) ?? item;
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';
