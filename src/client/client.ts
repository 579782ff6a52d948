import { type Contact, contacts } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import {
  buildRequest,
  type Input,
  type Route,
  type WireRequest,
  type WireResponse,
} from '../contract/grammar.ts';
import type { Received, RouteRecord } from '../contract/received.ts';
import { withSignal } from '../values/concurrency.ts';
import type { JsonObject } from '../values/json-object.ts';
import { type RawJson, toRawJson } from '../values/raw-json.ts';
import { parseRetryAfter } from '../values/retry-after.ts';
import { type ContactLookup, cleanLookup, type LookupOptions, verifyMatches } from './contact-lookup.ts';
import { DeliveryError, InvalidResponseError, type Transport } from './delivery.ts';
import { type Batch, type PagingOptions, readPages } from './pagination.ts';
import {
  addEntityTag,
  createNormalizer,
  createUnreadableFailure,
  emptyPage,
  isEmptyBody,
  isOutcomeUnknown,
  type ListPage,
  type Normalize,
  parseFailure,
  parseMatches,
  parsePage,
  parseRecord,
  type TaggedRecord,
} from './responses.ts';
import {
  createPause,
  getRetryDelay,
  isThrottled,
  type Outcome,
  type Pause,
  type RetryPolicy,
} from './retry.ts';

/** The options of a client. */
export interface ClientOptions {
  readonly transport: Transport;
  readonly retryPolicy: RetryPolicy;
  /** A pause that clients share. If omitted, the client has its own. */
  readonly pause?: Pause | undefined;
  /** The page size of lists for which the caller sets no size. If omitted, 100. */
  readonly pageSize?: number | undefined;
  /** Aborted when the work must stop. */
  readonly signal: AbortSignal;
  /** Returns a signal that is also aborted at the end of the run, after which nothing is retried. */
  readonly getEndSignal: () => AbortSignal;
  readonly now: () => Date;
  readonly random: () => number;
  /** Waits; rejects when the run is stopped or has ended. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Receives each request and its result for --debug, never the key. */
  readonly trace: (line: string) => void;
  /** Shows the progress of requests to a person. */
  readonly observe?: RequestObserver | undefined;
  readonly intercept?: RequestInterceptor | undefined;
  readonly onRecords?: RecordObserver | undefined;
}

/**
 * Called with the records of each response, its route and the route's input. `isAll`: the records are the whole list.
 */
export type RecordObserver = (
  route: Route,
  input: JsonObject,
  records: readonly RawJson[],
  isAll: boolean,
) => void;

/**
 * Called for each request. Returns the response of `send` or throws its failure. May pass a changed request to `send`.
 */
export type RequestInterceptor = (
  request: WireRequest,
  send: (request: WireRequest) => Promise<WireResponse>,
) => Promise<WireResponse>;

/** The pages of a list that have arrived. */
export interface ListProgress {
  pages: number;
  records: number;
  total: number | undefined;
}

/** Observes a request, and returns the observer of its attempts. `list`: the list, if the request reads a page. */
export type RequestObserver = (request: WireRequest, list?: ListProgress) => AttemptObserver;

interface AttemptObserver {
  onSend(): void;
  /** `count`: the number of the retry, such as `2 of 4`. */
  onRetry(reason: string, milliseconds: number, count: string): void;
  end(): void;
}

/** The conditions of a write. */
interface WriteConditions {
  /** An entity tag. If undefined, the write is unconditional. */
  readonly ifMatch?: string | undefined;
}

type RecordResult<R extends Route> = R['method'] extends 'GET' ? RouteRecord<R> : RouteRecord<R> | null;

/** A page that arrived, and the offset at which it begins. */
type PageObserver<T> = (page: ListPage<T>, after: number) => void;

export type ListInput<R extends Route> = Omit<Input<R>, 'first' | 'after'>;

