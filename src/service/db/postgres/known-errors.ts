import { quoteShellWord } from '../../../values/text.ts';

/** The user and the database of a connection, if known. */
export interface Account {
  readonly user: string;
  readonly database: string;
}

/** An error of PostgreSQL or `pg`, with the text to report. */
export interface KnownError {
  readonly code: string;
  /** Matches the message, if several errors have this code. */
  readonly message?: RegExp;
  /** The reason why the database cannot be opened. Default: the message. */
  readonly reason?: string | ((account: Account) => string);
  readonly hint?: string | ((account: Account) => string);
  /** Whether a later attempt to open the database may succeed. */
  readonly isTemporary?: true;
  /** The message of a 503 response. */
  readonly unavailable?: string;
  /** The reason for a 507 response. */
  readonly storage?: string;
}

const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

const conflict = 'Too many other requests are changing the same records.';
const noRight = 'The database user may not read or change a table of the workspace.';
const allowHint = 'Allow the connection in pg_hba.conf on the server.';

/** The errors with a specific hint or status, by SQLSTATE. The first match is used. */
export const knownErrors: readonly KnownError[] = [
  {
    code: '28P01',
    reason: ({ user }) => `password authentication failed for the user "${user}"`,
    hint: 'Correct it in ~/.pgpass or PGPASSWORD.',
  },
  {
    code: '28000',
    message: /does not exist$/,
    reason: ({ user }) => `the user "${user}" does not exist`,
    hint: ({ user }) => `Create it: createuser ${quoteShellWord(user)}`,
  },
  {
    code: '28000',
    message: /no encryption$/,
    reason: ({ user }) => `the server rejects the user "${user}" without TLS`,
    hint: `${allowHint} If it supports TLS, use sslmode=require.`,
  },
  {
    code: '28000',
    message: /not permitted to log in$/,
    reason: ({ user }) => `the user "${user}" may not log in`,
    hint: ({ user }) => `As a superuser, run: alter role ${quoteIdentifier(user)} login`,
  },
  {
    code: '28000',
    message: /^Peer authentication/,
    reason: ({ user }) =>
      `on a Unix socket, the server accepts the user "${user}" only from the system user of that name`,
    hint: 'Add a host to the URL, such as localhost.',
  },
  {
    code: '28000',
    reason: ({ user }) => `the server rejects the user "${user}" from this machine`,
    hint: allowHint,
  },
  {
    code: '3D000',
    reason: ({ database }) => `the database "${database}" does not exist`,
    hint: ({ database }) => `Create it: createdb ${quoteShellWord(database)}`,
  },
  {
    code: '3F000',
    reason: 'no schema in its search_path exists',
    hint: ({ database }) =>
      `Create the schema, or use the default one: alter database ${quoteIdentifier(database)} reset search_path`,
  },
  {
    code: '25006',
    reason: 'the database is read-only; it may be a standby server',
    hint: 'Use a server that accepts writes: the schema must be updated.',
    unavailable: 'The database is read-only; it may be a standby server.',
  },
  {
    code: '42501',
    message: /schema/,
    hint: ({ user }) =>
      `As the owner of the database, run: grant create on schema public to ${quoteIdentifier(user)}`,
    unavailable: noRight,
  },
  {
    code: '42501',
    message: /database/,
    hint: ({ user, database }) =>
      `As its owner, run: grant connect on database ${quoteIdentifier(database)} to ${quoteIdentifier(user)}`,
    unavailable: noRight,
  },
  {
    code: '42501',
    hint: 'Connect as the user that created the tables.',
    unavailable: noRight,
  },
  {
    code: '08P01',
    message: /^unsupported startup parameter/,
    hint: 'PgBouncer does not accept options in the URL. Set them for the role: alter role NAME set ...',
  },
  { code: '40001', unavailable: conflict },
  { code: '40P01', unavailable: conflict },
  {
    code: '55P03',
    isTemporary: true,
    unavailable: 'Another request has locked the same records for too long.',
  },
  { code: '57014', isTemporary: true, unavailable: 'The database timed out.' },
  { code: '57P01', isTemporary: true },
  { code: '57P02', isTemporary: true },
  { code: '57P03', isTemporary: true },
  { code: '53200', unavailable: 'The database is out of memory.' },
  { code: '53300', isTemporary: true, unavailable: 'The database has too many connections.' },
  { code: '53400', unavailable: 'The database has reached a configured limit.' },
  { code: '53100', storage: 'no space left on the disk of the database server' },
  { code: '58030', storage: 'the database server reports an I/O error' },
  { code: 'XX001', storage: 'the database is damaged' },
  { code: 'XX002', storage: 'an index of the database is damaged' },
];
