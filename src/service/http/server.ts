import { createServer } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import {
  defaultDrain,
  getStopTimeout,
  type ListenOptions,
  type ServeOptions,
  type ServerLog,
} from '../../contract/workspace.ts';
import {
  acceptPending,
  connectionTimeouts,
  isLoopback,
  listen,
  stopListening,
} from '../../http/listening.ts';
import { formatDatabase } from '../../values/database-url.ts';
import type { OpenDatabase } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { checkExists, withReader, withWorkspace } from '../db/open.ts';
import type { Machine } from '../deps.ts';
import { createService } from '../dispatch.ts';
import { checkRegion, claimRegion } from '../records/region.ts';
import { createConnectionErrorHandler } from './connection-errors.ts';
import { listKeys } from './keys.ts';
import { createListener, type ListenerDeps, type Respond, type ServerState } from './listener.ts';
import type { createMetrics } from './metrics.ts';
import { createRateLimit, createSharedRateLimit, type RateLimit } from './rate-limit.ts';
import { createEndpointResponder, createResponder, type HttpDeps } from './responder.ts';

/**
 * Serves the workspace at a location until the signal is aborted.
 * @throws {Failure} `failed` if the file does not exist, otherwise as `startServer` does.
 */
export async function serveWorkspace(
  location: string,
  options: ServeOptions,
  machine: Machine,
): Promise<void> {
  checkExists(location);
  await checkRegion(options.region);
  const serveWith = async (writer: OpenDatabase) => {
    await claimRegion(writer, options.region, formatDatabase(location));
    await withReader(location, writer, (reader) => serveUntilAborted(reader, writer, options, machine));
  };
  const { poolSize, statementTimeout } = options;
  const log = (text: string) => options.log.write('info', text);
  await withWorkspace(location, serveWith, { ...machine, log, poolSize, statementTimeout });
}

async function serveUntilAborted(
  reader: OpenDatabase,
  writer: OpenDatabase,
  options: ServeOptions,
  { now, newId, version }: Machine,
): Promise<void> {
  const { signal, onListening, onReload, isLenient, metricsPort, faultPlan, drain } = options;
  const metrics = (await import('./metrics.ts')).createMetrics(version, reader.readPool);
  const { log, onServed } = createObserver(options.log, metrics);
  const read = createService({ db: reader, now, log });
  const write = createService({ db: writer, now, log, isLenient });
  const deps: HttpDeps = {
    db: reader,
    service: (request, caller) => (request.method === 'GET' ? read : write)(request, caller),
    log,
    newId,
    version,
    rateLimit: createLimit(reader, options, now),
    injectFault: faultPlan && (await import('./faults.ts')).createFaultInjector(faultPlan),
    onServed,
    metrics: metricsPort === undefined ? metrics.endpoint : undefined,
  };
  const servers = [await startServer(deps, options)];
  try {
    if (metricsPort !== undefined) {
      const respond = createEndpointResponder('/metrics', metrics.endpoint, options.host, deps);
      servers.push(await startListening(respond, { newId, log }, { ...options, port: metricsPort }));
    }
    onReload?.(() => reloadTls(options, servers));
    const keys = (await listKeys(reader)).filter(({ revoked_at }) => revoked_at === null).length;
    const [url = '', metricsUrl] = servers.map((server) => server.url);
    onListening({ url, metricsUrl, keys });
    if (!signal.aborted) await new Promise((stop) => signal.addEventListener('abort', stop, { once: true }));
  } finally {
    // A person who presses Ctrl-C does not wait for idle connections.
    const isTerminated = signal.reason instanceof Failure && signal.reason.code === 'terminated';
    const milliseconds = isTerminated ? (drain ?? defaultDrain) * 1000 : 0;
    await Promise.all(servers.map((server) => server.stop(milliseconds)));
  }
}

/** Loads the TLS files again. If they cannot be used, the servers keep the old ones. Open connections stay. */
async function reloadTls(
  { readTls, log }: ServeOptions,
  servers: readonly { readonly setTls: (tls: ListenOptions['tls']) => void }[],
): Promise<void> {
  try {
    const tls = await readTls?.();
    if (!tls) return log.write('info', 'There is no TLS certificate to reload.');
    checkTls(tls); // before any server changes
    for (const { setTls } of servers) setTls(tls);
    log.write('info', 'Reloaded the TLS certificate and key.');
  } catch (error) {
    log.write('error', `${getErrorMessage(error)} The server keeps the old certificate and key.`);
  }
}

