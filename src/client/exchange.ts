import { Buffer, isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { getErrorCode } from '../contract/errors.ts';
import { InvalidResponseError } from './delivery.ts';

/** What is sent. */
export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back, with the bytes of its body as they were sent; undefined where there are too many. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer | undefined;
}

/** A body that never falls silent, and never ends. */
export class SlowResponseError extends Error {
  override readonly name = 'TooSlow';
  readonly code = 'TOO_SLOW';
}

/** Bytes a second that a body has to bring where its request takes longer than ten times the time limit. */
const slowest = 1024;

/**
 * Sends a request and takes its whole answer in, with no stream in between: one would only be read to its end, and
 * takes a tenth of the time of a long list. `timeout`: milliseconds. Rejects with the reason of the signal, `TooSlow`
 * for a body that drips, or an error of undici.
 */
export function sendRequest(
  agent: Dispatcher,
  question: HttpRequest,
  timeout: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const taking = new Taking(timeout, signal, resolve, reject);
    agent.dispatch(question as Dispatcher.DispatchOptions, taking); // a method of the contract is one of HTTP's
  });
}

/** Takes an answer as it comes. */
class Taking implements Dispatcher.DispatchHandler {
  readonly #timeout: number;
  readonly #signal: AbortSignal;
  readonly #resolve: (reply: HttpResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #stop = () => this.#fail(this.#signal.reason);
  #controller: Dispatcher.DispatchController | undefined;
  readonly #start = performance.now();
  #status = 0;
  #headers: Record<string, string> = {};
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(
    timeout: number,
    signal: AbortSignal,
    resolve: (reply: HttpResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#timeout = timeout;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#stop);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#stop();
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) {
      // undici starts its clock anew with each "102 Processing".
      if (performance.now() - this.#start > this.#timeout) this.#fail(new SlowResponseError());
      return;
    }
    this.#status = status;
    for (const name in headers) this.#headers[name] = String(headers[name]);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length > maxBodySize) {
      this.#answer(undefined);
      this.#controller?.abort(new Error('The answer is too large.'));
    }
    const passed = performance.now() - this.#start;
    if (passed > 10 * this.#timeout && this.#length < (passed / 1000) * slowest)
      this.#fail(new SlowResponseError());
  }

  onResponseEnd(): void {
    const [first, ...others] = this.#chunks;
    const bytes = first && others.length === 0 ? first : Buffer.concat(this.#chunks, this.#length);
    this.#answer(bytes);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #answer(bytes: Buffer | undefined): void {
    this.#end();
    this.#resolve({ status: this.#status, headers: this.#headers, bytes });
  }

  /** The first reason counts: that the connection is closed for it is told as an error too. */
  #fail(reason: unknown): void {
    this.#end();
    this.#reject(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error(String(reason)));
  }

  #end(): void {
    this.#chunks = [];
    this.#signal.removeEventListener('abort', this.#stop);
  }
}

/** Bytes of a body at the most: the text, its JSON and what is printed of it have to fit into memory together. */
export const maxBodySize = 256 * 1024 * 1024;

/** Unpacks a body; undefined: it was too large. Throws `Unreadable` for one that is damaged or too large. */
export async function decompressBody(
  packed: Buffer | undefined,
  encoding: string | undefined,
): Promise<Buffer> {
  if (!packed) throw tooLarge();
  return packed.length === 0 ? packed : unpacked(packed, encoding);
}

/** Decodes a body. Throws `Unreadable` if it is not UTF-8, unless `lenient`, which replaces invalid bytes by U+FFFD. */
export function decodeBody(bytes: Buffer, lenient: boolean): string {
  if (!lenient && !isUtf8(bytes)) throw new InvalidResponseError('The answer is not UTF-8.');
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', isMarked ? 3 : 0);
}

/** No packing is asked for, but there are proxies that pack all the same. */
async function unpacked(bytes: Buffer, encoding = 'identity'): Promise<Buffer> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return bytes;
  const { brotliDecompressSync, unzipSync } = await import('node:zlib');
  const unpack = { gzip: unzipSync, 'x-gzip': unzipSync, deflate: unzipSync, br: brotliDecompressSync }[name];
  if (!unpack)
    throw new InvalidResponseError(`The answer is packed as "${encoding}", which was not asked for.`);
  try {
    return unpack(bytes, { maxOutputLength: maxBodySize });
  } catch (error) {
    throw getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new InvalidResponseError(`The answer is packed as "${encoding}", and damaged.`);
  }
}

const tooLarge = () => new InvalidResponseError(`The answer is larger than ${maxBodySize / 1024 / 1024} MB.`);
