import { Failure, getErrorMessage } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { certificateErrors, networkErrors } from '../values/connection-errors.ts';

/** The way to a service: over HTTP, or into a workspace in this process. */
export interface Transport {
  /**
   * Sends one request and returns its response with any status. `timeout`: its own timeout over HTTP, in milliseconds.
   * @throws {DeliveryError} if there is no response
   */
  send(request: WireRequest, signal: AbortSignal, timeout?: number): Promise<WireResponse>;
  /** Closes connections and files, so that the process can end. */
  close(): Promise<void>;
}

/** A request without a response. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** Whether the service may have processed the request. */
  readonly mayBeDone: boolean;
  readonly hint: string | undefined;

  constructor(message: string, mayBeDone: boolean, cause: unknown, hint?: string) {
    super(message, { cause });
    this.mayBeDone = mayBeDone;
    this.hint = hint;
  }
}

/** A response that cannot be used; another attempt would return the same. */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** The proxy opened no tunnel to the service, so nothing was sent there. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError';
}

/** Error codes that prove that nothing was sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const reasons: Readonly<Record<string, string>> = {
  ...networkErrors,
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the request timed out',
  UND_ERR_BODY_TIMEOUT: 'the response timed out before it was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the response does not have the length that its header says',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  SLOW_RESPONSE: 'the response timed out: it arrives too slowly',
};

const tlsCode = /^EPROTO$|^ERR_TLS|CERT|SELF_SIGNED|VERIFY|ERR_SSL|PRX_TLS/;

/** Converts a connection error to a `DeliveryError`, or to a `Failure` if another attempt would fail the same way. */
export function toConnectionError(origin: string, error: unknown, proxyHint: string | undefined): Error {
  const code = findCode(error);
  if (tlsCode.test(code)) return createTlsFailure(origin, code, error);
  const text = getErrorMessage(error);
  // undici reports the proxy's refusal only in the text.
  const [, proxyStatus] = /^Proxy response \((\d+)\)/.exec(text) ?? [];
  if (proxyStatus !== undefined) return createProxyError(origin, Number(proxyStatus), error, proxyHint);
  const isParserError = error instanceof Error && error.name === 'HTTPParserError';
  const reason = reasons[code] ?? (isParserError ? 'the server does not speak HTTP' : text || code);
  const mayBeDone = !(error instanceof TunnelError || unsentCodes.has(code));
  return new DeliveryError(`Cannot reach ${origin}: ${reason}.`, mayBeDone, error, proxyHint);
}

function findCode(error: unknown): string {
  if (error instanceof AggregateError) return findCode(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error && error.cause !== undefined ? findCode(error.cause) : '';
}

function createProxyError(origin: string, status: number, cause: unknown, hint: string | undefined): Error {
  const message = `Cannot reach ${origin}: the proxy responded with ${status}.`;
  if (status >= 500) return new DeliveryError(message, false, cause, hint);
  const reason = status === 407 ? 'requires a user name and a password' : 'denied access';
  return new Failure('failed', `Cannot reach ${origin}: the proxy ${reason} (${status}).`, {
    cause,
    hint: status === 407 ? 'Set them in the proxy URL: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT' : hint,
  });
}

const clockHint = 'Check the clock of this machine.';
const authorityHint =
  'If you trust it, put the certificate of its authority into a file and set NODE_EXTRA_CA_CERTS=FILE.';

/** Hints for certificate errors other than an unknown authority. */
const certificateHints: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: `${clockHint} If it is right, the service must renew its certificate.`,
  CERT_NOT_YET_VALID: clockHint,
  ERR_TLS_CERT_ALTNAME_INVALID: 'Check the host name in --base-url.',
};

function createTlsFailure(origin: string, code: string, cause: unknown): Failure {
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    const hint = 'Check that --base-url has the right port: this one may not serve HTTPS.';
    return new Failure('failed', `TLS handshake with ${origin} failed (${code}).`, { cause, hint });
  }
  const problem = certificateErrors[code] ?? 'is not trusted';
  const hint = certificateHints[code] ?? authorityHint;
  return new Failure('failed', `The certificate of ${origin} ${problem} (${code}).`, { cause, hint });
}
