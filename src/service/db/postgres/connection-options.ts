import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getBuiltinModule, platform } from 'node:process';
import { Failure } from '../../../contract/errors.ts';
import {
  type DatabaseParameters,
  databaseUrlForm,
  databaseVariables,
  formatDatabase,
  parseDatabaseUrl,
} from '../../../values/database-url.ts';
import { findPassword } from './password-file.ts';
import { readTlsOptions } from './tls-options.ts';

/** Environment variables. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of libpq that would select another server or stricter security, with the values that have no effect. */
const unsupportedVariables: Readonly<Record<string, readonly string[]>> = {
  PGSERVICE: [],
  PGHOSTADDR: [],
  PGTARGETSESSIONATTRS: ['any'],
  PGREQUIREPEER: [],
  PGREQUIREAUTH: [],
  PGREQUIRESSL: ['0'],
  PGCHANNELBINDING: ['disable', 'prefer'],
  PGGSSENCMODE: ['disable', 'prefer'],
  PGSSLNEGOTIATION: ['postgres'],
  PGSSLCERTMODE: ['allow'],
  PGSSLCRL: [],
  PGSSLCRLDIR: [],
  PGSSLMINPROTOCOLVERSION: ['TLSv1', 'TLSv1.1', 'TLSv1.2'],
  PGSSLMAXPROTOCOLVERSION: ['TLSv1.3'],
};

/** Folders in which PostgreSQL creates its Unix socket by default. */
const socketFolders = ['/var/run/postgresql', '/tmp'];

/** Seconds to wait for a connection by default. */
const defaultConnectTimeout = 10;

/**
 * Returns the connection options from a URL, then the variables of libpq, then its defaults. Sets every option, because
 * `pg` would read a missing one from the variables of the process.
 * @throws {Failure} `usage` if a parameter or variable is invalid or not supported
 */
export async function readConnectionOptions(url: string, env: Environment) {
  const parameters = readParameters(url, env);
  const { user = findUserName(), application_name = 'kith' } = parameters;
  if (user === undefined) throw createFailure('No user name is set', 'Add it to the URL');
  if (parameters.host?.includes(','))
    throw createFailure('PGHOST: several hosts are not supported', 'Name one host');
  const port = readNumber('port', parameters.port, 5432, 65_535);
  const host = parameters.host ?? findSocketFolder(port) ?? 'localhost';
  const timeout = readNumber('connect_timeout', parameters.connect_timeout, defaultConnectTimeout, 86_400);
  const database = parameters.dbname ?? user;
  const home = findHomeFolder(env);
  return {
    host,
    port,
    user,
    database,
    // Read for each connection, so that a changed password file is used without a restart.
    password: () => findPassword({ host, port, user, database }, parameters, home),
    ...(await readTlsOptions(host, parameters, home)),
    application_name,
    // A role or a database may have settings that round numbers.
    options: `${parameters.options ?? ''} -c extra_float_digits=1`.trim(),
    client_encoding: 'UTF8',
    connectionTimeoutMillis: timeout * 1000,
  };
}

function readParameters(url: string, env: Environment): DatabaseParameters {
  const { parameters, problem } = parseDatabaseUrl(url);
  if (problem !== undefined)
    throw createFailure(`${formatDatabase(url)}: ${problem}`, `Use a URL such as ${databaseUrlForm}`);
  for (const [name, harmless] of Object.entries(unsupportedVariables)) {
    const value = env[name];
    if (value && !harmless.includes(value))
      throw createFailure(`The variable ${name} is not supported`, `Run: unset ${name}`);
  }
  const fromVariables = Object.entries(databaseVariables).map(([name, variable]) => [
    name,
    env[variable] || undefined,
  ]);
  return { ...Object.fromEntries(fromVariables), ...parameters };
}

function readNumber(
  name: 'port' | 'connect_timeout',
  text: string | undefined,
  standard: number,
  maximum: number,
): number {
  if (text === undefined) return standard;
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  const minimum = name === 'port' ? 1 : 0;
  if (value >= minimum && value <= maximum) return value;
  const hint = `Use a whole number from ${minimum} to ${maximum} in the URL or in ${databaseVariables[name]}`;
  throw createFailure(`${name}: "${text}" is not valid`, hint);
}

const createFailure = (message: string, hint: string) =>
  new Failure('usage', `${message}.`, { hint: `${hint}.` });

function findSocketFolder(port: number): string | undefined {
  return socketFolders.find((folder) => existsSync(join(folder, `.s.PGSQL.${port}`)));
}

function findUserName(): string | undefined {
  try {
    return getBuiltinModule('node:os').userInfo().username;
  } catch {
    return undefined; // a container may run as an unknown user
  }
}

/** Returns the folder of the user's PostgreSQL files; on Windows, the application data folder. */
function findHomeFolder(env: Environment): string | undefined {
  return (platform === 'win32' ? env.APPDATA : env.HOME) || undefined;
}
