import { createSemaphore } from '../values/concurrency.ts';

/**
 * Locks more keys for an item, after every earlier item has locked its keys. Returns whether another item has held one
 * of the keys since this item started: the records that this item has read may then be outdated.
 */
export type LockMore = (keys: readonly string[]) => Promise<boolean>;

/** How many times more items are started than processed at once, so that a slow item does not delay the others. */
const lookahead = 8;

/**
 * Maps items concurrently with the results of a sequential run: items that share a key are processed one after the
 * other. Yields the results in the order of the items. Ends with the first failure, after the work under way.
 */
export async function* mapInOrder<T, R>(
  items: AsyncIterable<T>,
  concurrency: number,
  readKeys: (item: T) => readonly string[],
  work: (item: T, lockMore: LockMore) => Promise<R>,
): AsyncGenerator<R> {
  const tasks = new OrderedTasks(concurrency);
  const queue: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const result = tasks.start(readKeys(item), (lockMore) => work(item, lockMore));
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

/** A task that was started. */
interface Task {
  /** Resolves when the task has ended. */
  readonly done: Signal;
  /** Resolves when the task has locked all its keys. */
  readonly locked: Signal;
  readonly keys: string[];
  /** The keys that other tasks released while this one ran. */
  readonly released: Set<string>;
}

/** Runs tasks concurrently. Tasks that share a key run in the order in which they were started. */
class OrderedTasks {
  readonly #semaphore;
  /** The latest task with each key. */
  readonly #holders = new Map<string, Task>();
  readonly #running = new Set<Task>();
  #lastLocked: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(concurrency: number) {
    this.#semaphore = createSemaphore(concurrency);
  }

  /** Tasks that have not begun to run fail. */
  close(): void {
    this.#isClosed = true;
  }

  /** Runs work after the earlier tasks that share its keys. */
  start<R>(keys: readonly string[], work: (lockMore: LockMore) => Promise<R>): Promise<R> {
    const task: Task = { done: createSignal(), locked: createSignal(), keys: [], released: new Set() };
    const earlierLocked = this.#lastLocked;
    this.#lastLocked = task.locked.promise;
    const isReady = this.#lock(task, keys);
    return this.#semaphore(async () => {
      try {
        await isReady;
        if (this.#isClosed) throw new Error('The task was not started.');
        this.#running.add(task);
        return await work(async (moreKeys) => {
          await earlierLocked;
          const isLocked = this.#lock(task, moreKeys);
          task.locked.resolve();
          await isLocked;
          return moreKeys.some((key) => task.released.has(key));
        });
      } catch (error) {
        this.close();
        throw error;
      } finally {
        earlierLocked.then(task.locked.resolve);
        this.#release(task);
      }
    });
  }

  /** Locks keys. Resolves when the earlier tasks with the same keys have ended. */
  async #lock(task: Task, keys: readonly string[]): Promise<void> {
    const earlier = keys.map((key) => this.#holders.get(key)).filter((holder) => holder !== task);
    for (const key of keys) this.#holders.set(key, task);
    task.keys.push(...keys);
    await Promise.all(earlier.map((holder) => holder?.done.promise));
  }

  #release(task: Task): void {
    this.#running.delete(task);
    for (const key of task.keys) {
      if (this.#holders.get(key) === task) this.#holders.delete(key);
      for (const { released } of this.#running) released.add(key);
    }
    task.done.resolve();
  }
}

/** A promise that is resolved from outside. */
type Signal = ReturnType<typeof createSignal>;

function createSignal() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
