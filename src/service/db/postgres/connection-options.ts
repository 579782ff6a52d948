import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getBuiltinModule, platform } from 'node:process';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { parse } from 'pg-connection-string';
import { Failure } from '../../../contract/errors.ts';
import { createReadFailure } from '../../../files/disk-errors.ts';
import {
  databaseUrlForm,
  databaseVariables,
  findUrlProblem,
  formatDatabase,
} from '../../../values/database-url.ts';
import { readObject } from '../../../values/json-object.ts';
import { findPassword } from './password-file.ts';

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

/** The parameters from the authority and the path of a URL. All other parameters come from its query. */
const urlParts = ['host', 'port', 'user', 'password', 'dbname'];

/** Files that libpq uses if they exist in its folder. */
const tlsFiles = { sslrootcert: 'root.crt', sslcert: 'postgresql.crt', sslkey: 'postgresql.key' };

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Folders in which PostgreSQL creates its Unix socket by default. */
const socketFolders = ['/var/run/postgresql', '/tmp'];

/** Overrides a setting of the role or the database that rounds numbers. */
export const exactNumbers = '-c extra_float_digits=1';

/** Seconds to wait for a connection by default. */
const defaultConnectTimeout = 10;

/**
 * Returns the connection options from a URL, then the variables of libpq, then its defaults. Sets every option, because
 * `pg` would read a missing option from the environment of the process. Differences from libpq: `sslmode=allow` is the
 * same as `prefer`, and neither mode falls back to an unencrypted connection if the server supports TLS.
 * @throws {Failure} `usage` if a parameter or variable is invalid or not supported
 */
export function readConnectionOptions(url: string, env: Environment) {
  const problem = findUrlProblem(url);
  if (problem !== undefined)
    throw createFailure(`${formatDatabase(url)}: ${problem}`, `Use a URL such as ${databaseUrlForm}`);
  checkVariables(env);
  const home = (platform === 'win32' ? env.APPDATA : env.HOME) || undefined;
  const [base = '', query = ''] = url.split('?');
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  for (const [name, variable] of Object.entries(databaseVariables)) {
    if (parameters.get(name)) continue;
    parameters.delete(name);
    if (!urlParts.includes(name) && env[variable]) parameters.set(name, env[variable]);
  }
  const tls = takeTlsParameters(parameters);
  const config = parseUrl(`${base}?${parameters}`);
  const port = readNumber('port', config.port || env.PGPORT || undefined, 5432, 65_535);
  const host = config.host || env.PGHOST || findSocketFolder(port) || 'localhost';
  const user = config.user || env.PGUSER || findUserName();
  if (user === undefined) throw createFailure('No user name is set', 'Add it to the URL');
  if (host.includes(',')) throw createFailure('PGHOST: several hosts are not supported', 'Name one host');
  const database = parameters.get('dbname') || config.database || env.PGDATABASE || user;
  const timeout = parameters.get('connect_timeout') ?? undefined;
  const sources = {
    password: config.password || env.PGPASSWORD || undefined,
    passfile: parameters.get('passfile') ?? undefined,
    home,
  };
  return {
    host,
    port,
    user,
    database,
    // Read for each connection, so that a changed password file is used without a restart.
    password: () => findPassword({ host, port, user, database }, sources),
    // TLS is not used on a Unix socket.
    ...(host.startsWith('/') ? { ssl: false, isTlsOptional: false } : readTls(tls, home)),
    application_name: config.application_name ?? 'kith',
    options: `${config.options ?? ''} ${exactNumbers}`.trim(),
    client_encoding: 'UTF8',
    connectionTimeoutMillis: readNumber('connect_timeout', timeout, defaultConnectTimeout, 86_400) * 1000,
  };
}

/** Parses a URL without other problems. The library accepts fewer hosts and ports than the pattern of a URL. */
function parseUrl(url: string) {
  try {
    return parse(url);
  } catch {
    const hint = 'Use the name or the address of a host, and a port from 1 to 65535';
    throw createFailure(`${formatDatabase(url)}: the host or the port is not valid`, hint);
  }
}

function checkVariables(env: Environment): void {
  for (const [name, harmless] of Object.entries(unsupportedVariables)) {
    const value = env[name];
    if (value && !harmless.includes(value))
      throw createFailure(`The variable ${name} is not supported`, `Run: unset ${name}`);
  }
}

/** Removes and returns the TLS parameters. The library would read their files even for a Unix socket. */
function takeTlsParameters(parameters: URLSearchParams): URLSearchParams {
  const tlsParameters = new URLSearchParams();
  for (const name of ['sslmode', ...Object.keys(tlsFiles)]) {
    const value = parameters.get(name);
    if (value) tlsParameters.set(name, value);
    parameters.delete(name);
  }
  return tlsParameters;
}

/** Returns the TLS options, and whether a connection without TLS is allowed. */
function readTls(parameters: URLSearchParams, home: string | undefined) {
  const isPublic = parameters.get('sslrootcert') === 'system';
  const mode = parameters.get('sslmode') ?? (isPublic ? 'verify-full' : 'prefer');
  if (!tlsModes.includes(mode))
    throw createFailure(`sslmode: "${mode}" is not valid`, `Use ${tlsModes.join(', ')}`);
  if (mode === 'disable') return { ssl: false, isTlsOptional: false };
  if (isPublic && mode !== 'verify-full')
    throw createFailure(
      `sslmode: "${mode}" cannot be used with sslrootcert=system`,
      'Use sslmode=verify-full, because anyone can get a certificate from a public CA',
    );
  const isTlsOptional = mode === 'allow' || mode === 'prefer';
  parameters.set('sslmode', isTlsOptional ? 'prefer' : mode);
  for (const [name, file] of Object.entries(tlsFiles)) {
    const path = home && join(home, platform === 'win32' ? 'postgresql' : '.postgresql', file);
    if (!parameters.has(name) && path && existsSync(path)) parameters.set(name, path);
  }
  if (mode.startsWith('verify-') && !parameters.has('sslrootcert'))
    throw createFailure(
      `sslmode: "${mode}" requires a CA certificate in sslrootcert`,
      'Add sslrootcert=FILE to the URL or set PGSSLROOTCERT; for a public CA, use sslrootcert=system',
    );
  if (isPublic || isTlsOptional) parameters.delete('sslrootcert');
  if (parameters.has('sslcert') && !parameters.has('sslkey'))
    throw createFailure('sslcert requires a private key', 'Add sslkey=FILE to the URL or set PGSSLKEY');
  try {
    // The library returns an object for every mode but `disable`.
    const ssl = parse(`postgres://?${parameters}`, { useLibpqCompat: true }).ssl as TlsOptions;
    return { ssl, isTlsOptional };
  } catch (error) {
    const { path } = readObject(error);
    throw typeof path === 'string' ? createReadFailure(path, error) : error;
  }
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
