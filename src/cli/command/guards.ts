import { Failure } from '../../contract/errors.ts';
import { parsePermissions } from '../../contract/permissions.ts';
import { createFlag, createIntegerOption, type Option } from './options.ts';

const allow: Option<string | undefined> = {
  summary: 'Allow only these writes, such as contacts,notes:create; none refuses all writes',
  placeholder: 'NOUN[:VERB],...',
  completion: 'permissions',
  parse(text) {
    parsePermissions(text);
    return text;
  },
};

/** The flags that limit what a command may send. */
export const guardFlags = {
  readonly: createFlag('Refuse all writes to the workspace'),
  allow,
  maxWrites: createIntegerOption('Stop after this many writes, with exit code 9', 'N', 0),
  maxRequests: createIntegerOption('Stop after this many requests, with exit code 9', 'N', 0),
};

/** Parses a switch of a variable or a file, such as `1` or `false`. @throws {Failure} usage if it is neither */
export function parseSwitch(text: string): boolean {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off'].includes(word)) return false;
  throw new Failure('usage', `"${text}" is not true or false.`);
}

/** The guards by their names in settings and project files. */
export const guardOptions = {
  readonly: { ...guardFlags.readonly, placeholder: 'true|false', parse: parseSwitch },
  allow,
  'max-writes': guardFlags.maxWrites,
  'max-requests': guardFlags.maxRequests,
} as const satisfies Readonly<Record<string, Option<unknown>>>;

export type GuardName = keyof typeof guardOptions;

export const guardNames = Object.keys(guardOptions) as readonly GuardName[]; // keys() has no types

/** The flag and the variable that set each guard. */
export const guardPlaces = {
  readonly: { flag: 'readonly', variable: 'KITH_READONLY' },
  allow: { flag: 'allow', variable: 'KITH_ALLOW' },
  'max-writes': { flag: 'maxWrites', variable: 'KITH_MAX_WRITES' },
  'max-requests': { flag: 'maxRequests', variable: 'KITH_MAX_REQUESTS' },
} as const;

/** The variable with the file that counts the writes and requests of several processes. */
export const guardFileVariable = 'KITH_GUARD_FILE';

/** The hint of every failure of a guard. */
export const guardHint = 'Only the person who set this guard should change it.';

export const isGuardName = (name: string): name is GuardName => Object.hasOwn(guardOptions, name);
