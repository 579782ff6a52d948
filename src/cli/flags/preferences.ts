import { Failure, getErrorMessage, prefixError } from '../../contract/errors.ts';
import { pageSize } from '../../contract/grammar.ts';
import type { Environment } from '../../settings/paths.ts';
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

/** The variables that override stored settings. */
export const settingVariables = { format: 'KITH_FORMAT', undo: 'KITH_UNDO' } as const;

/** Settings that can be read. `read` fails if they are damaged. */
interface StoredDefaults {
  readonly path: string;
  read(): Pick<StoredSettings, 'defaults'>;
}

/**
 * Returns a setting from its variable, else the stored one; undefined if neither is set.
 * @throws {Failure} usage if the variable is invalid, failed if the stored setting is invalid
 */
export async function readSetting<T>(
  name: keyof typeof settingVariables,
  option: Option<T>,
  env: Environment,
  open: () => Promise<StoredDefaults>,
): Promise<T | undefined> {
  const variable = settingVariables[name];
  const value = env[variable];
  if (value) {
    try {
      return option.parse(value) as T; // an option parses to its type
    } catch (error) {
      throw prefixError(variable, error);
    }
  }
  const { path, read } = await open();
  let stored: string | undefined;
  try {
    stored = read().defaults?.[name];
  } catch {
    return undefined; // a command that needs the settings reports that they are damaged
  }
  return stored === undefined ? undefined : parseStored(name, option, stored, path);
}

/** Parses a stored setting. @throws {Failure} failed, with the file, if it is invalid */
function parseStored<T>(name: string, option: Option<T>, stored: string, path: string): T {
  try {
    return option.parse(stored) as T; // an option parses to its type
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Failure('failed', `The default of ${flagName(name)} in ${path} is invalid: ${reason}`, {
      cause: error,
      hint: `kith config unset ${toSetting(name)}`,
    });
  }
}
