import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { describeReadError } from '../files/disk-errors.ts';
import type { ResolvedIdentity, WorkspaceIdentity } from '../files/workspace-identity.ts';
import { formatDatabase } from '../values/database-url.ts';
import { parseUrl } from '../values/domain.ts';
import { parseBaseUrl } from './base-url.ts';
import {
  type ConnectionFlags,
  databaseVariable,
  isDistinctive,
  readDatabase,
  readDatabasePasswords,
  usesDatabaseVariable,
} from './database-location.ts';
import { type Environment, resolveSettingsFile } from './paths.ts';
import type { EffectiveSettings, Profile, Settings } from './settings.ts';

/** A workspace that this process opens: a file, or a PostgreSQL URL, which may have a password. */
interface Local {
  readonly kind: 'local';
  readonly profile: string | undefined;
  readonly database: string;
  readonly databaseSource: string;
}

/** The sources name the places where values were set, for `auth status`. */
interface Hosted {
  readonly kind: 'hosted';
  readonly profile: string | undefined;
  readonly baseUrl: string;
  readonly baseUrlSource: string;
  readonly keySource: string;
}

/** The workspace of a command. */
export type Connection = Local | (Hosted & { readonly key: string });

/** A connection whose key may still be in the keychain, under an account. */
export type ResolvedConnection = Connection | (Hosted & { readonly keychain: string });

interface SourcedValue {
  readonly value: string;
  readonly source: string;
}

/** Returns the workspace of a connection. Omits the id of a local workspace, which would have to be read. */
export function identifyConnection(connection: Connection): WorkspaceIdentity;
export function identifyConnection(connection: ResolvedConnection): ResolvedIdentity;
export function identifyConnection(connection: ResolvedConnection): ResolvedIdentity {
  if (connection.kind === 'local') return identifyDatabase(connection.database);
  const place = normalizeBaseUrl(connection.baseUrl);
  if ('key' in connection) return { place, key: connection.key };
  return { place, keychain: connection.keychain };
}

/** Returns the workspace of a profile. Omits the id of a local workspace. */
export function identifyProfile(profile: Profile): ResolvedIdentity {
  if ('database' in profile) return identifyDatabase(profile.database);
  const place = normalizeBaseUrl(profile.base_url);
  return 'api_key' in profile ? { place, key: profile.api_key } : { place, keychain: profile.keychain };
}

const identifyDatabase = (database: string) => ({ place: formatDatabase(database), id: '' });

/** A settings file that was edited may have an invalid URL. */
const normalizeBaseUrl = (url: string) => parseUrl(url)?.href ?? url;

const signInHint =
  'Sign in with `kith auth login --base-url URL`, or try the sample workspace with `kith auth login --local --demo`.';

/** Opens the settings for reading. Loads nothing if no settings are stored. */
export async function openSettingsIfStored(
  env: Environment,
  open: () => Promise<Settings>,
): Promise<Pick<Settings, 'path' | 'read'>> {
  const path = resolveSettingsFile(env);
  return mayExist(path) ? open() : { path, read: () => ({ profiles: {} }) };
}

/** Whether a file exists, or is in a folder that cannot be read. */
function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/**
 * Resolves the connection from flags, then the environment, then the profile. Sends a stored key only to its stored
 * origin.
 * @throws {Failure} unauthorized if a profile, key or base URL is missing, usage if the environment names two
 * workspaces
 */
