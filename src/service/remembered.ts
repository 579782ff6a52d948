import type { IncomingMessage, RequestListener } from 'node:http';
import { requestIdOf, type Shell } from './http.ts';
import { hashOf, secretOf } from './keys.ts';
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
  const recalled = ({ url, secret }: Asked) => {
    const known = knownNow(memory);
    const body = known?.answer(url);
    const bearer = body && known?.bearers.get(hashOf(secret));
    // One that is too many is counted by the app again: it is then one too many there as well.
    return bearer && rateLimit?.(bearer.row) === undefined ? body : undefined;
  };
  return (incoming, outgoing) => {
    const asked = plainRead(incoming);
    const body = asked && recalled(asked);
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

/** What is asked, without the scheme, and by whom. */
interface Asked {
  readonly url: string;
  readonly secret: string;
}

/** What is known, where the file can be read: else it is for the app to say so. */
function knownNow(memory: () => Known): Known | undefined {
  try {
    return memory();
  } catch {
    return undefined;
  }
}

/**
 * A GET with a key and nothing unusual: no body, which may be cut off or malformed, one key, and a host that is no more
 * than one, so that another host and path are not the same URL.
 */
function plainRead({ method, url, headers, headersDistinct }: IncomingMessage): Asked | undefined {
  const { host } = headers;
  if (method !== 'GET' || host === undefined || !/^[\w.-]+(:\d+)?$/.test(host)) return undefined;
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return undefined;
  const { authorization } = headersDistinct;
  const secret = authorization?.length === 1 ? secretOf(authorization[0]) : undefined;
  return secret === undefined ? undefined : { url: `${host}${url}`, secret };
}
