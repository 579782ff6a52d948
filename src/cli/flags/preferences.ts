import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { pageSize } from '../../contract/grammar.ts';
import type { StoredSettings } from '../../settings/stored.ts';
import { type Globals, httpFlags, listFlags, pageFlags } from './globals.ts';
import { flagName, type Option } from './options.ts';

/** Values that flags set, with stored and built-in defaults. */
export interface Preferences {
  /** Maximum number of records, without --all. */
  readonly limit: number;
  /** Records per request. */
  readonly pageSize: number;
  /** Seconds. */
  readonly timeout: number;
  readonly retries: number;
  /** Seconds. */
  readonly maxWait: number;
}

/** The built-in defaults. */
const builtIn: Preferences = { limit: pageSize.default, pageSize: 100, timeout: 30, retries: 4, maxWait: 60 };

const flags = {
  limit: listFlags.limit,
  pageSize: pageFlags.pageSize,
  timeout: httpFlags.timeout,
  retries: httpFlags.retries,
  maxWait: httpFlags.maxWait,
} satisfies { readonly [Name in keyof Preferences]: Option<number | undefined> };

/** The preferences by their names in `kith config`, such as `page-size`. */
export const preferences = Object.fromEntries(
  Object.entries(flags).map(([name, option]) => [
    flagName(name).slice(2),
    { ...option, defaultValue: builtIn[name as keyof Preferences] }, // entries() widens the names to string
  ]),
);

/**
 * Returns the values of the flags, else the defaults stored in the file at `path`, else the built-in defaults.
 * @throws {Failure} failed if a stored default is invalid
 */
export function resolvePreferences(
  globals: Globals,
  path: string,
  { defaults = {} }: StoredSettings,
): Preferences {
  const value = (name: keyof Preferences): number => {
    const stored = defaults[flagName(name).slice(2)];
    return globals[name] ?? (stored === undefined ? builtIn[name] : parseStored(name, stored, path));
  };
  const names = Object.keys(builtIn) as (keyof Preferences)[]; // keys() forgets the names
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<keyof Preferences, number>;
}

function parseStored(name: keyof Preferences, stored: string, path: string): number {
  try {
    return Number(flags[name].parse(stored));
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Failure('failed', `The default of ${flagName(name)} in ${path} is invalid: ${reason}`, {
      cause: error,
      hint: `kith config unset ${flagName(name).slice(2)}`,
    });
  }
}
