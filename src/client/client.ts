import { Failure } from '../contract/errors.ts';
import {
  buildRequest,
  type Input,
  type Output,
  type Page,
  type Route,
  type WireRequest,
  type WireResponse,
} from '../contract/grammar.ts';
import { type Contract, contract } from '../contract/index.ts';
import { type RawJson, toRawJson } from '../values/raw-json.ts';
import { type ContactLookup, verifyMatches } from './contact-lookup.ts';
import { DeliveryError, InvalidResponseError, type Transport } from './delivery.ts';
import { keepHeapSmall } from './heap.ts';
import { type Batch, type PagingOptions, readPages } from './pagination.ts';
import {
  createUnreadableFailure,
  emptyPage,
  isEmptyBody,
  type ListPage,
  parseFailure,
  parseMatches,
  parsePage,
  parseRecord,
  type RequestedWait,
} from './responses.ts';
import {
  createPause,
  getRetryDelay,
  isThrottled,
  type Outcome,
  type Pause,
  parseRetryAfter,
  type RetryPolicy,
} from './retry.ts';

/** What a client needs. */
export interface ClientOptions {
  readonly transport: Transport;
  readonly retryPolicy: RetryPolicy;
  /** Aborted where the work is to stop. */
  readonly signal: AbortSignal;
  /** One that is aborted also where the run is over: nothing is to be asked again then. It is made when it is asked for. */
  readonly getEndSignal: () => AbortSignal;
  readonly now: () => Date;
  readonly random: () => number;
  /** Waits; rejects when the run is to stop, or over. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Each request and what became of it, for --debug. Never holds the key. */
  readonly trace: (line: string) => void;
}

/** What a call gives: a page of records, a record without its `{data}`, or nothing. */
type Given<R extends Route> =
  Output<R> extends Page<unknown>
    ? { readonly data: Output<R>['data']; readonly total: number | undefined }
    : Output<R> extends { data: infer Record }
      ? Record
      : Output<R>;

type Calls = {
  readonly [Noun in keyof Contract]: {
    readonly [Verb in keyof Contract[Noun]]: Contract[Noun][Verb] extends Route
      ? (input: Input<Contract[Noun][Verb]>) => Promise<Given<Contract[Noun][Verb]>>
      : never;
  };
};

/** The interface, a method for every route. Every method throws `Failure`. */
export type Client = Calls & {
  /** Any request; gives the answer of success as it came. */
  send(request: WireRequest): Promise<WireResponse>;
  /** The record that a route answers, as it was sent; null where a write is answered with none. */
  record(route: Route, input: Readonly<Record<string, unknown>>): Promise<RawJson>;
  /** One page of a list, as the service gives it to who asks for none in particular. */
  page(route: Route, input: Readonly<Record<string, unknown>>): Promise<ListPage>;
  /**
   * Finds all contacts with an address or a number and checks that each matches. `size`: records per page. Throws
   * `unverified` if the service ignores the filter.
   */
  findContacts(lookup: ContactLookup, size?: number): Promise<readonly RawJson[]>;
  /** All pages of the list that a request asks for, in order, each record once; to its end where nothing else is said. */
  pagesOfRequest(request: WireRequest, paging?: Partial<PagingOptions>): AsyncIterable<Batch>;
  /** The same by route. */
  pages<R extends Route>(
    route: R,
    input: Omit<Input<R>, 'first' | 'after'>,
    paging?: Partial<PagingOptions>,
  ): AsyncIterable<Batch>;
};

/** Pages from which on a list is long: most have fewer, and need nothing for their memory. */
const longList = 20;

