import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AnyCommand, ParsedCommand } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { sendsRequests } from '../../cli/command/effects.ts';
import { globalGroups } from '../../cli/command/globals.ts';
import { guardPlaces } from '../../cli/command/guards.ts';
import { type Option, type Options, toFlagName } from '../../cli/command/options.ts';
import { openEffectiveSettings } from '../../cli/connect/connection.ts';
import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import { parseBaseUrl } from '../../settings/base-url.ts';
import { createProfileFailure, isProfileUnused, openSettingsIfStored } from '../../settings/connection.ts';
import {
  databaseVariable,
  parseDatabase,
  readDatabase,
  readDatabasePasswords,
  usesDatabaseVariable,
} from '../../settings/database-location.ts';
import { type Environment, resolveDatabaseFile, resolveHomeFolder } from '../../settings/paths.ts';
import {
  databaseVariables,
  findDatabasePassword,
  formatDatabase,
  isDatabaseUrl,
} from '../../values/database-url.ts';

/** A valid command line of kith that a scheduler will run in another folder. */
export interface Job extends ParsedCommand {
  /** The words without `kith`, with absolute paths. */
  readonly words: readonly string[];
}

/** The argument of a command that takes another command. */
export const jobArgument = {
  summary: 'Command, without kith',
  isRepeatable: true,
  isCommandLine: true,
} as const;

/** The paths of a nested command would be resolved in another folder. */
const nestedJobReason = 'takes another command; schedule that command instead';

/** Whether a command takes another command. */
const takesCommandLine = ({ args = {} }: AnyCommand) =>
  Object.values(args).some(({ isCommandLine }) => isCommandLine);

/** Parses a job, and pins its workspace. @throws {Failure} usage if it is invalid or needs a person or a terminal */
export async function parseJob(typedWords: readonly string[], session: Session): Promise<Job> {
  const words = typedWords[0] === 'kith' ? typedWords.slice(1) : typedWords;
  const parsed = await session.services.parseCommandLine(words).catch((error: unknown) => {
    throw addErrorPrefix('The job', error);
  });
  if (!parsed) {
    throw new Failure('usage', `The job "${words.join(' ')}" only prints help.`, {
      hint: 'Type a command after --, such as: -- meetings export --out meetings',
    });
  }
  const { command, globals, input } = parsed;
  // The job is printed, and an invalid URL may be a key pasted by mistake.
  if (globals.baseUrl) parseBaseUrl(globals.baseUrl, 'The job: --base-url');
  checkPasswords(words);
  if (typeof input.database === 'string') parseDatabase(input.database, 'The job: --database');
  const reason = takesCommandLine(command) ? nestedJobReason : command.describeInteraction?.(input, globals);
  if (reason !== undefined) throw new Failure('usage', `The job: "${command.name}" ${reason}.`);
  const { folder } = session.runtime.getInvocation();
  const job = { ...parsed, words: resolvePaths(parsed.words, parsed, folder) };
  return pinWorkspace(session, pinGuards(session, job));
}

/** Adds the guard flags of the schedule command to the job. @throws {Failure} usage if the job also sets such a flag */
function pinGuards({ globals }: Session, job: Job): Job {
  const words = Object.values(guardPlaces).flatMap(({ flag }) => {
    const value = globals[flag];
    if (value === undefined || value === false) return [];
    const name = toFlagName(flag);
    if (job.globals[flag] !== undefined && job.globals[flag] !== false)
      throw new Failure('usage', `${name} is set before and after --. Set it only after --.`);
    return value === true ? [name] : [name, String(value)];
  });
  return { ...job, words: [...words, ...job.words] };
}

/** @throws {Failure} usage if a word is a URL with a password, which other users could read in a schedule */
function checkPasswords(words: readonly string[]): void {
  const url = words.map((word) => word.replace(/^--[\w-]+=/, '')).find(findDatabasePassword);
  if (url === undefined) return;
  throw new Failure('usage', 'The job: the URL has a password, which a schedule would show.', {
    hint: `Put the password into ~/.pgpass, and use ${formatDatabase(url)}`,
  });
}

