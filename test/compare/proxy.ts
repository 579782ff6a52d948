import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of a client. `start` and `end` count the arrivals and responses of all requests of a run. */
export interface RecordedRequest {
  readonly text: string;
  readonly start: number;
  end: number;
}

/** The faults of the first attempt of each request. With `lost` and `500`, the service has processed the request. */
export const proxyFaults = ['503', '429', 'reset', 'lost', '500'] as const;
export type ProxyFault = (typeof proxyFaults)[number];

/** The headers that depend on the address and the length of a message. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

/** Records the requests to a service, and injects faults. It keeps its address while the services change. */
export class RecordingProxy {
  readonly #server = createServer((incoming, response) => void this.#pass(incoming, response));
  readonly #agent = new Agent({ keepAlive: false }); // the service may close an idle connection at any time
  #target: URL | undefined;
  #fault: ProxyFault | undefined;
  #date = '';
  #events = 0;
  #requests: RecordedRequest[] = [];
  #attempted = new Set<string>();

  /** Starts the proxy and returns its URL. */
  async open(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  /** Passes the next requests to another service, with this fault. If `url` is omitted, closes connections. */
  connect(url?: string, fault?: ProxyFault): void {
    this.#target = url === undefined ? undefined : new URL(url);
    this.#fault = fault;
    this.#attempted = new Set();
  }

  /** Sets the Date header of the responses, in which Node sends the real time. */
  setClock(time: Date): void {
    this.#date = time.toUTCString();
  }

  /** Returns the requests since the last call. */
  take(): RecordedRequest[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const start = ++this.#events;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const text = formatRequest(incoming, body);
    const recorded: RecordedRequest = { text, start, end: Number.POSITIVE_INFINITY };
    this.#requests.push(recorded);
    response.on('close', () => {
      recorded.end = ++this.#events;
    });
    const fault = this.#attempted.has(text) ? undefined : this.#fault;
    this.#attempted.add(text);
    if (fault === '503' || fault === '429')
      return void response.writeHead(Number(fault), { date: this.#date, 'retry-after': '1' }).end();
    if (fault === 'reset' || !this.#target) return void incoming.socket.destroy();
    const sent = request(new URL(incoming.url ?? '/', this.#target), {
      ...{ method: incoming.method, headers: incoming.headers, agent: this.#agent },
    });
    sent.on('error', () => incoming.socket.destroy());
    sent.on('response', (answer) => {
      const headers = { ...answer.headers, date: this.#date };
      if (fault === undefined) answer.pipe(response.writeHead(answer.statusCode ?? 502, headers));
      else
        answer.resume().on('end', () => {
          if (fault === 'lost') incoming.socket.destroy();
          else response.writeHead(Number(fault), { date: this.#date }).end();
        });
    });
    sent.end(body);
  }
}

/** Formats a request as the lines that are compared. */
function formatRequest({ method, url, headers }: IncomingMessage, body: string): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !ownHeaders.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines.sort(), ...(body ? [body] : [])].join('\n');
}

/**
 * Returns two requests that one run sent one after the other, and the other run in the reverse order. Requests at the
 * same time have no order.
 */
export function findReversed(
  one: readonly RecordedRequest[],
  other: readonly RecordedRequest[],
): readonly [string, string] | undefined {
  const places = new Map<string, RecordedRequest[]>();
  for (const request of other) places.set(request.text, [...(places.get(request.text) ?? []), request]);
  const pairs = one.flatMap((request) => {
    const match = places.get(request.text)?.shift();
    return match ? [{ request, match }] : [];
  });
  for (const [index, first] of pairs.entries()) {
    const second = pairs
      .slice(index + 1)
      .find(({ request, match }) => first.request.end < request.start && match.end < first.match.start);
    if (second) return [first.request.text, second.request.text];
  }
  return undefined;
}
