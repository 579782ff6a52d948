import { Failure } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import type { Fault } from '../../contract/workspace.ts';
import { hashSecret, parseBearerToken } from '../../http/bearer-token.ts';
import type { OpenDatabase } from '../db/database.ts';
import { respondToError, type Service } from '../dispatch.ts';
import { matchPath } from '../match-path.ts';
import type { FaultInjector } from './faults.ts';
import { findValidKey } from './keys.ts';
import type { ListenerDeps, Respond } from './listener.ts';
import type { RateLimit } from './rate-limit.ts';
import { checkReadiness, createWriteMonitor } from './readiness.ts';
import { checkHeaders, parseTarget, readConditions, readJsonBody } from './request.ts';

/** The dependencies of the HTTP server. */
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
  const writes = createWriteMonitor();
  const publicEndpoints = createEndpoints(deps, writes.check);
  const keyEndpoints: Endpoints = new Map(metrics && [['/metrics', metrics]]);
  return async (incoming, outgoing, context) => {
    try {
      checkHeaders(incoming);
      const { method = '' } = incoming;
      const isRead = method === 'GET' || method === 'HEAD';
      const { path, query } = parseTarget(incoming.url);
      const endpoint = publicEndpoints.get(path);
      const keyEndpoint = keyEndpoints.get(path);
      const match = matchPath(path);
      context.route = endpoint || keyEndpoint ? path : match.pattern;
      if (endpoint) return await callEndpoint(endpoint, path, method, context.id);
      const key = await authenticate(deps, incoming.headers.authorization);
      context.key = key.id;
      checkRate(await deps.rateLimit?.(key.id));
      if (keyEndpoint) return await callEndpoint(keyEndpoint, path, method, context.id);
      const respond = async () => {
        const request = {
          ...{ method: isRead ? 'GET' : method, path, match, query },
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

/** Creates the function that responds to requests for one path, without a key. */
export function createEndpointResponder(
  path: string,
  endpoint: Endpoint,
  deps: Pick<HttpDeps, 'db' | 'log'>,
): Respond {
  return async (incoming, _, { id }) => {
    try {
      checkHeaders(incoming);
      const target = parseTarget(incoming.url);
      if (target.path !== path) throw new Failure('not_found', `Unknown path: ${target.path}`);
      return await callEndpoint(endpoint, path, incoming.method, id);
    } catch (error) {
      return respondToError(error, deps, id);
    }
  };
}

/** @throws {Failure} `method_not_allowed` for any method but GET and HEAD, or as the endpoint does */
function callEndpoint(endpoint: Endpoint, path: string, method: string | undefined, requestId: string) {
  if (method === 'GET' || method === 'HEAD') return endpoint(requestId);
  const message = `${path} takes GET, not ${method}.`;
  throw new Failure('method_not_allowed', message, { headers: { allow: 'GET' } });
}

/** Returns the endpoints that need no key by path. */
function createEndpoints(deps: HttpDeps, checkWrites: () => void): Endpoints {
  return new Map<string, Endpoint>([
    ['/healthz', async () => createOk({ status: 'ok' })],
    [
      '/readyz',
      async (requestId) => {
        checkWrites();
        await checkReadiness(deps, requestId);
        return createOk({ status: 'ok' });
      },
    ],
    ['/openapi.json', async () => createOk((await import('./openapi.ts')).buildOpenApi(deps.version))],
  ]);
}

const createOk = (body: unknown): WireResponse => ({ status: 200, headers: {}, body });

/** Returns the valid key of a request. @throws {Failure} `unauthorized` */
async function authenticate({ db }: HttpDeps, authorization: string | undefined) {
  const secret = parseBearerToken(authorization);
  if (secret === undefined)
    throw createUnauthorized('Missing API key: send the header "Authorization: Bearer KEY".');
  const key = await findValidKey(db, hashSecret(secret));
  if (!key) throw createUnauthorized('Invalid API key.');
  return key;
}

function createUnauthorized(message: string): Failure {
  return new Failure('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** @throws {Failure} `rate_limited` if a key has to wait. */
function checkRate(seconds: number | undefined): void {
  if (seconds === undefined) return;
  throw new Failure('rate_limited', `Rate limited: too many requests with this key. Retry in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
