import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestService } from '../client/loopback.ts';
import { createEnv, createSignedInHome, launcher, runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Starts a service with a list of entries of 1 KB each, which it generates on request. */
function serviceOf(total: number) {
  const note = 'x'.repeat(900);
  return startTestService(({ url }, response) => {
    const { searchParams } = new URL(url, 'http://any');
    const after = Number(searchParams.get('after'));
    const end = Math.min(total, after + Number(searchParams.get('first')));
    const data = Array.from(
      { length: end - after },
      (_, at) =>
        `{"id":"entry-with-a-long-id-${after + at}","entryable_id":"c${at}","values":{"Note":"${note}${after + at}"}}`,
    );
    const pagination = `{"end_cursor":${end},"has_next_page":${end < total},"total_count":${total}}`;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"data":[${data}],"pagination":${pagination}}`);
  });
}

/**
 * V8 keeps garbage while it has room: 48 MB of young objects, 64 MB of buffers, and 40 MB of its compilers. These flags
 * leave no room, so that the rest is memory in use. A program that keeps its records would need ten times this heap.
 */
const tight = [
  '--max-old-space-size=24',
  '--max-semi-space-size=1',
  '--gc-global',
  '--liftoff-only',
  '--no-opt',
  '--no-maglev',
];

/** Runs `entries list --all`. Returns its exit code and its peak memory in MB. */
async function listing(url: string, reader: (lines: Readable) => Promise<void>) {
  const home = createTemporaryFolder();
  const status = join(home, 'status');
  const hook = join(home, 'hook.cjs');
  writeFileSync(
    hook,
    `const { readFileSync, writeFileSync } = require('node:fs');
     process.on('exit', () => writeFileSync(${JSON.stringify(status)}, readFileSync('/proc/self/status')));`,
  );
  const words = [
    ...tight,
    '--require',
    hook,
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
  const ended = once(kith, 'close');
  await reader(kith.stdout);
  const [code] = await ended;
  const held = existsSync(status) ? readFileSync(status, 'utf8') : 'no memory was left to write this';
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(held) ?? [];
  return { code: Number(code), megabytes: Number(kilobytes) / 1024 };
}

/** Returns a reader that counts lines. */
function counter() {
  const counted = { lines: 0 };
  const count = async (lines: Readable) => {
    for await (const chunk of lines) {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) counted.lines += 1;
    }
  };
  return { counted, count };
}

/** The MB that a long list may take more than a short one. Its records alone would take three times as much. */
const margin = 12;

test('listing 40,000 entries takes at most 12 MB more than 4,000', async () => {
  const [short, long] = [counter(), counter()];
  const few = await listing((await serviceOf(4000)).url, short.count);
  const many = await listing((await serviceOf(40_000)).url, long.count);
  expect([few.code, short.counted, many.code, long.counted]).toEqual([
    0,
    { lines: 4000 },
    0,
    { lines: 40_000 },
  ]);
  expect(many.megabytes - few.megabytes).toBeLessThan(margin);
});

test('requests no more pages while the reader of its output waits', async () => {
  const few = await listing((await serviceOf(1000)).url, counter().count);
  const { url, requests } = await serviceOf(100_000);
  let requested = 0;
  const many = await listing(url, async (lines) => {
    // The reader waits until no further request arrives, and then reads no line at all.
    while (requests.length === 0 || requests.length > requested) {
      requested = requests.length;
      await wait(400);
    }
    lines.destroy();
  });
  expect(many.code).toBe(0);
  expect(requested).toBeLessThan(20);
  expect(many.megabytes - few.megabytes).toBeLessThan(margin);
});

test('reports a result of jq above 100 MB in one line instead of crashing', async () => {
  // Of one text so long jq itself would take three times the time.
  const line = ['lists', 'list', '--quiet', '--jq', '("x" * 1000000) as $text | range(101) | $text'];
  expect(await runKith(line, { env: createSignedInHome().env })).toEqual({
    code: 1,
    out: '',
    err:
      'kith: The data does not fit in memory.\n' +
      'hint: Request fewer records. With --jq, add --format ndjson to filter one record at a time.\n',
  });
}, 120_000);
