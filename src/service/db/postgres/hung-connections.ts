import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';

/** Milliseconds between two checks. */
const interval = 250;

/** Milliseconds without a byte from the server after which it is asked about the connection. */
const longSilence = 750;

/** Milliseconds that the server may take to respond. The system repeats a lost packet after one second. */
const probeTimeout = 1500;

/** A connection of a pool. */
interface WatchedClient {
  readonly socket: Socket;
  /** The process of the server, or a random number behind a pooler; null before the server has responded. */
  readonly processID: number | null;
  /** Whether the server has to respond. It is false if the program pauses in a transaction. */
  readonly isWaiting: boolean;
}

/**
 * Watches the connections of a pool. Closes a connection that waits for a response if a new connection gets one and
 * the server process of the waiting connection is idle: a firewall or a failover has dropped the connection. They would block the pool until
 * the timeout. Then also closes the unused connections, which may be lost as well.
 */
export function createHungConnectionMonitor(config: ClientConfig) {
  /** The number of bytes that each connection has received, and the time of the first check that found this number. */
  const inUse = new Map<WatchedClient, { readonly bytes: number; readonly since: number }>();
  const unused = new Set<WatchedClient>();
  let timer: NodeJS.Timeout | undefined;
  const check = async () => {
    const now = performance.now();
    for (const [client, { bytes }] of inUse) {
      const { bytesRead } = client.socket;
      if (bytesRead !== bytes) inUse.set(client, { bytes: bytesRead, since: now });
    }
    const silent = [...inUse].filter(([{ isWaiting }, { since }]) => isWaiting && now - since >= longSilence);
    const isActive = silent.length === 0 ? undefined : await findActive(config);
    if (isActive) {
      const isSilent = ([{ socket }, { bytes }]: (typeof silent)[number]) => socket.bytesRead === bytes;
      const hung = silent.filter((entry) => isSilent(entry) && !isActive(entry[0]));
      if (hung.length > 0) for (const { socket } of unused) socket.destroy();
      for (const [{ socket }] of hung) socket.destroy();
      for (const [client, { bytes }] of silent)
        if (inUse.has(client)) inUse.set(client, { bytes, since: performance.now() });
    }
    timer = undefined;
    if (inUse.size > 0) schedule();
  };
  const schedule = () => {
    if (!timer) timer = setTimeout(check, interval).unref();
  };
  return {
    add(client: WatchedClient): void {
      unused.delete(client);
      inUse.set(client, { bytes: client.socket.bytesRead, since: performance.now() });
      // The system reports the end of the server behind a Unix socket at once.
      if (!config.host?.startsWith('/')) schedule();
    },
    release(client: WatchedClient): void {
      inUse.delete(client);
      unused.add(client);
    },
    remove(client: WatchedClient): void {
      inUse.delete(client);
      unused.delete(client);
    },
  };
}

export type HungConnectionMonitor = ReturnType<typeof createHungConnectionMonitor>;

/**
 * Asks the server on a new connection which of this user's connections run a statement. Returns undefined if it does not
 * respond. Behind a pooler, whose connections have other processes, one active process may belong to any connection.
 */
async function findActive(config: ClientConfig): Promise<((client: WatchedClient) => boolean) | undefined> {
  const socket = new Socket();
  const timeouts = { connectionTimeoutMillis: probeTimeout, query_timeout: probeTimeout };
  const client = new Client({ ...config, ...timeouts, stream: () => socket });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number; isProbe: number }>(`
      select pid, pid = pg_backend_pid() as "isProbe" from pg_stat_activity
      where datname = current_database() and usename = session_user and state = 'active'
        and wait_event_type is distinct from 'Client'`);
    const { processID } = client as unknown as WatchedClient; // missing in the types of `pg`
    const isDirect = rows.some(({ pid, isProbe }) => isProbe === 1 && pid === processID);
    const active = new Set(rows.filter(({ isProbe }) => isProbe === 0).map(({ pid }) => pid));
    await client.end();
    return (other) => (isDirect ? active.has(other.processID ?? 0) : active.size > 0);
  } catch {
    socket.destroy();
    return undefined;
  }
}
