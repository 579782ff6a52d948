import { expect, test } from 'vitest';
import { answer, type Behaviour } from '../client/loopback.ts';
import { asking } from './asking.ts';

const ada = { id: 'a' };
const later = (milliseconds: number) => new Date(Date.now() + milliseconds);

/** Answers with a status and headers, so many times, and then well. */
const busy =
  (times: number, status: number, headers: () => Readonly<Record<string, string>> = () => ({})): Behaviour =>
  (_, response, count) =>
    count < times ? answer(response, status, { error: 'Too much.' }, headers()) : answer(response, 200, ada);

const read = 'contacts get a --format ndjson';
const write = 'contacts create --first-name Ada --format ndjson';

/** Runs a line, and tells how long it took, in seconds. */
async function timed(behave: Behaviour, line: string) {
  const start = performance.now();
  const { requests, ...ended } = await asking(behave, line);
  return { ...ended, requests: requests.length, seconds: (performance.now() - start) / 1000 };
}

test.each<readonly [title: string, behave: Behaviour, line: string, seconds: number]>([
  ['429 with Retry-After in seconds', busy(1, 429, () => ({ 'retry-after': '1' })), read, 1],
  ['429 for a write', busy(1, 429, () => ({ 'retry-after': '1' })), write, 1],
  [
    '503 with Retry-After as a date',
    busy(1, 503, () => ({ 'retry-after': later(2000).toUTCString() })),
    write,
    0.9, // a date knows no parts of a second
  ],
  [
    'A date of a service whose clock is years off',
    busy(1, 503, () => ({
      'retry-after': 'Sat, 01 Jan 2000 00:00:01 GMT',
      date: 'Sat, 01 Jan 2000 00:00:00 GMT',
    })),
    read,
    1,
  ],
])('%s', async (_, behave, line, seconds) => {
  const ended = await timed(behave, line);
  expect(ended).toMatchObject({ code: 0, out: '{"id":"a"}\n', err: '', requests: 2 });
  expect(ended.seconds).toBeGreaterThan(seconds - 0.05);
});

test.each<readonly [title: string, headers: () => Readonly<Record<string, string>>, flags: string]>([
  ['Retry-After of an hour', () => ({ 'retry-after': '3600' }), ''],
  ['Retry-After that is a date in an hour', () => ({ 'retry-after': later(3_600_000).toUTCString() }), ''],
  ['Retry-After beyond --max-wait', () => ({ 'retry-after': '3600' }), ' --max-wait 3599'],
])('%s', async (_, headers, flags) => {
  for (const line of [read, write]) {
    const { requests, seconds, err, ...ended } = await timed(busy(9, 429, headers), line + flags);
    expect(ended).toEqual({ code: 75, out: '' });
    expect(requests).toBe(1);
    expect(seconds).toBeLessThan(5);
    const [, until = '', wait] =
      /^kith: Too much\. Rate limited until (\S+Z)\.\nhint: Run the command again then, or pass --max-wait (\d+)\n$/.exec(
        err,
      ) ?? [];
    expect(Math.abs(Date.parse(until) - later(3_600_000).getTime())).toBeLessThan(10_000);
    expect(Math.abs(Number(wait) - 3600)).toBeLessThan(10);
  }
});

test('Waits that each are short, and together too long', async () => {
  const ended = await timed(
    busy(9, 429, () => ({ 'retry-after': '1' })),
    `${read} --max-wait 2 --retries 20`,
  );
  expect(ended).toMatchObject({ code: 75, requests: 3 });
  expect(ended.seconds).toBeLessThan(4);
});

test.each(['99999999999999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'Retry-After beyond all dates: %s',
  async (asked) => {
    const ended = await timed(
      busy(9, 429, () => ({ 'retry-after': asked })),
      read,
    );
    expect(ended).toMatchObject({
      code: 75,
      requests: 1,
      err: expect.stringMatching(/until 21\d\d-.*Z\.\nhint: Run the command again then\.\n$/),
    });
  },
);

test('504 to a write that asks to wait: the hint is to look, not to send it again', async () => {
  const { code, err } = await timed(
    busy(9, 504, () => ({ 'retry-after': '3600' })),
    write,
  );
  expect([code, err]).toEqual([
    7,
    expect.stringContaining('hint: Check whether the change was made before you run the command again.'),
  ]);
});

test.each<readonly [title: string, status: number, line: string, requests: number, code: number]>([
  ['500 to a read', 500, read, 3, 75],
  ['502 to a read', 502, read, 3, 75],
  ['503 to a read', 503, read, 3, 75],
  ['504 to a read', 504, read, 3, 75],
  ['500 to a write', 500, write, 1, 7],
  ['502 to a write', 502, write, 1, 7],
  ['503 to a write', 503, write, 1, 75],
  ['504 to a write', 504, write, 1, 7],
  ['501 to a read', 501, read, 1, 75],
  ['409 to a write', 409, write, 1, 5],
])('%s', async (_, status, line, requests, code) => {
  expect(await timed(busy(9, status), `${line} --retries 2`)).toMatchObject({ code, out: '', requests });
});
