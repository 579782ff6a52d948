import { setTimeout as wait } from 'node:timers/promises';
import { version } from '../../package.json';
import { Client as ContractClient } from '../client/client.ts';
import { createHttpTransport } from '../client/transport.ts';
import { Failure as ContractFailure } from '../contract/errors.ts';
import { listPathNames, pageSize as pageSizes, type Route } from '../contract/grammar.ts';
import { contract } from '../contract/index.ts';
import { parseBaseUrl } from '../settings/connection.ts';
import { createRedactor, redactResponses } from '../settings/redaction.ts';
import type * as types from './types.d.ts';
import type { Client, ClientOptions, ContactLookup, ListOptions, RecordList } from './types.d.ts';

export const Failure: typeof types.Failure = ContractFailure;

/** Creates a client. Sends no request. @throws {Failure} usage if an option is missing or invalid */
export const createClient: typeof types.createClient = (options = {}) => {
  const { signal = new AbortController().signal, retries = 4, maxWait = 60_000, timeout = 30_000 } = options;
  const { pageSize } = options;
  checkInteger('retries', retries, 0, 20);
  checkInteger('maxWait', maxWait, 0, 86_400_000);
  checkInteger('timeout', timeout, 1, 3_600_000);
  if (pageSize !== undefined) checkInteger('pageSize', pageSize, 1, pageSizes.max);
  const closing = new AbortController();
  const endSignal = AbortSignal.any([signal, closing.signal]);
  const transport = openTransport(options, timeout);
  const client = new ContractClient({
    transport,
    retryPolicy: { retries, maxWait },
    pageSize,
    signal: endSignal,
    getEndSignal: () => endSignal,
    now: () => new Date(),
    random: Math.random,
    sleep: (milliseconds) => wait(milliseconds, undefined, { signal: endSignal }),
    trace: () => {},
  });
  const close = async () => {
    closing.abort(new Failure('cancelled', 'The client is closed.'));
    await transport.close();
  };
  return { ...bindContract(client), close };
};

/** Returns the transport to the service. Redacts the key in responses, and so in errors. */
function openTransport({ baseUrl, apiKey }: ClientOptions, timeout: number) {
  const { env, platform, versions } = process;
  const url = baseUrl ?? env.KITH_BASE_URL;
  const key = (apiKey ?? env.KITH_API_KEY)?.trim();
  if (!url) throw new Failure('usage', 'Missing base URL: pass baseUrl, or set KITH_BASE_URL.');
  if (!key) throw new Failure('usage', 'Missing API key: pass apiKey, or set KITH_API_KEY.');
  const { add, redact } = createRedactor(() => []);
  add(key);
  parseBaseUrl(url, baseUrl === undefined ? 'KITH_BASE_URL' : 'baseUrl');
  if (redact(url) !== url) throw new Failure('usage', 'The base URL contains the API key.');
  const transport = createHttpTransport({
    baseUrl: url,
    key,
    userAgent: `kith/${version} (node/${versions.node}; ${platform})`,
    timeout,
    withoutWasmTiering: false,
    proxies: env,
  });
  return redactResponses(transport, redact);
}

/** @throws {Failure} usage */
function checkInteger(name: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw new Failure('usage', `${name}: ${value} is not an integer from ${min} to ${max}.`);
}

function bindContract(client: ContractClient): Omit<Client, 'close'> {
  const nouns = Object.entries(contract).map(([noun, routes]) => {
    const methods = Object.entries<Route>(routes).map(([verb, route]) => [
      verb,
      verb === 'list' ? bindList(client, route) : bindRoute(client, route),
    ]);
    return [noun, Object.fromEntries(methods)];
  });
  const bound = Object.fromEntries(nouns) as Omit<Client, 'close'>; // the types are generated from the same routes
  const find = async (lookup: ContactLookup) => {
    const values = Object.values({ ...lookup }).filter((value) => value !== undefined);
    if (values.length !== 1 || typeof values[0] !== 'string')
      throw new Failure('usage', 'find: pass either email or phone_number, a text.');
    return (await client.findContacts(lookup)).map(({ value }) => value);
  };
  return { ...bound, contacts: { ...bound.contacts, find } };
}

/** Returns a method that sends one request. Its last argument has the fields of the body, if the route has one. */
function bindRoute(client: ContractClient, route: Route) {
  const toInput = createInputReader(route);
  return async (...values: readonly unknown[]) => {
    const { value } = await client.record(route, toInput(values));
    return route.output === null ? undefined : value;
  };
}

/** Returns a method that requests nothing itself: its `RecordList` requests pages while it is read. */
function bindList(client: ContractClient, route: Route) {
  const toInput = createInputReader(route);
  return (...values: readonly unknown[]): RecordList<unknown> => {
    const { limit, ...input }: ListOptions & Readonly<Record<string, unknown>> = toInput(values);
    if (limit !== undefined) checkInteger('limit', limit, 1, Number.MAX_SAFE_INTEGER);
    return new PagedList(client, route, input, limit);
  };
}

/** Returns a function that combines the arguments of a method: the ids of the path, then an object. */
function createInputReader({ path }: Route) {
  const names = listPathNames(path);
  return (values: readonly unknown[]): Record<string, unknown> => {
    const ids = names.map((name, index) => {
      const id = values[index];
      if (typeof id !== 'string') throw new Failure('usage', `${name}: ${JSON.stringify(id)} is not an id.`);
      return [name, id];
    });
    return { ...(values[names.length] as object | undefined), ...Object.fromEntries(ids) };
  };
}

/** The records of a list. Each loop over it reads the list again. */
class PagedList implements RecordList<unknown> {
  readonly #client: ContractClient;
  readonly #route: Route;
  readonly #input: Readonly<Record<string, unknown>>;
  readonly #limit: number | undefined;

  constructor(
    client: ContractClient,
    route: Route,
    input: Readonly<Record<string, unknown>>,
    limit: number | undefined,
  ) {
    this.#client = client;
    this.#route = route;
    this.#input = input;
    this.#limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
    for await (const { value } of this.#client.records(this.#route, this.#input, { limit: this.#limit }))
      yield value;
  }

  async toArray(): Promise<unknown[]> {
    const records: unknown[] = [];
    for await (const record of this) records.push(record);
    return records;
  }
}
