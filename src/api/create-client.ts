import { version } from '../../package.json';
import { Client as ContractClient } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import { createPause } from '../client/retry.ts';
import { createHttpTransport } from '../client/transport.ts';
import { Failure as ContractFailure } from '../contract/errors.ts';
import { listPathNames, pageSize as pageSizes, type Route } from '../contract/grammar.ts';
import { contract } from '../contract/index.ts';
import { parseBaseUrl } from '../settings/base-url.ts';
import { createRedactor, redactResponses } from '../settings/redaction.ts';
import { sleep } from '../values/concurrency.ts';
import type * as types from './types.d.ts';
import type {
  CallOptions,
  Client,
  ClientOptions,
  ContactLookup,
  ListOptions,
  RecordList,
} from './types.d.ts';

export const Failure: typeof types.Failure = ContractFailure;

const optionNames = ['baseUrl', 'apiKey', 'fetch', 'timeout', 'retries', 'maxWait', 'pageSize', 'signal'];

/** Creates a client. Sends no request. @throws {Failure} usage if an option is missing or invalid */
export const createClient: typeof types.createClient = (options = {}) => {
  checkNames('createClient', options, optionNames);
  const { signal, retries = 4, maxWait = 60_000, timeout = 30_000, pageSize } = options;
  checkInteger('retries', retries, 0, 20);
  checkInteger('maxWait', maxWait, 0, 86_400_000);
  checkInteger('timeout', timeout, 1, maxTimeout);
  if (pageSize !== undefined) checkInteger('pageSize', pageSize, 1, pageSizes.max);
  const closing = new AbortController();
  const endSignal = AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]);
  // Each pending request adds a listener. Node.js warns of many; other runtimes have neither the warning nor this module.
  globalThis.process?.getBuiltinModule?.('node:events').setMaxListeners(0, endSignal);
  const transport = openTransport(options, timeout);
  const pause = createPause((milliseconds) => sleep(milliseconds, endSignal), Math.random);
  const connect: Connect = (call) => {
    const callSignal = call.signal ? AbortSignal.any([endSignal, call.signal]) : endSignal;
    return new ContractClient({
      transport: {
        ...transport,
        send: (request, requestSignal) => transport.send(request, requestSignal, call.timeout),
      },
      retryPolicy: { retries, maxWait },
      pause,
      pageSize,
      signal: callSignal,
      getEndSignal: () => callSignal,
      now: () => new Date(),
      random: Math.random,
      sleep: (milliseconds) => sleep(milliseconds, callSignal),
      trace: () => {},
    });
  };
  const close = async () => {
    closing.abort(new Failure('cancelled', 'The client is closed.'));
    await transport.close();
  };
  return { ...bindContract(connect), close };
};

/** Returns the transport to the service. Redacts the key in responses, and so in errors. */
function openTransport({ baseUrl, apiKey, fetch }: ClientOptions, timeout: number): Transport {
  const { env = {}, platform, versions }: Partial<typeof process> = globalThis.process ?? {};
  const url = baseUrl ?? env.KITH_BASE_URL;
  const key = (apiKey ?? env.KITH_API_KEY)?.trim();
  if (!url) throw new Failure('usage', 'Missing base URL: pass baseUrl, or set KITH_BASE_URL.');
  if (!key) throw new Failure('usage', 'Missing API key: pass apiKey, or set KITH_API_KEY.');
  const { add, redact } = createRedactor(() => []);
  add(key);
  parseBaseUrl(url, baseUrl === undefined ? 'KITH_BASE_URL' : 'baseUrl');
  if (redact(url) !== url) throw new Failure('usage', 'The base URL contains the API key.');
  const host = versions ? ` (node/${versions.node}; ${platform})` : '';
  const transport = createHttpTransport({
    baseUrl: url,
    key,
    userAgent: `kith/${version}${host}`,
    timeout,
    withoutWasmTiering: false,
    proxies: fetch ? {} : env,
    fetch,
  });
  return redactResponses(transport, redact);
}

const maxTimeout = 3_600_000;

