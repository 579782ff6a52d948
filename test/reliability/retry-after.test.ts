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

test.each<
  readonly [
    title: string,
    line: string,
    status: number,
    headers: () => Record<string, string>,
    seconds: number,
  ]
>([
  ['the seconds in Retry-After', write, 429, () => ({ 'retry-after': '1' }), 1],
  // A date has whole seconds.
  ['the date in Retry-After', write, 503, () => ({ 'retry-after': createDate(2000).toUTCString() }), 0.9],
  [
    "a date by the service's clock, even if that clock is years off",
    read,
    503,
    () => ({ 'retry-after': 'Sat, 01 Jan 2000 00:00:01 GMT', date: 'Sat, 01 Jan 2000 00:00:00 GMT' }),
    1,
  ],
])('retries after %s', async (_, line, status, headers, seconds) => {
  const { waits, ...result } = await runCounted(createBusyBehavior(1, status, headers), line);
  expect(result).toEqual({ code: 0, out: '{"id":"a"}\n', err: '', requests: 2 });
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThanOrEqual(seconds * 1000);
  expect(waits[0]).toBeLessThanOrEqual(2000);
});

test.each(['', ' --max-wait 3599'])(
  'exits with 75 at once if Retry-After is an hour, and names the time and the --max-wait that allows it:%s',
  async (flags) => {
    for (const line of [read, write]) {
      const behave = createBusyBehavior(9, 429, () => ({ 'retry-after': '3600' }));
      const { err, ...result } = await runCounted(behave, line + flags);
      expect(result).toEqual({ code: 75, out: '', requests: 1, waits: [] });
      const [, until = '', wait] =
        /^kith: Too much\. Rate limited until (\S+Z)\.\nhint: Run the command again then, or pass --max-wait (\d+)\n$/.exec(
          err,
        ) ?? [];
      expect(Math.abs(Date.parse(until) - createDate(3_600_000).getTime())).toBeLessThan(10_000);
      expect(Math.abs(Number(wait) - 3600)).toBeLessThan(10);
    }
  },
);

test('exits with 75 once short waits together exceed --max-wait (60 s by default)', async () => {
  const result = await runCounted(
    createBusyBehavior(9, 429, () => ({ 'retry-after': '1' })),
    `${read} --max-wait 2 --retries 20`,
  );
  expect(result).toMatchObject({ code: 75, requests: 3, waits: [1000, 1000] });
});

test('exits with 75 and suggests no --max-wait if Retry-After is in a distant century', async () => {
  const behave = createBusyBehavior(9, 429, () => ({ 'retry-after': '99999999999999999999' }));
  const err = expect.stringMatching(/until 21\d\d-.*Z\.\nhint: Run the command again then\.\n$/);
  expect(await runCounted(behave, read)).toMatchObject({ code: 75, requests: 1, err });
});

test('suggests checking the record instead of repeating a write after a 504 with Retry-After (exit code 7)', async () => {
  const { code, err } = await runCounted(
    createBusyBehavior(9, 504, () => ({ 'retry-after': '3600' })),
    write,
  );
  expect([code, err]).toEqual([7, expect.stringContaining('hint: kith contacts list --where ')]);
});

test.each<readonly [status: number, noun: 'read' | 'write', requests: number, code: number]>([
  ...[500, 502, 503, 504].map((status) => [status, 'read', 3, 75] as const),
  ...[500, 502, 504].map((status) => [status, 'write', 1, 7] as const),
  [503, 'write', 1, 75],
  [501, 'read', 1, 75],
  [409, 'write', 1, 5],
])(
  'if the response is %i without Retry-After, a %s sends %i requests and exits with %i',
  async (status, noun, requests, code) => {
    const line = noun === 'read' ? read : write;
    const result = await runCounted(createBusyBehavior(9, status), `${line} --retries 2`);
    expect(result).toMatchObject({ code, out: '', requests });
  },
);

test('does not retry a write after a 503 that says that the outcome is unknown, and exits with 7', async () => {
  const lostCommit: Behavior = (_, response) =>
    sendJson(response, 503, { code: 'unknown', detail: 'Lost.' }, { 'retry-after': '0' });
  expect(await runCounted(lostCommit, write)).toMatchObject({
    code: 7,
    requests: 1,
    err: expect.stringContaining('Lost. The POST may have been processed.'),
  });
});
