import { createSemaphore } from '../values/concurrency.ts';

/**
 * Takes more keys for an item, after every earlier item has taken its own. Returns whether another item had one of
 * them since this one began: the records that it read may have changed.
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
  /** The end of the latest item with each key. */
  const holders = new Map<string, Promise<void>>();
  /** For each item under way, the keys of the items that ended since it began. */
  const underWay = new Set<Set<string>>();
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
    const keys: string[] = [];
    const released = new Set<string>();
    /** Takes keys. Ends when the earlier items with them have ended. */
    const lock = async (more: readonly string[]) => {
      const earlier = more.map((key) => holders.get(key)).filter((holder) => holder !== ended.promise);
      for (const key of more) holders.set(key, ended.promise);
      keys.push(...more);
      await Promise.all(earlier);
    };
    const locked = lock(readKeys(item));
    return semaphore(async () => {
      try {
        await locked;
        if (isClosed) throw new Error('The item was not begun.');
        underWay.add(released);
        return await work(item, async (moreKeys) => {
          await earlierClaims;
          const lockedMore = lock(moreKeys);
          claimed.resolve();
          await lockedMore;
          return moreKeys.some((key) => released.has(key));
        });
      } catch (error) {
        isClosed = true;
        throw error;
      } finally {
        earlierClaims.then(claimed.resolve);
        underWay.delete(released);
        for (const key of keys) {
          if (holders.get(key) === ended.promise) holders.delete(key);
          for (const others of underWay) others.add(key);
        }
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

function createSignal() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
