import { addErrorPrefix, Failure, getErrorMessage } from '../../contract/errors.ts';
import { pageSize } from '../../contract/grammar.ts';
import { defaultWeights, formatWeights, parseWeights, type Weights } from '../../followup/weights.ts';
import { openSettingsIfStored } from '../../settings/connection.ts';
import type { Environment } from '../../settings/paths.ts';
import type { StoredSettings } from '../../settings/settings.ts';
import { isEmail } from '../../values/domain.ts';
import type { ParsedCommand } from '../command/command.ts';
import type { Preferences } from '../command/context.ts';
import { type Globals, globalOptions, jsonFormats, plainFormats, printsRecords } from '../command/globals.ts';
import { guardOptions, isGuardName } from '../command/guards.ts';
import { createChoiceOption, createTextOption, type Option, toFlagName } from '../command/options.ts';
import { type Configuration, findConnection, openEffectiveSettings } from './connection.ts';

/** The built-in defaults: records in a list and per request, seconds, retries, and seconds. */
const builtIn: Preferences = { limit: pageSize.default, pageSize: 100, timeout: 30, retries: 4, maxWait: 60 };

const preferences = Object.keys(builtIn) as (keyof Preferences)[]; // keys() forgets the names

/** Returns the name of a preference in `kith config`, such as `page-size`. */
const toSetting = (name: string) => toFlagName(name).slice(2);

/** The default of --format for commands that print records. */
export const defaultFormat = createChoiceOption('Output format of records:', plainFormats, 'FORMAT');

/** The commands to record for `kith undo`. `auto`: commands at a terminal, not in scripts. */
const undo: Option<'auto' | 'on' | 'off' | undefined> = {
  ...createChoiceOption('Record changes for kith undo:', ['auto', 'on', 'off'], 'auto|on|off'),
  defaultValue: 'auto',
};

/** The address of the person who uses kith. */
const user: Option<string | undefined> = {
  summary: 'Email address that `me` stands for',
  placeholder: 'ADDRESS',
  parse(text) {
    if (!isEmail(text)) throw new Failure('usage', `"${text}" is not an email address.`);
    return text;
  },
};

/** The currency of all amounts, which the service does not store. */
const currency: Option<string | undefined> = {
  summary: 'Currency of the amounts in reports',
  placeholder: 'CODE',
  parse(text) {
    const code = text.toUpperCase();
    if (Intl.supportedValuesOf('currency').includes(code)) return code;
    throw new Failure('usage', `"${text}" is not a currency code.`, {
      hint: 'Use three letters, such as EUR.',
    });
  },
};

/** The points for the parts of the scores of `kith followup`. */
const followupWeights: Option<string | undefined> = {
  summary: 'Points for the reasons of kith followup',
  placeholder: 'PART=N,…',
  parse(text) {
    if (parseWeights(text)) return text;
    throw new Failure('usage', `"${text}" is not a comma-separated list of PART=N, with N from 0 to 999.`, {
      hint: `Parts and defaults: ${formatWeights(defaultWeights)}`,
    });
  },
  defaultValue: formatWeights(defaultWeights),
};

/** The settings that `kith config` stores, by name: the defaults of flags, and settings of the user. */
export const storedSettings: Readonly<Record<string, Option<unknown>>> = {
  ...Object.fromEntries(
    preferences.map((name) => [toSetting(name), { ...globalOptions[name], defaultValue: builtIn[name] }]),
  ),
  format: defaultFormat,
  undo,
  user,
  process: createTextOption('Process of `kith deals`, by id or name', 'PROCESS'),
  currency,
  'followup-weights': followupWeights,
  ...guardOptions,
};

/** Describes a stored setting: `Default --page-size`. */
export function describeSetting(name: string): string {
  if (name === 'undo') return 'Recording of changes for `kith undo`';
  if (isGuardName(name)) return `Guard ${name}`;
  if (name === 'process') return 'Process of `kith deals`';
  if (name === 'currency') return 'Currency';
  if (name === 'followup-weights') return 'Points for the reasons of `kith followup`';
  return name === 'user' ? `Email address (${name})` : `Default ${toFlagName(name)}`;
}

/** Returns the values of flags, or else the stored or built-in defaults. @throws {Failure} if one is invalid */
export function resolvePreferences(
  globals: Globals,
  path: string,
  { defaults = {} }: StoredSettings,
): Preferences {
  const values = preferences.map((name) => {
    const stored = defaults[toSetting(name)];
    if (globals[name] !== undefined || stored === undefined) return [name, globals[name] ?? builtIn[name]];
    return [name, parseStored(name, globalOptions[name], stored, path)];
  });
  return Object.fromEntries(values);
}