export function resolveConnection(
  flags: ConnectionFlags,
  env: Environment,
  settings: () => { read(): EffectiveSettings },
): ResolvedConnection {
  const database = readDatabase(flags, env);
  if (database !== undefined) {
    if (env.KITH_BASE_URL)
      throw new Failure('usage', `${databaseVariable} and KITH_BASE_URL are both set.`, {
        hint: 'Unset one of them, or choose a workspace with --profile or --base-url.',
      });
    return { kind: 'local', profile: undefined, database, databaseSource: databaseVariable };
  }
  const ownUrl = readBaseUrl(flags, env);
  const ownKey = readKey(env);
  const requestedProfile = flags.profile || env.KITH_PROFILE;
  if (ownUrl && ownKey && !requestedProfile) return connectHosted(undefined, ownUrl, ownKey);

  const { name, profile } = findProfile(requestedProfile, settings().read());
  const source = `profile ${name}`;
  if (profile && 'database' in profile && !ownUrl)
    return { kind: 'local', profile: name, database: profile.database, databaseSource: source };
  const hostedProfile = profile && 'base_url' in profile ? profile : undefined;
  const url = ownUrl ?? (hostedProfile && { value: hostedProfile.base_url, source });
  if (!url) {
    const message = ownKey
      ? `No base URL is set for the key from ${ownKey.source}.`
      : 'You are not signed in to a workspace.';
    throw new Failure('unauthorized', message, { hint: signInHint });
  }
  if (ownKey) return connectHosted(name, url, ownKey);
  const { origin } = parseBaseUrl(url.value, url.source);
  if (hostedProfile && origin === parseBaseUrl(hostedProfile.base_url, source).origin) {
    if ('api_key' in hostedProfile) return connectHosted(name, url, { value: hostedProfile.api_key, source });
    return { ...describeHosted(name, url, source), keychain: hostedProfile.keychain };
  }
  throw new Failure('unauthorized', `No API key for ${origin}.`, {
    hint: hostedProfile
      ? 'A stored key is sent only to the service that it was stored for. Set KITH_API_KEY for this one.'
      : signInHint,
  });
}

/** Returns the base URL from the flags, or else from the environment. */
export function readBaseUrl({ baseUrl }: ConnectionFlags, env: Environment): SourcedValue | undefined {
  if (baseUrl) return { value: baseUrl, source: '--base-url' };
  return env.KITH_BASE_URL ? { value: env.KITH_BASE_URL, source: 'KITH_BASE_URL' } : undefined;
}

/** Whether flags and environment contain all values for a request, so that no profile is read. */
export function isProfileUnused(flags: ConnectionFlags, env: Environment): boolean {
  if (usesDatabaseVariable(flags, env)) return true;
  const hasKey = Boolean(env.KITH_API_KEY?.trim() || env.KITH_API_KEY_FILE);
  return hasKey && Boolean(flags.baseUrl || env.KITH_BASE_URL) && !(flags.profile || env.KITH_PROFILE);
}

/** The variables that choose a workspace or a key. */
const workspaceVariables = [
  ...['KITH_PROFILE', databaseVariable, 'KITH_BASE_URL', 'KITH_API_KEY', 'KITH_API_KEY_FILE'],
];

/** Returns an environment that chooses no workspace and no key, or only a database. */
export function chooseWorkspace(env: Environment, database?: string): Environment {
  const others = Object.entries(env).filter(([name]) => !workspaceVariables.includes(name));
  return { ...Object.fromEntries(others), ...(database !== undefined && { [databaseVariable]: database }) };
}

/** Whether the environment chooses the workspace or the key, which overrides the profile of a project file. */
export const hasWorkspaceVariable = (env: Environment): boolean =>
  workspaceVariables.some((name) => env[name]?.trim());

/** Reads the key from KITH_API_KEY or the file in KITH_API_KEY_FILE. @throws {Failure} unauthorized. */
function readKey(env: Environment): SourcedValue | undefined {
  const key = env.KITH_API_KEY?.trim();
  if (key) return { value: key, source: 'KITH_API_KEY' };
  const file = env.KITH_API_KEY_FILE;
  if (!file) return undefined;
  const hint = 'Write only the key into the file, or unset KITH_API_KEY_FILE.';
  let value: string;
  try {
    value = readLimited(file).trim();
  } catch (error) {
    const message = `Cannot read the key file of KITH_API_KEY_FILE${formatPath(file)}: ${describeReadError(error)}.`;
    throw new Failure('unauthorized', message, { cause: error, hint });
  }
  if (value !== '') return { value, source: `KITH_API_KEY_FILE ${file}` };
  throw new Failure('unauthorized', `The key file ${file} (KITH_API_KEY_FILE) is empty.`, { hint });
}

