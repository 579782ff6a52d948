/** The form of a PostgreSQL URL, for messages. */
export const databaseUrlForm = 'postgres://USER@HOST/DATABASE';

/** The parameters of libpq that a URL may have, with the environment variables that set them. */
export const databaseVariables = {
  host: 'PGHOST',
  port: 'PGPORT',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  dbname: 'PGDATABASE',
  passfile: 'PGPASSFILE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
} as const;

type ParameterName = keyof typeof databaseVariables;

/** The parameters of a PostgreSQL URL, with the names of libpq. */
export type DatabaseParameters = Partial<Record<ParameterName, string>>;

/** The parameters of a URL, or the problem with it, which never contains a password. */
export type ParsedDatabaseUrl =
  | { readonly parameters: Readonly<DatabaseParameters>; readonly problem?: undefined }
  | { readonly parameters?: undefined; readonly problem: string };

/** Any @ outside the user part, or a fragment, could be part of a password that is not escaped. */
const urlPattern =
  /^(?<scheme>postgres(?:ql)?):\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<host>[^:@/?#[\]]*|\[[\da-f:.]+\])(?::(?<port>\d*))?(?:\/(?<dbname>[^@/?#]*))?(?:\?(?<query>[^@#]*))?$/i;

/** Whether a location of a workspace is a PostgreSQL URL, valid or not, rather than the path of a file. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(?:ql)?(?::|\/\/)/i.test(text);
}

/** Parses a PostgreSQL URL. */
export function parseDatabaseUrl(url: string): ParsedDatabaseUrl {
  const { user, password, host, port, dbname, query = '' } = matchUrl(url) ?? {};
  if (host === undefined) return { problem: 'not a valid PostgreSQL URL' };
  const parameters: DatabaseParameters = {};
  const parts = Object.entries({ user, password, host: host.replace(/^\[(.*)\]$/, '$1'), port, dbname });
  for (const [name, value = ''] of [...parts, ...splitQuery(query)]) {
    if (!isParameterName(name)) return { problem: describeUnknown(name) };
    if (value !== '') parameters[name] = decodeURIComponent(value);
  }
  if (parameters.host?.includes(',')) return { problem: 'a URL with several hosts is not supported' };
  return { parameters };
}

/** Returns the location of a workspace for messages and settings: a URL without its password, a path as it is. */
export function formatDatabase(text: string): string {
  if (!isDatabaseUrl(text)) return text;
  const { scheme, user, host = '', port, dbname, query } = matchUrl(text) ?? {};
  // The password can be anywhere in an invalid URL.
  if (scheme === undefined || parseDatabaseUrl(text).problem !== undefined) return 'postgres://...';
  const parameters = splitQuery(query ?? '').filter(([name]) => name !== 'password');
  return [
    `${scheme.toLowerCase()}://`,
    user && `${user}@`,
    host,
    port && `:${port}`,
    dbname !== undefined && `/${dbname}`,
    parameters.length > 0 && `?${parameters.map((pair) => pair.join('=')).join('&')}`,
  ]
    .filter(Boolean)
    .join('');
}

/** Returns the password in the location of a workspace. */
export function findDatabasePassword(text: string): string | undefined {
  return isDatabaseUrl(text) ? parseDatabaseUrl(text).parameters?.password : undefined;
}

/** Returns the parts of a URL that can be decoded and contains no spaces or control characters. */
function matchUrl(url: string): Record<string, string | undefined> | undefined {
  const { groups } = urlPattern.exec(url) ?? {};
  const pairs = groups?.query ? groups.query.split('&') : [];
  if (!groups || /[\s\p{Cc}]|%00/u.test(url) || pairs.some((pair) => !pair.includes('='))) return undefined;
  try {
    // The result is used, because the bundler drops calls of this function whose result is not.
    return decodeURIComponent(url) === '' ? undefined : groups;
  } catch {
    return undefined;
  }
}

/** Splits a query into the names and values of its parameters, still encoded. */
function splitQuery(query: string): [name: string, value: string][] {
  const pairs = query === '' ? [] : query.split('&');
  return pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
}

const isParameterName = (name: string): name is ParameterName => Object.hasOwn(databaseVariables, name);

/** A name that is not a word could be part of a password. */
function describeUnknown(name: string): string {
  return /^[a-z_]{1,40}$/i.test(name)
    ? `the URL parameter "${name}" is not supported; use ${Object.keys(databaseVariables).join(', ')}`
    : 'the URL has an unknown parameter';
}