/**
 * Returns the flags of a command with the envelope of KITH_JSON, or the default format if no flag sets one. Texts keep
 * their format, because a shell reads `kith completion bash`.
 * @throws {Failure} usage if the variable is invalid, failed if the stored default is invalid
 */
export async function applyDefaultFormat(
  { command, globals }: Pick<ParsedCommand, 'command' | 'globals'>,
  configuration: Configuration,
): Promise<Globals> {
  if (wantsEnvelope(command, globals, configuration.runtime.env))
    return { ...globals, json: true, jsonEnvelope: true };
  if (globals.json || globals.format !== undefined || !printsRecords(command)) return globals;
  const open = () => openEffectiveSettings(configuration);
  const format = await readSetting('format', defaultFormat, configuration.runtime.env, open);
  const isOverridden = globals.jq !== undefined && !jsonFormats.includes(format);
  return format === undefined || isOverridden ? globals : { ...globals, format };
}

/** The value of KITH_JSON. */
const envelopeOption = createChoiceOption('JSON with or without an envelope:', ['envelope'], 'envelope');

/** Whether a flag or KITH_JSON asks for an envelope. @throws {Failure} usage if the variable is invalid */
function wantsEnvelope(
  { output }: ParsedCommand['command'],
  { jsonEnvelope, format }: Globals,
  { KITH_JSON }: Environment,
): boolean {
  if (jsonEnvelope) return true;
  if (!KITH_JSON || output.protocol || (format !== undefined && format !== 'json')) return false;
  try {
    return envelopeOption.parse(KITH_JSON) === 'envelope';
  } catch (error) {
    throw addErrorPrefix('KITH_JSON', error);
  }
}

/** Returns what the environment, else the settings say; undefined if they say nothing. @throws {Failure} usage */
export const readUndoSetting = ({ runtime: { env }, services }: Configuration) =>
  readSetting('undo', undo, env, () => openSettingsIfStored(env, services.settings));

/**
 * Returns the address that `me` stands for, or the process of `kith deals`. The profile's value overrides the stored
 * setting; undefined if neither is set.
 */
export async function findOwnSetting(
  configuration: Configuration,
  setting: 'user' | 'process',
): Promise<string | undefined> {
  const { defaults, profiles } = (await openEffectiveSettings(configuration)).read();
  const { profile: name } = await findConnection(configuration);
  const profile = name === undefined ? undefined : profiles[name];
  return (profile && 'database' in profile ? profile[setting] : undefined) ?? defaults?.[setting];
}

/** Returns the address that `me` stands for. @throws {Failure} usage if it is not set */
export async function readUser(configuration: Configuration): Promise<string> {
  const user = await findOwnSetting(configuration, 'user');
  if (user !== undefined) return user;
  throw new Failure('usage', '"me" stands for your email address, which is not set.', {
    hint:
      'Use an email address instead; `kith workspace info` lists the assignees. To set yours: ' +
      'kith config set user ADDRESS',
  });
}

/** Returns the currency of reports; undefined if it is not set. @throws {Failure} usage if it is invalid */
export async function readCurrency(configuration: Configuration): Promise<string | undefined> {
  const { defaults } = (await openEffectiveSettings(configuration)).read();
  return defaults?.currency === undefined ? undefined : (currency.parse(defaults.currency) as string);
}

/** Returns the points for the reasons of `kith followup`. @throws {Failure} usage if the stored setting is invalid */
export async function readFollowUpWeights(configuration: Configuration): Promise<Weights> {
  const { defaults = {} } = (await openEffectiveSettings(configuration)).read();
  const stored = defaults['followup-weights'];
  if (stored !== undefined) followupWeights.parse(stored);
  return parseWeights(stored ?? '') ?? defaultWeights;
}

const settingVariables = { format: 'KITH_FORMAT', undo: 'KITH_UNDO' } as const;

/**
 * Returns a setting from its variable, else the stored one; undefined if neither is set.
 * @throws {Failure} usage if the variable is invalid, failed if the stored setting is invalid
 */
async function readSetting<T>(
  name: keyof typeof settingVariables,
  option: Option<T>,
  env: Environment,
  open: () => Promise<{ readonly path: string; read(): Pick<StoredSettings, 'defaults'> }>,
): Promise<T | undefined> {
  const variable = settingVariables[name];
  const value = env[variable];
  if (value) {
    try {
      return option.parse(value) as T; // an option parses to its type
    } catch (error) {
      throw addErrorPrefix(variable, error);
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
    throw new Failure('failed', `The default of ${toFlagName(name)} in ${path} is invalid: ${reason}`, {
      cause: error,
      hint: `kith config unset ${toSetting(name)}`,
    });
  }
}
