import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendPage, startTestService } from '../client/loopback.ts';
import { createSignedInHome, runKith } from '../support/binary.ts';
import { measureMemory } from '../support/memory.ts';

/** Starts a service with a list of entries of 1 KB each, which it generates on request. */
function startLargeService(total: number) {
  const note = 'x'.repeat(900);
  return startTestService(({ url }, response) =>
    sendPage(response, url, {
      length: total,
      at: (index) => ({
        id: `entry-with-a-long-id-${index}`,
        entryable_id: `c${index}`,
        values: { Note: `${note}${index}` },
      }),
    }),
  );
}

/**
 * V8 keeps garbage while it has room: 48 MB of young objects, 64 MB of buffers, and 40 MB of its compilers. These flags
 * leave no room, so that the rest is memory in use. A program that keeps its records would need ten times this heap.
 */
const memoryFlags = [
  '--max-old-space-size=24',
  '--max-semi-space-size=1',
  '--gc-global',
  '--liftoff-only',
  '--no-opt',
  '--no-maglev',
];

/** Runs `entries list --all` on a service. */
const measureList = (env: Readonly<Record<string, string>>, read: (lines: Readable) => Promise<void>) =>
  measureMemory(memoryFlags, ['entries', 'list', 'L', '--all', '--format', 'ndjson'], env, read);

/** Returns a reader that counts lines. */
function createCounter() {
  const total = { lines: 0 };
  const count = async (lines: Readable) => {
    for await (const chunk of lines) {
      for (let index = chunk.indexOf(10); index >= 0; index = chunk.indexOf(10, index + 1)) total.lines += 1;
    }
  };
  return { total, count };
}

/** The MB that a long list may take more than a short one. Its records alone would take twice as much. */
const margin = 6;

test('listing 15,000 entries takes at most 6 MB more than 2,000', async () => {
  const [shortCounter, longCounter] = [createCounter(), createCounter()];
  const fewRecords = await measureList((await startLargeService(2000)).env, shortCounter.count);
  const manyRecords = await measureList((await startLargeService(15_000)).env, longCounter.count);
  expect([fewRecords.code, shortCounter.total, manyRecords.code, longCounter.total]).toEqual([
    0,
    { lines: 2000 },
    0,
    { lines: 15_000 },
  ]);
  expect(manyRecords.megabytes - fewRecords.megabytes).toBeLessThan(margin);
});

test('requests no more pages while the reader of its output waits', async () => {
  const fewRecords = await measureList((await startLargeService(1000)).env, createCounter().count);
  const { env, requests } = await startLargeService(100_000);
  let requested = 0;
  const manyRecords = await measureList(env, async (lines) => {
    // The reader waits until no further request arrives, and then reads no line at all.
    while (requests.length === 0 || requests.length > requested) {
      requested = requests.length;
      await wait(400);
    }
    lines.destroy();
  });
  expect(manyRecords.code).toBe(0);
  expect(requested).toBeLessThan(20);
  expect(manyRecords.megabytes - fewRecords.megabytes).toBeLessThan(margin);
});

// jq takes 4 s of processor time for such a result. test/process/worker/thread.test.ts has a thread that exits in the same way.
test.runIf(process.env.KITH_LONG === '1')(
  'reports a result of jq above 100 MB in one line instead of crashing',
  async () => {
    // With one text of this length jq itself would take three times as long.
    const line = ['lists', 'list', '--quiet', '--jq', '("x" * 1000000) as $text | range(101) | $text'];
    expect(await runKith(line, { env: createSignedInHome().env })).toEqual({
      code: 1,
      out: '',
      err:
        'kith: The data does not fit in memory.\n' +
        'hint: Request fewer records. With --jq, add --format ndjson to filter one record at a time.\n',
    });
  },
  120_000,
);
