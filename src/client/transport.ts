import type { Dispatcher } from 'undici';
import { Failure } from '../contract/errors.ts';
import type { WireResponse } from '../contract/grammar.ts';
import { parseUrl } from '../values/domain.ts';
import { parseRawJson } from '../values/raw-json.ts';
import { createAgent } from './agent.ts';
import { InvalidResponseError, type Transport, toConnectionError } from './delivery.ts';
import { decodeBody, decompressBody, type HttpRequest, sendRequest } from './exchange.ts';
import { findProxy, formatProxyHint, type ProxySettings, type Variables } from './proxy.ts';
import { createTieringGuard } from './wasm-flags.ts';

/** What a transport over HTTP needs. */
export interface TransportOptions {
  /** `https://…`, or `http://` on this machine; a path in it stands before every route. */
  readonly baseUrl: string;
  readonly key: string;
  readonly userAgent: string;
  /** Milliseconds to wait for headers, and for any silence in the body. */
  readonly timeout: number;
  /** On Node 20 the engine otherwise works on after the last answer, for up to 90 ms (dependencies.md). */
  readonly withoutWasmTiering: boolean;
  /** The environment, which may name proxies. */
  readonly proxies: Variables;
}

const redirects = [301, 302, 303, 307, 308];
const maxRedirects = 5;

/** A transport over undici. Redirects are followed within the origin only: the key goes nowhere else. */
export function createHttpTransport(target: TransportOptions): Transport {
  const { baseUrl, key, userAgent, timeout, withoutWasmTiering: calmEngine, proxies } = target;
  const base = new URL(baseUrl);
  const proxy = findProxy(base, proxies);
  let agent: Promise<Dispatcher> | undefined;
  let isClosed = false;
  const calmly = calmEngine ? createTieringGuard() : <T>(work: () => Promise<T>) => work();
  const send: Transport['send'] = async (
    { method, path, query, body, text, textOnly: unread, withBytes: raw },
    signal,
  ) => {
    // What goes on where its run is over asks for nothing more.
    if (isClosed) throw new Error('The connections are closed.');
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
    agent ??= createAgent(base, proxy, timeout);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const here = { timeout, proxy, unread, raw, url, agent: await agent };
      const asked = {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers,
        ...(body !== undefined && { body: text ?? JSON.stringify(body) }),
      };
      const answer = await calmly(() => sent(here, asked, signal));
      const { location } = answer.headers;
      if (!redirects.includes(answer.status) || location === undefined) return answer;
      url = nextHop(url, location, method, answer.status);
    }
    throw new Failure('failed', `${url.origin} redirects without end.`);
  };
  const close = async () => {
    isClosed = true;
    await (await agent)?.destroy();
  };
  return { send, close };
}

/** What often answers a write that is done: see its result there. */
const doneAndSeen = [302, 303];

function nextHop(from: URL, location: string, method: string, status: number): URL {
  const to = parseUrl(location, from.href);
  if (method !== 'GET' && doneAndSeen.includes(status)) {
    throw new InvalidResponseError(`${from.origin} redirects a ${method}.`);
  }
  if (to?.origin !== from.origin) {
    const place = to === undefined || to.origin === 'null' ? 'what is no address' : to.origin;
    throw new Failure('failed', `${from.origin} redirects to ${place}; the key is not sent there.`, {
      hint: 'Give the right --base-url.',
    });
  }
  if (method !== 'GET')
    throw new Failure('failed', `${from.origin} redirects a ${method}; it was not repeated.`);
  return to;
}

/** What is known of a request beside what is sent. */
interface Sending extends Pick<TransportOptions, 'timeout'> {
  readonly agent: Dispatcher;
  readonly url: URL;
  readonly proxy: ProxySettings | undefined;
  /** As `WireRequest` has them. */
  readonly unread: true | undefined;
  readonly raw: true | undefined;
}

async function sent(
  { agent, url, timeout, proxy, unread, raw }: Sending,
  question: HttpRequest,
  signal: AbortSignal,
): Promise<WireResponse> {
  try {
    const { status, headers, bytes: packed } = await sendRequest(agent, question, timeout, signal);
    const isGood = status >= 200 && status < 300;
    const bytes = await decompressBody(packed, headers['content-encoding']).catch((error) => {
      // What a service complains of it says by its status too.
      if (isGood || !(error instanceof InvalidResponseError)) throw error;
      return Buffer.alloc(0);
    });
    const text = decodeBody(bytes, !isGood || raw === true);
    const body = isGood && unread ? undefined : parsed(text);
    return { status, headers, body, text, ...(raw && { bytes: bytes.toString('latin1') }) };
  } catch (error) {
    if (signal.aborted || error instanceof InvalidResponseError) throw error;
    throw toConnectionError(url, error, proxy && formatProxyHint(proxy));
  }
}

/** The JSON value of a text; the text where it is no JSON; undefined where it is empty. */
function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseRawJson(text).value;
  } catch {
    return text;
  }
}
