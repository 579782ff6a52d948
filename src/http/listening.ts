import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { Failure, getErrorCode, getErrorMessage } from '../contract/errors.ts';

/** Limits of a connection in milliseconds. The interval is the time between two checks of the first two limits. */
export const connectionTimeouts = {
  headersTimeout: 9500,
  requestTimeout: 30_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 500,
};

/** Whether a host is an address of this machine that other machines cannot reach. IPv6 without brackets. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Whether a Host header names this machine. A web page may resolve its own domain name to this machine (DNS rebinding). */
export function isLoopbackHeader(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return isLoopback(name.toLowerCase());
}

/**
 * Starts listening, and returns the host and the port as in a URL: port 0 means any free one. `hint`: of the failure.
 * @throws {Failure} `failed` if the port is not available
 */
export async function listen(server: Server, host: string, port: number, hint: string): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    const message = `Cannot listen on ${host}:${port}: ${getErrorCode(error) || getErrorMessage(error)}.`;
    throw new Failure('failed', message, { cause: error, hint });
  }
  const address = server.address();
  const actualPort = typeof address === 'object' && address ? address.port : port;
  return `${host.includes(':') ? `[${host}]` : host}:${actualPort}`;
}

/** Milliseconds after which a stopping server no longer waits for requests that are still arriving. */
const arrivalTimeout = 250;

/**
 * Stops a server: it accepts no new connections. Open connections may send requests for `drain` milliseconds more.
 * Resolves when `hasPending` is false, or `timeout` milliseconds later, and all connections are closed.
 */
export function stopListening(
  server: Server,
  hasPending: () => boolean,
  timeout: number,
  drain = 0,
): Promise<void> {
  return new Promise((resolve) => {
    // Unlike `server.close`, this keeps idle connections open: a client may be sending a request on one.
    NetServer.prototype.close.call(server, () => resolve());
    void (async () => {
      if (drain > 0) await wait(drain, undefined, { ref: false });
      server.close();
      await waitWhile(hasPending, timeout);
      server.closeAllConnections();
    })();
  });
}

/** Milliseconds after which a busy server stops listening anyway. */
const acceptTimeout = 500;

/**
 * Accepts the connections that the system has established: a server that stops listening resets the others. Node.js
 * accepts one in each turn of the event loop.
 */
export async function acceptPending(server: Server): Promise<void> {
  const end = performance.now() + acceptTimeout;
  let hasAccepted = false;
  const listener = () => {
    hasAccepted = true;
  };
  server.on('connection', listener);
  await nextTurn(); // the rest of the current turn
  do {
    hasAccepted = false;
    await nextTurn();
  } while (hasAccepted && performance.now() < end);
  server.off('connection', listener);
}

async function waitWhile(hasPending: () => boolean, timeout: number): Promise<void> {
  const end = performance.now() + timeout;
  for (let time = arrivalTimeout; ; time = 50) {
    await wait(time, undefined, { ref: false });
    if (performance.now() > end || !hasPending()) return;
  }
}
