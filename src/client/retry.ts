/** How one try of a request ended: an answer, or none; `sent` then says that it may have been carried out. */
export type Outcome =
  | { readonly status: number; readonly retryAfter: string | undefined }
  | { readonly sent: boolean };

/** What bounds the waiting. */
export interface Patience {
  /** Tries after the first. */
  readonly retries: number;
  /** Milliseconds that all waiting together may last. */
  readonly maxWait: number;
}

const base = 500;
const cap = 20_000;

/**
 * Milliseconds to wait before the request is sent again, or undefined to give up. A GET may be sent again; a
 * write only when it was surely not carried out. Exponential, with full jitter; a `Retry-After` is obeyed, or
 * not waited for at all where it is longer than what is left of the patience. (cli.md, "The HTTP core")
 */
export function retryDelay(
  method: string,
  outcome: Outcome,
  attempt: number,
  { retries, maxWait }: Patience,
  waited: number,
  now: Date,
  random: () => number,
): number | undefined {
  if (attempt >= retries || !mayRepeat(method, outcome)) return undefined;
  const asked = 'status' in outcome ? retryAfter(outcome.retryAfter, now) : undefined;
  const delay = asked ?? Math.round(random() * Math.min(cap, base * 2 ** attempt));
  return waited + delay > maxWait ? undefined : delay;
}

/** Whether the service asks for fewer requests: it means all of them, and not only this one. */
export function asksToWait(outcome: Outcome): boolean {
  if ('sent' in outcome) return false;
  return outcome.status === 429 || (outcome.status === 503 && outcome.retryAfter !== undefined);
}

function mayRepeat(method: string, outcome: Outcome): boolean {
  const reads = method === 'GET';
  if ('sent' in outcome) return reads || !outcome.sent;
  const { status } = outcome;
  if (status === 429) return true;
  if (status === 503) return reads || outcome.retryAfter !== undefined;
  return reads && (status === 500 || status === 502 || status === 504);
}

/** Milliseconds from a `Retry-After`: seconds, or an HTTP date. undefined: it says nothing that can be read. */
export function retryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text) * 1000;
  // Date.parse makes a date of "1.5" too.
  const date = /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
