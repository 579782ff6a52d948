import { connect } from 'node:net';

/** Connections that are open at the same time. Each sends one request after the other. */
export const connections = 8;

/** An HTTP request. */
export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
}

/** Returns the lengths of the head and the body of a response; undefined if the head is incomplete. */
function parseHead(text: string): { head: number; body: number } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 2') || length === undefined) throw new Error(`Unexpected response: ${text}`);
  return { head: end + 4, body: Number(length) };
}

function formatRequest({ method, path, body }: LoadRequest, host: string, key: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const json = JSON.stringify(body);
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
}

/** A process that serves requests with a key. */
export interface Target {
  readonly url: string;
  readonly key: string;
}

/** Sends requests to a service on several connections. */
export const sendRequests = (service: Target, requests: readonly LoadRequest[]): Promise<void> =>
  spreadRequests([service], requests);

/**
 * Sends requests to processes that serve the same workspace with the same keys, and reads the responses. The connections
 * are spread over the processes. It uses no client library and reads only the status and the length of a response, so
 * that the service is measured and not the client.
 */
export async function spreadRequests(
  services: readonly Target[],
  requests: readonly LoadRequest[],
): Promise<void> {
  const urls = services.map(({ url }) => new URL(url));
  const key = services[0]?.key ?? '';
  const texts = requests.map((request) => formatRequest(request, urls[0]?.host ?? '', key)).values();
  const runConnection = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const { hostname, port } = urls[index % urls.length] ?? {};
      const socket = connect(Number(port), hostname ?? '');
      let start = ''; // the response so far, while its head is incomplete
      let missing = 0; // bytes of the body
      const sendNext = () => {
        const { value, done } = texts.next();
        if (!done) return void socket.write(value);
        socket.end();
        resolve();
      };
      const read = (chunk: Buffer) => {
        if (missing > 0) missing -= chunk.length;
        else {
          start += chunk.toString('latin1');
          const lengths = parseHead(start);
          if (!lengths) return;
          missing = lengths.head + lengths.body - start.length;
          start = '';
        }
        if (missing === 0) sendNext();
      };
      socket.on('connect', sendNext).on('error', reject);
      socket.on('data', (chunk) => {
        try {
          read(chunk);
        } catch (error) {
          socket.destroy();
          reject(error);
        }
      });
      socket.on('close', () => reject(new Error('The service has closed the connection.')));
    });
  await Promise.all(Array.from({ length: connections }, (_, index) => runConnection(index)));
}
