import { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Failure } from '../../contract/errors.ts';
import type { Session } from '../command/context.ts';
import { createServer } from './server.ts';
import type { Offer } from './tools.ts';

/** Milliseconds for running calls after stdin is closed; clients kill the server after two seconds. */
const drainMilliseconds = 1500;

/**
 * Serves an MCP client on stdin and stdout until it closes stdin, then waits briefly for running calls.
 * @throws {Failure} interrupted or terminated if a signal ends it, failed if a message is too long
 */
export async function serveStdio(session: Session, offer: Offer): Promise<void> {
  const { signal } = session;
  const closing = new AbortController();
  const running = { signal: closing.signal, promises: new Set<Promise<unknown>>() };
  const server = createServer(session, offer, running);
  const input = Readable.from(session.stdin.bytes());
  const output = createOutput(session);
  server.onerror = ({ message }) => {
    // A closed pipe is reported here too.
    if (!output.errored) void session.note(`Invalid message from the MCP client: ${message}`);
  };
  await server.connect(new StdioServerTransport(input, output));
  await new Promise<void>((resolve, reject) => {
    input.once('end', resolve).once('error', reject);
    output.once('error', reject);
    server.onclose = () => reject(new Failure('failed', 'A message from the MCP client is too long.'));
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // The server handles the last message in the next turn of the event loop.
  await new Promise((next) => setImmediate(next));
  const giveUp = setTimeout(() => closing.abort(stdinClosed), drainMilliseconds);
  await Promise.all(running.promises).finally(() => clearTimeout(giveUp));
  signal.throwIfAborted();
}

const stdinClosed = new Failure('interrupted', 'Stdin was closed before the request finished.');

/** Returns a stream that writes to the session's stdout, which redacts keys. */
function createOutput({ stdout }: Session): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _, done) => {
      stdout.write(String(chunk)).then(() => done(), done);
    },
  });
  // Each running call adds a listener.
  return stream.setMaxListeners(0);
}
