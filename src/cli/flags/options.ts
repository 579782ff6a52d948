import { Failure } from '../../contract/errors.ts';

/** What a shell can offer as a value where there are no choices. */
export type Completed = 'profiles' | 'lists' | 'files' | 'folders';

/**
 * A flag as data. `T` is what a command gets: the value, undefined where it is not given, a boolean for a
 * flag without a value, an array for one that may be repeated.
 */
export interface Option<T> {
  readonly summary: string;
  /** The placeholder of its value in help; a flag without one takes no value. */
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly completes?: Completed;
  readonly short?: string;
  readonly required?: boolean;
  readonly several?: boolean;
  /** What its value may be beside itself: `@FILE` or `-` for stdin; in a field `NAME=@FILE`. */
  readonly reads?: 'file' | 'field';
  /** Its value is the JSON of an object. */
  readonly isObject?: true;
  /** It is a whole number, within these. */
  readonly bounds?: { readonly min: number; readonly max: number };
  /**
   * The value of a text, or a `Failure('usage')` that says what to type instead. `at`: its place among all the
   * words that were given to repeated flags, which may belong together.
   */
  readonly read: (text: string, at?: number) => unknown;
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

/** What a flag or an argument is, with the words that it may be: a summary leads over to them. */
export function meaning({
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
  return { summary, read: () => true, fallback: false, ...more };
}

/** A text as it is, or with `reads` what a file or stdin holds. */
export function text(
  summary: string,
  value: string,
  more: { completes?: Completed; short?: string; reads?: 'file'; isObject?: true } = {},
): Option<string | undefined> {
  const placeholder = more.reads ? `${value}|@FILE|-` : value;
  return {
    summary,
    value: placeholder,
    read(given) {
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
    read: (given) => (given === '' ? null : option.read(given)),
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
    bounds: { min, max },
    read(given) {
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
    value: 'MODE',
    read(given) {
      if (/^0?[67][0-7]{2}$/.test(given)) return given;
      const isOctal = /^0?[0-7]{3}$/.test(given);
      const reason = isOctal ? 'does not let the owner read and write' : 'is not an octal file mode';
      throw new Failure('usage', `"${given}" ${reason}.`, { hint: 'Use a mode such as 0600, 0640 or 0644.' });
    },
  };
}

/** A flag that must be given. */
export function required<T>(option: Option<T | undefined>): Option<T> {
  const { fallback: _, ...rest } = option;
  return { ...rest, required: true };
}

/** A flag that may be given several times. */
export function repeated<T>(option: Option<T | undefined>): Option<readonly T[] | undefined> {
  const { fallback: _, ...rest } = option;
  return { ...rest, several: true };
}

/** A flag with a value where none is given. */
export function withDefault<T>(option: Option<T | undefined>, fallback: T): Option<T> {
  return { ...option, fallback };
}

/** What help and README say of a flag: what it is, its choices, its default. */
export function descriptionOf({ summary, value, choices, fallback, several }: Option<unknown>): string {
  const parts = [
    meaning({ summary, choices }),
    value !== undefined && fallback !== undefined && `(default ${fallback})`,
    several && '(repeatable)',
  ];
  return parts.filter(Boolean).join(' ');
}
