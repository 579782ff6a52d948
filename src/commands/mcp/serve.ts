import { ProtocolErrorCode, type Transport } from '@modelcontextprotocol/server';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import type { Session } from '../../cli/command/context.ts';
import { Failure } from '../../contract/errors.ts';
import { parseMessages, type Refusal, refuseMessage } from './messages.ts';
import { createServer } from './server.ts';
import type { Offer } from './tools.ts';

/** Milliseconds for running calls after stdin is closed; clients kill the server after two seconds. */
const drainMilliseconds = 1500;

/** The largest message, in bytes. */
const maxMessageSize = 10 * 1024 * 1024;

/**
 * Serves an MCP client on stdin and stdout until it closes stdin, then waits briefly for running calls.
 * @throws {Failure} interrupted or terminated if a signal ends it
 */
export async function serveStdio(session: Session, offer: Offer): Promise<void> {
  const { signal } = session;
  const { stdin, stdout } = session.streams;
  const closing = new AbortController();
  const running = { signal: closing.signal, promises: new Set<Promise<unknown>>() };
  let fail: (reason: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const send = (message: object) => stdout.write(`${JSON.stringify(message)}\n`).catch(fail);
  const transport: Transport = { start: async () => {}, close: async () => {}, send };
  const connection = serveConnection(() => createServer(session, offer, running), { transport });
  const refuse = async (refusal: Refusal) => {
    await session.messages.note(`Invalid message from the MCP client: ${refusal.error.message}`);
    await send(refusal);
  };
  const read = async () => {
    for await (const line of readLines(stdin.bytes())) {
      const parsed = line === undefined ? { refusal: tooLarge } : parseMessages(line);
      if ('refusal' in parsed) await refuse(parsed.refusal);
      else for (const message of parsed.messages) transport.onmessage?.(message);
    }
  };
  signal.addEventListener('abort', () => fail(signal.reason), { once: true });
  await Promise.race([read(), failed]);
  // The server handles the last message in the next turn of the event loop.
  await new Promise((next) => setImmediate(next));
  const giveUp = setTimeout(() => closing.abort(stdinClosed), drainMilliseconds);
  await Promise.all(running.promises).finally(() => clearTimeout(giveUp));
  await new Promise((next) => setImmediate(next));
  await connection.close();
  signal.throwIfAborted();
}

const stdinClosed = new Failure('interrupted', 'Stdin was closed before the request finished.');

const tooLarge = refuseMessage(ProtocolErrorCode.InvalidRequest, 'The message is larger than 10 MB.');

/** Yields the lines that are not empty, and undefined for a line that is too large. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array) => {
    size += part.length;
    if (size > maxMessageSize) parts = [];
    else parts.push(part);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end));
      const line = size > maxMessageSize ? undefined : Buffer.concat(parts).toString();
      if (line?.trim() !== '') yield line;
      [parts, size, start] = [[], 0, end + 1];
    }
    add(chunk.subarray(start));
  }
}