/** A client of the API over any transport. Each method throws `Failure`. */
export class Client {
  readonly #options: ClientOptions;
  readonly #pause: Pause;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#pause = options.pause ?? createPause(options.sleep, options.random);
  }

  /**
   * Sends any request and returns the successful response as received. An arrow function, because callers pass it on
   * without the client.
   */
  readonly send = (request: WireRequest): Promise<WireResponse> => this.#send(request);

  /**
   * Returns the record of a route; null if the response to a write contains no record. `ifMatch`: the `etag` of the
   * version to change or delete.
   * @throws {Failure} changed if the service has another version
   */
  async record<R extends Route>(
    route: R,
    input: JsonObject,
    { ifMatch }: WriteConditions = {},
  ): Promise<TaggedRecord<RecordResult<R>>> {
    const request = { ...buildRequest(route, input), ifMatch };
    const response = await this.#send(request);
    // The specification shows no response to a write, so an empty one is valid too.
    const mayBeEmpty = request.method !== 'GET';
    const isEmpty = route.output === null || response.body === undefined || isEmptyBody(response.body);
    const result =
      mayBeEmpty && isEmpty
        ? toRawJson(null)
        : parseRecord(response, request, createNormalizer(route, request));
    this.#options.onRecords?.(route, input, [result], false);
    return addEntityTag(result as RawJson<RecordResult<R>>, response); // null only for a write
  }

  /** Returns the value of the record of a route. */
  async read<R extends Route>(route: R, input: Input<R>): Promise<RecordResult<R>> {
    return (await this.record(route, input)).value;
  }

  /** Returns one page of a list. If `first` is omitted, the service chooses its size. */
  async page<R extends Route>(route: R, input: JsonObject): Promise<ListPage<RouteRecord<R>>> {
    const request = buildRequest(route, input);
    return parsePage(await this.#send(request), request, createNormalizer(route, request));
  }

  /** Returns all pages of a list in order, each record once. */
  pages<R extends Route>(
    route: R,
    input: ListInput<R>,
    paging?: Partial<PagingOptions>,
  ): AsyncGenerator<Batch<RouteRecord<R>>> {
    const isFiltered = Object.values(input).some((value) => value !== undefined);
    const request = buildRequest(route, input);
    return this.#readAll(request, createNormalizer(route, request), paging, (page, after) =>
      this.#options.onRecords?.(
        route,
        input,
        page.data,
        page.hasMore === false && after === 0 && !isFiltered,
      ),
    );
  }

  /** Returns all records of a list in order. */
  async *records<R extends Route>(
    route: R,
    input: ListInput<R>,
    paging?: Partial<PagingOptions>,
  ): AsyncGenerator<RawJson<RouteRecord<R>>> {
    for await (const { records } of this.pages(route, input, paging)) yield* records;
  }

  /** Returns all pages of the list that a request reads. */
  pagesOfRequest(request: WireRequest, paging?: Partial<PagingOptions>): AsyncGenerator<Batch<unknown>> {
    return this.#readAll(request, (value) => value, paging);
  }

  /** Finds all contacts with an email address or a phone number. @throws {Failure} unverified if one does not match */
  async findContacts(
    lookup: ContactLookup,
    { size, note }: LookupOptions = {},
  ): Promise<readonly RawJson<Received<Contact>>[]> {
    const request = buildRequest(contacts.list, { ...cleanLookup(lookup), first: size });
    const normalize = createNormalizer(contacts.list, request);
    const response = await this.#send(request).catch((error) => {
      if (error instanceof Failure && error.code === 'not_found') return undefined;
      throw error;
    });
    const page = response ? parseMatches(response, request, normalize) : emptyPage;
    const isComplete = page.hasMore !== true && (page.total ?? 0) <= page.data.length;
    await verifyMatches(page.data, lookup, isComplete && page.data.length === 1 ? note : undefined);
    this.#options.onRecords?.(contacts.get, {}, page.data, false);
    if (isComplete) return page.data;
    const matches: RawJson<Received<Contact>>[] = [];
    for await (const { records } of this.#readAll(request, normalize, size === undefined ? {} : { size })) {
      await verifyMatches(records, lookup);
      matches.push(...records);
    }
    return matches;
  }

  /** `list`: the list, if the request reads a page. */
  async #send(request: WireRequest, list?: ListProgress): Promise<WireResponse> {
    const { observe, intercept } = this.#options;
    const sendNow = (request: WireRequest) => {
      const observer = observe?.(request, list);
      return deliver(this.#options, this.#pause, request, observer).finally(observer?.end);
    };
    return intercept ? intercept(request, sendNow) : sendNow(request);
  }

  #readAll<T>(
    request: WireRequest,
    normalize: Normalize<T>,
    paging: Partial<PagingOptions> = {},
    onPage?: PageObserver<T>,
  ): AsyncGenerator<Batch<T>> {
    const { pageSize } = this.#options;
    const filters = request.query.filter(([name]) => name !== 'first' && name !== 'after');
    const progress: ListProgress = { pages: 0, records: 0, total: undefined };
    const read = async (first: number, after: number, overlap: number) => {
      const query = [...filters, ['first', String(first)], ['after', String(after)]] as const;
      // Compiling the search for unparsed records takes longer than parsing one page.
      const response = await this.#send(
        { ...request, query, ...(after > 0 && { textOnly: true }) },
        progress,
      );
      const page = parsePage(response, request, normalize);
      progress.pages += 1;
      progress.records += page.data.length - overlap;
      progress.total = page.total;
      onPage?.(page, after);
      return page;
    };
    return readPages(read, { ...(pageSize && { size: pageSize }), ...paging });
  }
}

