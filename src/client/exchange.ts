import type { Dispatcher } from 'undici';
import { getErrorCode } from '../contract/errors.ts';
import { readMonotonicClock } from '../values/clock.ts';
import { withSignal } from '../values/concurrency.ts';
import { InvalidResponseError } from './delivery.ts';

/** A response with the bytes of its body as sent; undefined if the body is too large. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array | undefined;
  readonly timing: ResponseTiming;
}

/** The milliseconds from the start of a request. */
interface ResponseTiming {
  readonly firstByte: number;
  readonly total: number;
}

/** The milliseconds of each step of a new connection; undefined for an unnecessary step. */
export interface ConnectionTiming {
  readonly dns: number | undefined;
  readonly connect: number | undefined;
  readonly tls: number | undefined;
}

/** A request and its response, for --debug. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly request: Pick<HttpResponse, 'headers'> & { readonly bytes: number };
  readonly response: Pick<HttpResponse, 'status' | 'headers'> & { readonly bytes: number | undefined };
  /** `connection` is undefined if an open connection was used. */
  readonly timing: ResponseTiming & { readonly connection: ConnectionTiming | undefined };
}

/** A response that never stops and never ends. */
export class SlowResponseError extends Error {
  override readonly name = 'SlowResponseError';
  readonly code = 'SLOW_RESPONSE';
}

/** The slowest accepted transfer, in bytes per second, once a request takes ten times the timeout. */
const minimumRate = 1024;

/** The largest accepted body, in bytes: its text, its JSON and the output must fit into memory together. */
const maxBodySize = 256 * 1024 * 1024;

/** Sends a request and collects the response. `timeout`: milliseconds. Rejects with the reason of the signal. */
export function sendRequest(
  agent: Dispatcher,
  request: Dispatcher.DispatchOptions,
  timeout: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const start = readMonotonicClock();
    const chunks: Buffer[] = [];
    const headers: Record<string, string> = {};
    let status = 0;
    let length = 0;
    let firstByte = 0;
    let controller: Dispatcher.DispatchController | undefined;
    const finish = (bytes: Buffer | undefined) => {
      signal.removeEventListener('abort', abort);
      resolve({ status, headers, bytes, timing: { firstByte, total: readMonotonicClock() - start } });
    };
    // The first reason is the cause: closing the connection for it causes another error.
    const fail = (reason: unknown) => {
      signal.removeEventListener('abort', abort);
      reject(reason);
      controller?.abort(reason instanceof Error ? reason : new Error(String(reason)));
    };
    const abort = () => fail(signal.reason);
    signal.addEventListener('abort', abort);
    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) abort();
      },
      onResponseStart(_, received, fields) {
        // undici restarts its timeout with each "102 Processing".
        if (received < 200 && readMonotonicClock() - start > timeout) fail(new SlowResponseError());
        if (received < 200) return;
        status = received;
        firstByte = readMonotonicClock() - start;
        for (const name in fields) headers[name] = String(fields[name]);
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
        length += chunk.length;
        const elapsed = readMonotonicClock() - start;
        if (elapsed > 10 * timeout && length < (elapsed / 1000) * minimumRate) fail(new SlowResponseError());
        if (length <= maxBodySize) return;
        chunks.length = 0;
        finish(undefined);
        controller?.abort(new Error('The response is too large.'));
      },
      onResponseEnd: () => finish(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)),
      onResponseError: (_, error) => fail(error),
    });
  });
}

/** A function like `fetch` of the web platform. */
export type Fetch = (url: string, init: RequestInit) => Response | Promise<Response>;

/** Sends a request with a `fetch` function, which decompresses the body itself. */
export function sendWithFetch(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  timeout: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return limitTime(timeout, signal, async (limit) => {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: limit });
    const { 'content-encoding': _, ...headers } = Object.fromEntries(response.headers);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers, bytes, timing: { firstByte: 0, total: 0 } }; // only for --debug
  });
}

/**
 * Sends a request with a signal that is also aborted after `timeout` milliseconds. A request that ignores the signal is
 * abandoned. Node 20 may garbage-collect the signals of AbortSignal.any and AbortSignal.timeout before they abort.
 */
export async function limitTime<T>(
  timeout: number,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  const error = Object.assign(new Error('The request timed out.'), { code: 'UND_ERR_HEADERS_TIMEOUT' });
  const timer = setTimeout(() => stop.abort(error), timeout);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    return await withSignal(send(stop.signal), stop.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Decompresses a body: some proxies compress unasked. @throws {InvalidResponseError} if it is too large or damaged */
export async function decompressBody(
  bytes: Uint8Array | undefined,
  encoding = 'identity',
): Promise<Uint8Array> {
  if (!bytes) throw createSizeError();
  const name = encoding.trim().toLowerCase();
  if (bytes.length === 0 || name === 'identity' || name === '') return bytes;
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  const decompress = { gzip: unzipSync, 'x-gzip': unzipSync, deflate: unzipSync, br: brotliDecompressSync }[
    name
  ];
  if (!decompress) {
    throw new InvalidResponseError(`The response has the unsupported content encoding "${encoding}".`);
  }
  try {
    return decompress(bytes, { maxOutputLength: maxBodySize });
  } catch (error) {
    throw getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      ? createSizeError()
      : new InvalidResponseError(`The response is not valid ${encoding} data.`);
  }
}

const createSizeError = () =>
  new InvalidResponseError(`The response is larger than ${maxBodySize / 1024 / 1024} MB.`);

/** Decodes UTF-8; `isLenient` replaces invalid bytes. @throws {InvalidResponseError} */
export function decodeBody(bytes: Uint8Array, isLenient: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isLenient }).decode(bytes);
  } catch {
    throw new InvalidResponseError('The response is not UTF-8.');
  }
}
