import type { WireRequest, WireResponse } from '../contract/grammar.ts';

/** The way to a service: over HTTP, or into a workspace in this process. */
export interface Transport {
  /** Sends one request and gives its answer, whatever its status. Throws `Undelivered` when there is none. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireResponse>;
  /** Lets go of connections and files, so that the process can end. */
  close(): Promise<void>;
}

/** A request without an answer. `sent`: the service may have carried it out. */
export class DeliveryError extends Error {
  override readonly name = 'Undelivered';
  readonly mayBeDone: boolean;
  /** What a person may look at. */
  readonly hint: string | undefined;

  constructor(message: string, sent: boolean, cause: unknown, hint?: string) {
    super(message, { cause });
    this.mayBeDone = sent;
    this.hint = hint;
  }
}

/** A request with an answer that nobody can read, and that would be no better a second time. */
export class InvalidResponseError extends Error {
  override readonly name = 'Unreadable';
}
