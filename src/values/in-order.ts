import { createSemaphore } from './concurrency.ts';

/**
 * Maps items concurrently and yields the results in order. Items that share a key are processed one after the other. On
 * a failure, waits for the running items and throws it. `lookahead`: the number of started items for each item processed
 * at once, so that a slow item does not delay the others.
 */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  concurrency: number,
  readKeys: (item: T) => readonly string[],
  work: (item: T) => Promise<R>,
  lookahead = 8,
): AsyncGenerator<R> {
  const semaphore = createSemaphore(concurrency);
  /** The latest task with each key. */
  const holders = new Map<string, Promise<unknown>>();
  /** Set after a failure or the end: tasks that have not started then fail. */
  let isClosed = false;
  const start = (item: T): Promise<R> => {
    const keys = readKeys(item);
    const earlier = keys.map((key) => holders.get(key));
    const task = semaphore(async () => {
      await Promise.allSettled(earlier);
      if (isClosed) throw new Error('The task was not started.');
      try {
        return await work(item);
      } catch (error) {
        isClosed = true;
        throw error;
      } finally {
        for (const key of keys) if (holders.get(key) === task) holders.delete(key);
      }
    });
    for (const key of keys) holders.set(key, task);
    return task;
  };
  const queue: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const result = start(item);
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
