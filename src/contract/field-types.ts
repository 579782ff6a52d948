import { cleanEnds, cleanToken, escapeInvisible, removeInvisible } from '../values/clean-text.ts';
import { isDate, isDateTime } from '../values/dates.ts';
import { extractHost, isUrl, normalizeDomain, normalizeEmail, parseEmail } from '../values/domain.ts';
import { readObject } from '../values/json-object.ts';
import { formatCents, parseCents } from '../values/money.ts';
import { findName } from '../values/names.ts';
import { isExactInJson, parseNumber } from '../values/numbers.ts';
import { cleanPhone, isNumber, isSameNumber } from '../values/phone.ts';
import { joinNames, normalizeLineEnds, quote } from '../values/text.ts';
import { Failure } from './errors.ts';

/** The types of custom fields and list fields (specification, 2.2). */
export const dataTypes = [
  'text',
  'textarea',
  'url',
  'number',
  'date',
  'datetime',
  'select',
  'user',
  'contact',
] as const;
export type DataType = (typeof dataTypes)[number];

/** How to describe, parse and compare values of one type. */
interface TypeRules {
  /** Describes the valid texts for a comment or an error: `a number`. If omitted, any text is valid. */
  readonly expected?: string;
  /** Removes invisible characters, labels and links that other programs add to a value. */
  readonly clean: (text: string) => string;
  /** Between several values in one text, besides `;`. */
  readonly separator?: RegExp;
  /** Parses a clean text; undefined if it is invalid. If omitted, the text is the value. */
  readonly parse?: (text: string) => unknown;
  /** Describes the maximum if a text is not valid only because it exceeds it. */
  readonly describeMaximum?: (text: string) => string | undefined;
  /** Returns equal keys for texts with the same meaning, because the service may store a text in another form. */
  readonly toKey?: (text: string) => unknown;
  /** Whether a stored text means the same as another text, for types without comparable keys. */
  readonly isSame?: (stored: string, text: string) => boolean;
  /** The member to show and compare if a value is an object. */
  readonly member?: string;
}

const keepIf = (isValid: (text: string) => boolean) => (text: string) => (isValid(text) ? text : undefined);

const time = {
  clean: cleanToken,
  expected: 'a time such as 2026-05-01T09:30:00Z',
  parse: keepIf(isDateTime),
  toKey: Date.parse,
};

const text = { clean: cleanEnds, toKey: (text: string) => normalizeLineEnds(cleanEnds(text)) };

/** A name or an id. */
const name = { clean: removeInvisible };

const address = {
  expected: 'an email address',
  clean: (text: string) => parseEmail(text) ?? text,
  parse: parseEmail,
  toKey: normalizeEmail,
};

