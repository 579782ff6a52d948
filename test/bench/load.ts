import { connect } from 'node:net';

/** Connections that are open at once, each with one request under way. */
export const connections = 8;

/** A request as it goes over the wire. */
export interface Asked {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
}

/** How many bytes of an answer follow on its head, and how long the head is; undefined: not all of it is there. */
function headOf(text: string): { length: number; rest: number } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 2') || length === undefined) throw new Error(`Not as expected: ${text}`);
  return { length: end + 4, rest: Number(length) };
}

/**
 * Sends requests to a service and reads each answer to its end. It does as little as can be, so that the service
 * is measured and not its client: no client library, and of an answer only its status and its length are looked at.
 */
export async function sent(url: string, key: string, all: readonly Asked[]): Promise<void> {
  const { host, hostname, port } = new URL(url);
  const texts = all.map(({ method, path, body }) => {
    const json = body === undefined ? '' : JSON.stringify(body);
    const type = body === undefined ? '' : 'Content-Type: application/json\r\n';
    const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(json)}\r\n`;
    return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${type}${length}\r\n${json}`;
  });
  const next = texts[Symbol.iterator]();
  const connection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let rest = 0;
      let begun = '';
      const ask = () => {
        const { value, done } = next.next();
        if (!done) return void socket.write(value);
        socket.end();
        resolve();
      };
      const read = (chunk: Buffer) => {
        if (rest > 0) rest -= chunk.length;
        else {
          begun += chunk.toString('latin1');
          const head = headOf(begun);
          if (!head) return;
          rest = head.length + head.rest - begun.length;
          begun = '';
        }
        if (rest === 0) ask();
      };
      socket.on('connect', ask).on('error', reject);
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
  await Promise.all(Array.from({ length: connections }, connection));
}
