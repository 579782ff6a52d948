import { rmSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import type { Transport } from '../../client/delivery.ts';
import { contacts } from '../../contract/contacts.ts';
import type { Result } from '../../contract/documents/results.ts';
import { Failure, requireFailure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { parseBaseUrl } from '../../settings/base-url.ts';
import { identifyProfile, readBaseUrl } from '../../settings/connection.ts';
import { databaseVariable, usesDatabaseVariable } from '../../settings/database-location.ts';
import { resolveNameFile } from '../../settings/name-cache.ts';
import { type Environment, resolveCacheFolder, resolveDatabaseFile } from '../../settings/paths.ts';
import type { Profile } from '../../settings/settings.ts';
import { findDatabasePassword, formatDatabase, isDatabaseUrl } from '../../values/database-url.ts';
import { type CommandResult, toMessageResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { isInteractive } from '../command/interaction.ts';
import { createFlag, type OptionValues } from '../command/options.ts';
import { dailyExamples } from '../help/help.ts';
import { openEffectiveSettings, openSettingsForChange, readProfiles } from './connection.ts';
import { databaseOptions, parseDatabaseFlag, regionOption } from './database.ts';

export const loginOptions = {
  keyStdin: createFlag('Read the API key from stdin'),
  keychain: createFlag('Store the API key in the system keychain'),
  local: createFlag('Use a local workspace: a file, or a PostgreSQL database'),
  ...databaseOptions,
  demo: createFlag('Fill the workspace with sample data'),
  region: regionOption,
};

type LoginFlags = OptionValues<typeof loginOptions>;

export interface SignIn {
  /** A sentence that names the workspace. */
  readonly text: string;
  readonly json: Result<'login'>;
  /** Commands to run next: they show records, or fill an empty workspace. */
  readonly next: readonly string[];
}

/** Signs in, activates the profile, and suggests the next commands. */
export async function login(session: Session, flags: LoginFlags): Promise<CommandResult> {
  const { text, json, next } = await signIn(session, flags);
  const commands = next.map((command) => `kith ${command}\n`).join(' '.repeat('Next: '.length));
  return toMessageResult(session, `${text}\nNext: ${commands}`, json);
}

/**
 * Signs in and activates the profile. Prompts for values that the flags omit. Stores nothing before the connection
 * works.
 */
export async function signIn(session: Session, flags: Partial<LoginFlags> = {}): Promise<SignIn> {
  const { profile = '' } = session.globals;
  // A name such as `__proto__`, which every object has.
  if (profile in {}) throw new Failure('usage', `--profile: "${profile}" is not a valid profile name.`);
  const complete = await completeFlags(session, flags);
  return complete.local ? loginLocal(session, complete) : loginHosted(session, complete);
}

/** Asks which workspace to use, unless the flags, the environment or the profile decide it. */
async function completeFlags(session: Session, flags: Partial<LoginFlags>): Promise<Partial<LoginFlags>> {
  const { globals } = session;
  const isDecided =
    flags.local || flags.keyStdin || flags.keychain || readBaseUrl(globals, session.runtime.env);
  if (isDecided || !isInteractive(session)) return flags;
  const { chooseWorkspace } = await import('./ask-workspace.ts');
  const profiles = await readProfiles(session);
  const before = profiles?.[globals.profile ?? ''];
  if (before) return { ...flags, local: 'database' in before };
  const workspace = await chooseWorkspace(session, profiles);
  return { ...flags, local: workspace !== 'hosted', demo: workspace === 'sample' };
}

async function loginLocal(
  session: Session,
  { demo = false, database, region }: Partial<LoginFlags>,
): Promise<SignIn> {
  const { globals } = session;
  if (globals.baseUrl !== undefined)
    throw new Failure('usage', '--base-url and --local cannot be used together.');
  const standard = demo ? 'demo' : 'local';
  const name = globals.profile ?? standard;
  const { profiles } = (await openSettingsForChange(session)).read();
  const before = profiles[name];
  if (before && 'base_url' in before) throw createProfileFailure(name, before.base_url);
  /** The other profiles by their workspaces. */
  const users = new Map<string, string>();
  for (const [otherName, profile] of Object.entries(profiles))
    if (otherName !== name && 'database' in profile) users.set(profile.database, otherName);
  const stem = name === standard ? (demo ? 'demo' : 'workspace') : undefined;
  const location = database
    ? await parseDatabaseFlag(session, database)
    : (before?.database ?? chooseDatabase(session.runtime.env, stem, name, [...users.keys()]));
  /** The location without its password, which is not stored. */
  const place = formatDatabase(location);
  const workspace = await session.services.workspace();
  const { filled } = await workspace.create(location, { demo, region });
  const profile = { database: place, ...(demo && { user: sampleUser, process: 'Sales pipeline' }) };
  const commands = await connect(session, profile, await workspace.transport(location), () =>
    storeProfile(session, name, profile),
  );
  const engine = isDatabaseUrl(location) ? 'database' : 'file';
  const sharing = users.get(place);
  if (sharing !== undefined) await session.messages.note(`The profile ${sharing} uses the same ${engine}.`);
  if (findDatabasePassword(location) !== undefined)
    await session.messages.note('The password was not stored.');
  const title = demo
    ? `the sample workspace${filled ? '' : ' (already filled)'} as ${sampleUser}`
    : engine === 'file'
      ? 'a workspace on this machine'
      : 'a workspace in PostgreSQL';
  return {
    text: `Signed in to ${title}: profile ${name}, ${engine} ${place}`,
    json: { profile: name, database: place },
    next: demo && isInteractive(session) ? dailyExamples.slice(0, 3).map(([line]) => line) : commands,
  };
}

/** A salesperson of the sample workspace. */
const sampleUser = 'mina@tidewater.example';

/** Chooses an unused workspace file for a new profile. File systems may ignore case. */
function chooseDatabase(
  env: Environment,
  standard: 'demo' | 'workspace' | undefined,
  name: string,
  usedPaths: readonly string[],
): string {
  const reserved = standard ? [] : ['workspace', 'demo'].map((file) => resolveDatabaseFile(env, file));
  const reservedPaths = new Set([...usedPaths, ...reserved].map((path) => path.toLowerCase()));
  const fileName = name.replace(/[^\p{L}\p{N}._-]/gu, '-').replace(/^[.-]+/, '') || 'profile';
  const stem = standard ?? fileName;
  for (let count = 1; ; count += 1) {
    const path = resolveDatabaseFile(env, count === 1 ? stem : `${stem}-${count}`);
    if (!reservedPaths.has(path.toLowerCase())) return path;
  }
}

async function loginHosted(session: Session, { keyStdin, keychain }: Partial<LoginFlags>): Promise<SignIn> {
  const { globals } = session;
  const { askBaseUrl, askKey, findKeyProblem } = await import('./ask-workspace.ts');
  const setting = readBaseUrl(globals, session.runtime.env);
  if (!setting)
    requirePerson(session, 'Missing required option: --base-url URL', {
      hint: 'For a workspace on this machine, run `kith auth login --local`.',
    });
  const earlier = (await readProfiles(session))?.[globals.profile ?? ''];
  const earlierUrl = earlier && 'base_url' in earlier ? earlier.base_url : undefined;
  const baseUrl = setting?.value ?? (await askBaseUrl(session, earlierUrl));
  const { host, origin } = parseBaseUrl(baseUrl, setting?.source ?? 'The base URL');
  const name = globals.profile ?? host;
  const settings = await openSettingsForChange(session);
  const before = settings.read().profiles[name];
  if (before && 'database' in before) throw createProfileFailure(name, before.database);
  const chain = await import('../../settings/keychain.ts');
  const account = keychain ? chain.formatAccount(name, settings.path) : undefined;
  if (account !== undefined) await chain.checkKeychain(account);
  const useKey = async (key: string) => {
    const problem = findKeyProblem(key);
    if (problem) throw new Failure('usage', problem.message, { hint: problem.hint });
    const profile = {
      base_url: baseUrl,
      ...(account === undefined ? { api_key: key } : { keychain: account }),
    };
    const store = () => storeProfile(session, name, profile);
    return connect(session, profile, await session.connections.createTransport({ baseUrl, key }), () =>
      account === undefined ? store() : chain.storeKey(account, key, store),
    );
  };
  if (!keyStdin)
    requirePerson(session, 'Cannot prompt for the API key: stdin is not a terminal.', {
      hint: 'Pass it on stdin: --key-stdin < key.txt',
    });
  const next = await (keyStdin
    ? useKey((await session.streams.stdin.text()).trim())
    : askKey(session, origin, useKey));
  if (before && 'keychain' in before && before.keychain !== account) await chain.deleteKey(before.keychain);
  return {
    text: `Signed in to ${baseUrl}: profile ${name}`,
    json: { profile: name, base_url: baseUrl },
    next,
  };
}

/** @throws {Failure} usage if nobody can be prompted */
function requirePerson(session: Session, message: string, detail: { readonly hint: string }): void {
  if (!isInteractive(session)) throw new Failure('usage', message, detail);
}

function createProfileFailure(name: string, problem: string): Failure {
  return new Failure('usage', `The profile ${name} already belongs to ${problem}.`, {
    hint: `Choose another name with --profile, or remove it: kith auth logout --profile ${name}`,
  });
}

/**
 * Tests the connection with a request for lists, whose names are cached for completion, and stores the profile. Returns
 * the next commands.
 */
async function connect(
  session: Session,
  profile: Profile,
  transport: Transport,
  store: () => Promise<void>,
): Promise<readonly string[]> {
  const client = await session.connections.createClient(transport);
  const { data, hasMore } = await client.page(lists.list, { first: 100 });
  await store();
  const names = session.references.names.withCache({
    env: session.runtime.env,
    workspace: identifyProfile(profile),
  });
  names.add(lists.list, {}, data, hasMore === false);
  await names.open();
  names.flush();
  return isInteractive(session) ? suggestCommands(session, client, data.length > 0) : ['contacts list'];
}

/** Suggests commands that show records of a workspace, or fill an empty one. */
async function suggestCommands(
  { signal }: Session,
  client: Client,
  hasLists: boolean,
): Promise<readonly string[]> {
  const page = await client.page(contacts.list, { first: 1 }).catch((error: unknown) => {
    signal.throwIfAborted();
    requireFailure(error);
  });
  if (page?.data.length !== 0) return ['contacts list'];
  return hasLists ? ['lists list'] : ['contacts create', 'contacts import FILE'];
}

async function storeProfile(session: Session, name: string, profile: Profile): Promise<void> {
  const settings = await session.services.settings();
  const before = settings.read().profiles[name];
  await settings.change((stored) => {
    const guards = stored.profiles[name]?.guards;
    stored.profiles[name] = { ...profile, ...(guards && { guards }) };
    stored.active = name;
  });
  // Another key may belong to another workspace of the same service. A key in the keychain cannot be compared.
  const isSame = before && 'database' in before && getPlace(before) === getPlace(profile);
  if (before && !isSame) await removeProfileFiles(session.runtime.env, before);
  await warnOfVariable(session, name, profile);
}

/** Warns that commands do not use the workspace of the active profile, because a file or variable names another one. */
export async function warnOfVariable(session: Session, name: string, profile: Profile): Promise<void> {
  const { env } = session.runtime;
  const { note } = session.messages;
  // Commands that use a damaged file report it.
  const project = await openEffectiveSettings(session)
    .then(({ read }) => read().project)
    .catch(() => undefined);
  if (project?.profile !== undefined && project.profile !== name)
    await note(
      `${project.path} selects the profile ${project.profile} in its folder. To use ${name} there, pass --profile ${name}.`,
    );
  if (!usesDatabaseVariable({}, env) || formatDatabase(env[databaseVariable] ?? '') === getPlace(profile))
    return;
  await note(
    `${databaseVariable} is set and overrides the active profile. Unset it, or pass --profile ${name}.`,
  );
}

const getPlace = (profile: Profile) => ('database' in profile ? profile.database : profile.base_url);

/** Removes the search index, the name cache and the mirror of a profile that is removed or points to another workspace. */
export async function removeProfileFiles(env: Environment, profile: Profile): Promise<void> {
  const { removeIndex, resolveIndexFile } = await import('../../search/index/index-file.ts');
  const workspace = identifyProfile(profile);
  removeIndex(resolveIndexFile(resolveCacheFolder(env), workspace));
  rmSync(resolveNameFile({ env, workspace }), { force: true });
  const { findMirrorFiles, removeMirror } = await import('../../settings/mirror.ts');
  removeMirror(findMirrorFiles(env, workspace));
}
