import { requireFailure } from '../../contract/errors.ts';
import type { WorkspaceIdentity } from '../../files/workspace-identity.ts';
import {
  type Connection,
  hasWorkspaceVariable,
  identifyConnection,
  openSettingsIfStored,
  type ResolvedConnection,
  resolveConnection,
} from '../../settings/connection.ts';
import { findProjectFiles } from '../../settings/paths.ts';
import type { EffectiveSettings, Profile, Settings } from '../../settings/settings.ts';
import { isDatabaseUrl } from '../../values/database-url.ts';
import type { Messages, Runtime, Services, Session } from '../command/context.ts';
import type { Globals } from '../command/globals.ts';
import { isInteractive } from '../command/interaction.ts';

/** The environment, settings and flags that select the workspace. With `messages`, project files are announced. */
export interface Configuration {
  readonly runtime: Pick<Runtime, 'env' | 'getInvocation'>;
  readonly services: Pick<Services, 'settings'>;
  readonly messages?: Pick<Messages, 'note' | 'printsJson'>;
  readonly globals: Globals;
}

/** Opens the settings for reading. Project files override them. `read` fails if a file is damaged. */
export async function openEffectiveSettings(
  configuration: Configuration,
): Promise<{ readonly path: string; read(): EffectiveSettings }> {
  const { runtime, services } = configuration;
  const stored = await openSettingsIfStored(runtime.env, services.settings);
  const paths = findProjectFiles(runtime);
  if (paths.length === 0) return stored;
  const { applyProjectFiles } = await import('./project-file.ts');
  return applyProjectFiles(stored, paths, configuration);
}

/** Finds the connection of the flags, the environment or the settings. @throws {Failure} unauthorized */
export async function findConnection(configuration: Configuration): Promise<ResolvedConnection> {
  const settings = await openEffectiveSettings(configuration);
  return resolveConnection(configuration.globals, configuration.runtime.env, () => settings);
}

/** Finds the connection and its key, if necessary in the keychain. @throws {Failure} unauthorized */
export async function resolveConnectionWithKey(configuration: Configuration): Promise<Connection> {
  const connection = await findConnection(configuration);
  if (!('keychain' in connection)) return connection;
  const { readKey } = await import('../../settings/keychain.ts');
  const { keychain, ...hosted } = connection;
  return { ...hosted, key: await readKey(keychain, hosted.profile ?? '') };
}

/** Returns the workspace in use, with its key or its id. @throws {Failure} unauthorized */
export async function identifyWorkspace(session: Session): Promise<WorkspaceIdentity> {
  const connection = await resolveConnectionWithKey(session);
  const identity = identifyConnection(connection);
  if (connection.kind === 'hosted') return identity;
  return { ...identity, id: await (await session.services.workspace()).identity(connection.database) };
}

/**
 * Returns the default number of concurrent requests. A workspace file has one writer, so that concurrent requests would
 * only change the order.
 */
export async function getDefaultConcurrency(session: Session): Promise<number> {
  const connection = await findConnection(session);
  return connection.kind === 'local' && !isDatabaseUrl(connection.database) ? 1 : 4;
}

export type Profiles = Readonly<Record<string, Profile>>;

/** Reads the stored profiles; undefined if the settings are damaged. Signing in repairs them. */
export async function readProfiles({ runtime, services }: Session): Promise<Profiles | undefined> {
  const stored = await openSettingsIfStored(runtime.env, services.settings);
  try {
    return stored.read().profiles;
  } catch (error) {
    requireFailure(error);
    return undefined;
  }
}

/** Whether kith can prompt for a workspace, and no flag, variable, profile or project file names one. */
export async function isFirstRun(session: Session): Promise<boolean> {
  const { globals } = session;
  const { env } = session.runtime;
  if (globals.profile || globals.baseUrl || hasWorkspaceVariable(env) || !isInteractive(session))
    return false;
  const profiles = await readProfiles(session);
  if (profiles === undefined || Object.keys(profiles).length > 0) return false;
  const effective = await openEffectiveSettings(session);
  try {
    return effective.read().project?.profile === undefined;
  } catch (error) {
    requireFailure(error);
    return false; // the command reports a damaged project file
  }
}

/** Opens the settings for a change. A damaged file is renamed first; both names are reported, also with --quiet. */
export async function openSettingsForChange({ services, messages }: Session): Promise<Settings> {
  const opened = await services.settings();
  const renamed = await opened.moveDamaged();
  if (renamed !== undefined)
    await messages.warn(`The settings in ${opened.path} are damaged; the file was renamed to ${renamed}.`);
  return opened;
}

/** Returns the region of phone numbers; undefined for a hosted service, which does not report it. */
export async function findRegion(session: Session): Promise<string | undefined> {
  const connection = await findConnection(session);
  if (connection.kind === 'hosted') return undefined;
  return (await session.services.workspace()).region(connection.database);
}
