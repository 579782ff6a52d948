import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { getBuiltinModule, platform } from 'node:process';
import type { Settings } from './settings.ts';

/** Environment variables, as a program gets them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder one happens to be in may be anybody's, with settings that send the key elsewhere. */
const absolute = (path = '') => (isAbsolute(path) ? path : undefined);

/** The home folder of the user. What the system says of it is only asked for where the environment does not name it. */
export function resolveHomeFolder(env: Environment): string {
  return absolute(platform === 'win32' ? env.USERPROFILE : env.HOME) ?? absolute(homeOfUser()) ?? '/';
}

function homeOfUser(): string | undefined {
  try {
    return getBuiltinModule('node:os').userInfo().homedir;
  } catch {
    return undefined; // a container may run as a number that belongs to no user
  }
}

/** The folder of the settings: KITH_CONFIG_DIR, or where the system keeps those of a user. */
export function resolveSettingsFolder(env: Environment): string {
  return resolve(
    env.KITH_CONFIG_DIR ||
      join(absolute(env.XDG_CONFIG_HOME) ?? join(resolveHomeFolder(env), '.config'), 'kith'),
  );
}

/** The folder of workspace files: KITH_CONFIG_DIR, or where the system keeps a user's data. */
export function resolveDataFolder(env: Environment): string {
  return resolve(
    env.KITH_CONFIG_DIR ||
      join(absolute(env.XDG_DATA_HOME) ?? join(resolveHomeFolder(env), '.local', 'share'), 'kith'),
  );
}

/** The folder of what can be made again: KITH_CONFIG_DIR, or where the system keeps that of a user. */
export function resolveCacheFolder(env: Environment): string {
  return resolve(
    env.KITH_CONFIG_DIR ||
      join(absolute(env.XDG_CACHE_HOME) ?? join(resolveHomeFolder(env), '.cache'), 'kith'),
  );
}

/** The workspace file that is used where none is named: the user's own, or the sample. */
export function resolveDefaultDatabase(env: Environment, which: 'workspace' | 'demo' = 'workspace'): string {
  return resolveDatabase(env, which);
}

/** Returns the path of a workspace file in the folder of workspace files. */
export function resolveDatabase(env: Environment, name: string): string {
  return join(resolveDataFolder(env), `${name}.sqlite`);
}

/** The file of the settings. */
export function resolveSettingsFile(env: Environment): string {
  return join(resolveSettingsFolder(env), 'config.json');
}

/** Settings to be read; where nothing was ever stored, the storage need not even be loaded. */
export async function openSettingsIfStored(
  env: Environment,
  open: () => Promise<Settings>,
): Promise<Pick<Settings, 'path' | 'read'>> {
  const path = resolveSettingsFile(env);
  return mayBeThere(path) ? open() : { path, read: () => ({ profiles: {} }) };
}

/** Whether a file is there, or in a folder that does not let us see. */
function mayBeThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