function resolvePaths(
  typedWords: readonly string[],
  { command, path, globals }: ParsedCommand,
  folder: string,
): string[] {
  const options: Options = Object.assign({}, ...globalGroups.map(({ options }) => options), command.options);
  const flags = new Map(Object.entries(options).map(([name, option]) => [toFlagName(name).slice(2), option]));
  const { tokens } = parseArgs({
    args: [...typedWords],
    options: Object.fromEntries(
      Array.from(flags, ([name, { placeholder, presetValue, short }]) => [
        name,
        {
          type: placeholder === undefined || presetValue ? 'boolean' : 'string',
          ...(short && { short: short.slice(1) }),
        },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const args = Object.values(command.args ?? {});
  const toAbsolutePath = (path: string) => resolve(folder, path);
  const words = [...typedWords];
  /** Replaces the value at the end of a word. */
  const replace = (index: number, value: string, place: PathPlace | undefined) => {
    const word = words[index] ?? '';
    words[index] = word.slice(0, word.length - value.length) + resolvePath(value, place, toAbsolutePath);
  };
  let position = -path.length;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (position >= 0) replace(token.index, token.value, args[Math.min(position, args.length - 1)]);
      position += 1;
    } else if (token.kind === 'option' && token.value !== undefined) {
      if (token.name === 'output' && globals.output === undefined) continue; // a format, such as `-o json`
      replace(token.inlineValue ? token.index : token.index + 1, token.value, flags.get(token.name));
    }
  }
  return words;
}

type PathPlace = Pick<Option<unknown>, 'valueSource' | 'completion'>;

/** Makes the path in a word absolute: the word itself, `@FILE` or `NAME=@FILE`. */
function resolvePath(
  word: string,
  place: PathPlace | undefined,
  toAbsolutePath: (path: string) => string,
): string {
  const isPath = place?.completion === 'files' || place?.completion === 'folders';
  const takesFile = place?.valueSource === 'file';
  if (word === '-' && (isPath || takesFile)) {
    throw new Failure('usage', 'The job: "-" reads stdin, which a scheduled command does not have.', {
      hint: 'Pass the name of a file instead.',
    });
  }
  if (isPath) return isDatabaseUrl(word) ? word : toAbsolutePath(word);
  if (takesFile && word.startsWith('@')) return `@${toAbsolutePath(word.slice(1))}`;
  const [, name, file] = (place?.valueSource === 'field' && /^([^=]+=@)(.*)$/s.exec(word)) || [];
  return name === undefined ? word : `${name}${toAbsolutePath(file ?? '')}`;
}

/** Variables with paths that a schedule contains. They are not secret, because other users may read a schedule. */
const pathVariables = [
  'KITH_CONFIG_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'KITH_API_KEY_FILE',
  'KITH_LEDGER',
  'NODE_EXTRA_CA_CERTS',
  'PGPASSFILE',
  'PGSSLCERT',
  'PGSSLKEY',
];

/** A schedule must not allow more than the shell in which it was created. */
const guardVariables: readonly string[] = Object.values(guardPlaces).map(({ variable }) => variable);

/** Variables that name a proxy. `client/proxy.ts` reads the same ones. */
const proxyVariables = [
  ...['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'],
];

/** Whether the value of a proxy variable is a URL with a password. */
const hasPassword = (value: string) => value.includes('@');

/** Returns the variables of this shell for a schedule, and the time zone, because a scheduler may use another one. */
function readScheduleEnvironment({
  runtime: { env, getInvocation },
}: Session): Record<string, string> & { readonly TZ: string } {
  if (env.KITH_BASE_URL) parseBaseUrl(env.KITH_BASE_URL, 'KITH_BASE_URL');
  const { folder } = getInvocation();
  const names = [
    ...pathVariables,
    ...Object.values(databaseVariables),
    'KITH_BASE_URL',
    ...proxyVariables,
    ...guardVariables,
  ];
  const entries = names.flatMap((name) => {
    const value = env[name];
    if (guardVariables.includes(name) && value?.trim() === '')
      throw new Failure('usage', `${name} is empty.`, { hint: `Unset ${name}, or set it to a value.` });
    if (!value || name === databaseVariables.password) return [];
    if (proxyVariables.includes(name) && hasPassword(value)) return [];
    return [[name, pathVariables.includes(name) ? resolve(folder, value) : value]];
  });
  const database = readDatabase({}, env);
  return {
    ...Object.fromEntries(entries),
    ...(database !== undefined && { [databaseVariable]: formatDatabase(database) }),
    TZ: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** Adds the workspace to the job, so that a later `kith auth switch` does not change it. */
async function pinWorkspace(session: Session, job: Job): Promise<Job> {
  const { command, globals, input, words } = job;
  const usesFile = Object.hasOwn(command.options ?? {}, 'database');
  const isNamed = globals.profile || input.database !== undefined || input.demo;
  const usesWorkspace = usesFile ? command.name !== 'login' : sendsRequests(command);
  if (isNamed || !usesWorkspace) return job;
  const { env } = session.runtime;
  if (usesDatabaseVariable(globals, env)) return job;
  const isInEnvironment = !usesFile && isProfileUnused(globals, { ...env, KITH_API_KEY: undefined });
  const { active } = isInEnvironment ? {} : (await openEffectiveSettings(session)).read();
  const profile = session.globals.profile || env.KITH_PROFILE || active;
  if (profile) return { ...job, globals: { ...globals, profile }, words: ['--profile', profile, ...words] };
  if (!usesFile) return job;
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  return { ...job, words: words.toSpliced(at, 0, '--database', resolveDatabaseFile(env)) };
}

/** @throws {Failure} usage if the profile of a job does not exist */
export async function requireProfile(session: Session, { command, globals }: Job): Promise<void> {
  const { profile } = globals;
  if (!profile || command.name === 'login') return;
  const { runtime, services } = session;
  const { profiles } = (await openSettingsIfStored(runtime.env, services.settings)).read();
  if (Object.hasOwn(profiles, profile)) return;
  const { message, detail } = createProfileFailure(profile, profiles);
  throw new Failure('usage', `The job: ${message}`, detail);
}

/** Returns the complete environment of a job that cron starts. */
export function buildCronEnvironment(session: Session): Environment {
  const { LOGNAME, USER } = session.runtime.env;
  return {
    HOME: resolveHomeFolder(session.runtime.env),
    LOGNAME: LOGNAME || USER,
    SHELL: '/bin/sh',
    PATH: '/usr/bin:/bin',
    ...readScheduleEnvironment(session),
  };
}

/** Returns the home folder, in which cron starts jobs. @throws {Failure} failed if it does not exist */
export async function requireHomeFolder(session: Session): Promise<string> {
  const home = resolveHomeFolder(session.runtime.env);
  const stats = await stat(home).catch(() => undefined);
  if (stats?.isDirectory()) return home;
  throw new Failure('failed', `The home folder ${home} does not exist; cron needs it to run jobs.`, {
    hint: 'Set HOME to the home folder of the user who owns the crontab.',
  });
}

const keyNotInCron =
  'KITH_API_KEY is set in this shell but not for cron. Store the key in a file and set KITH_API_KEY_FILE, or sign in ' +
  'with `kith auth login`.';

const proxyNotInCron =
  'The proxy of this shell has a password, so it is not set for cron. Use a proxy URL without one.';

const passwordNotInCron =
  'The password of the database is set in this shell but not for cron. Put it in ~/.pgpass.';

/** Returns a message for each secret of this shell that the job may need and a scheduler does not have. */
export function listMissingSecrets({ runtime: { env } }: Session, { command }: Job): string[] {
  const hasKey = Boolean(env.KITH_API_KEY?.trim()) && sendsRequests(command);
  return [
    ...(hasKey ? [keyNotInCron] : []),
    ...(readDatabasePasswords(env).length > 0 ? [passwordNotInCron] : []),
    ...(proxyVariables.some((name) => hasPassword(env[name] ?? '')) && sendsRequests(command)
      ? [proxyNotInCron]
      : []),
  ];
}

/** @throws {Failure} usage if a text contains a control character, which no scheduler supports */
export function checkControlCharacters(texts: readonly string[]): void {
  const invalid = texts.find((text) => /\p{Cc}/u.test(text));
  if (invalid === undefined) return;
  throw new Failure(
    'usage',
    `A schedule cannot contain line feeds or other control characters: "${invalid}".`,
  );
}
