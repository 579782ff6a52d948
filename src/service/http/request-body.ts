import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import { createBodyTooLarge, maxBody } from '../validate.ts';

/** How much of an unread body is received and discarded after the response. */
const maxDiscarded = { bytes: 64 * 1024 * 1024, milliseconds: 5000 };

/**
 * Reads a body as JSON; returns nothing if it is empty. To be called only after the key was checked.
 * @throws {Failure} `too_large`, `unsupported_media_type`, or `malformed`.
 */
export async function readJsonBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Pick<WireRequest, 'body' | 'text'>> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBody) throw createBodyTooLarge();
  if (isContinueExpected(incoming)) outgoing.writeContinue();
  const text = decodeUtf8(await readBytes(incoming));
  if (text === '') return {};
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(incoming.headers['content-type'] ?? '')) {
    throw new Failure('unsupported_media_type', 'Send the body as "Content-Type: application/json".');
  }
  try {
    return { body: JSON.parse(text), text };
  } catch (error) {
    throw new Failure('malformed', `The body is not JSON: ${getErrorMessage(error)}`);
  }
}

/** Whether the client waits for "100 Continue" before it sends the body. */
export function isContinueExpected({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // To leave the loop must not destroy the connection: the response still goes over it.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBody) throw createBodyTooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof Failure ? error : createUnreadableFailure(error);
  }
  return Buffer.concat(chunks);
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw createUnreadableFailure(error);
  }
}

const createUnreadableFailure = (cause: unknown) =>
  new Failure('malformed', 'The body is incomplete or not UTF-8.', { cause });

/** Receives the rest of a body without keeping it, until it ends or a limit is reached. */
export function discardBody(incoming: IncomingMessage, limits = maxDiscarded): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(finish, limits.milliseconds);
    function finish() {
      clearTimeout(timer);
      resolve();
    }
    incoming.on('error', finish).once('end', finish).once('close', finish);
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.bytes) finish();
    });
    incoming.resume();
  });
}