/** Formats the path of a key file for an error message. The value may be the key itself. */
function formatPath(file: string): string {
  const folder = dirname(file);
  const isPath = folder !== '.' && (isAbsolute(file) ? dirname(folder) !== folder : existsSync(folder));
  return isPath ? `, ${file}` : '';
}

/** Maximum size of a file with a key, in bytes: a device may never end. */
const maxKeyFileSize = 1_000_000;

function readLimited(file: string): string {
  const bytes = Buffer.alloc(maxKeyFileSize);
  const descriptor = openSync(file, 'r');
  try {
    for (let length = 0; length < bytes.length; ) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (count === 0) return bytes.toString('utf8', 0, length);
      length += count;
    }
  } finally {
    closeSync(descriptor);
  }
  throw new Error('it is longer than any key');
}

/** Reads the keys in the settings file, even if it is damaged. */
export function readStoredKeys(env: Environment): string[] {
  const matches = readSmallFile(resolveSettingsFile(env)).matchAll(/"api_key"\s*:\s*("(?:[^"\\]|\\.)*")/g);
  return Array.from(matches, ([, json = '']) => parseString(json));
}

/** Reads all keys and passwords of this machine, except keychain entries, which would prompt the user. */
export function readMachineSecrets(env: Environment): string[] {
  const fileKey = env.KITH_API_KEY_FILE ? readSmallFile(env.KITH_API_KEY_FILE).trim() : '';
  const passwords = readDatabasePasswords(env).filter(isDistinctive);
  return [
    env.KITH_API_KEY?.trim() ?? '',
    env.KITH_MCP_KEY ?? '',
    fileKey,
    ...readStoredKeys(env),
    ...passwords,
  ];
}

/** Reads a file; an empty text if there is none. Skips pipes, which can be read only once. */
function readSmallFile(path: string): string {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size < maxKeyFileSize ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function parseString(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json.slice(1, -1);
  }
}

/**
 * Returns the requested profile, or else the profile of the project file or the active one. If the profile was removed,
 * returns only its name.
 * @throws {Failure} unauthorized if the requested profile, or the profile of the project file, does not exist
 */
export function findProfile(
  requestedName: string | undefined,
  { active, profiles, project }: EffectiveSettings,
): { readonly name: string | undefined; readonly profile: Profile | undefined } {
  const name = requestedName || active;
  const profile = name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (name !== undefined && !profile && (requestedName || project?.profile))
    throw createProfileFailure(name, profiles, requestedName ? undefined : project?.path);
  return { name, profile };
}

/** Returns the failure for a profile that does not exist. `file`: the project file that names it. */
export function createProfileFailure(
  name: string,
  profiles: Readonly<Record<string, Profile>>,
  file?: string,
): Failure {
  const names = Object.keys(profiles);
  return new Failure('unauthorized', `Profile "${name}"${file ? ` from ${file}` : ''} not found.`, {
    hint: names.length > 0 ? `Profiles: ${names.join(', ')}.` : signInHint,
  });
}

/** @throws {Failure} unauthorized if no profile has the name */
export function requireProfile(profiles: Readonly<Record<string, Profile>>, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!profile) throw createProfileFailure(name, profiles);
  return profile;
}

function connectHosted(profile: string | undefined, url: SourcedValue, key: SourcedValue): Connection {
  if (/[^\x21-\x7e]/.test(key.value)) {
    throw new Failure('unauthorized', `The key in ${key.source} contains invalid characters.`, {
      hint: 'Check that you copied only the key.',
    });
  }
  return { ...describeHosted(profile, url, key.source), key: key.value };
}

function describeHosted(profile: string | undefined, url: SourcedValue, keySource: string): Hosted {
  parseBaseUrl(url.value, url.source);
  return { kind: 'hosted', profile, baseUrl: url.value, baseUrlSource: url.source, keySource };
}
