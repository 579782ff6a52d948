import { Failure, getErrorCode, getErrorMessage } from '../../../contract/errors.ts';
import { certificateErrors, networkErrors } from '../../../values/connection-errors.ts';

/** Messages of `pg` that have no code. */
const messages: Readonly<Record<string, string>> = {
  'timeout expired': 'the connection timed out',
  'Connection terminated unexpectedly': 'the connection was closed before PostgreSQL answered',
  'There was an error establishing an SSL connection': 'no PostgreSQL server answers there',
};

const clockHint = 'Check the clock of this machine.';

/** Hints for certificate errors other than an unknown authority. */
const certificateHints: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: `${clockHint} If it is right, the server must renew its certificate.`,
  CERT_NOT_YET_VALID: clockHint,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Use the host name in the certificate. sslmode=verify-ca does not check the name.',
};

const authorityHint = 'If you trust it, add the certificate of its authority to the URL: sslrootcert=FILE';

/**
 * Returns the failure of a connection that could not be opened: `unavailable` if the server cannot be reached, `failed` if
 * the TLS settings do not fit. Undefined for an error that the server reported after that. `name`: the database without
 * its password.
 */
export function toConnectFailure(cause: unknown, name: string): Failure | undefined {
  const code = getErrorCode(cause);
  const text = getErrorMessage(cause);
  const problem = certificateErrors[code];
  if (problem !== undefined) {
    const hint = certificateHints[code] ?? authorityHint;
    return new Failure('failed', `The certificate of ${name} ${problem} (${code}).`, { cause, hint });
  }
  if (text === 'The server does not support SSL connections')
    return new Failure('failed', `Cannot use ${name}: the server does not support TLS.`, {
      cause,
      hint: 'If you trust the network, use sslmode=prefer or sslmode=disable.',
    });
  const socket = code === 'ENOENT' ? 'no server listens on its Unix socket' : undefined;
  const reason = socket ?? networkErrors[code] ?? messages[text];
  if (reason === undefined) return undefined;
  return new Failure('unavailable', `Cannot reach ${name}: ${reason}.`, {
    cause,
    hint: 'Check the host and port, and that PostgreSQL is running.',
  });
}
