import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { getRequestListener } from '@hono/node-server';
import { errorCode } from '../contract/error-code.ts';
import { errorText, Failure } from '../contract/errors.ts';
import type { Listening } from '../contract/workspace.ts';
import { createApp, type Shell } from './http.ts';
import { memoryOf } from './memory.ts';
import { remembered } from './remembered.ts';

/** Milliseconds that a stop waits for requests that still arrive: a signal ends the process within a second. */
const patience = 250;

/** A server that listens. */
export interface Serving {
  /** Where clients find it: `http://127.0.0.1:4717`. */
  readonly url: string;
  /** Takes no new requests, finishes those that it has accepted, then resolves. */
  stop(): Promise<void>;
}

/** Serves the workspace. Throws `usage` for an address beyond this machine without TLS. */
export async function serve(shell: Shell, { host, port, tls, behindProxy }: Listening): Promise<Serving> {
  if (!isLoopback(host) && !tls && !behindProxy) {
    throw new Failure('usage', `"${host}" is not a loopback address: keys would travel in the clear.`, {
      hint: 'Give --tls-cert and --tls-key, or --behind-proxy where a proxy does TLS.',
    });
  }
  const memory = memoryOf(shell.db);
  const hono = createApp(shell, memory);
  let stopping = false;
  const app = getRequestListener(async (...request) => {
    const response = await hono.fetch(...request);
    // A client that keeps its connection would keep the server.
    if (stopping) response.headers.set('connection', 'close');
    return response;
  });
  const quick = remembered(memory, shell, app);
  const server = serverOf((incoming, outgoing) => (stopping ? app : quick)(incoming, outgoing), tls);
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 5_000;
  const taken = await listen(server, host, port);
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    stop: () =>
      new Promise((resolve) => {
        stopping = true;
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), patience).unref();
      }),
  };
}

/** Gives the port that was taken. Throws `failed` for one that cannot be. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const reason = errorCode(error) || error.message;
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

function serverOf(listener: RequestListener, tls: Listening['tls']): Server {
  if (!tls) return createServer(listener);
  try {
    return createSecureServer(tls, listener);
  } catch (error) {
    const reason = errorText(error);
    throw new Failure('usage', `The certificate and its key cannot be used: ${reason}.`, { cause: error });
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
