import type { FailureCode, Nouns } from './contract.d.ts';

export type * from './contract.d.ts';

/** How a client reaches its service. Times are milliseconds. */
export interface ClientOptions {
  /** `https://...`, or `http://` on this machine. If omitted, the environment variable KITH_BASE_URL. */
  readonly baseUrl?: string | undefined;
  /** If omitted, the environment variable KITH_API_KEY. */
  readonly apiKey?: string | undefined;
  /**
   * Sends the requests, such as the `fetch` of a worker or of a test. The client then works without Node.js, and the
   * timeout limits each whole request.
   */
  readonly fetch?: ((url: string, init: RequestInit) => Response | Promise<Response>) | undefined;
  /** The maximum time to wait for a connection, for headers, and for each part of a body. Default: 30,000. */
  readonly timeout?: number | undefined;
  /** The number of retries per request. Default: 4. A write is retried only if it was certainly not processed. */
  readonly retries?: number | undefined;
  /** The maximum total time to wait for the retries of a request. Default: 60,000. */
  readonly maxWait?: number | undefined;
  /** Records per page of a list, from 1 to 500. Default: 100. */
  readonly pageSize?: number | undefined;
  /** Ends all requests of the client. They reject with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A client of the service. Its methods reject with a `Failure`. */
export interface Client extends Nouns {
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Creates a client. Sends no request. @throws {Failure} `usage` if an option is missing or invalid */
export declare function createClient(options?: ClientOptions): Client;

export interface CallOptions {
  /** Ends the call, which rejects with its reason. `AbortSignal.timeout(5000)` limits the time with all retries. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum time of each request, instead of the timeout of the client. */
  readonly timeout?: number | undefined;
}

export interface ListOptions extends CallOptions {
  /** The maximum number of records. Default: all. */
  readonly limit?: number | undefined;
}

/** The records of a list. They are requested page by page while they are read, each record once. */
export interface RecordList<T> extends AsyncIterable<T> {
  toArray(): Promise<T[]>;
  pages(): AsyncIterable<RecordPage<T>>;
  /** Requests one record, and returns the number of records regardless of the limit; undefined if the service omits it. */
  total(): Promise<number | undefined>;
}

/** The records of one page, and the number of all records, if the service sends it. */
export interface RecordPage<T> {
  readonly records: readonly T[];
  readonly total: number | undefined;
}

/** Exactly one of the two. */
export type ContactLookup = { readonly email: string } | { readonly phone_number: string };

/** A failed request, or an invalid call. */
export declare class Failure extends Error {
  constructor(code: FailureCode, message: string, detail?: FailureDetail);
  readonly code: FailureCode;
  readonly detail: FailureDetail;
}

export interface FailureDetail {
  /** The HTTP status; undefined without a response. */
  readonly status?: number | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly request_id?: string | undefined;
  /** The validation errors of the fields that were sent. */
  readonly fieldErrors?: readonly FieldError[] | undefined;
  /** Milliseconds that the service asks to wait. */
  readonly retryAfter?: number | undefined;
  /** The headers of the response, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A sentence for people that says what to do next. */
  readonly hint?: string | undefined;
}

/** A validation error of one field. `pointer`: a JSON pointer into the fields, such as `#/emails/0`. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  /** The id of the existing record that has the value; only with the code `taken`. */
  readonly id?: string;
}
