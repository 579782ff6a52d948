import { expect, test } from 'vitest';
import { type Behavior, sendJson } from '../client/loopback.ts';
import { runAgainst } from './requests.ts';

const ada = { id: 'a' };
const createDate = (milliseconds: number) => new Date(Date.now() + milliseconds);

/** Responds with a status and headers a number of times, then with a record. */
const createBusyBehavior =
  (
    busyCount: number,
    status: number,
    headers: () => Readonly<Record<string, string>> = () => ({}),
  ): Behavior =>
  (_, response, count) =>
    count < busyCount
      ? sendJson(response, status, { error: 'Too much.' }, headers())
      : sendJson(response, 200, ada);

const read = 'contacts get a --format ndjson';
const write = 'contacts create --first-name Ada --format ndjson';

/** Runs a command and counts its requests. */
async function runCounted(respond: Behavior, line: string) {
  const { requests, ...result } = await runAgainst(respond, line);
  return { ...result, requests: requests.length };
}

test.each<readonly [title: string, behave: Behavior, line: string, seconds: number]>([
  [
    'retries a read after a 429 once the seconds in Retry-After have passed',
    createBusyBehavior(1, 429, () => ({ 'retry-after': '1' })),
    read,
    1,
  ],
  [
    'retries a write after a 429 once the seconds in Retry-After have passed',
    createBusyBehavior(1, 429, () => ({ 'retry-after': '1' })),
    write,
    1,
  ],
  [
    'retries a write after a 503 at the date in Retry-After',
    createBusyBehavior(1, 503, () => ({ 'retry-after': createDate(2000).toUTCString() })),
    write,
    0.9, // a date has whole seconds
  ],
  [
    "interprets a date in Retry-After by the service's clock, even if that clock is years off",
    createBusyBehavior(1, 503, () => ({
      'retry-after': 'Sat, 01 Jan 2000 00:00:01 GMT',
      date: 'Sat, 01 Jan 2000 00:00:00 GMT',
    })),
    read,
    1,
  ],
])('%s', async (_, respond, line, seconds) => {
  const { waits, ...result } = await runCounted(respond, line);
  expect(result).toEqual({ code: 0, out: '{"id":"a"}\n', err: '', requests: 2 });
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThanOrEqual(seconds * 1000);
  expect(waits[0]).toBeLessThanOrEqual(2000);
});

test.each<readonly [title: string, headers: () => Readonly<Record<string, string>>, flags: string]>([
  [
    'exits with 75 at once if Retry-After is an hour, and names the time and the --max-wait that allows it',
    () => ({ 'retry-after': '3600' }),
    '',
  ],
  [
    'exits with 75 at once if Retry-After is a date in an hour, and names the time and --max-wait',
    () => ({ 'retry-after': createDate(3_600_000).toUTCString() }),
    '',
  ],
  [
    'exits with 75 at once if Retry-After exceeds --max-wait',
    () => ({ 'retry-after': '3600' }),
    ' --max-wait 3599',
  ],
])('%s', async (_, headers, flags) => {
  for (const line of [read, write]) {
    const { requests, waits, err, ...result } = await runCounted(
      createBusyBehavior(9, 429, headers),
      line + flags,
    );
    expect(result).toEqual({ code: 75, out: '' });
    expect(requests).toBe(1);
    expect(waits).toEqual([]);
    const [, until = '', wait] =
      /^kith: Too much\. Rate limited until (\S+Z)\.\nhint: Run the command again then, or pass --max-wait (\d+)\n$/.exec(
        err,
      ) ?? [];
    expect(Math.abs(Date.parse(until) - createDate(3_600_000).getTime())).toBeLessThan(10_000);
    expect(Math.abs(Number(wait) - 3600)).toBeLessThan(10);
  }
});

test('exits with 75 once short waits together exceed --max-wait (60 s by default)', async () => {
  const result = await runCounted(
    createBusyBehavior(9, 429, () => ({ 'retry-after': '1' })),
    `${read} --max-wait 2 --retries 20`,
  );
  expect(result).toMatchObject({ code: 75, requests: 3, waits: [1000, 1000] });
});

test.each(['99999999999999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'exits with 75 and suggests no --max-wait if Retry-After is in a distant century: %s',
  async (retryAfter) => {
    const result = await runCounted(
      createBusyBehavior(9, 429, () => ({ 'retry-after': retryAfter })),
      read,
    );
    expect(result).toMatchObject({
      code: 75,
      requests: 1,
      err: expect.stringMatching(/until 21\d\d-.*Z\.\nhint: Run the command again then\.\n$/),
    });
  },
);

test('suggests checking the record instead of repeating a write after a 504 with Retry-After (exit code 7)', async () => {
  const { code, err } = await runCounted(
    createBusyBehavior(9, 504, () => ({ 'retry-after': '3600' })),
    write,
  );
  expect([code, err]).toEqual([7, expect.stringContaining('hint: kith contacts list --where ')]);
});

test.each<readonly [title: string, status: number, line: string, requests: number, code: number]>([
  ['retries a read after a 500, then exits with 75', 500, read, 3, 75],
  ['retries a read after a 502, then exits with 75', 502, read, 3, 75],
  ['retries a read after a 503, then exits with 75', 503, read, 3, 75],
  ['retries a read after a 504, then exits with 75', 504, read, 3, 75],
  ['does not retry a write after a 500, and exits with 7', 500, write, 1, 7],
  ['does not retry a write after a 502, and exits with 7', 502, write, 1, 7],
  ['does not retry a write after a 503 without Retry-After, and exits with 75', 503, write, 1, 75],
  ['does not retry a write after a 504, and exits with 7', 504, write, 1, 7],
  ['does not retry a read after a 501, and exits with 75', 501, read, 1, 75],
  ['does not retry a write after a 409, and exits with 5', 409, write, 1, 5],
])('%s', async (_, status, line, requests, code) => {
  expect(await runCounted(createBusyBehavior(9, status), `${line} --retries 2`)).toMatchObject({
    code,
    out: '',
    requests,
  });
});

test('does not retry a write after a 503 that says that the outcome is unknown, and exits with 7', async () => {
  const lostCommit: Behavior = (_, response) =>
    sendJson(response, 503, { code: 'unknown', detail: 'Lost.' }, { 'retry-after': '0' });
  expect(await runCounted(lostCommit, write)).toMatchObject({
    code: 7,
    requests: 1,
    err: expect.stringContaining('Lost. The POST may have been processed.'),
  });
});
