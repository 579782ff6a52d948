import { createSemaphore } from '../values/concurrency.ts';

/**
 * Takes more keys for an item, after every earlier item has taken its own. Returns whether another item had one of
 * them since this one began: what was read may have changed.
 */
export type Claim = (keys: readonly string[]) => Promise<boolean>;

/** How many times more items are begun than processed at once, so that a slow item does not delay the others. */
const lookahead = 8;

/**
 * Maps items concurrently with the results of a sequential run: items that share a key are processed one after the
 * other. Yields the results in the order of the items. Ends with the first failure, after the work under way.
 */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T>,
  concurrency: number,
  readKeys: (item: T) => readonly string[],
  work: (item: T, claim: Claim) => Promise<R>,
): AsyncGenerator<R> {
  const locks = new KeyLocks(2 * concurrency * lookahead);
  const semaphore = createSemaphore(concurrency);
  const queue: Promise<R>[] = [];
  let lastClaim: Promise<void> = Promise.resolve();
  let isClosed = false;
  /** Begins an item. It waits for the earlier items that share its keys, and for the semaphore. */
  const begin = (item: T): Promise<R> => {
    const ended = createSignal();
    const claimed = createSignal();
    const earlierClaims = lastClaim;
    lastClaim = claimed.promise;
    const keys = [...readKeys(item)];
    const holders = locks.lock(keys, ended.promise);
    return semaphore(async () => {
      try {
        await Promise.all(holders);
        if (isClosed) throw new Error('The item was not begun.');
        const start = locks.endedCount;
        return await work(item, async (moreKeys) => {
          await earlierClaims;
          keys.push(...moreKeys);
          const others = locks.lock(moreKeys, ended.promise);
          claimed.resolve();
          await Promise.all(others);
          return locks.wasReleasedSince(start, moreKeys);
        });
      } catch (error) {
        isClosed = true;
        throw error;
      } finally {
        earlierClaims.then(claimed.resolve);
        locks.release(keys, ended.promise);
        ended.resolve();
      }
    });
  };
  try {
    for await (const item of items) {
      const result = begin(item);
      result.catch(() => {}); // reported in its turn
      queue.push(result);
      const [next] = queue;
      if (queue.length < concurrency * lookahead || !next) continue;
      yield await next;
      queue.shift();
    }
    for (const next of queue) yield await next;
  } finally {
    isClosed = true;
    await Promise.allSettled(queue);
  }
}

/** The latest holder of each key, as the promise of its end, and the keys of the items that ended last. */
class KeyLocks {
  readonly #holders = new Map<string, Promise<void>>();
  readonly #released: (readonly string[])[] = [];
  readonly #maxReleased: number;
  /** The number of items that have ended. */
  endedCount = 0;

  /** `maxReleased` is the number of items that can be under way at once. */
  constructor(maxReleased: number) {
    this.#maxReleased = maxReleased;
  }

  /** Takes keys and returns the earlier holders to wait for. */
  lock(keys: readonly string[], end: Promise<void>): Promise<void>[] {
    const holders = keys.flatMap((key) => {
      const holder = this.#holders.get(key);
      return holder && holder !== end ? [holder] : [];
    });
    for (const key of keys) this.#holders.set(key, end);
    return holders;
  }

  release(keys: readonly string[], end: Promise<void>): void {
    for (const key of keys) if (this.#holders.get(key) === end) this.#holders.delete(key);
    this.endedCount += 1;
    this.#released.push(keys);
    if (this.#released.length > this.#maxReleased) this.#released.shift();
  }

  /** Whether an item that ended after the first `count` had one of the keys. */
  wasReleasedSince(count: number, keys: readonly string[]): boolean {
    const recent = Math.max(0, this.#released.length - (this.endedCount - count));
    return this.#released.slice(recent).some((released) => released.some((key) => keys.includes(key)));
  }
}

function createSignal() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