/** A client over any transport. */
export function createClient(wiring: ClientOptions): Client {
  const pause = createPause(wiring.sleep, wiring.random);
  const send = (request: WireRequest) => delivered(wiring, pause, request);
  const record = async (route: Route, input: Readonly<Record<string, unknown>>) => {
    const request = buildRequest(route, input);
    const answer = await send(request);
    if (request.method === 'GET') return parseRecord(answer, request);
    // The specification shows no answer to a write: one without a body is an answer too.
    const isEmpty = route.output === null || answer.body === undefined || isEmptyBody(answer.body);
    return isEmpty ? toRawJson(null) : parseRecord(answer, request);
  };
  const page = async (route: Route, input: Readonly<Record<string, unknown>>) => {
    const request = buildRequest(route, input);
    return parsePage(await send(request), request);
  };
  const pagesAt = (request: WireRequest, paging: Partial<PagingOptions> = {}) => {
    const filters = request.query.filter(([name]) => name !== 'first' && name !== 'after');
    let pages = 0;
    const read = async (first: number, after: number) => {
      pages += 1;
      if (pages === longList) await keepHeapSmall(wiring.getEndSignal());
      const query = [...filters, ['first', String(first)], ['after', String(after)]] as const;
      // One page is parsed sooner than the search through unread ones is compiled.
      return parsePage(await send({ ...request, query, ...(after > 0 && { textOnly: true }) }), request);
    };
    return readPages(read, paging);
  };
  const findContacts = async (lookup: ContactLookup, size?: number) => {
    const request = buildRequest(contract.contacts.list, { ...lookup, first: size });
    const answer = await send(request).catch((error) => {
      if (error instanceof Failure && error.code === 'not_found') return undefined;
      throw error;
    });
    const page = answer ? parseMatches(answer, request) : emptyPage;
    await verifyMatches(page.data, lookup);
    const isAll = page.hasMore !== true && (page.total ?? 0) <= page.data.length;
    if (isAll) return page.data;
    const found: RawJson[] = [];
    for await (const { records } of pagesAt(request, size === undefined ? {} : { size })) {
      await verifyMatches(records, lookup);
      found.push(...records);
    }
    return found;
  };
  const call = async (route: Route, input: Readonly<Record<string, unknown>>) => {
    if (!route.query) return (await record(route, input)).value;
    const { data, total } = await page(route, input);
    return { data: data.map(({ value }) => value), total };
  };
  const calls: Record<string, Record<string, unknown>> = {};
  for (const [noun, resource] of Object.entries(contract)) {
    const methods: Record<string, unknown> = {};
    for (const [verb, route] of Object.entries<Route>(resource)) {
      methods[verb] = (input: Readonly<Record<string, unknown>>) => call(route, input);
    }
    calls[noun] = methods;
  }
  return {
    ...(calls as Calls), // made from the same contract that the type is made from
    send,
    record,
    page,
    findContacts,
    pages: (route, input, paging) => pagesAt(buildRequest(route, input), paging),
    pagesOfRequest: pagesAt,
  };
}

async function delivered(wiring: ClientOptions, pause: Pause, request: WireRequest): Promise<WireResponse> {
  const {
    transport,
    retryPolicy: patience,
    signal,
    getEndSignal: untilOver,
    now,
    random,
    sleep,
    trace,
  } = wiring;
  let waited = 0;
  for (let attempt = 0; ; attempt += 1) {
    await pause.wait();
    const tried = await attempted(transport, request, signal);
    const { method, path } = request;
    if (tried instanceof DeliveryError) trace(`${method} ${path}: ${tried.message}`);
    else {
      trace(`${method} ${path}: ${tried.status}`);
      if (tried.status >= 200 && tried.status < 300) return tried;
    }
    const outcome =
      tried instanceof DeliveryError
        ? { sent: tried.mayBeDone }
        : { status: tried.status, asked: parseRetryAfter(tried.headers, now()) };
    const delay = getRetryDelay({ method, outcome, attempt, waited }, patience, random);
    if (delay === undefined) {
      if (tried instanceof DeliveryError) throw lost(tried, request);
      throw parseFailure(tried, request, tooLong(outcome, patience.maxWait - waited, now()));
    }
    untilOver().throwIfAborted();
    trace(`again in ${delay} ms`);
    if (isThrottled(outcome)) pause.start(delay);
    else await sleep(delay);
    waited += delay;
  }
}

async function attempted(
  transport: Transport,
  request: WireRequest,
  signal: AbortSignal,
): Promise<WireResponse | DeliveryError> {
  try {
    signal.throwIfAborted();
    return await transport.send(request, signal);
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    throw error instanceof InvalidResponseError ? createUnreadableFailure(request, error.message) : error;
  }
}

/** What a service asks for, where it is longer than the milliseconds that are left. */
function tooLong(outcome: Outcome, left: number, now: Date): RequestedWait | undefined {
  if (!('status' in outcome) || outcome.asked === undefined || outcome.asked <= left) return undefined;
  return { seconds: Math.ceil(outcome.asked / 1000), until: new Date(now.getTime() + outcome.asked) };
}

function lost(error: DeliveryError, { method, path }: WireRequest): Failure {
  if (error.mayBeDone && method !== 'GET') {
    return new Failure('unknown', `${error.message} The ${method} may have been carried out.`, {
      cause: error,
      method,
      path,
      hint: 'Look whether it was written before you send it again.',
    });
  }
  return new Failure('network', error.message, { cause: error, method, path, hint: error.hint });
}
