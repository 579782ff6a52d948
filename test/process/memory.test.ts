import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendPage, startTestService } from '../client/loopback.ts';
import { createEnv, createSignedInHome, launcher, runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';

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

/** Runs `entries list --all`. Returns its exit code and its peak memory in MB. */
async function measureList(url: string, reader: (lines: Readable) => Promise<void>) {
  const home = createTemporaryFolder();
  const status = join(home, 'status');
  const hookFile = join(home, 'hook.cjs');
  writeFileSync(
    hookFile,
    `const { readFileSync, writeFileSync } = require('node:fs');
     process.on('exit', () => writeFileSync(${JSON.stringify(status)}, readFileSync('/proc/self/status')));`,
  );
  const words = [
    ...memoryFlags,
    '--require',
    hookFile,
    launcher,
    'entries',
    'list',
    'L',
    '--all',
    '--format',
    'ndjson',
  ];
  const env = createEnv(home, { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' });
  const kith = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const result = once(kith, 'close');
  await reader(kith.stdout);
  const [code] = await result;
  const peakMemory = existsSync(status) ? readFileSync(status, 'utf8') : 'no memory was left to write this';
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(peakMemory) ?? [];
  return { code: Number(code), megabytes: Number(kilobytes) / 1024 };
}

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
  const fewRecords = await measureList((await startLargeService(2000)).url, shortCounter.count);
  const manyRecords = await measureList((await startLargeService(15_000)).url, longCounter.count);
  expect([fewRecords.code, shortCounter.total, manyRecords.code, longCounter.total]).toEqual([
    0,
    { lines: 2000 },
    0,
    { lines: 15_000 },
  ]);
  expect(manyRecords.megabytes - fewRecords.megabytes).toBeLessThan(margin);
});

test('requests no more pages while the reader of its output waits', async () => {
  const fewRecords = await measureList((await startLargeService(1000)).url, createCounter().count);
  const { url, requests } = await startLargeService(100_000);
  let requested = 0;
  const manyRecords = await measureList(url, async (lines) => {
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
