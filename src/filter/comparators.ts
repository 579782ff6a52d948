import { Failure } from '../contract/errors.ts';
import type { FieldType } from '../contract/field-types.ts';
import type { ReferenceKind } from '../contract/singular-nouns.ts';
import { isDate, isDateTime, readDays } from '../values/dates.ts';
import { isEmail } from '../values/domain.ts';
import { parseCents } from '../values/money.ts';
import { foldName } from '../values/names.ts';
import { parseNumber } from '../values/numbers.ts';
import { isSameNumber } from '../values/phone.ts';
import type { Operator } from './expression.ts';

/** The context in which the values of an expression are evaluated. */
export interface FilterContext {
  /** Returns a point in time, in seconds since 1970. @throws {Failure} usage */
  readonly readTime: (text: string) => number;
  /** Returns the local day of a time in milliseconds, such as `2026-05-01`. */
  readonly toDay: (time: number) => string;
  readonly now: Date;
  /** Returns the id of a record that exists. @throws {Failure} not_found, or usage if several match */
  readonly resolve: (kind: ReferenceKind, text: string) => Promise<string>;
  /** Returns the ids of the records whose name, domain or address contains a text. */
  readonly search: (kind: ReferenceKind, text: string) => Promise<readonly string[]>;
  /** Returns the email address that `me` or its first part stands for, or the text. @throws {Failure} usage */
  readonly completeAddress: (text: string) => Promise<string>;
}

/** A value in the form in which it is compared: money in cents, a time in milliseconds, a text in lower case. */
export type Key = string | number;

/** The keys of a typed value, from `low` to `high`. A day has the keys of all its milliseconds. */
export interface KeyRange {
  readonly low: Key;
  readonly high: Key;
  /** The key below which a value is "before" the typed one, if not `low`. */
  readonly end?: Key;
}

/** Parses and compares values of one type. */
export interface Comparator {
  readonly operators: readonly Operator[];
  /** Returns the key of a value; undefined if the value is not of this type. */
  toKey(value: unknown): Key | undefined;
  /** Orders keys; 0 does not mean that they are equal. */
  compare(left: Key, right: Key): number;
  /** Whether a key equals the key of a typed value. */
  isSame?(key: Key, typedKey: Key): boolean;
  /** @throws {Failure} usage if the text is not a value of this type */
  parse(text: string, context: FilterContext): Key | KeyRange | Promise<Key>;
  /** Returns the keys of the values that contain a text, if the text is not part of the values themselves. */
  search?(text: string, context: FilterContext): Promise<readonly Key[]>;
}

const orderOperators = ['=', '!=', '<', '<=', '>', '>=', 'in'] as const;
const textOperators = [...orderOperators, '~'] as const;
const equalityOperators = ['=', '!=', 'in'] as const;

const collator = new Intl.Collator(undefined, { numeric: true });

const toText = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

function toFoldedText(value: unknown): string | undefined {
  const text = toText(value);
  return text === undefined ? undefined : foldName(text);
}

function toNumber(value: unknown): number | undefined {
  const number = Number(toText(value) ?? Number.NaN);
  return Number.isNaN(number) ? undefined : number;
}

const compareKeys = (left: Key, right: Key) => (left < right ? -1 : left > right ? 1 : 0);
const compareTexts = (left: Key, right: Key) => collator.compare(String(left), String(right));

function createValueFailure(text: string, problem: string, hint?: string): Failure {
  return new Failure('usage', `"${text}" ${problem}.`, { hint });
}

const text = { operators: textOperators, toKey: toFoldedText, compare: compareTexts, parse: foldName };

const number = { operators: orderOperators, toKey: toNumber, compare: compareKeys };

const createReference = (kind: ReferenceKind): Comparator => ({
  operators: [...equalityOperators, '~'],
  toKey: toText,
  compare: compareKeys,
  parse: (text, { resolve }) => resolve(kind, text),
  search: (text, { search }) => search(kind, text),
});

const id: Comparator = { ...text, toKey: toText, parse: (text) => text }; // ids may differ only in case

const time: Comparator = {
  ...number,
  toKey: (value) => toNumber(Date.parse(String(value))),
  parse(text, context) {
    const days = readDays(text, context.toDay(context.now.getTime()));
    if (!days) return isDateTime(text) ? Date.parse(text) : context.readTime(text) * 1000;
    const start = (day: string) => context.readTime(day) * 1000;
    const end = start(days.end);
    return { low: start(days.first), high: end - 1, ...(days.isEnd && { end }) };
  },
};

const comparators: Readonly<Record<FieldType, Comparator>> = {
  id,
  text,
  textarea: text,
  url: text,
  email: text,
  domain: text,
  select: text,
  status: text,
  definition: text,
  defined: text,
  recording: id,
  datetime: time,
  localtime: time,
  number: {
    ...number,
    parse(text) {
      const value = parseNumber(text);
      if (Number.isNaN(value)) throw createValueFailure(text, 'is not a number');
      return value;
    },
  },
  money: {
    ...number,
    parse(text) {
      const cents = parseCents(text);
      if (cents === undefined)
        throw createValueFailure(text, 'is not an amount', 'Use a number such as 1200 or 1200.50.');
      return cents;
    },
  },
  date: {
    ...number,
    toKey: (value) =>
      typeof value === 'string' && isDate(value.slice(0, 10)) ? value.slice(0, 10) : undefined,
    parse(text, context) {
      const days = readDays(text, context.toDay(context.now.getTime()));
      if (!days) return context.toDay(context.readTime(text) * 1000);
      const { first, last, end, isEnd } = days;
      return { low: first, high: last, ...(isEnd && { end }) };
    },
  },
  boolean: {
    operators: equalityOperators,
    toKey: (value) => (typeof value === 'boolean' ? String(value) : undefined),
    compare: compareKeys,
    parse(text) {
      const word = text.toLowerCase();
      if (word !== 'true' && word !== 'false') throw createValueFailure(text, 'is not true or false');
      return word;
    },
  },
  user: {
    ...text,
    operators: [...equalityOperators, '~'],
    async parse(text, { completeAddress }) {
      const address = await completeAddress(text);
      if (!isEmail(address))
        throw createValueFailure(
          text,
          'is not an email address',
          'Use ~ in --where to match part of an address.',
        );
      return foldName(address);
    },
  },
  phone: {
    ...text,
    operators: [...equalityOperators, '~'],
    isSame: (key, typedKey) => isSameNumber(String(key), String(typedKey)),
  },
  contact: createReference('contact'),
  organization: createReference('organization'),
  list: createReference('list'),
};

/** Returns the comparator for a field. `options`: its only values, in order. */
export function getComparator(type: FieldType, options: readonly string[] = []): Comparator {
  if (options.length === 0) return comparators[type];
  const positions = new Map(options.map((option, index) => [foldName(option), index]));
  // A value that is no longer an option comes last.
  const getPosition = (key: Key) => positions.get(String(key)) ?? options.length;
  return {
    ...text,
    compare: (left, right) => getPosition(left) - getPosition(right) || compareTexts(left, right),
    parse(text) {
      if (!positions.has(foldName(text)))
        throw createValueFailure(text, `is not one of ${options.join(', ')}`);
      return foldName(text);
    },
  };
}
