import { Failure } from '../contract/errors.ts';

/** What a value is read with. */
export interface Reading {
  readonly now: Date;
}

/**
 * A flag as data. `T` is what a command gets: the value, undefined where it is not given, a boolean for a
 * flag without a value, an array for one that may be repeated.
 */
export interface Option<T> {
  readonly summary: string;
  /** The placeholder of its value in help; a flag without one takes no value. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly short?: string;
  readonly required?: boolean;
  /** The value of a text, or a `Failure('usage')` that says what to type instead. */
  readonly read: (text: string, reading: Reading) => unknown;
  readonly fallback?: T;
}

/** Flags by the names that commands use: `pageSize` is typed as `--page-size`. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of flags. */
export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

/** `pageSize` -> `--page-size`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A flag without a value. */
export function flag(summary: string, more: { short?: string } = {}): Option<boolean> {
  return { summary, read: () => true, fallback: false, ...more };
}

/** A text as it is. */
export function text(summary: string, value: string): Option<string | undefined> {
  return {
    summary,
    value,
    read(given) {
      if (given === '') throw new Failure('usage', `A value for ${value} must not be empty.`);
      return given;
    },
  };
}

/** One of several words. */
export function choice<const V extends string>(
  summary: string,
  choices: readonly V[],
  value: string,
): Option<V | undefined> {
  return {
    summary,
    value,
    choices,
    read(given) {
      if (!choices.some((known) => known === given)) {
        throw new Failure('usage', `"${given}" is not one of ${choices.join(', ')}.`);
      }
      return given;
    },
  };
}

/** A whole number, within bounds. */
export function whole(
  summary: string,
  value: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
): Option<number | undefined> {
  return {
    summary,
    value,
    read(given) {
      const number = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
      if (!(number >= min && number <= max)) {
        const range = max === Number.MAX_SAFE_INTEGER ? `of ${min} or more` : `from ${min} to ${max}`;
        throw new Failure('usage', `"${given}" is not a whole number ${range}.`);
      }
      return number;
    },
  };
}

/** A flag that must be given. */
export function required<T>(option: Option<T | undefined>): Option<T> {
  const { fallback: _, ...rest } = option;
  return { ...rest, required: true };
}

/** A flag with a value where none is given. */
export function withDefault<T>(option: Option<T | undefined>, fallback: T): Option<T> {
  return { ...option, summary: `${option.summary} (default ${fallback})`, fallback };
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A point in time as a Unix timestamp: from ISO 8601, a local day, a Unix timestamp, or an age such as `7d`. */
export function moment(summary: string): Option<number | undefined> {
  return { summary, value: 'WHEN', read: (given, { now }) => unixTime(given, now) };
}

function unixTime(given: string, now: Date): number {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(given) ?? [];
  if (count && unit) return Math.floor(now.getTime() / 1000) - Number(count) * (unitSeconds[unit] ?? 0);
  if (/^\d{9,11}$/.test(given)) return Number(given);
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(given) ?? [];
  const isDay = year !== undefined;
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.test(given);
  const date = isDay
    ? new Date(Number(year), Number(month) - 1, Number(day))
    : new Date(isIso ? given : Number.NaN);
  const exists = isDay ? date.getMonth() === Number(month) - 1 && date.getDate() === Number(day) : true;
  if (Number.isNaN(date.getTime()) || !exists) {
    throw new Failure('usage', `"${given}" is not a time.`, {
      hint: 'Type 2026-05-01, 2026-05-01T09:30, 2026-05-01T09:30:00+09:00, a Unix timestamp, or an age: 30m, 24h, 7d, 4w.',
    });
  }
  return Math.floor(date.getTime() / 1000);
}
