import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { isWritable } from '../../files/permissions.ts';
import { checkBaseUrl, isProfileUnused } from '../../settings/connection.ts';
import {
  type Environment,
  openSettingsIfStored,
  resolveDefaultDatabase,
  resolveHomeFolder,
  resolveSettingsFolder,
} from '../../settings/paths.ts';
import { findConnection } from '../connect/workspace-in-use.ts';
import type { Session } from '../context.ts';
import type { Job } from './job.ts';

/** What says which workspace is meant and may stand in a file for all to read; these name files and folders. */
const pathVariables = [
  'KITH_CONFIG_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'KITH_API_KEY_FILE',
  'NODE_EXTRA_CA_CERTS',
];
const textVariables = ['KITH_BASE_URL'];

/**
 * Returns the variables that a schedule keeps from this shell, and its time zone, because a scheduler may have
 * another. Throws `usage` for an invalid base URL.
 */
export function readScheduleEnvironment({ env, getInvocation }: Session): Record<string, string> {
  if (env.KITH_BASE_URL) checkBaseUrl(env.KITH_BASE_URL, 'KITH_BASE_URL');
  const { folder } = getInvocation();
  const carried: Record<string, string> = {};
  for (const name of [...pathVariables, ...textVariables]) {
    const value = env[name];
    if (value) carried[name] = pathVariables.includes(name) ? resolve(folder, value) : value;
  }
  return { ...carried, TZ: readTimeZone() };
}

/** The time zone of this shell. */
export const readTimeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Returns the job with its workspace named: the profile in use, or the file if there is no profile. Otherwise a later
 * `kith auth switch` would change the job's workspace.
 */
export async function pinWorkspace(session: Session, job: Job): Promise<Job> {
  const { command, globals, input, words } = job;
  const isAboutFile = command.options !== undefined && 'database' in command.options;
  const isNamed = globals.profile || input.database !== undefined || input.demo;
  const isForWorkspace = isAboutFile ? !/^login$/.test(command.name) : command.isLocal !== true;
  if (isNamed || !isForWorkspace) return job;
  const { env } = session;
  const asked = session.globals.profile || env.KITH_PROFILE;
  const isInEnvironment = !isAboutFile && isProfileUnused(globals, { ...env, KITH_API_KEY: undefined });
  const { active } = isInEnvironment ? {} : (await openSettingsIfStored(env, session.settings)).read();
  const profile = asked || active;
  if (profile) return { ...job, words: ['--profile', profile, ...words] };
  if (!isAboutFile) return job;
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  return {
    ...job,
    words: [...words.slice(0, at), '--database', resolveDefaultDatabase(env), ...words.slice(at)],
  };
}

/** The whole environment of a job that cron starts. */
export function buildCronEnvironment(session: Session): Environment {
  const { LOGNAME, USER } = session.env;
  return {
    HOME: resolveHomeFolder(session.env),
    LOGNAME: LOGNAME || USER,
    SHELL: '/bin/sh',
    PATH: '/usr/bin:/bin',
    ...readScheduleEnvironment(session),
  };
}

/** The home folder. Throws `failed` where it is not there: cron starts no job without. */
export async function requireHomeFolder(session: Session): Promise<string> {
  const home = resolveHomeFolder(session.env);
  const isThere = await stat(home).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isThere) return home;
  throw new Failure('failed', `The home folder ${home} is not there: cron starts no job without it.`, {
    hint: 'Set HOME to the home folder of the user whose crontab it is.',
  });
}

/** What is said where the key of this shell would be missed. */
export const keyNotInCron =
  'cron does not have the KITH_API_KEY of this shell. Put the key into a file and name that in KITH_API_KEY_FILE, ' +
  'or sign in with `kith auth login`.';

/** What most likely made a job fail that works in this shell. */
export async function findLikelyReasons(session: Session, job: Job, env: Environment): Promise<string[]> {
  const reasons: string[] = [];
  if (needsShellKey(session, job) && !(await isConnectable(session, job.globals, env)))
    reasons.push(keyNotInCron);
  const folder = resolveSettingsFolder(env);
  if (!(await isWritable(folder))) reasons.push(`The folder of the settings, ${folder}, cannot be written.`);
  return reasons;
}

/** Whether this shell has a key, and the job is one that goes to a service. */
export function needsShellKey({ env }: Session, { command }: Job): boolean {
  return Boolean(env.KITH_API_KEY?.trim()) && command.isLocal !== true;
}

async function isConnectable(session: Session, globals: Job['globals'], env: Environment): Promise<boolean> {
  try {
    await findConnection({ env, settings: session.settings }, globals);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