/** @throws {Failure} usage */
function checkInteger(name: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw new Failure('usage', `${name}: ${value} is not an integer from ${min} to ${max}.`);
}

/** @throws {Failure} usage if there are options with other names */
function checkNames(method: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new Failure(
    'usage',
    `${method}: unknown option ${unknown.join(', ')}. Options: ${names.join(', ')}.`,
  );
}

/** Returns a client for the options of one call. */
type Connect = (call: CallOptions) => ContractClient;

function bindContract(connect: Connect): Omit<Client, 'close'> {
  const nouns = Object.entries(contract).map(([noun, routes]) => {
    const methods = Object.entries<Route>(routes).map(([verb, route]) => [
      verb,
      (verb === 'list' ? bindList : bindRoute)(connect, `${noun}.${verb}`, route),
    ]);
    return [noun, Object.fromEntries(methods)];
  });
  const bound = Object.fromEntries(nouns) as Omit<Client, 'close'>; // the types are generated from the same routes
  const find = async (lookup: ContactLookup, options?: CallOptions) => {
    const values = Object.values({ ...lookup }).filter((value) => value !== undefined);
    if (values.length !== 1 || typeof values[0] !== 'string')
      throw new Failure('usage', 'find: pass either email or phone_number, a text.');
    const client = connect(readOptions('contacts.find', callOptions, options));
    return (await client.findContacts(lookup)).map(({ value }) => value);
  };
  return { ...bound, contacts: { ...bound.contacts, find } };
}

/** Returns a method that sends one request. */
function bindRoute(connect: Connect, method: string, route: Route) {
  const read = createArgumentReader(method, route);
  return async (...values: readonly unknown[]) => {
    const { input, options } = read(values);
    const { value } = await connect(options).record(route, input);
    return route.output === null ? undefined : value;
  };
}

/** Returns a method that sends no request itself: each loop over its `RecordList` requests the pages again. */
function bindList(connect: Connect, method: string, route: Route) {
  const read = createArgumentReader(method, route);
  return (...values: readonly unknown[]): RecordList<unknown> => {
    const { input, options } = read(values);
    async function* pages(limit = options.limit) {
      for await (const { records, total } of connect(options).pages(route, input, { limit }))
        yield { records: records.map(({ value }) => value), total };
    }
    async function* iterate() {
      for await (const { records } of pages()) yield* records;
    }
    const toArray = async () => {
      const all: unknown[] = [];
      for await (const record of iterate()) all.push(record);
      return all;
    };
    const total = async () => (await pages(1).next()).value?.total;
    return { [Symbol.asyncIterator]: iterate, toArray, pages: () => pages(), total };
  };
}

/** Returns a function that reads the arguments of a method: the ids of the path, the fields of a body, the options. */
function createArgumentReader(method: string, { path, query, body }: Route) {
  const idNames = listPathNames(path);
  const { first: _first, after: _after, ...filters } = query ?? {};
  const names = [...Object.keys(filters), ...(query ? ['limit'] : []), ...callOptions];
  return (values: readonly unknown[]) => {
    const ids = idNames.map((name, index) => {
      const id = values[index];
      if (typeof id !== 'string') throw new Failure('usage', `${name}: ${JSON.stringify(id)} is not an id.`);
      return [name, id];
    });
    const rest = values.slice(idNames.length);
    const fields = body ? rest.shift() : {};
    const { limit, signal, timeout, ...filters } = readOptions(method, names, rest[0]);
    const input = { ...(fields as object | undefined), ...filters, ...Object.fromEntries(ids) };
    return { input, options: { limit, signal, timeout } };
  };
}

const callOptions = ['signal', 'timeout'];

/** @throws {Failure} usage if an option is unknown or invalid */
function readOptions(method: string, names: readonly string[], given: unknown): ListOptions {
  const options: ListOptions = given ?? {};
  const { limit, timeout } = options;
  checkNames(method, options, names);
  if (limit !== undefined) checkInteger('limit', limit, 1, Number.MAX_SAFE_INTEGER);
  if (timeout !== undefined) checkInteger('timeout', timeout, 1, maxTimeout);
  return options;
}
