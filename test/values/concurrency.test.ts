import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSemaphore, once } from '../../src/values/concurrency.ts';

test('a semaphore runs at most its limit of tasks at once, in the order of arrival', async () => {
  const run = createSemaphore(2);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const results = await Promise.all(
    [1, 2, 3, 4, 5].map((task) =>
      run(async () => {
        started.push(task);
        running += 1;
        most = Math.max(most, running);
        await wait(1);
        running -= 1;
        return task * 10;
      }),
    ),
  );
  expect({ results, started, most }).toEqual({
    results: [10, 20, 30, 40, 50],
    started: [1, 2, 3, 4, 5],
    most: 2,
  });
});

test('a semaphore runs the next task after one that failed', async () => {
  const run = createSemaphore(1);
  const failed = run(() => Promise.reject(new Error('no')));
  const next = run(async () => 'done');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('once loads a value on the first call only', async () => {
  let loads = 0;
  const load = once(async () => {
    loads += 1;
    return { loads };
  });
  expect(await Promise.all([load(), load()])).toEqual([{ loads: 1 }, { loads: 1 }]);
  expect(await load()).toEqual({ loads: 1 });
});

test('once loads again after a failure', async () => {
  let loads = 0;
  const load = once(async () => {
    loads += 1;
    if (loads === 1) throw new Error('not yet');
    return loads;
  });
  await expect(load()).rejects.toThrow('not yet');
  expect(await load()).toBe(2);
});
