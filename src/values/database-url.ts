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

/** Any @ outside the user part, or a fragment, could be part of a password that is not escaped. */
const urlPattern =
  /^postgres(?:ql)?:\/\/(?:[^:@/?#]*(?::(?<password>[^@/?#]*))?@)?(?<host>[^:@/?#[\]]*|\[[\da-f:.]+\])(?::\d*)?(?:\/[^@/?#]*)?(?:\?(?<query>[^=&@#]+=[^&@#]*(?:&[^=&@#]+=[^&@#]*)*)?)?$/i;

/** Whether a location of a workspace is a PostgreSQL URL, valid or not, rather than the path of a file. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(?:ql)?(?::|\/\/)/i.test(text);
}

/** Describes the problem with a PostgreSQL URL, without its password; undefined if the URL is valid. */
export function findUrlProblem(url: string): string | undefined {
  const { host, query = '' } = urlPattern.exec(url)?.groups ?? {};
  if (host === undefined || /[\s\p{Cc}]|%00/u.test(url) || !isDecodable(url))
    return 'not a valid PostgreSQL URL';
  const names = query === '' ? [] : query.split('&').map((pair) => pair.slice(0, pair.indexOf('=')));
  const unknown = names.find((name) => !Object.hasOwn(databaseVariables, name));
  if (unknown !== undefined)
    return /^[a-z_]{1,40}$/i.test(unknown)
      ? `the URL parameter "${unknown}" is not supported; use ${Object.keys(databaseVariables).join(', ')}`
      : 'the URL has an unknown parameter'; // a name that is not a word could be part of a password
  return /,|%2c/i.test(host) ? 'a URL with several hosts is not supported' : undefined;
}

function isDecodable(url: string): boolean {
  try {
    // The result is used, because the bundler drops calls of this function with an unused result.
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}

const passwordParameter = /(?<=[?&])password=([^&]*)&?/g;

/** Returns the location of a workspace for messages and settings: a URL without its password, or an unchanged path. */
export function formatDatabase(text: string): string {
  if (!isDatabaseUrl(text)) return text;
  // The password can be anywhere in an invalid URL.
  if (findUrlProblem(text) !== undefined) return 'postgres://...';
  return text
    .replace(/^\w+/, (scheme) => scheme.toLowerCase())
    .replace(/^(\w+:\/\/[^:@/?]*):[^@/?]*@/, '$1@')
    .replace(passwordParameter, '')
    .replace(/[?&]$/, '');
}

/** Returns the password in the location of a workspace. */
export function findDatabasePassword(text: string): string | undefined {
  if (!isDatabaseUrl(text) || findUrlProblem(text) !== undefined) return undefined;
  const [parameter] = Array.from(text.matchAll(passwordParameter), ([, password]) => password).slice(-1);
  return decodeURIComponent(parameter || urlPattern.exec(text)?.groups?.password || '') || undefined;
}