/** Sends a request, with retries, until it succeeds. @throws {Failure} with the last error if no attempt succeeds */
async function deliver(
  options: ClientOptions,
  pause: Pause,
  request: WireRequest,
  observer: AttemptObserver | undefined,
): Promise<WireResponse> {
  const { retryPolicy, signal, getEndSignal, now, random, sleep, trace } = options;
  const { method, path } = request;
  let waited = 0;
  for (let attempt = 0; ; attempt += 1) {
    await withSignal(pause.wait(), signal);
    observer?.onSend();
    const result = await sendOnce(options, request);
    trace(`${method} ${path}: ${result instanceof DeliveryError ? result.message : result.status}`);
    if ('status' in result && result.status >= 200 && result.status < 300) return result;
    const retryAfter = 'status' in result ? parseRetryAfter(result.headers, now()) : undefined;
    const outcome = toOutcome(result, retryAfter);
    const delay = getRetryDelay({ method, outcome, attempt, waited }, retryPolicy, random);
    if (delay === undefined) {
      if (result instanceof DeliveryError) throw createDeliveryFailure(result, request);
      const longWait = retryAfter && retryAfter > retryPolicy.maxWait - waited ? retryAfter : 0;
      throw parseFailure(result, request, longWait, now());
    }
    getEndSignal().throwIfAborted();
    const count = `${attempt + 1} of ${retryPolicy.retries}`;
    trace(`retry ${count} in ${delay} ms: ${describeResult(result)}`);
    observer?.onRetry(describeResult(result), delay, count);
    if (isThrottled(outcome)) pause.start(delay);
    else await sleep(delay);
    waited += delay;
  }
}

/** Describes why a request is retried. */
function describeResult(result: WireResponse | DeliveryError): string {
  if (result instanceof DeliveryError) return result.message.replace(/\.$/, '');
  const reasons: Readonly<Record<number, string>> = { 429: 'rate limited', 503: 'service unavailable' };
  return reasons[result.status] ?? `the service responded with ${result.status}`;
}

function toOutcome(result: WireResponse | DeliveryError, retryAfter: number | undefined): Outcome {
  if (result instanceof DeliveryError) return result;
  return isOutcomeUnknown(result) ? { mayBeDone: true } : { status: result.status, retryAfter };
}

async function sendOnce(
  { transport, signal }: ClientOptions,
  request: WireRequest,
): Promise<WireResponse | DeliveryError> {
  try {
    signal.throwIfAborted();
    return await transport.send(request, signal);
  } catch (error) {
    if (error instanceof DeliveryError) return error;
    throw error instanceof InvalidResponseError ? createUnreadableFailure(request, error.message) : error;
  }
}

function createDeliveryFailure(error: DeliveryError, request: WireRequest): Failure {
  const { method, path } = request;
  if (error.mayBeDone && method !== 'GET') return createUnreadableFailure(request, error.message, error);
  return new Failure('network', error.message, { cause: error, method, path, hint: error.hint });
}
