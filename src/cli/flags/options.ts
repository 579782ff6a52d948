import { Failure } from '../../contract/errors.ts';
import { parseCents } from '../../values/money.ts';

/** What a shell can offer as a value where there are no choices. */
export type CompletionSource = 'profiles' | 'lists' | 'files' | 'folders';

/**
 * A flag as data. `T` is what a command gets: the value, undefined where it is not given, a boolean for a
 * flag without a value, an array for one that may be repeated.
 */
export interface Option<T> {
  readonly summary: string;
  /** The placeholder of its value in help; a flag without one takes no value. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  readonly completion?: CompletionSource;
  readonly short?: string;
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
  /** What its value may be beside itself: `@FILE` or `-` for stdin; in a field `NAME=@FILE`. */
  readonly valueSource?: 'file' | 'field';
  /** Its value is the JSON of an object. */
  readonly isObject?: true;
  /** It is a whole number, within these. */
  readonly range?: { readonly min: number; readonly max: number };
  /**
   * The value of a text, or a `Failure('usage')` that says what to type instead. `at`: its place among all the
   * words that were given to repeated flags, which may belong together.
   */
  readonly parse: (text: string, at?: number) => unknown;
  readonly defaultValue?: T;
}

/** Flags by the names that commands use: `pageSize` is typed as `--page-size`. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of flags. */
export type OptionValues<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

/** `pageSize` -> `--page-size`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What a flag or an argument is, with the words that it may be: a summary leads over to them. */
export function describeChoices({
  summary,
  choices,
}: {
  readonly summary: string;
  readonly choices?: readonly string[] | undefined;
}): string {
  return choices ? `${summary} ${choices.join(', ')}` : summary;
}

/** A flag without a value. */
export function flag(summary: string, more: { short?: string } = {}): Option<boolean> {
  return { summary, parse: () => true, defaultValue: false, ...more };
}

/** A text as it is, or with `reads` what a file or stdin holds. */
export function text(
  summary: string,
  value: string,
  more: Pick<Option<string>, 'completion' | 'short' | 'valueSource' | 'isObject'> = {},
): Option<string | undefined> {
  const placeholder = more.valueSource ? `${value}|@FILE|-` : value;
  return {
    summary,
    placeholder,
    parse(given) {
      if (given === '') throw new Failure('usage', `A value for ${placeholder} must not be empty.`);
      return given;
    },
    ...more,
  };
}

/** A text, or nothing at all: an empty value clears what is there, as null does in the interface. */
export function clearable(option: Option<string | undefined>): Option<string | null | undefined> {
  return {
    ...option,
    summary: `${option.summary}; '' clears it`,
    parse: (given) => (given === '' ? null : option.parse(given)),
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
    placeholder: value,
    choices,
    parse(given) {
      if (!choices.some((known) => known === given)) {
        throw new Failure('usage', `"${given}" is not one of ${choices.join(', ')}.`);
      }
      return given;
    },
  };
}

/** A whole number, within bounds. */
export function integer(
  summary: string,
  value: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number },
): Option<number | undefined> {
  return {
    summary,
    placeholder: value,
    range: { min, max },
    parse(given) {
      const number = /^\d+$/.test(given) ? Number(given) : Number.NaN;
      if (number >= min && number <= max) return number;
      const isHuge = max === Number.MAX_SAFE_INTEGER && number > max;
      const range =
        max === Number.MAX_SAFE_INTEGER && !isHuge ? `of ${min} or more` : `from ${min} to ${max}`;
      throw new Failure('usage', `"${given}" is not a whole number ${range}.`);
    },
  };
}

/** File permissions in octal, such as 0640. The owner must be able to read and write. */
export function fileMode(summary: string): Option<string | undefined> {
  return {
    summary,
    placeholder: 'MODE',
    parse(given) {
      if (/^0?[67][0-7]{2}$/.test(given)) return given;
      const isOctal = /^0?[0-7]{3}$/.test(given);
      const reason = isOctal ? 'does not let the owner read and write' : 'is not an octal file mode';
      throw new Failure('usage', `"${given}" ${reason}.`, { hint: 'Use a mode such as 0600, 0640 or 0644.' });
    },
  };
}

/** A flag that must be given. */
export function required<T>(option: Option<T | undefined>): Option<T> {
  const { defaultValue: _, ...rest } = option;
  return { ...rest, isRequired: true };
}

/** A flag that may be given several times. */
export function repeated<T>(option: Option<T | undefined>): Option<readonly T[] | undefined> {
  const { defaultValue: _, ...rest } = option;
  return { ...rest, isRepeatable: true };
}

/** A flag with a value where none is given. */
export function withDefault<T>(option: Option<T | undefined>, fallback: T): Option<T> {
  return { ...option, defaultValue: fallback };
}

/** What help and README say of a flag: what it is, its choices, its default. */
export function describeOption({
  summary,
  placeholder,
  choices,
  defaultValue,
  isRepeatable,
}: Option<unknown>): string {
  const parts = [
    describeChoices({ summary, choices }),
    placeholder !== undefined && defaultValue !== undefined && `(default ${defaultValue})`,
    isRepeatable && '(repeatable)',
  ];
  return parts.filter(Boolean).join(' ');
}

/** An amount of money, given as a decimal with at most two places, as whole cents. */
export function money(summary: string): Option<number | undefined> {
  return { summary, placeholder: 'AMOUNT', parse: centsOf };
}

function centsOf(given: string): number {
  const cents = parseCents(given);
  if (cents !== undefined) return cents;
  const isHuge = /^\d+(\.\d{1,2})?$/.test(given);
  throw new Failure(
    'usage',
    `"${given}" is ${isHuge ? 'more than the interface can hold' : 'not an amount'}.`,
    {
      hint: isHuge ? 'At the most 90071992547409.91.' : 'Type it as 1200 or 1200.50.',
    },
  );
}
