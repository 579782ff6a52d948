import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import type { Database } from '../db/database.ts';
import { createRequestLog, type Service, toFailure } from '../dispatch.ts';
import { createEndpoints } from './endpoints.ts';
import { findKeyHolder, hashSecret, parseBearerToken } from './keys.ts';
import { toProblem } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import { discardBody, isContinueExpected, readJsonBody } from './request-body.ts';
import { parseTarget } from './target.ts';

/** What the HTTP server needs besides the service. */
export interface HttpDeps {
  /** Holds the keys, and tells whether a cached response is still valid. */
  readonly db: Database;
  readonly service: Service;
  readonly newId: () => string;
  readonly log: (text: string) => void;
  /** Version of the program, for the OpenAPI document. */
  readonly version: string;
  readonly rateLimit?: RateLimit | undefined;
}

/** The state of one server. */
export interface ServerState {
  isStopping: boolean;
  /** Connections that end after the response already sent; no further request on them is carried out. */
  readonly closing: WeakSet<object>;
  /** The latest response of each connection. */
  readonly responses: WeakMap<object, ServerResponse>;
}

interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** Handles HTTP requests: host, key, rate limit, body, request id. Everything else is the service's. */
export function createListener(shell: HttpDeps, state: ServerState): RequestListener {
  const respond = createResponder(shell);
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse, id: string) => {
    const { socket } = incoming;
    const response = await respond(incoming, outgoing, id);
    // An unread body that came with the headers is complete when the parser is through with them.
    if (!incoming.complete) await new Promise(setImmediate);
    if (!socket.writable) return;
    const isUnread = !incoming.complete;
    const isLast = isUnread || state.isStopping;
    if (isLast) state.closing.add(socket);
    outgoing.writeHead(response.status, { ...response.headers, ...(isLast && { connection: 'close' }) });
    if (isUnread) await sendBeforeBodyEnds(incoming, outgoing, response.body);
    else outgoing.end(response.body);
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    if (state.closing.has(socket)) return;
    state.responses.set(socket, outgoing);
    const id = readRequestId(incoming.headers['x-request-id'], shell.newId);
    handle(incoming, outgoing, id).catch((error: unknown) => {
      createRequestLog(shell.log, id)(`The response cannot be sent: ${getErrorMessage(error)}`);
      socket.destroy();
    });
  };
}

/** Sends a response while the body still arrives. Closing at once would reset the connection, and lose the response. */
async function sendBeforeBodyEnds(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  body: HttpResponse['body'],
): Promise<void> {
  outgoing.flushHeaders();
  if (body !== undefined) outgoing.write(body);
  await discardBody(incoming);
  outgoing.end();
}

/** Returns the client's request id if it is safe in a header and a log, otherwise a new one. */
export function readRequestId(given: string | string[] | undefined, newId: () => string): string {
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : newId();
}

type Responder = (incoming: IncomingMessage, outgoing: ServerResponse, id: string) => Promise<HttpResponse>;

/** Returns the function that finds the response to a request; a failure is a response too. */
function createResponder(shell: HttpDeps): Responder {
  const { db, service, rateLimit } = shell;
  const endpoints = createEndpoints(shell);

  /** @throws {Failure} `unauthorized` without a valid key, `rate_limited` beyond its limit. */
  const admit = async (incoming: IncomingMessage) => {
    const bearer = await findKeyHolder(db, hashSecret(readSecret(incoming)));
    if (!bearer) throw unauthorized('This key is not known here.');
    const seconds = rateLimit?.(bearer.row);
    if (seconds !== undefined) throw tooManyRequests(seconds);
    return bearer;
  };
  const answer: Responder = async (incoming, outgoing, id) => {
    checkHeaders(incoming);
    const { method = '' } = incoming;
    const isRead = method === 'GET' || method === 'HEAD';
    const target = parseTarget(incoming.url);
    const endpoint = endpoints.get(target.path);
    if (endpoint) {
      if (isRead) return toResponse(await endpoint(id), id);
      const message = `${target.path} takes GET, not ${method}.`;
      throw new Failure('method_not_allowed', message, { headers: { allow: 'GET' } });
    }
    const { readOnly } = await admit(incoming);
    const request = isRead
      ? { ...target, method: 'GET' }
      : { ...target, method, ...(await readJsonBody(incoming, outgoing)) };
    return toResponse(await service(request, { readOnly, requestId: id }), id);
  };
  return async (incoming, outgoing, id) => {
    try {
      return await answer(incoming, outgoing, id);
    } catch (error) {
      return toResponse(toProblem(toFailure(error, createRequestLog(shell.log, id)), id), id);
    }
  };
}

const jsonType = { 'content-type': 'application/json' };

function toResponse({ status, headers, body }: WireResponse, id: string): HttpResponse {
  const own = { ...headers, 'x-request-id': id };
  if (body === undefined) return { status, headers: own, body };
  const text = JSON.stringify(body);
  const length = { 'content-length': String(Buffer.byteLength(text)) };
  return { status, headers: { ...jsonType, ...own, ...length }, body: text };
}

/** A host name or address with an optional port. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;

/** @throws {Failure} `malformed` unless there is exactly one valid Host, and no Expect other than 100-continue. */
function checkHeaders(incoming: IncomingMessage): void {
  const { host = [], expect } = incoming.headersDistinct;
  if (host.length > 1) throw new Failure('malformed', 'The request has more than one Host header.');
  if (host.length === 0 && incoming.httpVersion !== '1.0')
    throw new Failure('malformed', 'The request has no Host header.');
  if (host.some((name) => !hostPattern.test(name)))
    throw new Failure('malformed', `The Host header is not valid: ${JSON.stringify(host[0])}.`);
  if (expect && !isContinueExpected(incoming))
    throw new Failure('malformed', 'The only supported Expect header is 100-continue.', { status: 417 });
}

function tooManyRequests(seconds: number): Failure {
  return new Failure('rate_limited', `Too many requests for this key; again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** @throws {Failure} `unauthorized` unless exactly one header shows a key. */
function readSecret({ headersDistinct }: IncomingMessage): string {
  const { authorization = [] } = headersDistinct;
  const secret = authorization.length === 1 ? parseBearerToken(authorization[0]) : undefined;
  if (secret === undefined) throw unauthorized('Send the header "Authorization: Bearer KEY".');
  return secret;
}

function unauthorized(message: string): Failure {
  return new Failure('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}
