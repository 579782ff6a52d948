import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { describeReadError } from '../files/disk-errors.ts';
import { parseUrl } from '../values/domain.ts';
import { type Environment, resolveSettingsFile } from './paths.ts';
import type { Profile, Settings } from './settings.ts';

/** Where a value came from, in words for `auth status`. */
type Source = string;

interface Local {
  readonly kind: 'local';
  readonly profile: string;
  readonly database: string;
}

interface Hosted {
  readonly kind: 'hosted';
  readonly profile: string | undefined;
  readonly baseUrl: string;
  readonly baseUrlSource: Source;
  readonly keySource: Source;
}

/** What a command talks to. */
export type Connection = Local | (Hosted & { readonly key: string });

/** The same, where the key may still be in the keychain, under an account. */
export type ResolvedConnection = Connection | (Hosted & { readonly keychain: string });

/** What was given on the command line. */
export interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
}

const signIn =
  'Sign in with `kith auth login --base-url URL`, or look around first with `kith auth login --local --demo`.';

/**
 * What to talk to: flag, then environment, then profile. Throws `unauthorized` where a key or base URL is
 * missing, before anything touches the network. A stored key goes only to the origin that it was stored for.
 */
export function resolveConnection(
  named: ConnectionFlags,
  env: Environment,
  settings: () => Pick<Settings, 'read'>,
): ResolvedConnection {
  const givenUrl = named.baseUrl
    ? { value: named.baseUrl, source: '--base-url' }
    : env.KITH_BASE_URL
      ? { value: env.KITH_BASE_URL, source: 'KITH_BASE_URL' }
      : undefined;
  const givenKey = keyIn(env);
  const asked = named.profile || env.KITH_PROFILE;
  if (givenUrl && givenKey && !asked) return hosted(undefined, givenUrl, givenKey);

  const { active, profiles } = settings().read();
  const name = asked || active;
  const profile = name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (asked && !profile) throw profileNotFound(asked, profiles);
  if (profile && 'database' in profile && !givenUrl) {
    return { kind: 'local', profile: name ?? '', database: profile.database };
  }
  const stored = profile && 'base_url' in profile ? profile : undefined;
  const url = givenUrl ?? (stored && { value: stored.base_url, source: `profile ${name}` });
  if (!url) throw new Failure('unauthorized', missing(givenKey), { hint: signIn });
  const mayUseStored =
    stored && originOf(url) === originOf({ value: stored.base_url, source: `profile ${name}` });
  const from = `profile ${name}`;
  if (mayUseStored && !givenKey && 'keychain' in stored) {
    return { ...placed(name, url), keychain: stored.keychain, keySource: from };
  }
  const key =
    givenKey ?? (mayUseStored && 'api_key' in stored ? { value: stored.api_key, source: from } : undefined);
  if (!key) {
    throw new Failure('unauthorized', `There is no key for ${originOf(url)}.`, {
      hint: stored
        ? 'A stored key is sent only to the service it was stored for; give another in KITH_API_KEY.'
        : signIn,
    });
  }
  return hosted(name, url, key);
}

/** Whether all that a request needs is in the environment and the flags: then no profile is read. */
export function isProfileUnused(named: ConnectionFlags, env: Environment): boolean {
  const hasKey = Boolean(env.KITH_API_KEY?.trim() || env.KITH_API_KEY_FILE);
  return hasKey && Boolean(named.baseUrl || env.KITH_BASE_URL) && !(named.profile || env.KITH_PROFILE);
}

/** The key of the environment: itself, or in a file, as cron and containers keep it. Throws `unauthorized`. */
function keyIn(env: Environment): SourcedValue | undefined {
  const key = env.KITH_API_KEY?.trim();
  if (key) return { value: key, source: 'KITH_API_KEY' };
  const file = env.KITH_API_KEY_FILE;
  if (!file) return undefined;
  const value = textOf(file).trim();
  if (value === '') {
    throw new Failure('unauthorized', `The file of KITH_API_KEY_FILE, ${file}, is empty.`, {
      hint: giveFile,
    });
  }
  return { value, source: `KITH_API_KEY_FILE ${file}` };
}

const giveFile = 'Put the key into it, and nothing else, or unset KITH_API_KEY_FILE.';

