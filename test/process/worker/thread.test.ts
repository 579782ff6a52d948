import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { tasks } from '../../../src/process/worker/tasks.ts';
import { createThreadTasks } from '../../../src/process/worker/thread.ts';

const ours = pathToFileURL('dist/worker.cjs');
const frail = new URL('./frail-worker.cjs', import.meta.url);
const { signal: never } = new AbortController();

const spoken = {
  speaker: 'Ada',
  text: 'a'.repeat(40),
  words: [{ text: 'a'.repeat(40), start: 0, end: 1 }],
};

test('runs every task in the thread', async () => {
  const { runJq, checkJq, ...others } = createThreadTasks(ours)(never);
  expect(Object.keys({ runJq, checkJq, ...others }).sort()).toEqual(Object.keys(tasks).sort());
  expect(await runJq('[1,2]', '.[]')).toEqual(['1', '2']);
  await expect(checkJq('.[')).rejects.toMatchObject({ name: 'Failure', code: 'usage' });
});

test('aborts an endless task with its signal, and completes the other tasks in a new thread', async () => {
  const inThread = createThreadTasks(ours);
  const leaving = new AbortController();
  const search = { pattern: /(a+)+b/g, speakers: undefined, context: 0 };
  expect(await inThread(never).runJq('1', '.')).toEqual(['1']);
  const endless = inThread(leaving.signal).findHits([spoken], search);
  const waiting = inThread(never).runJq('1', '.+1');
  await wait(50);
  leaving.abort(new Error('enough'));
  await expect(endless).rejects.toThrow('enough');
  await expect(inThread(leaving.signal).runJq('1', '.')).rejects.toThrow('enough');
  expect(await waiting).toEqual(['2']);
  expect(await inThread(never).runJq('1', '.+2')).toEqual(['3']);
});

test.each([
  ['break', 'Out of memory.'],
  ['leave', 'The data does not fit in memory.'],
])(
  'fails all pending tasks if the thread crashes at "%s", and starts a new thread for the next one',
  async (word, message) => {
    const inThread = createThreadTasks(frail)(never);
    expect(await inThread.runJq('one', '')).toBe('one');
    const ends = await Promise.allSettled([word, 'two'].map((one) => inThread.runJq(one, '')));
    expect(ends).toMatchObject([{ status: 'rejected' }, { reason: { message } }]);
    expect(await inThread.runJq('three', '')).toBe('three');
  },
);
