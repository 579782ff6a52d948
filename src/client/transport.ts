import { setFlagsFromString } from 'node:v8';
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import { Failure } from '../contract/errors.ts';
import type { WireAnswer } from '../contract/grammar.ts';
import { sentText } from '../contract/json-text.ts';
import { type Transport, Undelivered } from './delivery.ts';

/** What a transport over HTTP needs. */
export interface Target {
  /** `https://…`, or `http://` on this machine; a path in it stands before every route. */
  readonly baseUrl: string;
  readonly key: string;
  readonly userAgent: string;
  /** Milliseconds to wait for headers, and for any silence in the body. */
  readonly timeout: number;
  /** On Node 20 the engine otherwise works on after the last answer, for up to 90 ms (dependencies.md). */
  readonly calmEngine: boolean;
}

const maxRedirects = 5;

/** A transport over undici. Redirects are followed within the origin only: the key goes nowhere else. */
export function httpTransport({ baseUrl, key, userAgent, timeout, calmEngine }: Target): Transport {
  if (calmEngine) setFlagsFromString('--wasm-tiering-budget=2000000000');
  const agent = new Agent({
    connect: { timeout },
    headersTimeout: timeout,
    bodyTimeout: timeout,
    allowH2: false,
  });
  const base = new URL(baseUrl);
  const send: Transport['send'] = async ({ method, path, query, body, text, unread }, signal) => {
    // After an origin "@example.com" would be another host, and the key would go there.
    if (!path.startsWith('/'))
      throw new Failure('usage', `"${path}" is not a path: it begins with no slash.`);
    let url = new URL(base.origin + base.pathname.replace(/\/+$/, '') + path);
    for (const [name, value] of query) url.searchParams.append(name, value);
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${key}`,
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const answer = await sent(agent, url, unread === true, {
        method,
        headers,
        signal,
        ...(body !== undefined && { body: text ?? JSON.stringify(body) }),
      });
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status > 399 || location === undefined) return answer;
      url = nextHop(url, location, method);
    }
    throw new Failure('failed', `${url.origin} redirects without end.`);
  };
  return { send, close: () => agent.destroy() };
}

function nextHop(from: URL, location: string, method: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to?.origin !== from.origin) {
    throw new Failure(
      'failed',
      `${from.origin} redirects to ${to?.origin ?? 'an unreadable place'}; the key is not sent there.`,
      {
        hint: 'Give the right --base-url.',
      },
    );
  }
  if (method !== 'GET')
    throw new Failure('failed', `${from.origin} redirects a ${method}; it was not repeated.`);
  return to;
}

async function sent(
  agent: InstanceType<typeof Agent>,
  url: URL,
  unread: boolean,
  options: Omit<Parameters<typeof request>[0], 'origin' | 'path'>,
): Promise<WireAnswer> {
  try {
    const answer = await request.call(agent, {
      ...options,
      origin: url.origin,
      path: url.pathname + url.search,
    });
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined) headers[name] = String(value);
    }
    const text = await answer.body.text();
    const isWanted = !unread || answer.statusCode < 200 || answer.statusCode > 299;
    return { status: answer.statusCode, headers, body: isWanted ? parsed(text) : undefined, text };
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw isUntrusted(codeOf(error)) ? untrusted(url, error) : undelivered(url, error);
  }
}

/** The JSON value of a text; the text where it is no JSON; undefined where it is empty. */
function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return sentText(text).value;
  } catch {
    return text;
  }
}

const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function undelivered(url: URL, error: unknown): Undelivered {
  const code = codeOf(error);
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'the connection was refused',
    ENOTFOUND: 'the host is not known',
    EAI_AGAIN: 'the host name cannot be looked up now',
    ECONNRESET: 'the connection was reset',
    UND_ERR_SOCKET: 'the connection was closed in the middle',
    UND_ERR_CONNECT_TIMEOUT: 'no connection within the time limit',
    UND_ERR_HEADERS_TIMEOUT: 'no answer within the time limit',
    UND_ERR_BODY_TIMEOUT: 'the answer fell silent for longer than the time limit',
  };
  const text = error instanceof Error ? error.message : String(error);
  return new Undelivered(
    `Cannot reach ${url.origin}: ${reasons[code] ?? (text || code)}.`,
    !unsentCodes.has(code),
    error,
  );
}

function isUntrusted(code: string): boolean {
  return code.startsWith('ERR_TLS') || /CERT|SELF_SIGNED|VERIFY|ERR_SSL/.test(code);
}

/** A certificate that is not trusted now will not be in a second: no `Undelivered`, which would be tried again. */
function untrusted({ origin }: URL, error: unknown): Failure {
  return new Failure('failed', `The certificate of ${origin} is not trusted (${codeOf(error)}).`, {
    cause: error,
    hint: 'Name the file of your own authority in NODE_EXTRA_CA_CERTS, or mend --base-url.',
  });
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : '';
}
