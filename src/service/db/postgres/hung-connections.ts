import { connect, type Socket } from 'node:net';

/** Milliseconds between two checks. */
const interval = 500;

/** Milliseconds that a test connection may take. The system repeats a lost packet after one second. */
const reachTimeout = 1500;

/** The bytes that a connection in use had received by a check, and the time of the first check that found this number. */
interface Progress {
  readonly bytes: number;
  readonly since: number;
}

/**
 * Watches the connections in use. When an unreachable server is reachable again, closes the connections that received
 * nothing during the outage. They would block the pool: TCP repeats lost packets only after the length of the outage,
 * and a new server never responds.
 */
export function createHungConnectionMonitor({ host = '', port = 0 }) {
  const inUse = new Map<Socket, Progress>();
  let timer: NodeJS.Timeout | undefined;
  let lastFailure: number | undefined;
  const check = async () => {
    const now = performance.now();
    for (const [socket, { bytes }] of inUse)
      if (socket.bytesRead !== bytes) inUse.set(socket, { bytes: socket.bytesRead, since: now });
    const hung = [...inUse].filter(([, { since }]) => now - since >= interval);
    if (hung.length > 0 && !(await isReachable(host, port))) lastFailure = now;
    else {
      for (const [socket, { bytes, since }] of hung)
        if (lastFailure !== undefined && since < lastFailure && socket.bytesRead === bytes) socket.destroy();
      lastFailure = undefined;
    }
    timer = undefined;
    if (inUse.size > 0) schedule();
  };
  const schedule = () => {
    if (!timer) timer = setTimeout(check, interval).unref();
  };
  return {
    add(socket: Socket): void {
      inUse.set(socket, { bytes: socket.bytesRead, since: performance.now() });
      // The system reports the end of the server behind a Unix socket at once.
      if (!host.startsWith('/')) schedule();
    },
    remove: (socket: Socket): void => void inUse.delete(socket),
  };
}

export type HungConnectionMonitor = ReturnType<typeof createHungConnectionMonitor>;

/** Whether a server accepts a TCP connection. PostgreSQL does not log a connection without data. */
function isReachable(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: reachTimeout });
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
    function finish(isConnected: boolean) {
      socket.destroy();
      resolve(isConnected);
    }
  });
}
