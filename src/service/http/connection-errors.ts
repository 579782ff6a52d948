import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Failure, getErrorCode } from '../../contract/errors.ts';
import { type HttpDeps, readRequestId, type ServerState } from './listener.ts';
import { toProblem } from './problem.ts';

/** How long, and for how many more bytes, a connection stays open after the response to an unparsable request. */
const lingering = { bytes: 4 * 1024 * 1024, milliseconds: 2000 };

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Whether no more data is expected: the time is over, or the client has ended its side. */
const isEnd = (error: Error) => [timedOut, 'HPE_INVALID_EOF_STATE'].includes(getErrorCode(error));

/** Responds with problem+json to requests that Node cannot parse or that arrive too slowly, and ends the connection. */
export function createConnectionErrorHandler({ newId }: Pick<HttpDeps, 'newId'>, state: ServerState) {
  const ends = new WeakMap<Socket, number>();
  return (error: Error, socket: Socket): void => {
    const failure = toConnectionFailure(error);
    if (!failure || !socket.writable) {
      // More data is another error each time. Closing at once would reset the connection and lose the response.
      if (isEnd(error) || socket.bytesRead > (ends.get(socket) ?? 0)) socket.destroy();
      return;
    }
    const last = state.responses.get(socket);
    // The response is already sent; the rest of the body is received within its own limits.
    if (last?.headersSent && !last.writableFinished && !last.req.complete) {
      if (isEnd(error)) socket.destroySoon();
      return;
    }
    state.closing.add(socket);
    ends.set(socket, socket.bytesRead + lingering.bytes);
    // An earlier request is answered first.
    if (last && !last.writableFinished && last.req.complete) {
      last.once('finish', () => sendAndClose(socket, failure, newId(), isHead(error)));
      return;
    }
    const current = last && !last.writableFinished ? last.req : undefined;
    const id = readRequestId(current?.headers['x-request-id'], newId);
    sendAndClose(socket, failure, id, current ? current.method === 'HEAD' : isHead(error));
  };
}

/** Whether the unparsable packet begins with a HEAD request, whose response has no body. */
function isHead(error: Error): boolean {
  return (
    'rawPacket' in error &&
    Buffer.from(error.rawPacket as Buffer)
      .subarray(0, 5)
      .equals(headMethod)
  );
}

const headMethod = Buffer.from('HEAD ');

/** Returns the failure to send to the client; undefined for an error of the connection itself. */
function toConnectionFailure(error: Error): Failure | undefined {
  const code = getErrorCode(error);
  if (code === timedOut) {
    return new Failure('malformed', 'The request took too long to arrive.', { status: 408 });
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Failure('malformed', 'The headers of the request are too large.', { status: 431 });
  }
  if (!code.startsWith('HPE_')) return undefined;
  return new Failure('malformed', `The request is not valid HTTP: ${error.message}.`);
}

/** Ends a connection with a response, then discards for a while what the client still sends. */
function sendAndClose(socket: Socket, failure: Failure, id: string, isHead: boolean): void {
  const { status, headers, body } = toProblem(failure, id);
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    'x-request-id': id,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', isHead ? '' : text].join('\r\n'));
  setTimeout(() => socket.destroy(), lingering.milliseconds).unref();
}
