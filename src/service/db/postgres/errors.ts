import { Failure, getErrorCode, getErrorMessage } from '../../../contract/errors.ts';
import { readObject } from '../../../values/json-object.ts';

/** Errors after which a transaction is retried: it conflicts with another one, which the next validation reports. */
const conflictCodes = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '23503', // foreign_key_violation
  '23505', // unique_violation
  '23P01', // exclusion_violation
]);

/** Whether a transaction failed because it conflicted with another one. */
export const isConflict = (error: unknown): boolean => conflictCodes.has(getErrorCode(error));

/** SQLSTATEs of a connection that has ended: class 08, and those of a server that stops, crashes or starts. */
const connectionStates = /^(08\w{3}|57P0[1-5]|25P03)$/;

/** The SQLSTATE of a connection that has ended. */
export const connectionEnded = '08006';

/** Messages of `pg` that have no code, with the code of the same problem. */
const messageCodes: readonly (readonly [message: RegExp, code: string])[] = [
  [/^(timeout expired|Query read timeout|Connection terminated due to connection timeout)/, 'ETIMEDOUT'],
  [/^(Connection terminated|Client has encountered a connection error|Client was closed)/, connectionEnded],
];

/** Returns the SQLSTATE of an error, or its code in the system or in Node.js; empty if there is none. */
export function findCode(error: unknown): string {
  const text = getErrorMessage(error);
  return getErrorCode(error) || (messageCodes.find(([message]) => message.test(text))?.[1] ?? '');
}

/** Whether the connection has ended, or none could be opened. */
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

/** Whether the pool had no free connection in time. */
const isPoolTimeout = (error: unknown) =>
  /^timeout exceeded when trying to connect/.test(getErrorMessage(error));

const createUnavailable = (message: string, cause: unknown) =>
  new Failure('unavailable', message, { cause, headers: { 'retry-after': '1' } });

const poolerReason =
  'A connection pooler in transaction mode is not supported; set it to session mode, or connect to PostgreSQL directly.';

/** Reasons for which a request cannot be handled now, by SQLSTATE. */
const unavailableReasons: Readonly<Record<string, string>> = {
  '40001': 'Too many other requests are changing the same records.',
  '40P01': 'Too many other requests are changing the same records.',
  '55P03': 'Another request has locked the same records for too long.',
  '57014': 'The database timed out.',
  '53200': 'The database is out of memory.',
  '53300': 'The database has too many connections.',
  '53400': 'The database has reached a configured limit.',
  '26000': poolerReason, // a prepared statement does not exist
  '42P05': poolerReason, // it exists already
  '25006': 'The database is read-only; it may be a standby server.',
  '42501': 'The database user may not read or change a table of the workspace.',
};

/** Reasons why the database cannot store anything, by SQLSTATE. */
const storageReasons: Readonly<Record<string, string>> = {
  '53100': 'no space left on the disk of the database server',
  '58030': 'the database server reports an I/O error',
  XX001: 'the database is damaged',
  XX002: 'an index of the database is damaged',
};

/** Returns the failure of a request for an error of the database; undefined for an error of the program. */
export function toRequestFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  const code = getErrorCode(error);
  const reason = unavailableReasons[code];
  if (reason !== undefined) return createUnavailable(reason, error);
  const storageReason = storageReasons[code];
  if (storageReason !== undefined)
    return new Failure('storage', `Cannot use the database: ${storageReason}.`, { cause: error });
  if (isPoolTimeout(error)) return createUnavailable('All database connections are in use.', error);
  return isConnectionError(error) ? createUnavailable('The database cannot be reached.', error) : undefined;
}

/** The failure of a transaction whose connection ended during COMMIT. Retrying it could repeat the change. */
export const createOutcomeUnknown = (cause: unknown) =>
  new Failure(
    'unknown',
    'The connection to the database was lost while the change was being committed. It may have been made.',
    { cause, status: 503 },
  );
