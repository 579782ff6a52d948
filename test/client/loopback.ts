import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { Client } from '../../src/client/client.ts';
import type { Transport } from '../../src/client/delivery.ts';
import { createHttpTransport, type TransportOptions } from '../../src/client/transport.ts';

/** A request that arrived. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a service does with a request; `count` is 0 for the first one. */
export type Behavior = (requests: ReceivedRequest, response: ServerResponse, count: number) => void;

/** Starts a service on a loopback port until the test ends. `env`: the environment of a command that uses it. */
export async function startTestService(respond: Behavior) {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const received = { method, url, headers, body: Buffer.concat(chunks).toString() };
    respond(received, response, requests.push(received) - 1);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  /** Receives the last requests of a killed process, which may still be in the queue of new connections. */
  const receiveRemaining = async () => {
    const socket = connect(port, '127.0.0.1').resume().end();
    await once(socket, 'close');
  };
  const env = { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  return { url, env, requests, receiveRemaining };
}

/** Returns the URL of a port that refuses connections: the local port of a client, which no other server can get. */
export async function findRefusingUrl(): Promise<string> {
  const { url } = await startTestService(() => {});
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return `http://127.0.0.1:${socket.localPort}`;
}

/** Responds with a status, a JSON value and headers. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const hasNoBody = body === undefined;
  response.writeHead(status, hasNoBody ? headers : { 'content-type': 'application/json', ...headers });
  response.end(hasNoBody ? undefined : JSON.stringify(body));
}

/** The records of a list; the large ones create each record when it is read. */
interface Listed<T> {
  readonly length: number;
  readonly at: (index: number) => T | undefined;
}

/** Creates the response of a list: the page that `first` and `after` of a URL select, by default all records. */
export function createPage<T>(records: Listed<T>, url = '') {
  const { searchParams } = new URL(url, 'http://service');
  const total_count = records.length;
  const after = Number(searchParams.get('after'));
  const end_cursor = Math.min(total_count, after + Number(searchParams.get('first') ?? total_count));
  return {
    data: Array.from(
      { length: Math.max(0, end_cursor - after) },
      (_, index) => records.at(after + index) as T,
    ),
    pagination: { end_cursor, has_next_page: end_cursor < total_count, total_count },
  };
}

/** Responds with such a page. */
export const sendPage = (response: ServerResponse, url: string, records: Listed<unknown>): void =>
  sendJson(response, 200, createPage(records, url));

/** The records of a service, by the paths of their lists. */
export type ServiceRecords = Readonly<Record<string, readonly object[]>>;

/** Returns the status and body of the response to a GET: a page of a list, or one of its records. */
export function findResponse(url: string, records: ServiceRecords): [status: number, body: object] {
  const { pathname } = new URL(url, 'http://service');
  const list = records[pathname];
  if (list) return [200, createPage(list, url)];
  const [, parent = '', id] = /^(.*)\/([^/]+)$/.exec(pathname) ?? [];
  const record = records[parent]?.find((one) => Object(one).id === id);
  return record ? [200, record] : [404, { message: `Not found: ${pathname}.` }];
}

/** Creates a transport to a URL. */
export function createTransport(baseUrl: string, options: Partial<TransportOptions> = {}) {
  const transport = createHttpTransport({
    baseUrl,
    key: 'key-for-tests',
    userAgent: 'kith/test',
    timeout: 5000,
    withoutWasmTiering: false,
    proxies: {},
    ...options,
  });
  onTestFinished(() => transport.close());
  return transport;
}

/** Creates a client over HTTP that does not wait. Records delays and traces. */
export function createTestClient(baseUrl: string, retries = 4, options: Partial<TransportOptions> = {}) {
  return createClientOver(createTransport(baseUrl, options), retries);
}

/** Creates such a client over any transport. */
export function createClientOver(transport: Transport, retries = 4) {
  const delays: number[] = [];
  const traceLines: string[] = [];
  const client = new Client({
    transport,
    retryPolicy: { retries, maxWait: 60_000 },
    signal: new AbortController().signal,
    getEndSignal: () => new AbortController().signal,
    now: () => new Date('2026-11-20T10:00:00Z'),
    random: () => 1,
    sleep: async (milliseconds) => {
      delays.push(milliseconds);
    },
    trace: (line) => traceLines.push(line),
  });
  return { client, delays, traceLines };
}
