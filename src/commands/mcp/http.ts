import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Session } from '../../cli/command/context.ts';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { hashSecret, parseBearerToken } from '../../http/bearer-token.ts';
import {
  connectionTimeouts,
  isLoopback,
  isLoopbackHeader,
  listen,
  stopListening,
} from '../../http/listening.ts';
import { parseMessages, type Refusal, refuseMessage } from './messages.ts';
import { createServer } from './server.ts';
import type { Offer } from './tools.ts';

const endpoint = '/mcp';

/** Maximum length of a message in bytes. */
const maxBodySize = 4 * 1024 * 1024;

/** Minimum length of a key that the user has chosen. */
const minKeyLength = 20;

/** Milliseconds for the responses of running calls after a signal. */
const stopTimeout = 2000;

interface HttpOptions {
  readonly host: string;
  readonly port: number;
  readonly allowOrigin: readonly string[] | undefined;
}

/**
 * Serves MCP clients over HTTP on this machine until a signal ends it.
 * @throws {Failure} usage if the host, an origin or the key cannot be used, failed if the port is not available
 */
export async function serveHttp(
  session: Session,
  offer: Offer,
  { host, port, allowOrigin = [] }: HttpOptions,
): Promise<void> {
  if (!isLoopback(host)) {
    const message = `Refusing to listen on ${host} without TLS: the key would be sent unencrypted.`;
    throw new Failure('usage', message, {
      hint: 'Use a loopback address, and an SSH tunnel or a TLS proxy.',
    });
  }
  const origins = allowOrigin.map(parseOrigin);
  const { key, isGenerated } = readKey(session.runtime.env.KITH_MCP_KEY);
  const { signal } = session;
  const calls = new Set<Promise<unknown>>();
  const servers = createMcpHandler(() => createServer(session, offer, { signal, promises: calls }));
  const serving = { origins, keyHash: Buffer.from(hashSecret(key)), servers, redact: session.streams.redact };
  let openCount = 0;
  const server = createHttpServer(connectionTimeouts, (request, response) => {
    openCount += 1;
    response.once('close', () => {
      openCount -= 1;
    });
    handle(request, response, serving).catch((error: unknown) => {
      void session.messages.warn(`Cannot send the response: ${getErrorMessage(error)}`);
      response.destroy();
    });
  });
  const address = await listen(
    server,
    host,
    port,
    'Choose another port with --port; port 0 picks a free one.',
  );
  session.runtime.extendTimeouts(stopTimeout);
  await session.messages.note(`Serving MCP on http://${address}${endpoint}`);
  if (isGenerated) await session.messages.warn(`Clients need this header: Authorization: Bearer ${key}`);
  if (!signal.aborted) await new Promise((stop) => signal.addEventListener('abort', stop, { once: true }));
  const stopped = stopListening(server, () => openCount > 0, stopTimeout);
  // The signal has aborted the calls. Their responses are sent in the next turns of the event loop.
  await Promise.allSettled(calls);
  await new Promise((next) => setImmediate(() => setImmediate(next)));
  await servers.close();
  await stopped;
}

/** Returns the key of the environment, or a new one. @throws {Failure} usage if it is too short */
function readKey(stored: string | undefined): { key: string; isGenerated: boolean } {
  if (!stored) return { key: `kith_mcp_${randomBytes(32).toString('base64url')}`, isGenerated: true };
  if (stored.length >= minKeyLength && /^[\x21-\x7e]+$/.test(stored))
    return { key: stored, isGenerated: false };
  throw new Failure('usage', `KITH_MCP_KEY must have at least ${minKeyLength} characters, without spaces.`, {
    hint: 'Create one with: openssl rand -hex 32',
  });
}

/** @throws {Failure} usage if a text is not an origin */
function parseOrigin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '').toLowerCase())
    return url;
  throw new Failure('usage', `--allow-origin: "${text}" is not an origin.`, {
    hint: 'An origin is a scheme, a host and possibly a port: https://app.example',
  });
}

interface Serving {
  readonly origins: readonly URL[];
  readonly keyHash: Buffer;
  /** Passes each request to a new server. */
  readonly servers: McpHttpHandler;
  readonly redact: (text: string) => string;
}

/** Checks a request, passes it to a server, and sends the response. */
async function handle(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { host, origin, authorization } = request.headers;
  const { origins, keyHash, servers, redact } = serving;
  if (!isAllowedHost(host, origins)) return refuse(response, 403, 'The Host header is not allowed.');
  if (origin !== undefined && !isAllowedOrigin(origin, origins))
    return refuse(response, 403, 'The Origin header is not allowed.');
  if (origin !== undefined) allowOrigin(response, origin);
  if (request.method === 'OPTIONS') return void response.writeHead(204).end();
  const [path] = (request.url ?? '').split('?');
  if (path !== endpoint) return refuse(response, 404, `The endpoint is ${endpoint}.`);
  const key = parseBearerToken(authorization);
  if (key === undefined || !timingSafeEqual(Buffer.from(hashSecret(key)), keyHash)) {
    response.setHeader('WWW-Authenticate', 'Bearer');
    return refuse(response, 401, 'The key is missing or invalid.');
  }
  if (request.method !== 'POST') return refuse(response, 405, 'The method is not POST.');
  const text = await readBody(request);
  if (text === undefined) return refuse(response, 413, 'The message is larger than 4 MB.');
  const parsed = parseMessages(text);
  if ('refusal' in parsed)
    return sendRefusal(response, parsed.refusal.id === null ? 400 : 200, parsed.refusal);
  const answer = await servers.fetch(toWebRequest(request, response), {
    parsedBody: parsed.messages.length > 1 ? parsed.messages : parsed.messages[0],
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  const decoder = new TextDecoder();
  // Redacts keys in the messages, as stdout does. Each chunk is a whole message.
  for await (const chunk of answer.body ?? [])
    response.write(redact(decoder.decode(chunk, { stream: true })));
  response.end();
}

/** Returns a request without its body. It is aborted when the client disconnects. */
function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const headers = new Headers(request.headers as Record<string, string>); // only Set-Cookie has several values
  return new Request(`http://localhost${endpoint}`, { method: 'POST', headers, signal: leaving.signal });
}

/** Whether a Host header names this machine or the host of an allowed origin, so that no web page can rebind a name. */
const isAllowedHost = (host = '', origins: readonly URL[]): boolean =>
  isLoopbackHeader(host) || origins.some((url) => url.host === host);

/** Whether an Origin header is a page of this machine, or allowed. */
function isAllowedOrigin(origin: string, origins: readonly URL[]): boolean {
  if (origins.some((url) => url.origin === origin)) return true;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  );
}

/** Lets a page of an allowed origin read the response. */
function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Vary', 'Origin');
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader(
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name',
  );
}

/** Responds with an error of JSON-RPC. The body of the request is not read. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.setHeader('Connection', 'close');
  sendRefusal(response, status, refuseMessage(-32000, message));
}

const sendRefusal = (response: ServerResponse, status: number, refusal: Refusal) =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal));

/** Returns the body of a request; undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > maxBodySize) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
