/** Runs a task when fewer than the limit are running. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>;

/** Returns a semaphore that runs at most `limit` tasks at once, in the order in which they arrive. */
export function createSemaphore(limit: number): Semaphore {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < limit) running += 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await task();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Runs work for each item, for at most `limit` of them at once, and returns the results in order. */
export function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const run = createSemaphore(limit);
  return Promise.all(items.map((item) => run(() => work(item))));
}

/** Returns a function that loads a value on the first call and returns the same value afterwards. A failed load is retried. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined;
  return () => {
    promise ??= load().catch((error) => {
      promise = undefined;
      throw error;
    });
    return promise;
  };
}

/** Sizes, in characters and in records, from which synchronous work takes long. */
export const longWork = { text: 1_000_000, records: 2000 } as const;

/** Lets pending signals arrive between two long pieces of work; throws the reason of an aborted signal. */
export async function yieldToSignals(signal: AbortSignal): Promise<void> {
  await new Promise<void>((next) => void (globalThis.setImmediate ?? setTimeout)(next)); // a worker has no setImmediate
  signal.throwIfAborted();
}

/** Returns the value of a promise; throws the reason of a signal that is aborted first. */
export function withSignal<T>(promise: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits in real time. Throws the reason of a signal that ends the wait. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout;
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  return withSignal(end, signal).finally(() => clearTimeout(timer));
}

/**
 * Returns the values of promises once all of them are settled, so that nothing keeps running after a failure.
 * @throws the reason of the first rejected promise
 */
export async function settleAll<const T extends readonly unknown[]>(promises: T) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
