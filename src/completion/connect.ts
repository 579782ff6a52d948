import { readFileIfExists } from '../files/read-file.ts';
import { choosesWorkspace, resolveConnection } from '../settings/connection.ts';
import { type Environment, findProjectFile, resolveSettingsFile } from '../settings/paths.ts';
import { readProjectFile } from '../settings/project-file.ts';
import type { StoredSettings } from '../settings/settings.ts';
import { isDatabaseUrl } from '../values/database-url.ts';
import { createCachedNames } from './cached-names.ts';
import type { CompletionRequest } from './request.ts';
import { openForReading } from './sqlite-file.ts';
import type { WorkspaceNames } from './workspace.ts';
import { createFileNames } from './workspace-names.ts';

/** The environment and the current folder, which may have a project file. `folder` throws if the folder was removed. */
export interface Place {
  readonly env: Environment;
  readonly folder: string;
}

/** Reads the settings. They are not validated, which would take longer than everything else. */
export function readSettings(env: Environment): StoredSettings {
  const text = String(readFileIfExists(resolveSettingsFile(env)) ?? '{}');
  return { profiles: {}, ...JSON.parse(text.replace(/^\ufeff/, '')) };
}

/**
 * Opens the names of the workspace in use; undefined if it cannot be read.
 * @throws {Failure} unauthorized if there is none, usage if the project file is damaged
 */
export function openNames(flags: CompletionRequest, place: Place): WorkspaceNames | undefined {
  const { env } = place;
  const connection = resolveConnection(flags, env, () => ({
    read: () => ({ ...readSettings(env), ...readProjectProfile(place) }),
  }));
  if (connection.kind === 'hosted' || isDatabaseUrl(connection.database))
    return createCachedNames(env, connection);
  const sqlite = openForReading(connection.database);
  return sqlite && createFileNames(sqlite);
}

/** Reads the profile of the project file. Its other settings are those of commands. */
function readProjectProfile(place: Place): Pick<StoredSettings, 'active'> {
  const { env } = place;
  const path = choosesWorkspace(env) ? undefined : findProjectFile(() => place, env);
  const { profile } = (path !== undefined && readProjectFile(path)) || {};
  return typeof profile === 'string' ? { active: profile } : {};
}
