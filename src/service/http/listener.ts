import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { getErrorMessage } from '../../contract/errors.ts';
import type { WireResponse } from '../../contract/grammar.ts';
import type { Fault, ServedRequest } from '../../contract/workspace.ts';
import { addEncoding } from '../entity-tag.ts';
import { chooseEncoding, encodeText, minCompressed } from './compression.ts';
import { discardBody, readRequestId } from './request.ts';

export interface ListenerDeps {
  readonly newId: () => string;
  readonly log: (text: string, requestId?: string) => void;
  /** Receives each request after its response. */
  readonly onServed?: ((request: ServedRequest) => void) | undefined;
}

/** The properties of a request that are known so far. */
interface RequestContext {
  readonly id: string;
  route: string | undefined;
  /** The row of the API key. */
  key: number | undefined;
  fault?: Fault | undefined;
}

/** Produces the response to a request, which may be a problem document. Never throws. */
export type Respond = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: RequestContext,
) => Promise<WireResponse>;

export interface ServerState {
  isStopping: boolean;
  /** Requests wait for this promise, so that the event loop can accept connections. */
  pause: Promise<void> | undefined;
  /** Connections that are closing: further requests on them are ignored. */
  readonly closing: WeakSet<object>;
  /** Connections whose last response was sent: requests that wait on them are not processed. */
  readonly ended: WeakSet<object>;
  /** The latest response of each open connection. */
  readonly responses: Map<object, ServerResponse>;
}

/** Handles HTTP requests and connections. `respond` produces the responses. */
export function createListener(
  respond: Respond,
  { newId, log, onServed }: ListenerDeps,
  state: ServerState,
): RequestListener {
  /** The last request of each connection: pipelined requests are processed one after the other. */
  const lastRequests = new WeakMap<object, Promise<void>>();
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse, id: string, start: number) => {
    if (state.pause) await state.pause;
    if (state.ended.has(incoming.socket)) return;
    const context: RequestContext = { id, route: undefined, key: undefined };
    const response = await respond(incoming, outgoing, context);
    const { socket, method } = incoming;
    // A small unread body that came with the headers is complete after the parser's next turn.
    if (!incoming.complete) await new Promise(setImmediate);
    const isReset = !socket.writable;
    const isAnswered = isReset && state.closing.has(socket);
    const sent = isReset ? undefined : sendResponse(incoming, outgoing, response, id, state);
    if (onServed && !isAnswered) {
      const { id: requestId, ...details } = context;
      const milliseconds = performance.now() - start;
      const { status, warnings } = response;
      onServed({ requestId, method, status, milliseconds, warnings, ...details });
    }
    await sent;
  };
  return (incoming, outgoing) => {
    const { socket } = incoming;
    if (state.closing.has(socket)) return;
    if (!state.responses.has(socket)) socket.once('close', () => state.responses.delete(socket));
    state.responses.set(socket, outgoing);
    const id = readRequestId(incoming.headers['x-request-id'], newId);
    const start = performance.now();
    const earlier = lastRequests.get(socket) ?? Promise.resolve();
    const handled = earlier
      .then(() => handle(incoming, outgoing, id, start))
      .catch((error: unknown) => {
        log(`Cannot send the response: ${getErrorMessage(error)}`, id);
        socket.destroy();
      });
    lastRequests.set(socket, handled);
  };
}

const longText = 8192;

const serialize = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** Sends a response. If it is sent before the body has arrived, the body is discarded and the connection closes. */
async function sendResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: WireResponse,
  id: string,
  state: ServerState,
): Promise<void> {
  const { content, headers } = await encodeContent(incoming, response);
  const isUnread = !incoming.complete;
  const isLast = isUnread || state.isStopping;
  if (isLast) {
    state.closing.add(incoming.socket);
    state.ended.add(incoming.socket);
    headers.connection = 'close';
  }
  headers['x-request-id'] = id;
  outgoing.writeHead(response.status, headers);
  if (!isUnread) {
    outgoing.end(content);
    return;
  }
  // Closing while the body still arrives would reset the connection and lose the response.
  outgoing.flushHeaders();
  if (content !== undefined) outgoing.write(content);
  await discardBody(incoming);
  outgoing.end();
}

/** Returns the content of a response, compressed if the client accepts that, and its headers. */
async function encodeContent(
  incoming: IncomingMessage,
  response: WireResponse,
): Promise<{ content: string | Buffer | undefined; headers: OutgoingHttpHeaders }> {
  const headers: OutgoingHttpHeaders = { 'cache-control': 'no-store', ...response.headers };
  const text = response.text ?? serialize(response.body);
  if (text === undefined) {
    if (response.status === 304) headers.vary = 'Accept-Encoding';
    return { content: undefined, headers };
  }
  const bytes = Buffer.byteLength(text);
  const encoding = chooseEncoding(incoming.headers['accept-encoding'], bytes);
  // Node.js sends a long text faster as bytes, and a short one faster with the headers.
  const isText = !encoding && text.length <= longText;
  const content = isText ? text : await encodeText(response, text, encoding);
  const { etag } = response.headers;
  if (bytes >= minCompressed) headers.vary = 'Accept-Encoding';
  if (encoding) headers['content-encoding'] = encoding;
  if (encoding && etag !== undefined) headers.etag = addEncoding(etag, encoding);
  const length = Buffer.byteLength(content);
  return { content, headers: { 'content-type': 'application/json', 'content-length': length, ...headers } };
}
