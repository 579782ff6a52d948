import type { Transport } from '../../client/delivery.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import type { Prompts } from '../../process/prompts.ts';
import { formatWorkspaceKey, parseBaseUrl, readBaseUrl } from '../../settings/connection.ts';
import { databaseVariable, parseDatabase, usesDatabaseVariable } from '../../settings/database-location.ts';
import { cacheLists } from '../../settings/list-names.ts';
import { type Environment, resolveCacheFolder, resolveDatabaseFile } from '../../settings/paths.ts';
import type { Profile } from '../../settings/settings.ts';
import { findDatabasePassword, formatDatabase, isDatabaseUrl } from '../../values/database-url.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import type { Session } from '../context.ts';
import { flag, type OptionValues } from '../flags/options.ts';
import { isInteractive, prompt } from '../interaction.ts';
import { toNamedLists } from '../references/list-names.ts';
import { openEffectiveSettings, openSettingsForChange } from './connection.ts';
import { databaseOptions, regionOption } from './database.ts';

/** The flags of `auth login`. */
export const loginOptions = {
  keyStdin: flag('Read the API key from stdin'),
  keychain: flag('Store the API key in the system keychain'),
  local: flag('Use a local workspace: a file, or a PostgreSQL database'),
  ...databaseOptions,
  demo: flag('Fill the workspace with sample data'),
  region: regionOption,
};

type LoginFlags = OptionValues<typeof loginOptions>;

/** Signs in and makes the profile the active one. Nothing is stored before the connection works. */
export function login(session: Session, flags: LoginFlags): Promise<CommandResult> {
  const { profile = '' } = session.globals;
  // Such as `__proto__`, which every object has.
  if (profile in {}) throw new Failure('usage', `--profile: "${profile}" is not a valid profile name.`);
  return flags.local ? loginLocal(session, flags) : loginHosted(session, flags);
}

async function loginLocal(session: Session, { demo, database, region }: LoginFlags): Promise<CommandResult> {
  const { env, globals } = session;
  if (globals.baseUrl !== undefined)
    throw new Failure('usage', '--base-url and --local cannot be used together.');
  const standard = demo ? 'demo' : 'local';
  const name = globals.profile ?? standard;
  const { profiles } = (await openSettingsForChange(session)).read();
  const before = profiles[name];
  if (before && 'base_url' in before) throw createProfileFailure(name, before.base_url);
  /** The other profiles by their workspaces. */
  const users = new Map<string, string>();
  for (const [other, profile] of Object.entries(profiles))
    if (other !== name && 'database' in profile) users.set(profile.database, other);
  const stem = name === standard ? (demo ? 'demo' : 'workspace') : undefined;
  const location = database
    ? parseDatabase(database, '--database')
    : (before?.database ?? chooseDatabase(env, stem, name, [...users.keys()]));
  /** The location without its password, which is not stored. */
  const place = formatDatabase(location);
  const workspace = await session.workspace();
  const { filled } = await workspace.create(location, { demo, region });
  await connect(session, name, place, await workspace.transport(location), () =>
    storeProfile(session, name, { database: place }),
  );
  const engine = isDatabaseUrl(location) ? 'database' : 'file';
  const sharing = users.get(place);
  if (sharing !== undefined) await session.note(`The profile ${sharing} uses the same ${engine}.`);
  if (findDatabasePassword(location) !== undefined)
    await session.note('The password was not stored. Put it in ~/.pgpass, or set PGPASSWORD.');
  const what = demo
    ? `the sample workspace${filled ? '' : ' (already filled)'}`
    : engine === 'file'
      ? 'a workspace on this machine'
      : 'a workspace in PostgreSQL';
  const text = `Signed in to ${what}: profile ${name}, ${engine} ${place}\nNext: kith contacts list\n`;
  return toTextResult(text, { profile: name, database: place });
}

/** Chooses an unused workspace file for a new profile. File systems may ignore case. */
function chooseDatabase(
  env: Environment,
  standard: 'demo' | 'workspace' | undefined,
  name: string,
  used: readonly string[],
): string {
  const reserved = standard ? [] : ['workspace', 'demo'].map((file) => resolveDatabaseFile(env, file));
  const reservedPaths = new Set([...used, ...reserved].map((path) => path.toLowerCase()));
  const own = name.replace(/[^\p{L}\p{N}._-]/gu, '-').replace(/^[.-]+/, '') || 'profile';
  const stem = standard ?? own;
  for (let count = 1; ; count += 1) {
    const path = resolveDatabaseFile(env, count === 1 ? stem : `${stem}-${count}`);
    if (!reservedPaths.has(path.toLowerCase())) return path;
  }
}

