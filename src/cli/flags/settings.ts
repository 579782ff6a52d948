import { Failure } from '../../contract/errors.ts';
import { isEmail } from '../../values/domain.ts';
import { type Configuration, openEffectiveSettings } from '../connect/connection.ts';
import { defaultFormat } from './default-format.ts';
import { flagName, type Option } from './options.ts';
import { preferences } from './preferences.ts';
import { undoSetting } from './undo.ts';

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
  undo: undoSetting,
  user,
};

/** Describes a stored setting: `Default --page-size`. */
export function describeSetting(name: string): string {
  if (name === 'undo') return 'Recording of changes for `kith undo`';
  return name === 'user' ? `Email address (${name})` : `Default ${flagName(name)}`;
}

/** Returns the address that `me` stands for. @throws {Failure} usage if it is not set */
export async function readUser(configuration: Configuration): Promise<string> {
  const { defaults } = (await openEffectiveSettings(configuration)).read();
  if (defaults?.user !== undefined) return defaults.user;
  throw new Failure('usage', '"me" stands for your email address, which is not set.', {
    hint: 'kith config set user ADDRESS',
  });
}
