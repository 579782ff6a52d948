import { Failure, getErrorMessage } from '../../../contract/errors.ts';
import { certificateErrors, networkErrors } from '../../../values/connection-errors.ts';
import { readObject } from '../../../values/json-object.ts';
import { quoteShellWord } from '../../../values/text.ts';
import { connectionEnded, findCode } from './errors.ts';

/** The message of `pg` if the server does not support TLS. */
export const noTls = 'The server does not support SSL connections';

/** Messages of `pg` for a server that responds in another protocol. */
const foreignResponse = /^(There was an error establishing an SSL connection|received invalid response: .*)$/;

/** Reasons why a server cannot be reached, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  ...networkErrors,
  ENOENT: 'no server is listening on its Unix socket',
  [connectionEnded]: 'the server closed the connection unexpectedly',
};

const clockHint = 'Check the clock of this machine.';

/** Hints for certificate errors other than an unknown authority. */
const certificateHints: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: `${clockHint} If it is right, the server must renew its certificate.`,
  CERT_NOT_YET_VALID: clockHint,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Use the host name in the certificate. sslmode=verify-ca does not check the name.',
};

const authorityHint = 'If you trust it, add its CA certificate to the URL: sslrootcert=FILE';

/** The user and the database of a connection, if known. */
interface Account {
  readonly user?: string | undefined;
  readonly database?: string | undefined;
}

/**
 * Returns the failure of a database that could not be opened: `unavailable` if the server cannot be reached or does not
 * accept connections at the moment, `failed` for anything else. `name`: the database without its password.
 */
export function toOpenFailure(cause: unknown, name: string, account: Account = {}): Failure {
  if (cause instanceof Failure) return cause;
  const code = findCode(cause);
  const text = getErrorMessage(cause);
  const problem = certificateErrors[code];
  if (problem !== undefined) {
    const hint = certificateHints[code] ?? authorityHint;
    return new Failure('failed', `The certificate of ${name} ${problem} (${code}).`, { cause, hint });
  }
  const isForeign = foreignResponse.test(text);
  const unreachable = isForeign ? 'the server does not speak the PostgreSQL protocol' : reasons[code];
  if (unreachable !== undefined)
    return new Failure('unavailable', `Cannot reach ${name}: ${unreachable}${formatAddress(cause, name)}.`, {
      cause,
      hint: 'Check the host and port, and that PostgreSQL is running.',
    });
  const { reason, hint } = describeRefusal(code, text, account);
  // The server is starting or stopping, has too many connections, or another process is updating the schema.
  const isTemporary = /^(57P0\d|53300|55P03|57014)$/.test(code);
  return new Failure(isTemporary ? 'unavailable' : 'failed', `Cannot use ${name}: ${reason}.`, {
    cause,
    hint,
  });
}

/** Returns the address in a socket error, which may come from PGHOST or DNS; empty if `name` contains it. */
function formatAddress(cause: unknown, name: string): string {
  const { address, hostname, port } = readObject(cause instanceof AggregateError ? cause.errors[0] : cause);
  const host = address ?? hostname;
  if (typeof host !== 'string' || name.includes(host)) return '';
  return ` (${host}${typeof port === 'number' ? `:${port}` : ''})`;
}

/** Describes why a server refuses a connection, by the SQLSTATE and the message of its error. */
function describeRefusal(code: string, text: string, { user = '', database = '' }: Account): Refusal {
  switch (code) {
    case '28P01':
      return {
        reason: `password authentication failed for the user "${user}"`,
        hint: 'Correct it in ~/.pgpass or PGPASSWORD.',
      };
    case '28000':
      return describeRejection(text, user);
    case '3D000':
      return {
        reason: `the database "${database}" does not exist`,
        hint: `Create it: createdb ${quoteShellWord(database)}`,
      };
    case '3F000':
      return {
        reason: 'no schema in its search_path exists',
        hint: `Create the schema, or use the default one: alter database ${quoteIdentifier(database)} reset search_path`,
      };
    case '25006':
      return {
        reason: 'the database is read-only; it may be a standby server',
        hint: 'Use a server that accepts writes: the schema must be updated.',
      };
    case '42501':
      return describeMissingRight(text, user, database);
    default:
      return { reason: text, ...otherRefusals.find(([message]) => message.test(text))?.[1] };
  }
}

interface Refusal {
  readonly reason: string;
  readonly hint?: string | undefined;
}

/** Refusals without a SQLSTATE of their own, by their message. */
const otherRefusals: readonly (readonly [text: RegExp, refusal: Partial<Refusal>])[] = [
  [
    new RegExp(`^${noTls}$`),
    {
      reason: 'the server does not support TLS',
      hint: 'If you trust the network, use sslmode=prefer or sslmode=disable.',
    },
  ],
  [
    /^unsupported startup parameter/,
    { hint: 'If this is PgBouncer, set ignore_startup_parameters as described in: kith help service' },
  ],
];

const quoteIdentifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Describes a privilege that a user lacks. */
function describeMissingRight(reason: string, user: string, database: string) {
  if (reason.includes('schema'))
    return {
      reason,
      hint: `As the owner of the database, run: grant create on schema public to ${quoteIdentifier(user)}`,
    };
  if (reason.includes('database'))
    return {
      reason,
      hint: `As its owner, run: grant connect on database ${quoteIdentifier(database)} to ${quoteIdentifier(user)}`,
    };
  return { reason, hint: 'Connect as the user that created the tables.' };
}

/** Describes why the rules in pg_hba.conf reject a user. */
function describeRejection(text: string, user: string) {
  if (text.endsWith('does not exist'))
    return {
      reason: `the user "${user}" does not exist`,
      hint: `Create it: createuser ${quoteShellWord(user)}`,
    };
  if (text.endsWith('no encryption'))
    return {
      reason: `the server rejects the user "${user}" without TLS`,
      hint: 'Allow the connection in pg_hba.conf on the server. If it supports TLS, use sslmode=require.',
    };
  if (text.endsWith('not permitted to log in'))
    return {
      reason: `the user "${user}" may not log in`,
      hint: `As a superuser, run: alter role ${quoteIdentifier(user)} login`,
    };
  if (text.startsWith('Peer authentication'))
    return {
      reason: `on a Unix socket, the server accepts the user "${user}" only from the system user of that name`,
      hint: 'Add a host to the URL, such as localhost.',
    };
  return {
    reason: `the server rejects the user "${user}" from this machine`,
    hint: 'Allow the connection in pg_hba.conf on the server.',
  };
}
