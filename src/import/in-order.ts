/**
 * Takes more keys for an item, once every item before it has taken its own. True where another item held one of them
 * since this one began: what was read may have changed.
 */
export type Claim = (keys: readonly string[]) => Promise<boolean>;

/** How many more items are begun than worked on: one that takes long does not hold up the others. */
const ahead = 8;

/**
 * Works on items side by side, with the result that one after the other gives: of items that share a key the later
 * one begins when the earlier one has ended. Gives what comes of them in their order. Ends with the first failure,
 * but not before the work under way.
 */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  workers: number,
  keysOf: (item: T) => readonly string[],
  work: (item: T, claim: Claim) => Promise<R>,
): AsyncGenerator<R> {
  const lane = laneFor(workers, keysOf, work);
  const queue: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const run = lane.begin(item);
      run.catch(() => {}); // told when its turn comes
      queue.push(run);
      const [next] = queue;
      if (queue.length < workers * ahead || !next) continue;
      yield await next;
      queue.shift();
    }
    for (const next of queue) yield await next;
  } finally {
    lane.close();
    await Promise.allSettled(queue);
  }
}

/** Begins items in their order; each waits for those before it whose keys it shares, and for a slot. */
function laneFor<T, R>(
  workers: number,
  keysOf: (item: T) => readonly string[],
  work: (item: T, claim: Claim) => Promise<R>,
) {
  const holders = heldKeys(2 * workers * ahead);
  const slot = slots(workers);
  let claimed: Promise<void> = Promise.resolve();
  let isClosed = false;
  const begin = async (item: T): Promise<R> => {
    const end = signal();
    const passed = signal();
    const earlier = claimed;
    claimed = passed.given;
    const own = [...keysOf(item)];
    const before = holders.hold(own, end.given);
    const free = await slot();
    try {
      await Promise.all(before);
      if (isClosed) throw new Error('It was never begun.');
      const begun = holders.ended();
      return await work(item, async (keys) => {
        await earlier;
        own.push(...keys);
        const held = holders.hold(keys, end.given);
        passed.give();
        await Promise.all(held);
        return holders.endedSince(begun, keys);
      });
    } catch (error) {
      isClosed = true;
      throw error;
    } finally {
      earlier.then(passed.give);
      holders.release(own, end.given);
      end.give();
      free();
    }
  };
  return {
    begin,
    /** Begins no further item, nor one that waits. */
    close() {
      isClosed = true;
    },
  };
}

/**
 * The last item that holds a key, as the promise of its end; and the keys of items that have ended, as many of them
 * as can have been under way at once.
 */
function heldKeys(most: number) {
  const holders = new Map<string, Promise<void>>();
  const past: (readonly string[])[] = [];
  let count = 0;
  return {
    /** Gives the ends to be waited for. */
    hold(keys: readonly string[], end: Promise<void>): Promise<void>[] {
      const before = keys.flatMap((key) => {
        const holder = holders.get(key);
        return holder && holder !== end ? [holder] : [];
      });
      for (const key of keys) holders.set(key, end);
      return before;
    },
    release(keys: readonly string[], end: Promise<void>): void {
      for (const key of keys) if (holders.get(key) === end) holders.delete(key);
      count += 1;
      past.push(keys);
      if (past.length > most) past.shift();
    },
    /** How many items have ended. */
    ended: () => count,
    /** Whether one that has ended since then held a key. */
    endedSince: (then: number, keys: readonly string[]) =>
      past
        .slice(Math.max(0, past.length - (count - then)))
        .some((held) => held.some((key) => keys.includes(key))),
  };
}

/** Gives so many slots at once, in the order in which they are asked for; what it gives frees the slot again. */
function slots(count: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let left = count;
  const free = () => {
    const next = waiting.shift();
    if (next) next();
    else left += 1;
  };
  return async () => {
    if (left > 0) left -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return free;
  };
}

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
