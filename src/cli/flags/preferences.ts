import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { pageSize } from '../../contract/grammar.ts';
import type { StoredSettings } from '../../settings/stored.ts';
import { type Globals, httpFlags, listFlags, pageFlags } from './globals.ts';
import { flagName, type Option } from './options.ts';

/** How much is asked for, and how long it is waited for. */
export interface Preferences {
  /** Records at the most, where not all are asked for. */
  readonly limit: number;
  /** Records to a request. */
  readonly pageSize: number;
  /** Seconds. */
  readonly timeout: number;
  readonly retries: number;
  /** Seconds. */
  readonly maxWait: number;
}

/** What holds where nothing is said. */
const ours: Preferences = { limit: pageSize.default, pageSize: 100, timeout: 30, retries: 4, maxWait: 60 };

const flags = {
  limit: listFlags.limit,
  pageSize: pageFlags.pageSize,
  timeout: httpFlags.timeout,
  retries: httpFlags.retries,
  maxWait: httpFlags.maxWait,
} satisfies { readonly [Name in keyof Preferences]: Option<number | undefined> };

/** The preferences by the names that `kith config` takes: `page-size`. */
export const preferences = Object.fromEntries(
  Object.entries(flags).map(([name, option]) => [
    flagName(name).slice(2),
    { ...option, defaultValue: ours[name as keyof Preferences] }, // entries() forgets the names
  ]),
);

/** What the flags say, else the defaults stored in the file at `path`, else ours. Throws `failed` where a stored one is no such value. */
export function resolvePreferences(
  globals: Globals,
  path: string,
  { defaults = {} }: StoredSettings,
): Preferences {
  const value = (name: keyof Preferences): number => {
    const stored = defaults[flagName(name).slice(2)];
    return globals[name] ?? (stored === undefined ? ours[name] : storedValue(name, stored, path));
  };
  return {
    limit: value('limit'),
    pageSize: value('pageSize'),
    timeout: value('timeout'),
    retries: value('retries'),
    maxWait: value('maxWait'),
  };
}

function storedValue(name: keyof Preferences, stored: string, path: string): number {
  try {
    return Number(flags[name].parse(stored));
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Failure('failed', `The default of ${flagName(name)} in ${path} cannot be used: ${reason}`, {
      cause: error,
      hint: `kith config unset ${flagName(name).slice(2)}`,
    });
  }
}
