import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Claim, mapInOrder } from '../../src/import/in-order.ts';

interface Item {
  readonly name: number;
  /** Known from the start. */
  readonly keys: readonly string[];
  /** Found out while it is worked on. */
  readonly later: readonly string[];
  readonly takes: number;
}

async function* each<T>(items: readonly T[]) {
  yield* items;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Works on items as an import does; gives for each key which items wrote to it, in the order of that. */
async function worked(items: readonly Item[], workers: number) {
  const writes = new Map<string, number[]>();
  const state = { now: 0, most: 0 };
  const given = await all(
    mapInOrder(
      each(items),
      workers,
      ({ keys }) => keys,
      async ({ name, keys, later, takes }, claim: Claim) => {
        state.now += 1;
        state.most = Math.max(state.most, state.now);
        if (takes > 0) await wait(takes);
        await claim(later);
        for (const key of [...keys, ...later]) writes.set(key, [...(writes.get(key) ?? []), name]);
        if (takes > 0) await wait(takes / 2);
        state.now -= 1;
        return name;
      },
    ),
  );
  return {
    given,
    writes: Object.fromEntries([...writes].sort(([one], [other]) => (one < other ? -1 : 1))),
    most: state.most,
  };
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const item = fc.record({
  keys: fc.uniqueArray(key, { maxLength: 2 }),
  later: fc.uniqueArray(
    key.map((name) => `id:${name}`),
    { maxLength: 2 },
  ),
  takes: fc.nat(3),
});

test('concurrent work has the results of sequential work, for any items', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 24 }),
      fc.integer({ min: 2, max: 8 }),
      async (found, workers) => {
        const items = found.map((one, name) => ({ ...one, name }));
        const [one, many] = [await worked(items, 1), await worked(items, workers)];
        expect(many.given).toEqual(items.map(({ name }) => name));
        expect(many.writes).toEqual(one.writes);
        expect(many.most).toBeLessThanOrEqual(workers);
      },
    ),
    { numRuns: 60 },
  );
});

test('processes items without a common key concurrently, up to the limit', async () => {
  const items = Array.from({ length: 12 }, (_, name) => ({ name, keys: [`k${name}`], later: [], takes: 10 }));
  expect((await worked(items, 4)).most).toBe(4);
});

test('claim returns whether an earlier item had one of the keys', async () => {
  const held = await all(
    mapInOrder(
      each([1, 2, 3]),
      3,
      () => [],
      async (name, claim) => {
        const before = await claim(name === 3 ? ['other'] : ['same']);
        await wait(5);
        return before;
      },
    ),
  );
  expect(held).toEqual([false, true, false]);
});

test('does not wait for the claim of an item that ends without one', async () => {
  const given = await all(
    mapInOrder(
      each([1, 2]),
      2,
      () => [],
      async (name, claim) => {
        if (name === 2) await claim(['x']);
        return name;
      },
    ),
  );
  expect(given).toEqual([1, 2]);
});

test.each([
  [0, 1],
  [1, 0],
])('if item %i fails, waits for the work under way and begins no other item', async (failing, other) => {
  const log: string[] = [];
  const run = all(
    mapInOrder(
      each(Array.from({ length: 50 }, (_, at) => at)),
      2,
      () => [],
      async (name) => {
        log.push(`begun ${name}`);
        await wait(name === failing ? 1 : 10);
        if (name === failing) throw new Error('no key');
        log.push(`ended ${name}`);
      },
    ),
  );
  await expect(run).rejects.toThrow('no key');
  expect(log).toEqual(['begun 0', 'begun 1', `ended ${other}`]);
});

test('reads items only as they are needed', async () => {
  let asked = 0;
  const items = async function* () {
    for (; asked < 10_000; asked += 1) yield asked;
  };
  for await (const name of mapInOrder(
    items(),
    2,
    () => [],
    async (item) => item,
  ))
    if (name === 3) break;
  expect(asked).toBeLessThan(40);
});

test('claim reports that an item read outdated records, whenever they changed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 30 }), async (drawn) => {
      const items = drawn.map((one, name) => ({ ...one, name }));
      const held = new Map<string, readonly number[]>();
      const read = (keys: readonly string[]) => keys.map((one) => [one, held.get(one) ?? []] as const);
      const bring = async ({ name, later, takes }: Item, claim: Claim) => {
        let found = read(later);
        if (takes > 0) await wait(takes);
        if (await claim(later)) found = read(later);
        if (takes > 1) await wait(takes);
        for (const [one, before] of found) held.set(one, [...before, name]);
      };
      await all(mapInOrder(each(items), 4, ({ keys }) => keys, bring));
      const wanted = new Map<string, number[]>();
      for (const { name, later } of items) {
        for (const one of later) wanted.set(one, [...(wanted.get(one) ?? []), name]);
      }
      expect(new Map([...held].sort())).toEqual(new Map([...wanted].sort()));
    }),
    { numRuns: 60 },
  );
});
