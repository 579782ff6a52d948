import { resolve } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { parseBaseUrl } from '../../settings/connection.ts';
import { cacheLists, formatWorkspaceKey } from '../../settings/list-names.ts';
import { type Environment, resolveDatabaseFile } from '../../settings/paths.ts';
import type { Profile } from '../../settings/settings.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import type { Session } from '../context.ts';
import { isInteractive, prompt } from '../interaction.ts';
import { openSettingsForChange } from './connection.ts';
import { toNamedLists } from './resolve.ts';

/** The flags of `auth login`. */
interface LoginOptions {
  readonly keyStdin: boolean;
  readonly keychain: boolean;
  readonly local: boolean;
  readonly demo: boolean;
  readonly database: string | undefined;
  readonly region: string | undefined;
}

/** Number of lists that are read to test the connection, and cached for completion. */
const listCount = 100;

/** Signs in and makes the profile the active one. Nothing is stored before the connection works. */
export function login(session: Session, input: LoginOptions): Promise<CommandResult> {
  const { profile = '' } = session.globals;
  // Such as `__proto__`, which every object has.
  if (profile in {}) throw new Failure('usage', `--profile: "${profile}" is not a valid profile name.`);
  return input.local ? loginLocal(session, input) : loginHosted(session, input);
}

async function loginLocal(
  session: Session,
  { demo, database, region }: LoginOptions,
): Promise<CommandResult> {
  const { env, globals } = session;
  if (globals.baseUrl !== undefined)
    throw new Failure('usage', '--base-url and --local cannot be used together.');
  const name = globals.profile ?? defaultProfile(demo);
  const { profiles } = (await openSettingsForChange(session)).read();
  const before = profiles[name];
  if (before && 'base_url' in before) throw createProfileFailure(name, before.base_url);
  const users = mapDatabaseUsers(profiles, name);
  const file =
    database === undefined ? (before?.database ?? chooseDatabase(env, name, demo, users)) : resolve(database);
  const workspace = await session.workspace();
  const { filled } = await workspace.create(file, { demo, region });
  const client = await session.createClient(await workspace.transport(file));
  const { data } = await client.page(lists.list, { first: listCount });
  await storeProfile(session, name, { database: file });
  await cacheLists(env, session.lockHolder, formatWorkspaceKey(file, name), toNamedLists(data));
  const what = demo
    ? `the sample workspace${filled ? '' : ' (already filled)'}`
    : 'a workspace on this machine';
  const text = `Signed in to ${what}: profile ${name}, file ${file}\nNext: kith contacts list\n`;
  const sharing = users.get(file);
  if (sharing !== undefined) await session.note(`The profile ${sharing} uses the same file.`);
  return toTextResult(text, { profile: name, database: file });
}

/** Maps each workspace file of the other profiles to the name of a profile that uses it. */
function mapDatabaseUsers(
  profiles: Readonly<Record<string, Profile>>,
  name: string,
): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  for (const [other, profile] of Object.entries(profiles)) {
    if (other !== name && 'database' in profile) users.set(profile.database, other);
  }
  return users;
}

/**
 * Returns the workspace file for a new profile: the default file for the default profile, otherwise one named after
 * the profile. Never returns a file that another profile uses, even if the file system ignores case.
 */
function chooseDatabase(
  env: Environment,
  name: string,
  demo: boolean,
  users: ReadonlyMap<string, string>,
): string {
  const usual = demo ? 'demo' : 'workspace';
  const isUsual = name === defaultProfile(demo);
  const others = isUsual ? [] : [resolveDatabaseFile(env), resolveDatabaseFile(env, 'demo')];
  const taken = new Set([...users.keys(), ...others].map((path) => path.toLowerCase()));
  const own = name.replace(/[^\p{L}\p{N}._-]/gu, '-').replace(/^[.-]+/, '') || 'profile';
  const stem = isUsual ? usual : own;
  for (let count = 1; ; count += 1) {
    const path = resolveDatabaseFile(env, count === 1 ? stem : `${stem}-${count}`);
    if (!taken.has(path.toLowerCase())) return path;
  }
}

const defaultProfile = (demo: boolean) => (demo ? 'demo' : 'local');

async function loginHosted(session: Session, { keyStdin, keychain }: LoginOptions): Promise<CommandResult> {
  const { globals, env } = session;
  const baseUrl = globals.baseUrl ?? env.KITH_BASE_URL ?? (await askForUrl(session));
  const from =
    globals.baseUrl !== undefined ? '--base-url' : env.KITH_BASE_URL ? 'KITH_BASE_URL' : 'The base URL';
  parseBaseUrl(baseUrl, from);
  const name = globals.profile ?? new URL(baseUrl).host;
  const settings = await openSettingsForChange(session);
  const before = settings.read().profiles[name];
  if (before && 'database' in before) throw createProfileFailure(name, before.database);
  const chain = await import('../../settings/keychain.ts');
  const account = keychain ? chain.formatAccount(name, settings.path) : undefined;
  if (account !== undefined) await chain.checkKeychain(account);
  const key = keyStdin ? (await session.stdin.text()).trim() : await askForKey(session, baseUrl);
  if (key === '')
    throw new Failure('usage', 'The API key is empty.', { hint: 'Pass it on stdin: --key-stdin < key.txt' });
  if (/[^\x21-\x7e]/.test(key)) {
    throw new Failure('usage', 'The API key contains invalid characters.', {
      hint: 'Check that you copied only the key, on one line.',
    });
  }
  const client = await session.createClient(await session.createTransport({ baseUrl, key }));
  // This request tests the key and returns the list names for completion.
  const { data } = await client.page(lists.list, { first: listCount });
  if (account === undefined) await storeProfile(session, name, { base_url: baseUrl, api_key: key });
  else {
    const profile = { base_url: baseUrl, keychain: account };
    await chain.storeKey(account, key, () => storeProfile(session, name, profile));
  }
  if (before && 'keychain' in before && before.keychain !== account) await chain.deleteKey(before.keychain);
  await cacheLists(env, session.lockHolder, formatWorkspaceKey(baseUrl, name), toNamedLists(data));
  const text = `Signed in to ${baseUrl}: profile ${name}\nNext: kith contacts list\n`;
  return toTextResult(text, { profile: name, base_url: baseUrl });
}

function createProfileFailure(name: string, what: string): Failure {
  return new Failure('usage', `The profile ${name} already belongs to ${what}.`, {
    hint: `Choose another name with --profile, or remove it: kith auth logout --profile ${name}`,
  });
}

async function storeProfile(session: Session, name: string, profile: Profile): Promise<void> {
  await (await session.settings()).change((stored) => {
    stored.profiles[name] = profile;
    stored.active = name;
  });
}

async function askForUrl(session: Session): Promise<string> {
  if (!isInteractive(session)) {
    throw new Failure('usage', 'Missing required option: --base-url URL', {
      hint: 'For a workspace on this machine, run `kith auth login --local`.',
    });
  }
  return (await prompt(({ text }) => text('Base URL of the service (https://…)'), session)).trim();
}

async function askForKey(session: Session, baseUrl: string): Promise<string> {
  if (!isInteractive(session)) {
    throw new Failure('usage', 'Cannot prompt for the API key: stdin is not a terminal.', {
      hint: 'Pass it on stdin: --key-stdin < key.txt',
    });
  }
  const question = `API key for ${new URL(baseUrl).origin}`;
  return (await prompt(({ secret }) => secret(question), session)).trim();
}
