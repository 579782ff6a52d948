import { Failure, getErrorCode, getErrorMessage } from '../../../contract/errors.ts';
import { certificateErrors, networkErrors } from '../../../values/connection-errors.ts';
import { readObject } from '../../../values/json-object.ts';
import { type Account, type KnownError, knownErrors } from './known-errors.ts';

/**
 * Errors after which a transaction is retried. It conflicts with another transaction, which the next validation
 * reports.
 */
const conflictCodes = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '23503', // foreign_key_violation
  '23505', // unique_violation
  '23P01', // exclusion_violation
]);

/** Whether a transaction failed because it conflicted with another one. */
export const isConflict = (error: unknown): boolean => conflictCodes.has(getErrorCode(error));

/** SQLSTATEs of a connection that has ended: class 08, and the codes of a server that stops, crashes or starts. */
const connectionStates = /^(08\w{3}|57P0[1-5]|25P03)$/;

/** The SQLSTATE of a connection that has ended. */
const connectionEnded = '08006';

/** Messages of `pg` that have no code, with the code of the same problem. */
const messageCodes: readonly (readonly [message: RegExp, code: string])[] = [
  [/^(timeout expired|Query read timeout|Connection terminated due to connection timeout)/, 'ETIMEDOUT'],
  [/^(Connection terminated|Client has encountered a connection error|Client was closed)/, connectionEnded],
];

/** Returns the SQLSTATE of an error, or its code in the system or in Node.js; empty if there is none. */
function findCode(error: unknown): string {
  const text = getErrorMessage(error);
  return getErrorCode(error) || (messageCodes.find(([message]) => message.test(text))?.[1] ?? '');
}

/** Whether the connection has ended or could not be opened. */
export function isConnectionError(error: unknown): boolean {
  const code = findCode(error);
  // A system error, such as ECONNRESET; codes of Node.js begin with ERR_.
  return connectionStates.test(code) || /^E(?!RR_)[A-Z_]+$/.test(code);
}

/** Whether a failed COMMIT may have succeeded: the connection ended, or the server crashed, as on a full disk of its log. */
export const mayHaveCommitted = (error: unknown): boolean =>
  isConnectionError(error) || /^(53100|58\w{3}|XX\w{3})$/.test(getErrorCode(error));

/** Whether the connection has ended and a new one may work. After a timeout, a new one might take as long again. */
export const hasConnectionEnded = (error: unknown): boolean =>
  isConnectionError(error) && findCode(error) !== 'ETIMEDOUT';

/**
 * Whether a newer version of kith has changed the columns of a statement that this connection had prepared. Only the
 * name of the function in PostgreSQL identifies this error: its code has other causes, and its message may be translated.
 */
export const isStatementOutdated = (error: unknown): boolean =>
  readObject(error).routine === 'RevalidateCachedQuery';

/** Whether the same statements may succeed on a retry, because nothing is committed yet. */
export const isTemporary = (error: unknown): boolean =>
  hasConnectionEnded(error) || isStatementOutdated(error);

/** Whether a pooler refuses the settings of a new connection. */
export const isSettingRefused = (error: unknown): boolean =>
  getErrorCode(error) === '08P01' && getErrorMessage(error).startsWith('unsupported startup parameter');

const createUnavailable = (message: string, cause: unknown) =>
  new Failure('unavailable', message, { cause, headers: { 'retry-after': '1' } });

/** Returns the failure of a request for an error of the database; undefined for an error of the program. */
export function toRequestFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  const { unavailable, storage } = findKnownError(error) ?? {};
  if (unavailable !== undefined) return createUnavailable(unavailable, error);
  if (storage !== undefined)
    return new Failure('storage', `Cannot use the database: ${storage}.`, { cause: error });
  // The pool had no free connection in time.
  if (getErrorMessage(error).startsWith('timeout exceeded when trying to connect'))
    return createUnavailable('All database connections are in use.', error);
  return isConnectionError(error) ? createUnavailable('The database cannot be reached.', error) : undefined;
}

function findKnownError(error: unknown): KnownError | undefined {
  const [code, text] = [getErrorCode(error), getErrorMessage(error)];
  return knownErrors.find(
    (knownError) => knownError.code === code && (knownError.message?.test(text) ?? true),
  );
}

/** The message of `pg` if the server does not support TLS. */
export const noTls = 'The server does not support SSL connections';

/** Messages of `pg` for a server that responds in another protocol. */
const foreignResponse = /^(There was an error establishing an SSL connection|received invalid response: .*)$/;

/** Reasons why a server cannot be reached, by the code of the error. */
const networkReasons: Readonly<Record<string, string>> = {
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

/**
 * Returns the failure of a database that could not be opened: `unavailable` if the server cannot be reached or does not
 * accept connections at the moment, `failed` for anything else. `name`: the database without its password.
 */
export function toOpenFailure(
  cause: unknown,
  name: string,
  { user = '', database = '' }: { readonly [Name in keyof Account]?: string | undefined } = {},
): Failure {
  if (cause instanceof Failure) return cause;
  const code = findCode(cause);
  const text = getErrorMessage(cause);
  const problem = certificateErrors[code];
  if (problem !== undefined) {
    const hint =
      certificateHints[code] ?? 'If you trust it, add its CA certificate to the URL: sslrootcert=FILE';
    return new Failure('failed', `The certificate of ${name} ${problem} (${code}).`, { cause, hint });
  }
  const unreachable = foreignResponse.test(text)
    ? 'the server does not speak the PostgreSQL protocol'
    : networkReasons[code];
  if (unreachable !== undefined)
    return new Failure('unavailable', `Cannot reach ${name}: ${unreachable}${formatAddress(cause, name)}.`, {
      cause,
      hint: 'Check the host and port, and that PostgreSQL is running.',
    });
  if (text === noTls)
    return new Failure('failed', `Cannot use ${name}: the server does not support TLS.`, {
      cause,
      hint: 'If you trust the network, use sslmode=prefer or sslmode=disable.',
    });
  const { reason = text, hint, isTemporary } = findKnownError(cause) ?? {};
  const format = (part: typeof hint) => (typeof part === 'function' ? part({ user, database }) : part);
  return new Failure(isTemporary ? 'unavailable' : 'failed', `Cannot use ${name}: ${format(reason)}.`, {
    cause,
    hint: format(hint),
  });
}

/** Returns the address in a socket error, which may come from PGHOST or DNS; empty if `name` contains it. */
function formatAddress(cause: unknown, name: string): string {
  const { address, hostname, port } = readObject(cause instanceof AggregateError ? cause.errors[0] : cause);
  const host = address ?? hostname;
  if (typeof host !== 'string' || name.includes(host)) return '';
  return ` (${host}${typeof port === 'number' ? `:${port}` : ''})`;
}

/** The failure of a transaction whose connection ended during COMMIT. Retrying it could repeat the change. */
export const createOutcomeUnknown = (cause: unknown) =>
  new Failure(
    'unknown',
    'The connection to the database was lost while the change was being committed. It may have been made.',
    { cause, status: 503 },
  );
