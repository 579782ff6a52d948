import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { createPause } from '../../src/client/retry.ts';
import { contacts } from '../../src/contract/contacts.ts';
import { type Behavior, createTransport, sendJson, startTestService } from './loopback.ts';

/** Creates a client that waits in real time by default, and a service that records when each contact is requested. */
async function service(behave: Behavior, sleep?: () => Promise<void>) {
  const asked: { id: string; at: number }[] = [];
  const { url } = await startTestService((seen, response, count) => {
    asked.push({ id: seen.url.replace('/v1/contacts/', ''), at: performance.now() });
    behave(seen, response, count);
  });
  const stopping = new AbortController();
  const traced: string[] = [];
  const client = createClient({
    transport: createTransport(url),
    retryPolicy: { retries: 4, maxWait: 60_000 },
    signal: stopping.signal,
    getEndSignal: () => new AbortController().signal,
    now: () => new Date(),
    random: () => 1,
    sleep: sleep ?? ((milliseconds) => wait(milliseconds, undefined, { signal: stopping.signal })),
    trace: (line) => traced.push(line),
  });
  const get = (id: string) => client.read(contacts.get, { contact_id: id });
  /** Resolves when a request has been told to wait. */
  const refused = async () => {
    while (!traced.some((line) => line.startsWith('retry in'))) await wait(1);
  };
  return { get, refused, asked, stopping };
}

/** The first request gets this answer, all others what they ask for. */
const first =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behavior =>
  ({ url }, response, count) =>
    count === 0 ? sendJson(response, status, {}, headers) : sendJson(response, 200, { id: url });

test.each<[string, number, Record<string, string>, number]>([
  ['429 with Retry-After', 429, { 'retry-after': '1' }, 1000],
  ['429', 429, {}, 500],
  ['503 with Retry-After', 503, { 'retry-after': '1' }, 1000],
])(
  'after %s no request is sent before the time is over; then each is sent once',
  async (_, status, headers, time) => {
    const { get, refused, asked } = await service(first(status, headers));
    const all = [get('a')];
    await refused();
    all.push(...['b', 'c', 'd'].map(get));
    await Promise.all(all);
    expect(asked.map(({ id }) => id)).toEqual(['a', 'a', ...['b', 'c', 'd']].toSorted());
    const [start, ...later] = asked.map(({ at }) => at);
    // A timer may end a millisecond early.
    expect(Math.min(...later) - (start ?? 0)).toBeGreaterThan(time - 5);
  },
);

test.each<[string, number]>([
  ['500', 500],
  ['503 without Retry-After', 503],
])('%s does not delay other requests', async (_, status) => {
  const forEver = () => new Promise<void>(() => {});
  const { get, refused, asked } = await service(first(status), forEver);
  void get('a');
  await refused();
  await get('b');
  expect(asked.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a pause does not affect a running request', async () => {
  const { get, refused, asked, stopping } = await service(({ url }, response) => {
    if (!url.endsWith('slow')) return sendJson(response, 429, {}, { 'retry-after': '30' });
    setTimeout(() => sendJson(response, 200, { id: 'slow' }), 200);
  });
  const slow = get('slow');
  while (asked.length === 0) await wait(1);
  const other = get('a');
  await refused();
  expect(await slow).toEqual({ id: 'slow' });
  stopping.abort();
  await expect(other).rejects.toThrow();
  expect(asked.map(({ id }) => id)).toEqual(['slow', 'a']);
});

test('a pause counts as waiting only for the request that caused it', async () => {
  const refusals = new Set<string>();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { get, refused, asked } = await service(
    ({ url }, response) => {
      if (refusals.has(url)) return sendJson(response, 200, { id: url });
      refusals.add(url);
      sendJson(response, 429, {}, { 'retry-after': '40' });
    },
    () => ended,
  );
  const one = get('a');
  await refused();
  const other = get('b');
  end();
  await Promise.all([one, other]);
  expect(asked.map(({ id }) => id).toSorted()).toEqual(['a', 'a', 'b', 'b']);
});

test('a signal ends the pause, and nothing more is sent', async () => {
  const { get, refused, asked, stopping } = await service(first(429, { 'retry-after': '30' }));
  const one = get('a');
  await refused();
  const others = [one, get('b'), get('c')];
  stopping.abort(new Error('Interrupted.'));
  const ended = await Promise.allSettled(others);
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(asked.map(({ id }) => id)).toEqual(['a']);
});

/** A pause whose sleeps end when the test says so. */
function pauseByHand(random = () => 1) {
  const sleeps = new Map<number, () => void>();
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      sleeps.set(milliseconds, resolve);
    });
  const end = async (milliseconds: number) => {
    sleeps.get(milliseconds)?.();
    sleeps.delete(milliseconds);
    await wait(0);
  };
  return { pause: createPause(sleep, random), sleeps, end };
}

/** A request that waits for the pause to be over. */
function waiterOf(pause: ReturnType<typeof createPause>) {
  const waiter = { isSent: false };
  void pause.wait().then(() => {
    waiter.isSent = true;
  });
  return waiter;
}

test.each([
  [10, 20],
  [20, 10],
])('of two pauses, %i and %i ms, the longer one counts', async (one, two) => {
  const { pause, end } = pauseByHand();
  pause.start(one);
  const early = waiterOf(pause);
  pause.start(two);
  const late = waiterOf(pause);
  await end(10);
  await end(250);
  expect([early.isSent, late.isSent]).toEqual([false, false]);
  await end(20);
  await end(250);
  expect([early.isSent, late.isSent]).toEqual([true, true]);
});

test('after a pause one request is sent at once and the others are spread', async () => {
  const dice = [0.2, 0.8];
  const { pause, sleeps, end } = pauseByHand(() => dice.shift() ?? 0);
  pause.start(1000);
  const waiters = [waiterOf(pause), waiterOf(pause), waiterOf(pause)];
  const sent = () => waiters.map(({ isSent }) => isSent);
  await end(1000);
  expect([sent(), [...sleeps.keys()]]).toEqual([
    [true, false, false],
    [50, 200],
  ]);
  await end(50);
  expect(sent()).toEqual([true, true, false]);
  await end(200);
  expect(sent()).toEqual([true, true, true]);
});

test('a new pause also delays requests that are about to be sent', async () => {
  const { pause, end } = pauseByHand();
  pause.start(1000);
  const [refused, other] = [waiterOf(pause), waiterOf(pause)];
  await end(1000);
  pause.start(2000);
  await end(250);
  expect([refused.isSent, other.isSent]).toEqual([true, false]);
  await end(2000);
  await end(250);
  expect(other.isSent).toBe(true);
});

test('without a pause no request waits', async () => {
  const { pause, sleeps } = pauseByHand();
  await Promise.all([pause.wait(), pause.wait(), pause.wait()]);
  expect(sleeps.size).toBe(0);
});