async function loginHosted(session: Session, { keyStdin, keychain }: LoginFlags): Promise<CommandResult> {
  const { globals, env } = session;
  const setting = readBaseUrl(globals, env);
  const baseUrl =
    setting?.value ??
    (await ask(session, ({ text }) => text('Base URL of the service (https://…)'), {
      message: 'Missing required option: --base-url URL',
      hint: 'For a workspace on this machine, run `kith auth login --local`.',
    }));
  const { host, origin } = parseBaseUrl(baseUrl, setting?.source ?? 'The base URL');
  const name = globals.profile ?? host;
  const settings = await openSettingsForChange(session);
  const before = settings.read().profiles[name];
  if (before && 'database' in before) throw createProfileFailure(name, before.database);
  const chain = await import('../../settings/keychain.ts');
  const account = keychain ? chain.formatAccount(name, settings.path) : undefined;
  if (account !== undefined) await chain.checkKeychain(account);
  const key = keyStdin
    ? (await session.stdin.text()).trim()
    : await ask(session, ({ secret }) => secret(`API key for ${origin}`), {
        message: 'Cannot prompt for the API key: stdin is not a terminal.',
        hint: 'Pass it on stdin: --key-stdin < key.txt',
      });
  if (key === '')
    throw new Failure('usage', 'The API key is empty.', { hint: 'Pass it on stdin: --key-stdin < key.txt' });
  if (/[^\x21-\x7e]/.test(key)) {
    throw new Failure('usage', 'The API key contains invalid characters.', {
      hint: 'Check that you copied only the key, on one line.',
    });
  }
  await connect(session, name, baseUrl, await session.createTransport({ baseUrl, key }), async () => {
    if (account === undefined) return storeProfile(session, name, { base_url: baseUrl, api_key: key });
    const profile = { base_url: baseUrl, keychain: account };
    await chain.storeKey(account, key, () => storeProfile(session, name, profile));
  });
  if (before && 'keychain' in before && before.keychain !== account) await chain.deleteKey(before.keychain);
  const text = `Signed in to ${baseUrl}: profile ${name}\nNext: kith contacts list\n`;
  return toTextResult(text, { profile: name, base_url: baseUrl });
}

function createProfileFailure(name: string, what: string): Failure {
  return new Failure('usage', `The profile ${name} already belongs to ${what}.`, {
    hint: `Choose another name with --profile, or remove it: kith auth logout --profile ${name}`,
  });
}

/** Tests the connection with a request for lists, whose names are cached for completion, and stores the profile. */
async function connect(
  session: Session,
  name: string,
  place: string,
  transport: Transport,
  store: () => Promise<void>,
): Promise<void> {
  const client = await session.createClient(transport);
  const { data } = await client.page(lists.list, { first: 100 });
  await store();
  await cacheLists(session.env, session.lockHolder, formatWorkspaceKey(place, name), toNamedLists(data));
}

async function storeProfile(session: Session, name: string, profile: Profile): Promise<void> {
  const settings = await session.settings();
  const before = settings.read().profiles[name];
  await settings.change((stored) => {
    stored.profiles[name] = profile;
    stored.active = name;
  });
  // Another key may belong to another workspace of the same service, and a keychain does not tell.
  const isSame = before && 'database' in before && getPlace(before) === getPlace(profile);
  if (before && !isSame) await removeProfileIndex(session.env, name, before);
  await warnOfVariable(session, name, profile);
}

/** Warns that commands do not use the workspace of the active profile, because a file or variable names another one. */
export async function warnOfVariable(session: Session, name: string, profile: Profile): Promise<void> {
  const { env, note } = session;
  // A damaged file is reported by the commands that use it.
  const project = await openEffectiveSettings(session)
    .then(({ read }) => read().project)
    .catch(() => undefined);
  if (project?.profile !== undefined && project.profile !== name)
    await note(
      `${project.path} selects the profile ${project.profile} in its folder. There, pass --profile ${name}.`,
    );
  if (!usesDatabaseVariable({}, env) || formatDatabase(env[databaseVariable] ?? '') === getPlace(profile))
    return;
  await note(
    `${databaseVariable} is set and overrides the active profile. Unset it, or pass --profile ${name}.`,
  );
}

const getPlace = (profile: Profile) => ('database' in profile ? profile.database : profile.base_url);

/** Removes the search index of a profile that is removed or points to another workspace. */
export async function removeProfileIndex(env: Environment, name: string, profile: Profile): Promise<void> {
  const { removeIndex, resolveIndexFile } = await import('../../search-index/index-file.ts');
  removeIndex(resolveIndexFile(resolveCacheFolder(env), formatWorkspaceKey(getPlace(profile), name)));
}

/** @throws {Failure} usage if nobody can be prompted */
async function ask(
  session: Session,
  question: (prompts: Prompts) => Promise<string | undefined>,
  { message, hint }: { readonly message: string; readonly hint: string },
): Promise<string> {
  if (!isInteractive(session)) throw new Failure('usage', message, { hint });
  return (await prompt(question, session)).trim();
}