/** Returns the limit of requests per minute and key; undefined if there is none. */
function createLimit(
  { countRequest }: OpenDatabase,
  { perMinute, log }: ServeOptions,
  now: () => Date,
): RateLimit | undefined {
  if (perMinute === undefined) return undefined;
  if (!countRequest) return createRateLimit(perMinute, now);
  const warn = (text: string) => log.write('warning', text);
  return createSharedRateLimit(perMinute, { now, countRequest, warn });
}

/** Returns functions that log and count internal errors and requests. */
function createObserver(log: ServerLog, metrics: Metrics): Required<Pick<HttpDeps, 'log' | 'onServed'>> {
  const { write, writeRequest } = log;
  return {
    log: (text, requestId) => {
      metrics.countError();
      write('error', text, requestId);
    },
    onServed: (request) => {
      metrics.countRequest(request);
      if (writeRequest)
        writeRequest(request, request.key === undefined ? null : ids.apiKey.encode(request.key));
      else for (const warning of request.warnings ?? []) write('warning', warning, request.requestId);
    },
  };
}

type Metrics = ReturnType<typeof createMetrics>;

/** Starts the HTTP server of a workspace. See `startListening`. */
export function startServer(deps: HttpDeps, options: ListenOptions, timeouts = connectionTimeouts) {
  return startListening(createResponder(deps), deps, options, timeouts);
}

/**
 * Starts an HTTP server and returns its base URL, `http://127.0.0.1:4717`. Its `stop` accepts no new requests and
 * resolves when the accepted ones are finished.
 * @throws {Failure} `usage` for a host other than loopback without TLS, `failed` if the port is not available.
 */
async function startListening(
  respond: Respond,
  deps: ListenerDeps,
  { host, port, tls, behindProxy }: ListenOptions,
  timeouts = connectionTimeouts,
) {
  if (!isLoopback(host) && !tls && !behindProxy) {
    const message = `Refusing to listen on ${host} without TLS: API keys would be sent unencrypted.`;
    throw new Failure('usage', message, {
      hint: 'Pass --tls-cert and --tls-key, or --behind-proxy if a proxy handles TLS.',
    });
  }
  const state: ServerState = {
    isStopping: false,
    pause: undefined,
    closing: new WeakSet(),
    ended: new WeakSet(),
    responses: new Map(),
  };
  const listener = createListener(respond, deps, state);
  const options = {
    ...timeouts,
    joinDuplicateHeaders: true, // a second Host or Authorization must not be ignored
    requireHostHeader: false, // `checkHeaders` checks it and responds with problem+json
  };
  if (tls) checkTls(tls);
  const server = tls ? createSecureServer({ ...options, ...tls }, listener) : createServer(options, listener);
  // Node would send "100 Continue" before the key is checked, and 417 without a body.
  server.on('checkContinue', listener).on('checkExpectation', listener);
  const handleError = createConnectionErrorHandler(deps, state);
  server.on('clientError', (error, socket) => handleError(error, socket as Socket)); // of TCP or TLS, always
  const hint = 'Choose another port with --port or --metrics-port; port 0 picks a free one.';
  const address = await listen(server, host, port, hint);
  // For example, if the machine is out of memory: the next connection may succeed.
  server.on('error', (error) => deps.log(`Cannot accept a connection: ${getErrorMessage(error)}`));
  return {
    url: `${tls ? 'https' : 'http'}://${address}`,
    /** `drain`: milliseconds for which open connections may send requests. */
    stop: async (drain = 0) => {
      state.pause = acceptPending(server);
      await state.pause;
      state.pause = undefined;
      state.isStopping = true; // not before: a client would connect again for its next request
      return stopListening(server, () => hasPendingResponse(state), getStopTimeout(drain), drain);
    },
    setTls: (tls: ListenOptions['tls']) => {
      if (tls && server instanceof SecureServer) server.setSecureContext(tls);
    },
  };
}

/** Whether a request that has arrived has no complete response yet. */
const hasPendingResponse = ({ responses }: ServerState) =>
  [...responses.values()].some(({ req, writableFinished }) => req.complete && !writableFinished);

/** @throws {Failure} `usage` if TLS cannot use the certificate and key */
function checkTls({ cert, key }: NonNullable<ListenOptions['tls']>): void {
  try {
    // Node.js ignores an empty text, and then refuses all connections.
    if (cert === '' || key === '') throw new Error('a file is empty');
    createSecureContext({ cert, key });
  } catch (error) {
    const message = `Cannot use the TLS certificate and key: ${getErrorMessage(error)}.`;
    throw new Failure('usage', message, { cause: error });
  }
}
