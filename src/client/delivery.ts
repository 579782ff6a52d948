import { Failure, getErrorMessage } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { TunnelError } from './proxy.ts';

/** Codes of errors after which surely nothing was sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no network',
  UND_ERR_SOCKET: 'the connection was closed in the middle',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time limit',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within the time limit',
  UND_ERR_BODY_TIMEOUT: 'the answer fell silent for longer than the time limit',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer is not as long as it says',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large',
  TOO_SLOW: 'the answer comes too slowly',
};

/** An error of a connection to an origin as what it means: `Undelivered`, or a `Failure` that no second try mends. */
export function toConnectionError({ origin }: URL, error: unknown, proxyHint: string | undefined): Error {
  const code = codeOf(error);
  if (isOfTls(code)) return untrusted(origin, code, error);
  const proxyStatus = statusOfProxy(error);
  if (proxyStatus !== undefined) return refusedByProxy(origin, proxyStatus, error, proxyHint);
  const text = getErrorMessage(error);
  const isParsing = error instanceof Error && error.name === 'HTTPParserError';
  const notHttp = isParsing ? 'what answers there does not speak HTTP' : undefined;
  return new DeliveryError(
    `Cannot reach ${origin}: ${reasons[code] ?? notHttp ?? (text || code)}.`,
    !(error instanceof TunnelError || unsentCodes.has(code)),
    error,
    proxyHint,
  );
}

/** A tunnel is asked for before anything is sent through it; undici tells its refusal by its text alone. */
function statusOfProxy(error: unknown): number | undefined {
  const [, status] = /^Proxy response \((\d+)\)/.exec(getErrorMessage(error)) ?? [];
  return status === undefined ? undefined : Number(status);
}

function refusedByProxy(origin: string, status: number, cause: unknown, hint: string | undefined): Error {
  if (status >= 500) {
    return new DeliveryError(`Cannot reach ${origin}: the proxy answered ${status}.`, false, cause, hint);
  }
  const reason = status === 407 ? 'wants a user and a password' : 'does not let it through';
  return new Failure('failed', `Cannot reach ${origin}: the proxy ${reason} (${status}).`, {
    cause,
    hint: status === 407 ? 'Name them in HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT' : hint,
  });
}

function isOfTls(code: string): boolean {
  return (
    code === 'EPROTO' || code.startsWith('ERR_TLS') || /CERT|SELF_SIGNED|VERIFY|ERR_SSL|PRX_TLS/.test(code)
  );
}

const clock = 'Is the clock of this machine right?';
const authority = 'Name the file of your own authority in NODE_EXTRA_CA_CERTS, or mend --base-url.';

/** What is wrong, and what can be done about it, by the code of OpenSSL. */
const faults: Readonly<Record<string, readonly [fault: string, hint: string]>> = {
  CERT_HAS_EXPIRED: ['has expired', `${clock} If so, the service needs a new one.`],
  CERT_NOT_YET_VALID: ['is not valid yet', clock],
  ERR_TLS_CERT_ALTNAME_INVALID: ['is for another host', 'Mend --base-url.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['is signed by nobody but itself', authority],
  SELF_SIGNED_CERT_IN_CHAIN: ['is signed by an authority that this machine does not know', authority],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['is signed by an authority that this machine does not know', authority],
  UNABLE_TO_GET_ISSUER_CERT: ['is signed by an authority that this machine does not know', authority],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['is signed by an authority that this machine does not know', authority],
};

/** A certificate that is not trusted now will not be in a second: no `Undelivered`, which would be tried again. */
function untrusted(origin: string, code: string, cause: unknown): Failure {
  const [fault, hint] = faults[code] ?? [];
  if (fault !== undefined) {
    return new Failure('failed', `The certificate of ${origin} ${fault} (${code}).`, { cause, hint });
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return new Failure('failed', `What answers at ${origin} does not speak TLS as it should (${code}).`, {
      cause,
      hint: 'Is the port that of https?',
    });
  }
  return new Failure('failed', `The certificate of ${origin} is not trusted (${code}).`, {
    cause,
    hint: authority,
  });
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : '';
}

/** The way to a service: over HTTP, or into a workspace in this process. */
export interface Transport {
  /** Sends one request and gives its answer, whatever its status. Throws `Undelivered` when there is none. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** Lets go of connections and files, so that the process can end. */
  close(): Promise<void>;
}

/** A request without an answer. `sent`: the service may have carried it out. */
export class DeliveryError extends Error {
  override readonly name = 'Undelivered';
  readonly mayBeDone: boolean;
  /** What a person may look at. */
  readonly hint: string | undefined;

  constructor(message: string, sent: boolean, cause: unknown, hint?: string) {
    super(message, { cause });
    this.mayBeDone = sent;
    this.hint = hint;
  }
}

/** A request with an answer that nobody can read, and that would be no better a second time. */
export class InvalidResponseError extends Error {
  override readonly name = 'Unreadable';
}
