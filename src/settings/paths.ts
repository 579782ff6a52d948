import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { getBuiltinModule, platform } from 'node:process';
import type { Settings } from './settings.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Ignores relative paths: the current folder may hold settings of another user that send the key elsewhere. */
const ifAbsolute = (path = '') => (isAbsolute(path) ? path : undefined);

/** Returns the home folder of the user, from the environment or the user database. */
export function resolveHomeFolder(env: Environment): string {
  return ifAbsolute(platform === 'win32' ? env.USERPROFILE : env.HOME) ?? ifAbsolute(findHomeFolder()) ?? '/';
}

function findHomeFolder(): string | undefined {
  try {
    return getBuiltinModule('node:os').userInfo().homedir;
  } catch {
    return undefined; // a container may run as an unknown user
  }
}

/** Returns the settings folder: KITH_CONFIG_DIR, or kith in XDG_CONFIG_HOME. */
export function resolveSettingsFolder(env: Environment): string {
  return resolve(
    env.KITH_CONFIG_DIR ||
      join(ifAbsolute(env.XDG_CONFIG_HOME) ?? join(resolveHomeFolder(env), '.config'), 'kith'),
  );
}

/** Returns the folder of workspace files: KITH_CONFIG_DIR, or kith in XDG_DATA_HOME. */
export function resolveDataFolder(env: Environment): string {
  return resolve(
    env.KITH_CONFIG_DIR ||
      join(ifAbsolute(env.XDG_DATA_HOME) ?? join(resolveHomeFolder(env), '.local', 'share'), 'kith'),
  );
}

/** Returns the cache folder: KITH_CONFIG_DIR, or kith in XDG_CACHE_HOME. */
export function resolveCacheFolder(env: Environment): string {
  return resolve(
    env.KITH_CONFIG_DIR ||
      join(ifAbsolute(env.XDG_CACHE_HOME) ?? join(resolveHomeFolder(env), '.cache'), 'kith'),
  );
}

/** Returns the path of the default workspace file, or of the sample. */
export function resolveDefaultDatabase(env: Environment, which: 'workspace' | 'demo' = 'workspace'): string {
  return resolveDatabase(env, which);
}

/** Returns the path of a workspace file in the folder of workspace files. */
export function resolveDatabase(env: Environment, name: string): string {
  return join(resolveDataFolder(env), `${name}.sqlite`);
}

/** Returns the path of the settings file. */
export function resolveSettingsFile(env: Environment): string {
  return join(resolveSettingsFolder(env), 'config.json');
}

/** Opens the settings for reading. Loads nothing if no settings are stored. */
export async function openSettingsIfStored(
  env: Environment,
  open: () => Promise<Settings>,
): Promise<Pick<Settings, 'path' | 'read'>> {
  const path = resolveSettingsFile(env);
  return mayExist(path) ? open() : { path, read: () => ({ profiles: {} }) };
}

/** Returns whether a file exists, or is in a folder that cannot be read. */
function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
