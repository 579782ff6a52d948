import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { Failure, getErrorCode, getErrorMessage } from '../../contract/errors.ts';
import type { ListenOptions } from '../../contract/workspace.ts';
import { createConnectionErrorHandler } from './connection-errors.ts';
import { createListener, type HttpDeps, type ServerState } from './listener.ts';

/** Milliseconds that a stop waits for requests that still arrive: a signal ends the process within a second. */
const stopTimeout = 250;

/** Milliseconds that a connection may take for the headers, a whole request, and between two requests. */
export interface ServerTimeouts {
  readonly headers: number;
  readonly request: number;
  readonly keepAlive: number;
  /** How often the first two are checked. */
  readonly check: number;
}

const defaultTimeouts: ServerTimeouts = { headers: 9500, request: 30_000, keepAlive: 5000, check: 500 };

/** A server that listens. */
export interface RunningServer {
  /** Where clients find it: `http://127.0.0.1:4717`. */
  readonly url: string;
  /** Takes no new requests, finishes those that it has accepted, then resolves. */
  stop(): Promise<void>;
}

/** Serves the workspace. Throws `usage` for an address beyond this machine without TLS. */
export async function startServer(
  shell: HttpDeps,
  { host, port, tls, behindProxy }: ListenOptions,
  timeouts = defaultTimeouts,
): Promise<RunningServer> {
  if (!isLoopback(host) && !tls && !behindProxy) {
    throw new Failure('usage', `"${host}" is not a loopback address: keys would travel in the clear.`, {
      hint: 'Give --tls-cert and --tls-key, or --behind-proxy where a proxy does TLS.',
    });
  }
  const state: ServerState = { isStopping: false, closing: new WeakSet(), responses: new WeakMap() };
  const listener = createListener(shell, state);
  const server = createHttpServer(listener, tls, timeouts);
  // Node would send "100 Continue" before the key is checked, and 417 without a body.
  server.on('checkContinue', listener).on('checkExpectation', listener);
  const onConnectionError = createConnectionErrorHandler(shell, state);
  server.on('clientError', (error, socket) => onConnectionError(error, socket as Socket)); // of TCP or TLS, always
  const taken = await listen(server, host, port);
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    stop: () =>
      new Promise((resolve) => {
        state.isStopping = true;
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), stopTimeout).unref();
      }),
  };
}

/** Gives the port that was taken. Throws `failed` for one that cannot be. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const reason = getErrorCode(error) || error.message;
      reject(
        new Failure('failed', `Cannot listen on ${host}:${port}: ${reason}.`, {
          cause: error,
          hint: 'Name another port with --port; 0 takes any that is free.',
        }),
      );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

function createHttpServer(
  listener: RequestListener,
  tls: ListenOptions['tls'],
  timeouts: ServerTimeouts,
): Server {
  const options: ServerOptions = {
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.keepAlive,
    connectionsCheckingInterval: timeouts.check,
    requireHostHeader: false, // it is checked with the other headers, and refused as problem+json
  };
  if (!tls) return createServer(options, listener);
  try {
    return createSecureServer({ ...options, ...tls }, listener);
  } catch (error) {
    const reason = getErrorMessage(error);
    throw new Failure('usage', `The certificate and its key cannot be used: ${reason}.`, { cause: error });
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