const rules = {
  id: name,
  text,
  /** A text of several lines. */
  textarea: text,
  /** One of the options of the field. */
  select: { clean: cleanEnds },
  url: {
    expected: 'a URL such as https://acme.example',
    clean: removeInvisible,
    parse: keepIf(isUrl),
  },
  number: {
    clean: cleanToken,
    expected: 'a number',
    parse: parseExactNumber,
    describeMaximum: (text) =>
      Number.isFinite(parseNumber(text)) ? 'a number with at most 15 digits' : undefined,
  },
  /** Whole cents. */
  money: {
    clean: cleanToken,
    expected: 'an amount with at most two decimals, such as 1200.50',
    parse: parseCents,
    describeMaximum: (text) =>
      /^\d+(\.\d{1,2})?$/.test(text)
        ? `an amount of at most ${formatCents(Number.MAX_SAFE_INTEGER)}`
        : undefined,
    toKey: parseCents,
  },
  boolean: {
    clean: cleanToken,
    expected: 'true or false',
    parse: (text: string) => (text === 'true' ? true : text === 'false' ? false : undefined),
  },
  date: { clean: cleanToken, expected: 'a date such as 2026-05-01', parse: keepIf(isDate) },
  datetime: time,
  /** A time with a UTC offset. */
  localtime: time,
  /** A person with an account. */
  user: { ...address, expected: 'the email address of a user', member: 'email' },
  email: {
    ...address,
    // A comma in quotes belongs to a name.
    separator: /[\r\n\t]+| ::: | \/ |,(?=(?:[^"]*"[^"]*")*[^"]*$)/,
  },
  phone: {
    expected: 'a phone number',
    clean: (text: string) => (isNumber(text) ? cleanPhone(text) : text),
    separator: /[\r\n]+| ::: | or /i,
    parse: keepIf(isNumber),
    isSame: isSameNumber,
  },
  domain: {
    expected: 'a domain or a URL',
    clean: (text: string) => cleanToken(text).trim(),
    separator: /[\r\n\t]+| ::: |,/,
    parse: keepIf((text) => extractHost(text) !== undefined),
    toKey: normalizeDomain,
  },
  /** The id of a record. */
  contact: name,
  organization: name,
  list: name,
  status: { ...name, member: 'name' },
  /** The definition of a field. */
  definition: { ...name, member: 'name' },
  recording: { ...name, member: 'id' },
  /** The values of custom fields or list fields. */
  defined: name,
} as const satisfies Readonly<Record<string, TypeRules>>;

export type FieldType = keyof typeof rules;

const fieldTypes: Readonly<Record<FieldType, TypeRules>> = rules;

/** Whether the values of a type are days or points in time that people set. */
export const isDateType = (type: FieldType): boolean => type === 'date' || type === 'datetime';

/** Returns the type of a custom field or list field; `text` if the type is unknown. */
export const readDataType = (type: unknown): DataType =>
  dataTypes.find((dataType) => dataType === type) ?? 'text';

/** A type, with the options of a select field. */
export interface TypedField {
  readonly type: FieldType;
  readonly options?: readonly string[] | null | undefined;
  /** Whether a text is the name of a record. */
  readonly isName?: boolean | undefined;
}

/** Cleans a field's value that comes from another program. Also returns invalid texts. */
export const cleanValue = (text: string, { type, isName }: TypedField): string =>
  isName ? removeInvisible(text) : fieldTypes[type].clean(text);

/** Returns the separator of several values in one text, besides `;`; undefined if a type has none. */
export const getSeparator = (type: FieldType): RegExp | undefined => fieldTypes[type].separator;

/** A parsed value, or a description of valid values. */
export type ParsedValue = { readonly value: unknown } | { readonly expected: string };

/** Parses one value of a field to a number (also for amounts, in cents), a boolean or a text. Options ignore case. */
export function parseValue(typedText: string, field: TypedField): ParsedValue {
  const { type, options } = field;
  const text = cleanValue(typedText, field);
  const { parse = (text: string): unknown => text, describeMaximum } = fieldTypes[type];
  const option = findName(options ?? [], text);
  const expected = describeExpected(field);
  if (type === 'select' && expected !== undefined && !options?.includes(option ?? text)) return { expected };
  const value = parse(option ?? text);
  return value === undefined ? { expected: describeMaximum?.(text) ?? expected ?? 'a text' } : { value };
}

/** Parses one value of a field as `parseValue`. @throws {Failure} usage if the text is not valid */
export function requireValue(text: string, field: TypedField): unknown {
  const parsed = parseValue(text, field);
  if ('value' in parsed) return parsed.value;
  throw new Failure('usage', describeMismatch(text, parsed.expected));
}

/** Says that a text is not a valid value. */
export const describeMismatch = (text: string, expected: string) =>
  `${quote(escapeInvisible(text))} is not ${expected}.`;

/** Describes the valid texts of a field; undefined if any text is valid. */
export function describeExpected(
  { type, options }: TypedField,
  formatOptions: (options: readonly string[]) => string = joinNames,
): string | undefined {
  return type === 'select' && options && options.length > 0
    ? `one of ${formatOptions(options)}`
    : fieldTypes[type].expected;
}

/** Whether a stored value means the same as another value. Arrays must have the same values in the same order. */
export function isSameValue(stored: unknown, value: unknown, type: FieldType): boolean {
  if (Array.isArray(stored) && Array.isArray(value))
    return (
      stored.length === value.length && value.every((item, index) => isSameValue(stored[index], item, type))
    );
  if (typeof stored !== 'string' || typeof value !== 'string') return stored === value;
  const { toKey = (text: string): unknown => text, isSame } = fieldTypes[type];
  return isSame ? isSame(stored, value) : toKey(stored) === toKey(value);
}

/** Returns the text or number of each value. A value may be an object such as `{ name: 'Won', type: 'won' }`. */
export function readMember(value: unknown, type: FieldType): unknown {
  if (Array.isArray(value)) return value.map((item) => readMember(item, type));
  const { member } = fieldTypes[type];
  return member === undefined || typeof value !== 'object' ? value : readObject(value)[member];
}

function parseExactNumber(text: string): number | undefined {
  const value = parseNumber(text);
  // kith itself prints large numbers that JSON cannot hold exactly; these texts are valid too.
  const isValid = Number.isFinite(value) && (isExactInJson(value) || String(value) === text);
  return isValid ? value : undefined;
}
