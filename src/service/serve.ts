import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Failure } from '../contract/errors.ts';
import { createApp, type Shell } from './http.ts';

/** A server that listens. */
export interface Serving {
  /** Where clients find it: `http://127.0.0.1:4717`. */
  readonly url: string;
  /** Takes no new requests, finishes those that it has accepted, then resolves. */
  stop(): Promise<void>;
}

/** Serves the workspace on a loopback address. Port 0 takes any that is free. */
export async function serve(shell: Shell, host: string, port: number): Promise<Serving> {
  if (!isLoopback(host)) {
    throw new Failure('usage', `"${host}" is not a loopback address; kith serves this machine only.`, {
      hint: 'Use --host 127.0.0.1.',
    });
  }
  const server = createAdaptorServer({ fetch: createApp(shell).fetch }) as Server; // without options it is one
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new Failure('failed', `Cannot listen on ${host}:${port}: ${error.code ?? error.message}.`, {
          cause: error,
          hint: 'Name another port with --port; 0 takes any that is free.',
        }),
      );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
