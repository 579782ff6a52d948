import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ServedRequest } from '../../contract/workspace.ts';
import type { PoolState } from '../db/database.ts';
import type { Endpoint } from './responder.ts';

/** Upper limits of the latency histogram in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The methods that are labels. Clients may send other methods, but there must be few labels. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** Creates the metrics of a server in the Prometheus text format. `readPool` is undefined for a file. */
export function createMetrics(version: string, readPool?: () => PoolState) {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'kith_http_requests_total',
    help: 'HTTP requests by method, route and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'kith_http_request_duration_seconds',
    help: 'Time from request headers to response, by method and route',
    labelNames: ['method', 'route'],
    buckets,
    registers,
  });
  const errors = new Counter({
    name: 'kith_internal_errors_total',
    help: 'Internal errors, which are in the log',
    registers,
  });
  const info = new Gauge({ name: 'kith_info', help: 'The kith version', labelNames: ['version'], registers });
  info.set({ version }, 1);
  if (readPool)
    new Gauge({
      name: 'kith_database_connections',
      help: 'Open and idle connections to the database, and requests that wait for one',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(readPool())) this.set({ state }, count);
      },
    });
  collectDefaultMetrics({ register: registry });
  const endpoint: Endpoint = async () => ({
    status: 200,
    headers: { 'content-type': registry.contentType },
    body: await registry.metrics(),
  });
  return {
    countError: () => errors.inc(),
    countRequest({ method: anyMethod = '', route = 'unknown', status, milliseconds }: ServedRequest) {
      const method = methods.has(anyMethod) ? anyMethod : 'other';
      requests.inc({ method, route, status });
      if (milliseconds !== undefined) durations.observe({ method, route }, milliseconds / 1000);
    },
    endpoint,
  };
}
