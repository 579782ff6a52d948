import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { pageSize } from '../../contract/grammar.ts';
import type { StoredSettings } from '../../settings/settings.ts';
import { type Globals, globalOptions } from './globals.ts';
import { flagName, type Option } from './options.ts';

/** The built-in defaults: records in a list and per request, seconds, retries, and seconds. */
const builtIn = { limit: pageSize.default, pageSize: 100, timeout: 30, retries: 4, maxWait: 60 };

/** Values that flags set, with stored and built-in defaults. */
export type Preferences = Readonly<Record<keyof typeof builtIn, number>>;

const names = Object.keys(builtIn) as (keyof Preferences)[]; // keys() forgets the names

/** Returns the name of a preference in `kith config`, such as `page-size`. */
const toSetting = (name: string) => flagName(name).slice(2);

/** The preferences by their names in `kith config`. */
export const preferences = Object.fromEntries(
  names.map((name) => [toSetting(name), { ...globalOptions[name], defaultValue: builtIn[name] }]),
);

/** Returns the values of flags, else the stored, else the built-in defaults. @throws {Failure} if one is invalid */
export function resolvePreferences(
  globals: Globals,
  path: string,
  { defaults = {} }: StoredSettings,
): Preferences {
  const values = names.map((name) => {
    const stored = defaults[toSetting(name)];
    if (globals[name] !== undefined || stored === undefined) return [name, globals[name] ?? builtIn[name]];
    return [name, parseStored(name, globalOptions[name], stored, path)];
  });
  return Object.fromEntries(values);
}

/** Parses the stored default of a flag. @throws {Failure} failed, with the file, if it is invalid */
export function parseStored(name: string, option: Option<unknown>, stored: string, path: string): unknown {
  try {
    return option.parse(stored);
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Failure('failed', `The default of ${flagName(name)} in ${path} is invalid: ${reason}`, {
      cause: error,
      hint: `kith config unset ${toSetting(name)}`,
    });
  }
}
