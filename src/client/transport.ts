import type { Dispatcher } from 'undici';
import { Failure } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { parseUrl } from '../values/domain.ts';
import { InvalidResponseError, type Transport, toConnectionError } from './delivery.ts';
import {
  type ConnectionTiming,
  decodeBody,
  decompressBody,
  type Exchange,
  type Fetch,
  type HttpResponse,
  limitTime,
  sendRequest,
  sendWithFetch,
} from './exchange.ts';
import { createAgent, findProxy, type Variables } from './proxy.ts';
import { parseBody } from './responses.ts';

/** The options of a transport over HTTP. */
export interface TransportOptions {
  /** `https://...`, or `http://` on this machine. Its path is prepended to every route. */
  readonly baseUrl: string;
  /** If undefined, no key is sent. */
  readonly key?: string | undefined;
  readonly userAgent: string;
  /** Milliseconds to wait for a connection, for headers, and for the next part of a body. */
  readonly timeout: number;
  /** Compile undici's WebAssembly once: Node 20 otherwise exits only after a second compilation (dependencies.md). */
  readonly withoutWasmTiering: boolean;
  /** The environment, which may name proxies. */
  readonly proxies: Variables;
  /** Sends the requests instead of undici, without a proxy. */
  readonly fetch?: Fetch | undefined;
  /** Receives each request with its response, for --debug. */
  readonly inspect?: ((exchange: Exchange) => void) | undefined;
}

type HttpMessage = Pick<Dispatcher.DispatchOptions, 'method'> & {
  readonly headers: Record<string, string>;
  readonly body?: string;
};

const redirects = [301, 302, 303, 307, 308];
const maxRedirects = 5;

/** Returns a transport over HTTP. It follows redirects within the origin only: the key goes nowhere else. */
export function createHttpTransport(options: TransportOptions): Transport {
  const { baseUrl, key, userAgent, withoutWasmTiering, proxies, fetch, inspect } = options;
  const base = new URL(baseUrl);
  const proxy = findProxy(base, proxies);
  const guard = withoutWasmTiering ? createTieringGuard() : <T>(task: () => Promise<T>) => task();
  let agent: Promise<Dispatcher> | undefined;
  let isClosed = false;
  const connections: ConnectionTiming[] = [];
  const onConnected = inspect && ((timing: ConnectionTiming) => void connections.push(timing));
  const loadAgent = () => (agent ??= createAgent(base, proxy, options.timeout, onConnected));
  const sendOnce = async (url: URL, message: HttpMessage, signal: AbortSignal, ownTimeout?: number) => {
    const timeout = ownTimeout ?? options.timeout;
    if (fetch) return sendWithFetch(fetch, url.href, message, timeout, signal);
    const dispatcher = await loadAgent();
    const { origin, pathname, search } = url;
    const timeouts = { headersTimeout: timeout, bodyTimeout: timeout };
    const request = { ...message, ...timeouts, origin, path: pathname + search };
    const exchange = (limit: AbortSignal) => guard(() => sendRequest(dispatcher, request, timeout, limit));
    return ownTimeout === undefined ? exchange(signal) : limitTime(timeout, signal, exchange);
  };
  const send: Transport['send'] = async (request, signal, timeout) => {
    if (isClosed) throw new Error('The connections are closed.');
    if (!fetch) await loadAgent();
    const { method, body, text = JSON.stringify(body), ifMatch } = request;
    const headers = {
      accept: 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    };
    let url = buildUrl(base, request);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const { origin } = url;
      const message = { method, headers, ...(body !== undefined && { body: text }) };
      const rawResponse = await sendOnce(url, message, signal, timeout).catch((error) => {
        throw signal.aborted ? signal.reason : toConnectionError(origin, error, proxy?.hint);
      });
      inspect?.({
        method,
        url: url.href,
        request: { headers, bytes: body === undefined ? 0 : Buffer.byteLength(text ?? '') },
        response: { ...rawResponse, bytes: rawResponse.bytes?.length },
        timing: { ...rawResponse.timing, connection: connections.shift() },
      });
      const response = await readResponse(rawResponse, request);
      const { location } = response.headers;
      if (!redirects.includes(response.status) || location === undefined) return response;
      url = resolveRedirect(url, location, method, response.status, key !== undefined);
    }
    throw new Failure('failed', `${url.origin} redirects too many times.`);
  };
  const close = async () => {
    isClosed = true;
    await (await agent)?.destroy();
  };
  return { send, close };
}

function buildUrl(base: URL, { path, query }: WireRequest): URL {
  // Appended to an origin, "@example.com" would be another host, and the key would go there.
  if (!path.startsWith('/'))
    throw new Failure('usage', `Invalid path "${path}": it must begin with a slash.`);
  const url = new URL(base.origin + base.pathname.replace(/\/+$/, '') + path);
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url;
}

function resolveRedirect(from: URL, location: string, method: string, status: number, hasKey: boolean): URL {
  const to = parseUrl(location, from.href);
  // Many services respond to a completed write with these redirects.
  if (method !== 'GET' && (status === 302 || status === 303)) {
    throw new InvalidResponseError(`${from.origin} redirects a ${method} (${status}).`);
  }
  if (to?.origin !== from.origin) {
    const place = to === undefined || to.origin === 'null' ? `"${location}"` : to.origin;
    const refusal = hasKey ? 'kith does not send the key there' : 'kith does not follow it';
    throw new Failure('failed', `${from.origin} redirects to ${place}; ${refusal}.`, {
      hint: 'Check --base-url: it must be the final address of the service.',
    });
  }
  if (method !== 'GET') {
    throw new Failure('failed', `${from.origin} redirects a ${method} (${status}); it was not repeated.`);
  }
  return to;
}

async function readResponse(
  { status, headers, bytes: received }: HttpResponse,
  { textOnly, withBytes }: WireRequest,
): Promise<WireResponse> {
  const isSuccess = status >= 200 && status < 300;
  const bytes = await decompressBody(received, headers['content-encoding']).catch((error) => {
    // The status of an error response is enough.
    if (isSuccess || !(error instanceof InvalidResponseError)) throw error;
    return new Uint8Array();
  });
  const text = decodeBody(bytes, !isSuccess || withBytes === true);
  const body = isSuccess && textOnly ? undefined : parseBody(text);
  return { status, headers, body, text, ...(withBytes && { bytes: Buffer.from(bytes).toString('latin1') }) };
}

/**
 * Returns a function that runs tasks with the tiering of WebAssembly switched off until one of them is done. The flags
 * are reset after each task, because Node accepts cached code only under the flags of its compilation.
 */
function createTieringGuard() {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const setFlags = (prefix: '--' | '--no-') => {
    for (const flag of ['wasm-dynamic-tiering', 'wasm-tier-up']) setFlagsFromString(prefix + flag);
  };
  let isDone = false;
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (isDone) return task();
    setFlags('--no-');
    try {
      const result = await task();
      isDone = true;
      return result;
    } finally {
      setFlags('--');
    }
  };
}
