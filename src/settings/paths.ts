import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { getBuiltinModule, platform } from 'node:process';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns an absolute path; undefined for a relative one. Another user's settings in the current folder could send the
 * key elsewhere.
 */
const keepAbsolute = (path = '') => (isAbsolute(path) ? path : undefined);

/** Returns the home folder of the user, from the environment or the user database. */
export function resolveHomeFolder(env: Environment): string {
  return (
    keepAbsolute(platform === 'win32' ? env.USERPROFILE : env.HOME) ?? keepAbsolute(findHomeFolder()) ?? '/'
  );
}

function findHomeFolder(): string | undefined {
  try {
    return getBuiltinModule('node:os').userInfo().homedir;
  } catch {
    return undefined; // a container may run as an unknown user
  }
}

/** Returns KITH_CONFIG_DIR, or kith in the folder of an XDG variable. */
function resolveFolder(env: Environment, xdgFolder: string | undefined, defaultParent: string): string {
  return resolve(
    env.KITH_CONFIG_DIR ||
      join(keepAbsolute(xdgFolder) ?? join(resolveHomeFolder(env), defaultParent), 'kith'),
  );
}

export const resolveSettingsFolder = (env: Environment) => resolveFolder(env, env.XDG_CONFIG_HOME, '.config');

export const resolveDataFolder = (env: Environment) => resolveFolder(env, env.XDG_DATA_HOME, '.local/share');

export const resolveCacheFolder = (env: Environment) => resolveFolder(env, env.XDG_CACHE_HOME, '.cache');

/** Returns the path of a workspace file: the default, the sample `demo`, or the file of a profile. */
export function resolveDatabaseFile(env: Environment, name = 'workspace'): string {
  return join(resolveDataFolder(env), `${name}.sqlite`);
}

/** The folder of the installed schedules, their last runs, logs and locks. */
export const resolveScheduleFolder = (env: Environment) => join(resolveDataFolder(env), 'schedules');

export function resolveSettingsFile(env: Environment): string {
  return join(resolveSettingsFolder(env), 'config.json');
}

/** The settings of a project, in its folder. */
const projectFileName = '.kith.json';

/** Returns the project files in the current folder and its parents, up to the home folder or the root, the nearest first. */
export function findProjectFiles({
  env,
  getInvocation,
}: {
  readonly env: Environment;
  readonly getInvocation: () => { readonly folder: string };
}): string[] {
  const files: string[] = [];
  let current: string;
  try {
    current = getInvocation().folder;
  } catch {
    return files; // the current folder was removed
  }
  for (const home = resolveHomeFolder(env); ; current = dirname(current)) {
    const path = join(current, projectFileName);
    if (existsSync(path)) files.push(path);
    if (current === home || current === dirname(current)) return files;
  }
}
