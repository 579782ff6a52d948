import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Failure, getErrorCode } from '../../contract/errors.ts';
import type { ListenerDeps, ServerState } from './listener.ts';
import { toProblem } from './problem.ts';
import { readRequestId } from './request.ts';

/** The milliseconds and the bytes for which a connection stays open after the response to an unparsable request. */
const maxLingering = { bytes: 4 * 1024 * 1024, milliseconds: 2000 };

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Whether no more data is expected: the request timed out, or the client closed its side. */
const isEnd = (error: Error) => [timeoutCode, 'HPE_INVALID_EOF_STATE'].includes(getErrorCode(error));

/** Returns a handler that responds with problem+json to unparsable and slow requests, and ends the connection. */
export function createConnectionErrorHandler({ newId, onServed }: ListenerDeps, state: ServerState) {
  /** The number of bytes after which a connection is closed. */
  const byteLimits = new WeakMap<Socket, number>();
  /** Sends a last response on a connection, and discards data that still arrives for a while. */
  const respond = (socket: Socket, failure: Failure, requestId: string, method: string | undefined) => {
    const { status, headers, body } = toProblem(failure, requestId);
    const text = JSON.stringify(body);
    const allHeaders = {
      ...headers,
      'x-request-id': requestId,
      'content-length': Buffer.byteLength(text),
      connection: 'close',
    };
    const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
    const content = method === 'HEAD' ? '' : text;
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', content].join('\r\n'));
    setTimeout(() => socket.destroy(), maxLingering.milliseconds).unref();
    onServed?.({ requestId, method, route: undefined, status, milliseconds: undefined, key: undefined });
  };
  return (error: Error, socket: Socket): void => {
    const failure = toConnectionFailure(error);
    if (!failure || !socket.writable) {
      // Each chunk after the first error is another error. Closing at once would reset the connection and lose the response.
      if (isEnd(error) || socket.bytesRead > (byteLimits.get(socket) ?? 0)) socket.destroy();
      return;
    }
    const last = state.responses.get(socket);
    // The response was sent before the body was complete; `discardBody` limits the rest.
    if (last?.headersSent && !last.writableFinished && !last.req.complete) {
      if (isEnd(error)) socket.destroySoon();
      return;
    }
    state.closing.add(socket);
    byteLimits.set(socket, socket.bytesRead + maxLingering.bytes);
    // The response to the previous request is sent first.
    if (last && !last.writableFinished && last.req.complete) {
      last.once('finish', () => respond(socket, failure, newId(), findMethod(error)));
      return;
    }
    const current = last && !last.writableFinished ? last.req : undefined;
    const id = readRequestId(current?.headers['x-request-id'], newId);
    respond(socket, failure, id, current ? current.method : findMethod(error));
  };
}

/** Returns the method with which an unparsable packet begins, if any. The response to HEAD has no body. */
function findMethod(error: Error): string | undefined {
  if (!('rawPacket' in error)) return undefined;
  return /^[A-Z]{3,7}(?= )/.exec(Buffer.from(error.rawPacket as Buffer).toString('latin1', 0, 8))?.[0];
}

/** Returns the failure to send to the client; undefined for an error of the connection itself. */
function toConnectionFailure(error: Error): Failure | undefined {
  const code = getErrorCode(error);
  if (code === timeoutCode)
    return new Failure('malformed', 'The request timed out before all of it arrived.', { status: 408 });
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('malformed', 'The request headers are too large.', { status: 431 });
  if (!code.startsWith('HPE_')) return undefined;
  return new Failure('malformed', `Invalid HTTP request: ${error.message}.`);
}
