import type { IncomingMessage, RequestListener } from 'node:http';
import { requestIdOf, type Shell } from './http.ts';
import { type Bearer, hashOf, secretOf } from './keys.ts';
import type { Known } from './memory.ts';

/**
 * Answers from memory what has been answered before, and leaves all else to the app, refusals too. It stands before
 * Hono, because to make a Request and a Response of an answer that is there takes as long as to send it.
 */
export function remembered(
  memory: () => Known,
  { newId, rateLimit }: Pick<Shell, 'newId' | 'rateLimit'>,
  app: RequestListener,
): RequestListener {
  const recalled = (incoming: IncomingMessage) => {
    try {
      const known = memory();
      const body = answerTo(incoming, known);
      const bearer = body && bearerOf(incoming, known);
      return bearer && rateLimit?.(bearer.row) === undefined ? body : undefined;
    } catch {
      return undefined; // The file cannot be read: the app says so.
    }
  };
  return (incoming, outgoing) => {
    const body = recalled(incoming);
    if (!body) return app(incoming, outgoing);
    const id = incoming.headers['x-request-id'];
    outgoing.writeHead(200, {
      'content-type': 'application/json',
      'Content-Length': body.length,
      'x-request-id': requestIdOf(typeof id === 'string' ? id : undefined, newId),
    });
    outgoing.end(body);
  };
}

/** The body of the answer to a request, where it is known. */
function answerTo({ method, url = '', headers: { host } }: IncomingMessage, known: Known) {
  // With a "/" in the host, another host and path could be the same text.
  return method === 'GET' && host && !host.includes('/') ? known.answer(host + url) : undefined;
}

/** Who asks, where that is known: with one key; of two, the app takes neither. */
function bearerOf({ headersDistinct: { authorization } }: IncomingMessage, known: Known): Bearer | undefined {
  const secret = authorization?.length === 1 ? secretOf(authorization[0]) : undefined;
  return secret === undefined ? undefined : known.bearers.get(hashOf(secret));
}
