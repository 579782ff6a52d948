/** The result of one attempt: a status with the milliseconds of its `Retry-After`, or no response. */
export type Outcome =
  | { readonly status: number; readonly retryAfter: number | undefined }
  /** Whether the service may have processed the request. */
  | { readonly mayBeDone: boolean };

/** The limits of retrying one request. */
export interface RetryPolicy {
  readonly retries: number;
  /** The maximum total of all waits, in milliseconds. */
  readonly maxWait: number;
}

const firstBackoff = 500;
const maxBackoff = 20_000;

/**
 * Returns the milliseconds to wait before the next attempt, or undefined to give up. `attempt` counts the earlier
 * attempts, `waited` the milliseconds since the first one. A GET is retried, a write only if it was certainly not
 * processed. Backoff is exponential with full jitter. A `Retry-After` that exceeds the rest of `maxWait` ends the
 * attempts.
 */
export function getRetryDelay(
  { method, outcome, attempt, waited }: { method: string; outcome: Outcome; attempt: number; waited: number },
  { retries, maxWait }: RetryPolicy,
  random: () => number,
): number | undefined {
  if (attempt >= retries || !isRetryable(method, outcome)) return undefined;
  const retryAfter = 'status' in outcome ? outcome.retryAfter : undefined;
  const delay = retryAfter ?? Math.round(random() * Math.min(maxBackoff, firstBackoff * 2 ** attempt));
  return waited + delay > maxWait ? undefined : delay;
}

/** Whether the service asks for fewer requests. This applies to all requests of the client. */
export function isThrottled(outcome: Outcome): boolean {
  if ('mayBeDone' in outcome) return false;
  return outcome.status === 429 || (outcome.status === 503 && outcome.retryAfter !== undefined);
}

function isRetryable(method: string, outcome: Outcome): boolean {
  const isRead = method === 'GET';
  if ('mayBeDone' in outcome) return isRead || !outcome.mayBeDone;
  const { status, retryAfter } = outcome;
  if (status === 429) return true;
  if (status === 503) return isRead || retryAfter !== undefined;
  return isRead && (status === 500 || status === 502 || status === 504);
}

/** The milliseconds over which waiting requests are spread after a pause. */
const spread = 250;

export type Pause = ReturnType<typeof createPause>;

/** Creates the pause in which a client sends nothing because the service throttled a request. */
export function createPause(sleep: (milliseconds: number) => Promise<void>, random: () => number) {
  let running: Promise<void> | undefined;
  let waiting = 0;
  return {
    /** Starts the pause, or extends a running pause. */
    start(milliseconds: number) {
      const longer = Promise.all([running, sleep(milliseconds)]).then(() => {
        if (running === longer) running = undefined;
      });
      running = longer;
    },
    /** Resolves when a request may be sent. */
    async wait() {
      const isFirst = waiting === 0;
      waiting += 1;
      try {
        while (running !== undefined) {
          await running;
          if (!isFirst) await sleep(Math.round(random() * spread));
        }
      } finally {
        waiting -= 1;
      }
    },
  };
}
