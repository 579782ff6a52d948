import type { WireResponse } from '../contract/grammar.ts';

/**
 * How one try of a request ended: an answer, with the milliseconds that its `Retry-After` asks for; or none: `sent`
 * then says that it may have been carried out.
 */
export type Outcome =
  | { readonly status: number; readonly asked: number | undefined }
  | { readonly sent: boolean };

/** One try of a request. */
interface Try {
  readonly method: string;
  readonly outcome: Outcome;
  /** How many came before it. */
  readonly attempt: number;
  /** Milliseconds that were waited since the first. */
  readonly waited: number;
}

/** What bounds the waiting. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** Milliseconds that all waiting for one request may last. */
  readonly maxWait: number;
}

const base = 500;
const cap = 20_000;

/**
 * Milliseconds to wait before the request is sent again, or undefined to give up. A GET may be sent again; a
 * write only when it was surely not carried out. Exponential, with full jitter; a `Retry-After` is obeyed, or
 * not waited for at all where it is longer than what is left of the patience. (cli.md, "The HTTP core")
 */
export function getRetryDelay(
  { method, outcome, attempt, waited }: Try,
  { retries, maxWait }: RetryPolicy,
  random: () => number,
): number | undefined {
  if (attempt >= retries || !mayRepeat(method, outcome)) return undefined;
  const asked = 'status' in outcome ? outcome.asked : undefined;
  const delay = asked ?? Math.round(random() * Math.min(cap, base * 2 ** attempt));
  return waited + delay > maxWait ? undefined : delay;
}

/** Whether the service asks for fewer requests: it means all of them, and not only this one. */
export function isThrottled(outcome: Outcome): boolean {
  if ('sent' in outcome) return false;
  return outcome.status === 429 || (outcome.status === 503 && outcome.asked !== undefined);
}

function mayRepeat(method: string, outcome: Outcome): boolean {
  const reads = method === 'GET';
  if ('sent' in outcome) return reads || !outcome.sent;
  const { status } = outcome;
  if (status === 429) return true;
  if (status === 503) return reads || outcome.asked !== undefined;
  return reads && (status === 500 || status === 502 || status === 504);
}

/** A hundred years: what is longer is no different, and would be no date. */
const longest = 100 * 365 * 86_400_000;

/**
 * Milliseconds that a `Retry-After` asks to wait, in seconds or as an HTTP date; undefined where there is none that
 * can be read. A date is one of the service's clock, which its answer tells: that of this machine may be wrong.
 */
export function parseRetryAfter(headers: WireResponse['headers'], now: Date): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longest);
  // Date.parse makes a date of "1.5" too.
  const until = /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  const there = Date.parse(headers.date ?? '') || now.getTime();
  return Number.isNaN(until) ? undefined : Math.min(Math.max(0, until - there), longest);
}

/**
 * The time in which a client sends nothing, because the service told one of its requests to wait. It counts as
 * waiting of that one alone: the others have not been refused.
 */
export interface Pause {
  /** Begins it; one that has begun lasts as long as the longer of the two. */
  start(milliseconds: number): void;
  /** Resolves when a request may be sent. */
  wait(): Promise<void>;
}

/** Milliseconds over which those are spread that waited for another. */
const spread = 250;

/** A pause that has not begun. */
export function createPause(sleep: (milliseconds: number) => Promise<void>, random: () => number): Pause {
  let pause: Promise<void> | undefined;
  let waiting = 0;
  return {
    start(milliseconds) {
      const longer = Promise.all([pause, sleep(milliseconds)]).then(() => {
        if (pause === longer) pause = undefined;
      });
      pause = longer;
    },
    async wait() {
      const isFirst = waiting === 0;
      waiting += 1;
      try {
        while (pause !== undefined) {
          await pause;
          if (!isFirst) await sleep(Math.round(random() * spread));
        }
      } finally {
        waiting -= 1;
      }
    },
  };
}
