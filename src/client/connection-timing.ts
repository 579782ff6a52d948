import type { Socket } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import { readMonotonicClock } from '../values/clock.ts';
import type { ConnectionTiming } from './exchange.ts';

/** Creates a connector of undici that passes the milliseconds of each step of a new connection to `onConnected`. */
export function createTimedConnector(timeout: number, onConnected: (timing: ConnectionTiming) => void) {
  const connect = buildConnector({ timeout, allowH2: false });
  return (...[target, callback]: Parameters<typeof connect>) => {
    const timing: Record<keyof ConnectionTiming, number | undefined> = {
      dns: undefined,
      connect: undefined,
      tls: undefined,
    };
    let before = readMonotonicClock();
    const measure = (step: keyof ConnectionTiming) => () => {
      const now = readMonotonicClock();
      timing[step] = now - before;
      before = now;
    };
    const socket: Socket = connect(target, (...result) => {
      onConnected(timing);
      callback(...result);
    });
    // Listeners in front of undici's, whose callback sends the request.
    return socket
      .prependOnceListener('lookup', measure('dns'))
      .prependOnceListener('connect', measure('connect'))
      .prependOnceListener('secureConnect', measure('tls'));
  };
}
