import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A parsed HTTP response. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Sends parts over one connection, `pause` milliseconds apart, and returns all responses until the server closes it.
 * With `end` the client ends its side after the last part. Rejects if the connection is reset.
 */
export async function exchangeRaw(
  url: string,
  parts: readonly (string | Buffer)[],
  pause = 0,
  { end = false } = {},
): Promise<RawResponse[]> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), noDelay: true });
  const received: Buffer[] = [];
  const closed = new Promise<void>((resolve, reject) => {
    socket
      .on('data', (chunk) => received.push(chunk))
      .on('error', reject)
      .on('end', resolve);
  });
  closed.catch(() => {});
  for (const part of parts) {
    if (socket.writable) socket.write(part);
    await wait(pause);
  }
  if (end) socket.end();
  await closed;
  socket.destroy();
  return parseResponses(Buffer.concat(received).toString('latin1'));
}

function parseResponses(all: string): RawResponse[] {
  const end = all.indexOf('\r\n\r\n');
  if (end < 0) return [];
  const [first = '', ...lines] = all.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  const start = end + 4;
  const length = Number(headers['content-length'] ?? 0);
  const text = Buffer.from(all.slice(start, start + length), 'latin1').toString();
  return [
    { status: Number(first.split(' ')[1]), headers, text },
    ...parseResponses(all.slice(start + length)),
  ];
}

/** Joins the lines of a request's head. */
export function formatHead(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n');
}

/** Starts a server of node:http for one test. */
export async function startHttpServer(listener: RequestListener): Promise<AddressInfo> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return server.address() as AddressInfo; // it listens on a port
}
