import { Failure } from '../../contract/errors.ts';
import type { RecordField } from '../../contract/field-table.ts';
import { requireValue } from '../../contract/field-types.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';

/**
 * The values that a shell completes, other than choices: paths, names, and parts of a value. `fields`: `NAME=VALUE`;
 * `list-fields`: `COLUMN=FIELD` with the fields of a list; `columns`: names of fields, comma-separated; `sort`: one;
 * `statuses`: a status of the list; `status-list`: statuses, comma-separated; `keys`: keys of entries of the list, if
 * there is one; `lists-and-keys`: lists, and keys of all entries; `subjects`: organizations, contacts, and keys of all
 * entries; `permissions`: writes of `--allow`, comma-separated; `toolsets`: sets of tools, comma-separated.
 */
export type CompletionSource =
  | ('files' | 'folders')
  | (
      | 'profiles'
      | 'aliases'
      | 'schedules'
      | 'lists'
      | 'statuses'
      | 'status-list'
      | 'contacts'
      | 'organizations'
    )
  | ('events' | 'notes' | 'keys' | 'lists-and-keys' | 'subjects')
  | ('fields' | 'list-fields' | 'columns' | 'sort' | 'permissions' | 'toolsets');

/** A flag as data. A command gets `T`: the value, undefined if it is omitted, an array if the flag is repeatable. */
export interface Option<T> {
  readonly summary: string;
  /** The placeholder of the value in help; a flag without one takes no value. */
  readonly placeholder?: string;
  /** The value of the flag if it is typed without one. Its placeholder is then in brackets. */
  readonly presetValue?: string;
  readonly choices?: readonly string[];
  readonly completion?: CompletionSource;
  readonly short?: string;
  readonly isRequired?: boolean;
  readonly isRepeatable?: boolean;
  /** Whether the value is a comma-separated list. */
  readonly isCommaSeparated?: true;
  /** Where the value may be read from: `@FILE` or `-` for stdin; for a field `NAME=@FILE`. */
  readonly valueSource?: 'file' | 'field';
  /** Whether it selects many records instead of one. Calls in JSON do not have it. */
  readonly isForMany?: true;
  readonly isObject?: true;
  readonly range?: { readonly min: number; readonly max: number };
  /** Splits the text of a repeatable flag into several values. */
  readonly split?: (text: string) => readonly string[];
  /**
   * Parses a value. `position` is its position among the values of all repeatable flags, which may belong together.
   * @throws {Failure} usage, with what to type instead
   */
  readonly parse: (text: string, position?: number) => unknown;
  readonly defaultValue?: T;
  /** The field of the body that gets the value. */
  readonly field?: string;
  /** The field table's entry for `field`. */
  readonly recordField?: RecordField;
  /** The kind of record that the value names, unless it is the literal. */
  readonly reference?: {
    readonly kind: PartyNoun;
    readonly literal?: string | undefined;
    /** The flag that creates the organization if no organization matches. In a terminal, kith asks instead. */
    readonly createFlag?: string | undefined;
  };
}

/** Flags by the names that commands use: `pageSize` is typed as `--page-size`. */
export type Options = Readonly<Record<string, Option<unknown>>>;

export type OptionValues<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

/** Converts `pageSize` to `--page-size`. */
export function toFlagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function hasFlags(options: Options, input: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(options).some(([name, { defaultValue }]) => input[name] !== defaultValue);
}

/** Formats a flag with its placeholder: `-q, --quiet`, `--limit N`. */
export function formatFlag(
  name: string,
  option: { readonly placeholder?: string | undefined; readonly short?: string | undefined },
): string {
  return `${option.short ? `${option.short}, ` : ''}${toFlagName(name)}${option.placeholder ? ` ${option.placeholder}` : ''}`;
}

export function describeChoices({ summary, choices }: Pick<Option<unknown>, 'summary' | 'choices'>): string {
  return choices ? `${summary} ${choices.join(', ')}` : summary;
}

export function createFlag(summary: string, more: { short?: string } = {}): Option<boolean> {
  return { summary, parse: () => true, defaultValue: false, ...more };
}

/** Creates a text flag; with `valueSource` the text may come from a file or stdin. */
export function createTextOption(
  summary: string,
  value: string,
  more: Pick<Option<string>, 'completion' | 'short' | 'valueSource' | 'isObject' | 'isCommaSeparated'> = {},
): Option<string | undefined> {
  const placeholder = more.valueSource ? `${value}|@FILE|-` : value;
  return {
    summary,
    placeholder,
    parse(text) {
      if (text === '') throw new Failure('usage', `${placeholder} must not be empty.`);
      return text;
    },
    ...more,
  };
}

/** Lets an empty value clear a field, as null does in the API. */
export function makeClearable<T>(option: Option<T>): Option<T | null> {
  return {
    ...option,
    summary: `${option.summary}; '' clears it`,
    parse: (text) => (text === '' ? null : option.parse(text)),
  };
}

export function createChoiceOption<const V extends string>(
  summary: string,
  choices: readonly V[],
  value: string,
): Option<V | undefined> {
  return {
    summary,
    placeholder: value,
    choices,
    parse: (text) => requireValue(text, { type: 'select', options: choices }),
  };
}

export function createIntegerOption(
  summary: string,
  value: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): Option<number | undefined> {
  return {
    summary,
    placeholder: value,
    range: { min, max },
    parse(text) {
      const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (number >= min && number <= max) return number;
      const hasMaximum = max < Number.MAX_SAFE_INTEGER || number > max;
      const range = hasMaximum ? `from ${min} to ${max}` : `of ${min} or more`;
      throw new Failure('usage', `"${text}" is not an integer ${range}.`);
    },
  };
}

/** Creates a flag for file permissions in octal, such as 0640. The owner must be able to read and write. */
export function createFileModeOption(summary: string): Option<string | undefined> {
  return {
    summary,
    placeholder: 'MODE',
    parse(text) {
      if (/^0?[67][0-7]{2}$/.test(text)) return text;
      const isOctal = /^0?[0-7]{3}$/.test(text);
      const reason = isOctal ? 'does not let the owner read and write' : 'is not an octal file mode';
      throw new Failure('usage', `"${text}" ${reason}.`, { hint: 'Use a mode such as 0600, 0640 or 0644.' });
    },
  };
}

/** Makes a flag set a field of the body. */
export function withBodyField<T>(field: string, option: Option<T>): Option<T> {
  return { ...option, field };
}

export function makeRequired<T>(option: Option<T | undefined>): Option<T> {
  const { defaultValue: _, ...rest } = option;
  return { ...rest, isRequired: true };
}

export function makeRepeatable<T>(option: Option<T | undefined>): Option<readonly T[] | undefined> {
  const { defaultValue: _, ...rest } = option;
  return { ...rest, isRepeatable: true };
}

export function withDefault<T>(option: Option<T | undefined>, defaultValue: T): Option<T> {
  return { ...option, defaultValue };
}

/** Describes a flag for help and README: its summary, choices and default. */
export function describeOption(option: Option<unknown>): string {
  const { placeholder, defaultValue, isRepeatable } = option;
  const parts = [
    describeChoices(option),
    placeholder !== undefined && defaultValue !== undefined && `(default ${defaultValue})`,
    isRepeatable && '(repeatable)',
  ];
  return parts.filter(Boolean).join(' ');
}
