import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendPage, startTestService } from '../client/loopback.ts';
import { createEnv, launcher, runProgram } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { measureMemory } from '../support/memory.ts';
import { createMeeting, createRecording, startHost } from './export-host.ts';

const meetings = 1500;
const at = '2026-05-04T00:00:00.000Z';
/** Returns a title so long that all of them exceed the heap. */
const formatTitle = (index: number) => `${'x'.repeat(11_000)} ${index}`;

/** Starts a service that lists meetings without recordings. */
function startLargeService() {
  const createMeeting = (index: number) => ({
    id: `e${index}`,
    title: formatTitle(index),
    start_at: at,
    end_at: at,
    attendees: [],
    recordings: [],
    created_at: at,
    updated_at: at,
  });
  return startTestService(({ url }, response) =>
    sendPage(response, url, { length: meetings, at: createMeeting }),
  );
}

/** Yields the ledger of a folder to which all meetings were exported. */
function* createLedgerLines(workspace: string): Generator<string> {
  yield JSON.stringify({ kith_export: 1, workspace });
  for (let index = 0; index < meetings; index += 1) {
    const meeting = { made: 'md', layout: 'flat', files: [], recordings: [] };
    yield JSON.stringify({
      meeting: { id: `e${index}`, title: formatTitle(index), updated_at: at, ...meeting },
    });
  }
}

test('needs no more memory for meetings that were exported before', async () => {
  const { url, env: service } = await startLargeService();
  const home = createTemporaryFolder();
  const out = join(home, 'out');
  mkdirSync(out);
  writeFileSync(join(out, '.kith-export.jsonl'), `${[...createLedgerLines(`${url}/`)].join('\n')}\n`);
  // These flags leave little memory to the engine itself.
  const memoryFlags = ['--max-old-space-size=22', '--max-semi-space-size=1', '--liftoff-only'];
  const env = createEnv(home, service);
  const words = [...memoryFlags, launcher, 'events', 'export', '--out', out];
  const { code, out: output } = await runProgram(process.execPath, words, { env });
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringContaining(`${meetings.toLocaleString('en-US')} unchanged`),
  });
});

test.runIf(existsSync('/proc/self/status'))('holds only a small part of an export in memory', async () => {
  const { url, folder, service } = await startHost(
    Array.from({ length: 150 }, (_, n) => createMeeting(`m${n}`, 'Weekly')),
  );
  const spoken = Array.from({ length: 100 }, (_, n) => ({
    text: `${'word '.repeat(1000)}${n}`,
    start_timestamp: { relative: n },
  }));
  const body = JSON.stringify(
    createRecording('r', { transcript: [{ participant: { name: 'Ada' }, words: spoken }] }),
  );
  for (const { recordings } of service.meetings) {
    service.responses.set(`/v1/recordings/${recordings[0]?.id}`, (to) => void to.writeHead(200).end(body));
  }
  const words = ['events', 'export', '--out', folder, '--retries', '0'];
  const more = { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const { code, megabytes } = await measureMemory([], words, more, async (lines) => void lines.resume());
  expect(code).toBe(0);
  expect(body.length * 150).toBeGreaterThan(75e6);
  expect(megabytes).toBeGreaterThan(40);
  expect(megabytes).toBeLessThan(200);
});
