import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import type { Database } from '../db/database.ts';
import { createRequestLog, type Service, toFailure } from '../dispatch.ts';
import { createEndpoints } from './endpoints.ts';
import { findKeyHolder, hashSecret, parseBearerToken } from './keys.ts';
import { toProblem } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import { checkHeaders, discardBody, parseTarget, readJsonBody, readRequestId } from './request.ts';

/** What the HTTP server needs. */
export interface HttpDeps {
  /** Holds the API keys. */
  readonly db: Database;
  readonly service: Service;
  readonly newId: () => string;
  readonly log: (text: string) => void;
  /** The version of the program, for the OpenAPI document. */
  readonly version: string;
  readonly rateLimit?: RateLimit | undefined;
}

/** The state of one server. */
export interface ServerState {
  isStopping: boolean;
  /** Connections that are closing: further requests on them are ignored. */
  readonly closing: WeakSet<object>;
  /** The latest response of each connection. */
  readonly responses: WeakMap<object, ServerResponse>;
}

/** Handles HTTP requests: host, key, rate limit, body and request id. The service matches the routes. */
export function createListener(deps: HttpDeps, state: ServerState): RequestListener {
  const respond = createResponder(deps);
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse, id: string) => {
    const { socket } = incoming;
    const { status, headers, body } = await respond(incoming, outgoing, id);
    // A small unread body that came with the headers is complete after the parser's next turn.
    if (!incoming.complete) await new Promise(setImmediate);
    if (!socket.writable) return;
    const isUnread = !incoming.complete;
    const isLast = isUnread || state.isStopping;
    if (isLast) state.closing.add(socket);
    const text = body === undefined ? undefined : JSON.stringify(body);
    outgoing.writeHead(status, {
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
      ...headers,
      'x-request-id': id,
      ...(isLast && { connection: 'close' }),
    });
    if (isUnread) {
      // Closing while the body still arrives would reset the connection and lose the response.
      outgoing.flushHeaders();
      if (text !== undefined) outgoing.write(text);
      await discardBody(incoming);
      outgoing.end();
    } else outgoing.end(text);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    if (state.closing.has(socket)) return;
    state.responses.set(socket, outgoing);
    const id = readRequestId(incoming.headers['x-request-id'], deps.newId);
    handle(incoming, outgoing, id).catch((error: unknown) => {
      createRequestLog(deps.log, id)(`Cannot send the response: ${getErrorMessage(error)}`);
      socket.destroy();
    });
  };
}

type Responder = (incoming: IncomingMessage, outgoing: ServerResponse, id: string) => Promise<WireResponse>;

/** Returns the function that produces the response to a request, which may be a problem document. */
function createResponder(deps: HttpDeps): Responder {
  const endpoints = createEndpoints(deps);
  const respond: Responder = async (incoming, outgoing, id) => {
    checkHeaders(incoming);
    const { method = '' } = incoming;
    const isRead = method === 'GET' || method === 'HEAD';
    const { path, query } = parseTarget(incoming.url);
    const endpoint = endpoints[path];
    if (endpoint) {
      if (isRead) return { status: 200, headers: {}, body: await endpoint(id) };
      const message = `${path} takes GET, not ${method}.`;
      throw new Failure('method_not_allowed', message, { headers: { allow: 'GET' } });
    }
    const { readOnly } = await authenticate(incoming, deps);
    const request = isRead
      ? { method: 'GET', path, query }
      : { method, path, query, ...(await readJsonBody(incoming, outgoing)) };
    return deps.service(request, { readOnly, requestId: id });
  };
  return async (incoming, outgoing, id) => {
    try {
      return await respond(incoming, outgoing, id);
    } catch (error) {
      return toProblem(toFailure(error, createRequestLog(deps.log, id)), id);
    }
  };
}

/** @throws {Failure} `unauthorized` without a valid key, `rate_limited` if the key exceeds its limit. */
async function authenticate(incoming: IncomingMessage, { db, rateLimit }: HttpDeps) {
  const secret = parseBearerToken(incoming.headers.authorization);
  if (secret === undefined)
    throw createUnauthorized('Missing API key: send the header "Authorization: Bearer KEY".');
  const holder = await findKeyHolder(db, hashSecret(secret));
  if (!holder) throw createUnauthorized('Invalid API key.');
  const seconds = rateLimit?.(holder.row);
  if (seconds === undefined) return holder;
  throw new Failure('rate_limited', `Rate limited: too many requests with this key. Retry in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function createUnauthorized(message: string): Failure {
  return new Failure('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}
