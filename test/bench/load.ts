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

/**
 * Sends requests to a service and reads the responses. It uses no client library and reads only the status and the
 * length of a response, so that the service is measured and not the client.
 */
export async function sendRequests(
  { url, key }: { readonly url: string; readonly key: string },
  requests: readonly LoadRequest[],
): Promise<void> {
  const { host, hostname, port } = new URL(url);
  const texts = requests.map((request) => formatRequest(request, host, key)).values();
  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
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
  await Promise.all(Array.from({ length: connections }, runConnection));
}
