import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mapInOrder } from '../../src/values/in-order.ts';

interface Item {
  readonly name: number;
  readonly keys: readonly string[];
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
      async ({ name, keys, duration }) => {
        state.now += 1;
        state.most = Math.max(state.most, state.now);
        if (duration > 0) await wait(duration);
        for (const key of keys) writesByKey.set(key, [...(writesByKey.get(key) ?? []), name]);
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
    duration: 10,
  }));
  expect((await runItems(items, 4)).most).toBe(4);
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
