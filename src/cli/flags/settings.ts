import { Failure } from '../../contract/errors.ts';
import { openSettingsIfStored } from '../../settings/connection.ts';
import { isEmail } from '../../values/domain.ts';
import type { Session } from '../context.ts';
import { defaultFormat } from './default-format.ts';
import { flagName, type Option } from './options.ts';
import { preferences } from './preferences.ts';

/** The address of the person who uses kith. */
const user: Option<string | undefined> = {
  summary: 'Email address that `me` stands for',
  placeholder: 'ADDRESS',
  parse(text) {
    if (!isEmail(text)) throw new Failure('usage', `"${text}" is not an email address.`);
    return text;
  },
};

/** The settings that `kith config` stores, by name: the defaults of flags, and the address of the user. */
export const storedSettings: Readonly<Record<string, Option<unknown>>> = {
  ...preferences,
  format: defaultFormat,
  user,
};

/** Describes a stored setting: `Default --page-size`. */
export function describeSetting(name: string): string {
  return name === 'user' ? `Email address (${name})` : `Default ${flagName(name)}`;
}

/** Returns the address that `me` stands for. @throws {Failure} usage if it is not set */
export async function readUser({ env, settings }: Pick<Session, 'env' | 'settings'>): Promise<string> {
  const { defaults } = (await openSettingsIfStored(env, settings)).read();
  if (defaults?.user !== undefined) return defaults.user;
  throw new Failure('usage', '"me" stands for your email address, which is not set.', {
    hint: 'kith config set user ADDRESS',
  });
}
