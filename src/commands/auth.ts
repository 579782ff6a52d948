import { defineCommand, toMessageResult, toRecordResult, toRecordsResult } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { conflicts, requires } from '../cli/command/rules.ts';
import { openEffectiveSettings, openSettingsForChange } from '../cli/connect/connection.ts';
import { login, loginOptions, removeProfileFiles, warnOfVariable } from '../cli/connect/login.ts';
import { contacts } from '../contract/contacts.ts';
import type { Result } from '../contract/documents/results.ts';
import { Failure, requireFailure } from '../contract/errors.ts';
import { views } from '../render/views.ts';
import { type ResolvedConnection, requireProfile, resolveConnection } from '../settings/connection.ts';
import { formatDatabase, isDatabaseUrl } from '../values/database-url.ts';

export const auth = [
  defineCommand({
    name: 'login',
    summary: 'Sign in to a hosted service or create a local workspace',
    description:
      'Sign in to a hosted service with an API key. The key is read from a prompt or stdin, verified, and stored ' +
      'in a file that only you can read, or with --keychain in the system keychain. --local needs no key: the ' +
      'workspace is a file, or a PostgreSQL database with --database URL.',
    options: loginOptions,
    rules: [
      ...['demo', 'database', 'region'].map((name) => requires(name, 'local')),
      conflicts('keyStdin', 'local'),
      conflicts('keychain', 'local'),
    ],
    describeInteraction: ({ local }) =>
      local
        ? undefined
        : 'prompts for an API key; sign in first, then schedule the commands that use the profile',
    output: { text: ['login'] },
    isWorkspaceOptional: true,
    examples: [
      'auth login --local --demo',
      'auth login --local --database postgres://kith@db.example.com/kith',
      'auth login --base-url https://crm.example.com',
      'auth login --base-url https://crm.example.com --key-stdin < key.txt',
      'auth login --base-url https://crm.example.com --keychain',
    ],
    run: login,
  }),
  defineCommand({
    name: 'status',
    output: { records: ['auth-status'] },
    summary: 'Show the active workspace and its key, and check that they work',
    isWorkspaceOptional: true,
    examples: ['auth status'],
    async run(session) {
      const { globals } = session;
      const { env } = session.runtime;
      const settings = await openEffectiveSettings(session);
      const connection = resolveConnection(globals, env, () => settings);
      const { profile = null } = connection;
      const selected = profile === null ? undefined : settings.read().project;
      const stored = selected?.profile === undefined ? 'kith auth switch' : selected.path;
      const source = globals.profile ? '--profile' : env.KITH_PROFILE ? 'KITH_PROFILE' : stored;
      const failure = await session
        .client()
        .then((client) => client.page(contacts.list, { first: 1 }))
        .then(() => undefined, requireFailure);
      const record: Result<'auth-status'> = {
        profile,
        profile_from: profile === null ? null : source,
        ...describeConnection(connection),
        ...(await describeCopy(session, connection)),
        settings: settings.path,
        guards: await session.guards.list(),
        works: !failure,
      };
      return { ...toRecordResult(record, views.status), failure };
    },
  }),
  defineCommand({
    name: 'list',
    output: { records: ['profile[]'] },
    summary: 'List profiles',
    effects: 'local',
    examples: ['auth list'],
    async run(session) {
      const { active, profiles } = (await openEffectiveSettings(session)).read();
      const records = Object.entries(profiles).map(([name, profile]) => ({
        name,
        active: name === active,
        ...('database' in profile
          ? { workspace: formatDatabase(profile.database), key: null }
          : {
              workspace: profile.base_url,
              key: 'keychain' in profile ? 'keychain' : maskKey(profile.api_key),
            }),
      }));
      return toRecordsResult(records, views.profiles, 'There are no profiles. Sign in with: kith auth login');
    },
  }),
  defineCommand({
    name: 'switch',
    exitCodes: [4, 75],
    summary: 'Switch to another profile',
    output: { text: ['chosen-profile'] },
    effects: 'local',
    args: { profile: { summary: 'Profile: name', completion: 'profiles', record: 'profiles' } },
    examples: ['auth switch demo'],
    async run(session, { profile }) {
      const store = await openSettingsForChange(session);
      const found = requireProfile(store.read().profiles, profile);
      await store.change((stored) => {
        stored.active = profile;
      });
      await warnOfVariable(session, profile, found);
      return toMessageResult(session, `Switched to profile ${profile}.\n`, { profile });
    },
  }),
  defineCommand({
    name: 'logout',
    exitCodes: [4, 8, 75],
    summary: 'Remove a profile and its key; workspace files and databases are kept',
    output: { text: ['chosen-profile'] },
    effects: 'discards',
    writingFlags: ['yes'],
    examples: ['auth logout', 'auth logout --profile demo'],
    async run(session) {
      const { globals } = session;
      const { env } = session.runtime;
      const store = await openSettingsForChange(session);
      const { active, profiles } = store.read();
      const named = globals.profile ?? env.KITH_PROFILE;
      if (named === undefined) await requireStoredProfile(session);
      const name = named ?? active;
      if (name === undefined) throw new Failure('unauthorized', 'You are not signed in to a workspace.');
      const profile = requireProfile(profiles, name);
      if (profile.guards)
        await (await import('../cli/guards/store-guard.ts')).confirmProfileRemoval(
          session,
          name,
          profile.guards,
        );
      if ('keychain' in profile) await (await import('../settings/keychain.ts')).deleteKey(profile.keychain);
      await store.change((stored) => {
        delete stored.profiles[name];
        if (stored.active === name) delete stored.active;
      });
      await removeProfileFiles(env, profile);
      const kept =
        'database' in profile
          ? ` Its ${isDatabaseUrl(profile.database) ? 'database' : 'workspace file'} was kept: ${formatDatabase(profile.database)}`
          : '';
      const others = Object.keys(profiles).filter((other) => other !== name);
      if (name === active && others.length > 0) {
        await session.messages.note(`No active profile. Select one with: kith auth switch ${others[0]}`);
      }
      return toMessageResult(session, `Removed profile ${name}.${kept}\n`, {
        profile: name,
        forgotten: true,
      });
    },
  }),
];

/** A file that may come from someone else does not decide which key is removed. @throws {Failure} usage */
async function requireStoredProfile(session: Session): Promise<void> {
  const { profile, path } = (await openEffectiveSettings(session)).read().project ?? {};
  if (profile === undefined) return;
  throw new Failure('usage', `The profile ${profile} comes from ${path}. Name the profile to remove.`, {
    hint: `kith auth logout --profile ${profile}`,
  });
}

function describeConnection(connection: ResolvedConnection) {
  return connection.kind === 'local'
    ? { workspace: formatDatabase(connection.database), workspace_from: connection.databaseSource }
    : {
        base_url: connection.baseUrl,
        base_url_from: connection.baseUrlSource,
        key: 'keychain' in connection ? 'keychain' : maskKey(connection.key),
        key_from: connection.keySource,
      };
}

/** Returns the time of the mirror of a hosted workspace; null if the workspace has no mirror. */
async function describeCopy({ runtime: { env } }: Session, connection: ResolvedConnection) {
  if (connection.kind === 'local') return {};
  const { findMirror } = await import('../settings/mirror.ts');
  return { pulled_at: findMirror(env, connection)?.readAt.toISOString() ?? null };
}

function maskKey(key: string): string {
  return key.length < 12 ? '…' : `…${key.slice(-4)}`;
}