function textOf(file: string): string {
  try {
    return beginningOf(file, maxKeyFileSize);
  } catch (error) {
    throw new Failure(
      'unauthorized',
      `Cannot read the file of KITH_API_KEY_FILE${nameOf(file)}: ${describeReadError(error)}.`,
      { cause: error, hint: giveFile },
    );
  }
}

/** Formats the path of a key file for an error message. A value that is no path may be the key itself. */
function nameOf(file: string): string {
  const folder = dirname(file);
  const isPath = folder !== '.' && (isAbsolute(file) ? dirname(folder) !== folder : existsSync(folder));
  return isPath ? `, ${file}` : '';
}

/** The text of a file or a pipe. Throws where it goes on: a device may never end. */
function beginningOf(file: string, most: number): string {
  const bytes = Buffer.alloc(most);
  const opened = openSync(file, 'r');
  try {
    for (let length = 0; length < most; ) {
      const more = readSync(opened, bytes, length, most - length, null);
      if (more === 0) return bytes.toString('utf8', 0, length);
      length += more;
    }
  } finally {
    closeSync(opened);
  }
  throw new Error('it is longer than any key');
}

function missing(key: SourcedValue | undefined): string {
  return key ? `No base URL is set for the key from ${key.source}.` : 'You are not signed in to a workspace.';
}

/** The failure for a profile that is not there. */
export function profileNotFound(name: string, profiles: Readonly<Record<string, Profile>>): Failure {
  const known = Object.keys(profiles);
  return new Failure('unauthorized', `There is no profile "${name}".`, {
    hint: known.length > 0 ? `Profiles are ${known.join(', ')}.` : signIn,
  });
}

/** A value, and where it came from. */
interface SourcedValue {
  readonly value: string;
  readonly source: Source;
}

function hosted(profile: string | undefined, url: SourcedValue, key: SourcedValue): Connection {
  if (/[^\x21-\x7e]/.test(key.value)) {
    throw new Failure('unauthorized', `The key from ${key.source} has characters that no key has.`, {
      hint: 'Was it copied whole, and nothing else with it?',
    });
  }
  return { ...placed(profile, url), key: key.value, keySource: key.source };
}

function placed(profile: string | undefined, url: SourcedValue): Omit<Hosted, 'keySource'> {
  checkBaseUrl(url.value, url.source);
  return { kind: 'hosted', profile, baseUrl: url.value, baseUrlSource: url.source };
}

function originOf({ value, source: from }: SourcedValue): string {
  checkBaseUrl(value, from);
  return new URL(value).origin;
}

/**
 * Throws `usage` for an invalid base URL, or one that would send the key in the clear. `from` names its source. The
 * error does not repeat an invalid URL, because it may be a key.
 */
export function checkBaseUrl(url: string, from: Source): void {
  const parsed = parseUrl(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new Failure('usage', `${from}: not a valid URL.`, {
      hint: 'Example: https://crm.example.com. The given value is not shown because it may be a key.',
    });
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new Failure('usage', 'A base URL has no user, password, query or fragment.');
  }
  const loopback = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(parsed.hostname);
  if (parsed.protocol === 'http:' && !loopback) {
    throw new Failure('usage', `${parsed.origin} would send the key in the clear.`, {
      hint: `Use https://${parsed.host}; http is for this machine only.`,
    });
  }
}

/** Bytes of a file that is read for its keys; no file with a key is larger. */
export const maxKeyFileSize = 1_000_000;

/** The keys in the settings. They are found in a damaged file too. */
export function readStoredKeys(env: Environment): string[] {
  const found = textAt(resolveSettingsFile(env)).matchAll(/"api_key"\s*:\s*("(?:[^"\\]|\\.)*")/g);
  return Array.from(found, ([, json = '']) => unquoted(json));
}

/** Every key that this machine has for the program, but those in a keychain: that would ask the person. */
export function readMachineKeys(env: Environment): string[] {
  const inFile = env.KITH_API_KEY_FILE ? textAt(env.KITH_API_KEY_FILE).trim() : '';
  return [env.KITH_API_KEY?.trim() ?? '', inFile, ...readStoredKeys(env)];
}

/** The text of a file; none where there is none. A pipe can be read once only, and not by us. */
function textAt(path: string): string {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= maxKeyFileSize ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function unquoted(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json.slice(1, -1);
  }
}
