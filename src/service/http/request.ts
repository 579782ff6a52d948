import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { WireRequest } from '../../contract/grammar.ts';
import { createBodyTooLarge, maxBody } from '../../contract/validate.ts';
import { quote, truncateValue } from '../../values/text.ts';

/** A host name or address with an optional port. */
const hostPattern = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i;

/** @throws {Failure} `malformed` unless there is exactly one valid Host, and no Expect other than 100-continue. */
export function checkHeaders(incoming: IncomingMessage): void {
  const { host, expect } = incoming.headers;
  if (host === undefined && incoming.httpVersion !== '1.0')
    throw new Failure('malformed', 'The request has no Host header.');
  if (host?.includes(', ')) throw new Failure('malformed', 'The request has more than one Host header.');
  if (host !== undefined && !hostPattern.test(host))
    throw new Failure('malformed', `Invalid Host header: ${JSON.stringify(truncateValue(host))}.`);
  if (expect && !isContinueExpected(incoming))
    throw new Failure('malformed', 'The only supported Expect header is 100-continue.', { status: 417 });
}

/** Returns the conditions of a request (RFC 9110, 13.1). */
export const readConditions = ({ headers }: IncomingMessage) => ({
  ifMatch: headers['if-match'],
  ifNoneMatch: headers['if-none-match'],
});

/** Returns the client's request id if it is safe in a header and a log, otherwise a new one. */
export function readRequestId(header: string | string[] | undefined, newId: () => string): string {
  return typeof header === 'string' && /^[\w.:-]{1,100}$/.test(header) ? header : newId();
}

/** Splits a request target: a path with an optional host and query. @throws {Failure} `malformed` */
export function splitTarget(target = ''): { readonly path: string; readonly query: string } {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?#]*)?(\/[^?#]*)(?:\?([^#]*))?/i.exec(target) ?? [];
  if (path === '')
    throw new Failure(
      'malformed',
      `The request target is not a path: ${JSON.stringify(truncateValue(target))}.`,
    );
  return { path, query };
}

/** Parses the query of a target. A long one takes a millisecond, so it must be called only after the key was checked. */
export const parseQuery = (query: string): WireRequest['query'] =>
  query === '' ? [] : [...new URLSearchParams(query)];

/**
 * Reads a body as JSON; returns nothing if it is empty. Must be called only after the key was checked.
 * @throws {Failure} `too_large`, `unsupported_media_type`, or `malformed`.
 */
export async function readJsonBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Pick<WireRequest, 'body' | 'text'>> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBody) throw createBodyTooLarge();
  const encoding = incoming.headers['content-encoding'] ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    const message = `Content-Encoding: ${quote(encoding)} is not supported. Send the body uncompressed.`;
    throw new Failure('unsupported_media_type', message, { headers: { 'accept-encoding': 'identity' } });
  }
  if (isContinueExpected(incoming)) outgoing.writeContinue();
  const text = await readText(incoming);
  if (text === '') return {};
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(incoming.headers['content-type'] ?? '')) {
    throw new Failure('unsupported_media_type', 'Send the body as "Content-Type: application/json".');
  }
  try {
    return { body: JSON.parse(text), text };
  } catch (error) {
    throw new Failure('malformed', `The body is not valid JSON: ${getErrorMessage(error)}`);
  }
}

/** Whether the client waits for "100 Continue" before it sends the body. */
function isContinueExpected({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // By default, leaving the loop destroys the connection, but the response still has to be sent.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > maxBody) throw createBodyTooLarge();
      chunks.push(chunk);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('malformed', 'The body is incomplete or not UTF-8.', { cause: error });
  }
}

/** The maximum size of an unread body that is discarded after the response, in bytes. */
const maxDiscarded = { bytes: 64 * 1024 * 1024, milliseconds: 5000 };

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
