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
  const tasks = new OrderedTasks(concurrency);
  const queue: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const result = tasks.start(readKeys(item), () => work(item));
      result.catch(() => {}); // reported in its turn
      queue.push(result);
      const [next] = queue;
      if (queue.length < concurrency * lookahead || !next) continue;
      yield await next;
      queue.shift();
    }
    for (const next of queue) yield await next;
  } finally {
    tasks.close();
    await Promise.allSettled(queue);
  }
}

/** Runs tasks concurrently. Tasks that share a key run in the order in which they were started. */
class OrderedTasks {
  readonly #semaphore;
  /** The latest task with each key. */
  readonly #holders = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(concurrency: number) {
    this.#semaphore = createSemaphore(concurrency);
  }

  /** Makes all tasks fail that are not running yet. */
  close(): void {
    this.#isClosed = true;
  }

  /** Runs work after the earlier tasks that share its keys. */
  start<R>(keys: readonly string[], work: () => Promise<R>): Promise<R> {
    const earlier = keys.map((key) => this.#holders.get(key));
    const task = this.#semaphore(async () => {
      await Promise.allSettled(earlier);
      if (this.#isClosed) throw new Error('The task was not started.');
      try {
        return await work();
      } catch (error) {
        this.close();
        throw error;
      } finally {
        for (const key of keys) if (this.#holders.get(key) === task) this.#holders.delete(key);
      }
    });
    for (const key of keys) this.#holders.set(key, task);
    return task;
  }
}
