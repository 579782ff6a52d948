import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LockMore, mapInOrder } from '../../src/import/in-order.ts';

interface Item {
  readonly name: number;
  /** Known from the start. */
  readonly keys: readonly string[];
  /** Found while the item is processed. */
  readonly laterKeys: readonly string[];
  readonly duration: number;
}

async function* iterate<T>(items: readonly T[]) {
  yield* items;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const item of items) result.push(item);
  return result;
}

/** Processes items like an import. Returns the items that wrote to each key, in order. */
async function runItems(items: readonly Item[], workers: number) {
  const writesByKey = new Map<string, number[]>();
  const state = { now: 0, most: 0 };
  const results = await all(
    mapInOrder(
      iterate(items),
      workers,
      ({ keys }) => keys,
      async ({ name, keys, laterKeys, duration }, lockMore: LockMore) => {
        state.now += 1;
        state.most = Math.max(state.most, state.now);
        if (duration > 0) await wait(duration);
        await lockMore(laterKeys);
        for (const key of [...keys, ...laterKeys])
          writesByKey.set(key, [...(writesByKey.get(key) ?? []), name]);
        if (duration > 0) await wait(duration / 2);
        state.now -= 1;
        return name;
      },
    ),
  );
  return {
    given: results,
    writes: Object.fromEntries([...writesByKey].sort(([one], [other]) => (one < other ? -1 : 1))),
    most: state.most,
  };
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const item = fc.record({
  keys: fc.uniqueArray(key, { maxLength: 2 }),
  laterKeys: fc.uniqueArray(
    key.map((name) => `id:${name}`),
    { maxLength: 2 },
  ),
  duration: fc.nat(3),
});

test('concurrent work has the results of sequential work, for any items', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 24 }),
      fc.integer({ min: 2, max: 8 }),
      async (found, workers) => {
        const items = found.map((one, name) => ({ ...one, name }));
        const [one, many] = [await runItems(items, 1), await runItems(items, workers)];
        expect(many.given).toEqual(items.map(({ name }) => name));
        expect(many.writes).toEqual(one.writes);
        expect(many.most).toBeLessThanOrEqual(workers);
      },
    ),
    { numRuns: 60 },
  );
});

test('processes items without a common key concurrently, up to the limit', async () => {
  const items = Array.from({ length: 12 }, (_, name) => ({
    name,
    keys: [`k${name}`],
    laterKeys: [],
    duration: 10,
  }));
  expect((await runItems(items, 4)).most).toBe(4);
});

test('lockMore returns whether an earlier item had one of the keys', async () => {
  const heldResults = await all(
    mapInOrder(
      iterate([1, 2, 3]),
      3,
      () => [],
      async (name, lockMore) => {
        const before = await lockMore(name === 3 ? ['other'] : ['same']);
        await wait(5);
        return before;
      },
    ),
  );
  expect(heldResults).toEqual([false, true, false]);
});

test('does not wait for an item that ends without locking more keys', async () => {
  const results = await all(
    mapInOrder(
      iterate([1, 2]),
      2,
      () => [],
      async (name, lockMore) => {
        if (name === 2) await lockMore(['x']);
        return name;
      },
    ),
  );
  expect(results).toEqual([1, 2]);
});

test.each([
  [0, 1],
  [1, 0],
])('if item %i fails, waits for the work under way and begins no other item', async (failingItem, other) => {
  const log: string[] = [];
  const run = all(
    mapInOrder(
      iterate(Array.from({ length: 50 }, (_, index) => index)),
      2,
      () => [],
      async (name) => {
        log.push(`begun ${name}`);
        await wait(name === failingItem ? 1 : 10);
        if (name === failingItem) throw new Error('no key');
        log.push(`ended ${name}`);
      },
    ),
  );
  await expect(run).rejects.toThrow('no key');
  expect(log).toEqual(['begun 0', 'begun 1', `ended ${other}`]);
});

test('reads items only as they are needed', async () => {
  let pulledCount = 0;
  const items = async function* () {
    for (; pulledCount < 10_000; pulledCount += 1) yield pulledCount;
  };
  for await (const name of mapInOrder(
    items(),
    2,
    () => [],
    async (item) => item,
  ))
    if (name === 3) break;
  expect(pulledCount).toBeLessThan(40);
});

test('lockMore reports that an item has read outdated records, whenever the records changed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 30 }), async (drawn) => {
      const items = drawn.map((one, name) => ({ ...one, name }));
      const heldKeys = new Map<string, readonly number[]>();
      const read = (keys: readonly string[]) => keys.map((one) => [one, heldKeys.get(one) ?? []] as const);
      const runItem = async ({ name, laterKeys, duration }: Item, lockMore: LockMore) => {
        let writes = read(laterKeys);
        if (duration > 0) await wait(duration);
        if (await lockMore(laterKeys)) writes = read(laterKeys);
        if (duration > 1) await wait(duration);
        for (const [one, before] of writes) heldKeys.set(one, [...before, name]);
      };
      await all(mapInOrder(iterate(items), 4, ({ keys }) => keys, runItem));
      const expected = new Map<string, number[]>();
      for (const { name, laterKeys } of items) {
        for (const one of laterKeys) expected.set(one, [...(expected.get(one) ?? []), name]);
      }
      expect(new Map([...heldKeys].sort())).toEqual(new Map([...expected].sort()));
    }),
    { numRuns: 60 },
  );
});
