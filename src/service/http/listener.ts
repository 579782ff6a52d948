import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { Route, WireResponse } from '../../contract/grammar.ts';
import { contract } from '../../contract/index.ts';
import type { OpenDatabase } from '../db/database.ts';
import { createRequestLog, respondToError, type Service } from '../dispatch.ts';
import { findValidKey, hashSecret, parseBearerToken } from './keys.ts';
import type { RateLimit } from './rate-limit.ts';
import { checkHeaders, discardBody, parseTarget, readJsonBody, readRequestId } from './request.ts';

/** The dependencies of the HTTP server. */
export interface HttpDeps {
  /** Holds the API keys. */
  readonly db: OpenDatabase;
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
    const head: OutgoingHttpHeaders = {};
    if (text !== undefined) {
      head['content-type'] = 'application/json';
      head['content-length'] = Buffer.byteLength(text);
    }
    Object.assign(head, headers);
    head['x-request-id'] = id;
    if (isLast) head.connection = 'close';
    outgoing.writeHead(status, head);
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

/** Returns the function that produces the response to a request, which may be a problem document. */
function createResponder(deps: HttpDeps) {
  const endpoints = createEndpoints(deps);
  return async (incoming: IncomingMessage, outgoing: ServerResponse, id: string): Promise<WireResponse> => {
    try {
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
      const secret = parseBearerToken(incoming.headers.authorization);
      if (secret === undefined)
        throw createUnauthorized('Missing API key: send the header "Authorization: Bearer KEY".');
      const key = await findValidKey(deps.db, hashSecret(secret));
      if (!key) throw createUnauthorized('Invalid API key.');
      checkRate(deps.rateLimit?.(key.id));
      const request = isRead
        ? { method: 'GET', path, query }
        : { method, path, query, ...(await readJsonBody(incoming, outgoing)) };
      return await deps.service(request, { readOnly: key.read_only === 1, requestId: id });
    } catch (error) {
      return respondToError(error, { db: deps.db, log: deps.log }, id);
    }
  };
}

/** Returns the body of the response to a GET. */
type Endpoint = (requestId: string) => Promise<unknown>;

/** Returns the endpoints outside of the contract by path. They need no key. */
function createEndpoints(deps: HttpDeps): Readonly<Partial<Record<string, Endpoint>>> {
  return {
    '/healthz': async () => ({ status: 'ok' }),
    '/readyz': async (requestId) => {
      await checkSchema(deps, requestId);
      await checkLists(deps.service, requestId);
      return { status: 'ok' };
    },
    '/openapi.json': async () => (await import('./openapi.ts')).buildOpenApi(deps.version),
  };
}

/** @throws {Failure} `unavailable` if the schema was changed or cannot be read; the reason of an error is logged. */
async function checkSchema({ db, log }: HttpDeps, requestId: string): Promise<void> {
  try {
    await db.checkSchema();
  } catch (error) {
    if (error instanceof Failure && error.code === 'unavailable') throw error;
    createRequestLog(log, requestId)(getErrorMessage(error));
    throw new Failure('unavailable', 'Cannot read the schema version of the workspace.');
  }
}

/** Reads the first record of each list. @throws {Failure} `unavailable` if a list cannot be read; the reason is logged. */
async function checkLists(service: Service, requestId: string): Promise<void> {
  const routes = Object.values(contract).flatMap((resource) => Object.values<Route>(resource));
  for (const { path } of routes.filter(({ path, query }) => query !== undefined && !path.includes(':'))) {
    const { status } = await service({ method: 'GET', path, query: [['first', '1']] }, { requestId });
    if (status !== 200)
      throw new Failure('unavailable', `Cannot read the workspace: ${path} returned ${status}.`);
  }
}

/** @throws {Failure} `rate_limited` if a key has to wait. */
function checkRate(seconds: number | undefined): void {
  if (seconds === undefined) return;
  throw new Failure('rate_limited', `Rate limited: too many requests with this key. Retry in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function createUnauthorized(message: string): Failure {
  return new Failure('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}
