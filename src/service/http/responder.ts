import type { IncomingMessage } from 'node:http';
import { Failure } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import type { Fault } from '../../contract/workspace.ts';
import { parseBearerToken } from '../../http/bearer-token.ts';
import { isLoopback, isLoopbackHeader } from '../../http/listening.ts';
import { truncateValue } from '../../values/text.ts';
import type { OpenDatabase } from '../db/database.ts';
import { respondToError, type Service } from '../dispatch.ts';
import { applyConditions, createTextTag } from '../entity-tag.ts';
import { matchPath } from '../match-path.ts';
import type { FaultInjector } from './faults.ts';
import { createKeyFinder } from './keys.ts';
import type { ListenerDeps, Respond } from './listener.ts';
import type { RateLimit } from './rate-limit.ts';
import { createReadinessCheck, createWriteMonitor } from './readiness.ts';
import { checkHeaders, parseQuery, readConditions, readJsonBody, splitTarget } from './request.ts';

export interface HttpDeps extends ListenerDeps {
  /** The database with the API keys. */
  readonly db: OpenDatabase;
  readonly service: Service;
  /** The version of the program, for the OpenAPI document. */
  readonly version: string;
  readonly rateLimit?: RateLimit | undefined;
  readonly injectFault?: FaultInjector | undefined;
  /** Produces the metrics for clients with a key; undefined if they have their own port. */
  readonly metrics?: Endpoint | undefined;
}

/** Produces the successful response to a GET on a path outside of the contract. @throws {Failure} */
export type Endpoint = (requestId: string) => Promise<WireResponse>;

type Endpoints = ReadonlyMap<string, Endpoint>;

/** Creates the function that responds to requests: host, key, rate limit and body. The service matches the routes. */
export function createResponder(deps: HttpDeps): Respond {
  const { db, log, metrics } = deps;
  const findKey = createKeyFinder(db);
  const writes = createWriteMonitor();
  const publicEndpoints = createEndpoints(deps, writes.check);
  const keyEndpoints: Endpoints = new Map(metrics && [['/metrics', metrics]]);
  return async (incoming, outgoing, context) => {
    try {
      checkHeaders(incoming);
      const { method = '' } = incoming;
      const isRead = method === 'GET' || method === 'HEAD';
      const { path, query } = splitTarget(incoming.url);
      const endpoint = publicEndpoints.get(path);
      const keyEndpoint = keyEndpoints.get(path);
      const match = matchPath(path);
      context.route = endpoint || keyEndpoint ? path : match.pattern;
      if (endpoint) return await callEndpoint(endpoint, path, incoming, context.id);
      const key = await authenticate(findKey, incoming.headers.authorization);
      context.key = key.id;
      const seconds = await deps.rateLimit?.(key.id);
      if (seconds !== undefined) {
        const message = `Rate limited: too many requests with this key. Retry in ${seconds} s.`;
        throw new Failure('rate_limited', message, { headers: { 'retry-after': String(seconds) } });
      }
      if (keyEndpoint) return await callEndpoint(keyEndpoint, path, incoming, context.id);
      const respond = async () => {
        const request = {
          ...{ method: isRead ? 'GET' : method, path, match, query: parseQuery(query) },
          ...(isRead ? {} : await readJsonBody(incoming, outgoing)),
          ...readConditions(incoming),
        };
        const caller = { readOnly: key.read_only === 1, requestId: context.id };
        const response = await deps.service(request, caller);
        if (!isRead) writes.record(response);
        return response;
      };
      if (!deps.injectFault) return await respond();
      const onFault = (fault: Fault) => {
        context.fault = fault;
      };
      return await deps.injectFault({ socket: incoming.socket, id: context.id, onFault, respond });
    } catch (error) {
      return respondToError(error, { db, log }, context.id);
    }
  };
}

/**
 * Creates the function that responds to requests for one path, without a key. On a loopback address, the Host header has
 * to name this machine: a web page could otherwise read the response through its own domain name (DNS rebinding).
 */
export function createEndpointResponder(
  path: string,
  endpoint: Endpoint,
  address: string,
  deps: Pick<HttpDeps, 'db' | 'log'>,
): Respond {
  return async (incoming, _, { id }) => {
    try {
      checkHeaders(incoming);
      const { host } = incoming.headers;
      if (isLoopback(address) && host !== undefined && !isLoopbackHeader(host))
        throw new Failure('forbidden', 'The Host header does not name this machine.');
      const target = splitTarget(incoming.url);
      if (target.path !== path) throw new Failure('not_found', `Unknown path: ${truncateValue(target.path)}`);
      return await callEndpoint(endpoint, path, incoming, id);
    } catch (error) {
      return respondToError(error, deps, id);
    }
  };
}

/** @throws {Failure} `method_not_allowed` for any method but GET and HEAD, or as the endpoint does */
async function callEndpoint(endpoint: Endpoint, path: string, incoming: IncomingMessage, requestId: string) {
  const { method } = incoming;
  if (method === 'GET' || method === 'HEAD')
    return applyConditions(await endpoint(requestId), readConditions(incoming));
  const message = `${path} takes GET, not ${method}.`;
  throw new Failure('method_not_allowed', message, { headers: { allow: 'GET' } });
}

/** Returns the endpoints that need no key by path. */
function createEndpoints(deps: HttpDeps, checkWrites: () => void): Endpoints {
  const checkReadiness = createReadinessCheck(deps);
  let document: Promise<WireResponse> | undefined;
  return new Map<string, Endpoint>([
    ['/healthz', async () => createOk({ status: 'ok' })],
    [
      '/readyz',
      async (requestId) => {
        checkWrites();
        await checkReadiness(requestId);
        return createOk({ status: 'ok' });
      },
    ],
    [
      '/openapi.json',
      () => {
        document ??= createDocument(deps.version);
        return document;
      },
    ],
  ]);
}

/** Builds the OpenAPI document. It does not change, so that its response is compressed once. */
async function createDocument(version: string): Promise<WireResponse> {
  const body = (await import('./openapi.ts')).buildOpenApi(version);
  const text = JSON.stringify(body);
  return { status: 200, headers: { etag: createTextTag(text), 'cache-control': 'no-cache' }, body, text };
}

const createOk = (body: unknown): WireResponse => ({ status: 200, headers: {}, body });

/** Returns the valid key of a request. @throws {Failure} `unauthorized` */
async function authenticate(findKey: ReturnType<typeof createKeyFinder>, authorization: string | undefined) {
  const secret = parseBearerToken(authorization);
  if (secret === undefined)
    throw createUnauthorized('Missing API key: send the header "Authorization: Bearer KEY".');
  const key = await findKey(secret);
  if (!key) throw createUnauthorized('Invalid API key.', ' error="invalid_token"');
  return key;
}

/** `reason`: an attribute of RFC 6750, section 3. */
function createUnauthorized(message: string, reason = ''): Failure {
  return new Failure('unauthorized', message, { headers: { 'www-authenticate': `Bearer${reason}` } });
}
