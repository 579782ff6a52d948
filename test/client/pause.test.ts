import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import { createPause } from '../../src/client/retry.ts';
import { contacts } from '../../src/contract/contacts.ts';
import { type Behavior, createTransport, sendJson, startTestService } from './loopback.ts';

/** Creates a client that waits in real time by default, and a service that records when each contact is requested. */
async function startPausedService(respond: Behavior, sleep?: () => Promise<void>) {
  const requests: { id: string; time: number }[] = [];
  const { url } = await startTestService((request, response, count) => {
    requests.push({ id: request.url.replace('/v1/contacts/', ''), time: performance.now() });
    respond(request, response, count);
  });
  const controller = new AbortController();
  const traceLines: string[] = [];
  const client = new Client({
    transport: createTransport(url),
    retryPolicy: { retries: 4, maxWait: 60_000 },
    signal: controller.signal,
    getEndSignal: () => new AbortController().signal,
    now: () => new Date(),
    random: () => 1,
    sleep: sleep ?? ((milliseconds) => wait(milliseconds, undefined, { signal: controller.signal })),
    trace: (line) => traceLines.push(line),
  });
  const get = (id: string) => client.read(contacts.get, { contact_id: id });
  /** Resolves when a response has asked the client to wait. */
  const expectRefusal = async () => {
    while (!traceLines.some((line) => line.startsWith('retry '))) await wait(1);
  };
  return { get, expectRefusal, requests, controller };
}

/** Responds to the first request with a status, and to all others with their contact. */
const createFirstFailure =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behavior =>
  ({ url }, response, count) =>
    count === 0 ? sendJson(response, status, {}, headers) : sendJson(response, 200, { id: url });

test.each<[string, number, Record<string, string>, number]>([
  ['429', 429, {}, 500],
  ['503 with Retry-After', 503, { 'retry-after': '1' }, 1000],
])(
  'after %s no request is sent before the time is over; then each is sent once',
  async (_, status, headers, time) => {
    const { get, expectRefusal, requests } = await startPausedService(createFirstFailure(status, headers));
    const all = [get('a')];
    await expectRefusal();
    all.push(...['b', 'c', 'd'].map(get));
    await Promise.all(all);
    expect(requests.map(({ id }) => id)).toEqual(['a', 'a', ...['b', 'c', 'd']].toSorted());
    const [start, ...later] = requests.map(({ time: index }) => index);
    // A timer may end a millisecond early.
    expect(Math.min(...later) - (start ?? 0)).toBeGreaterThan(time - 5);
  },
);

test.each<[string, number]>([
  ['500', 500],
  ['503 without Retry-After', 503],
])('%s does not delay other requests', async (_, status) => {
  const waitForever = () => new Promise<void>(() => {});
  const { get, expectRefusal, requests } = await startPausedService(createFirstFailure(status), waitForever);
  void get('a');
  await expectRefusal();
  await get('b');
  expect(requests.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a pause does not affect a running request', async () => {
  const { get, expectRefusal, requests, controller } = await startPausedService(({ url }, response) => {
    if (!url.endsWith('slow')) return sendJson(response, 429, {}, { 'retry-after': '30' });
    setTimeout(() => sendJson(response, 200, { id: 'slow' }), 200);
  });
  const slowRequest = get('slow');
  while (requests.length === 0) await wait(1);
  const other = get('a');
  await expectRefusal();
  expect(await slowRequest).toMatchObject({ id: 'slow' });
  controller.abort();
  await expect(other).rejects.toThrow();
  expect(requests.map(({ id }) => id)).toEqual(['slow', 'a']);
});

test('a pause counts as waiting only for the request that caused it', async () => {
  const refusals = new Set<string>();
  let end = () => {};
  const requestEnd = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { get, expectRefusal, requests } = await startPausedService(
    ({ url }, response) => {
      if (refusals.has(url)) return sendJson(response, 200, { id: url });
      refusals.add(url);
      sendJson(response, 429, {}, { 'retry-after': '40' });
    },
    () => requestEnd,
  );
  const one = get('a');
  await expectRefusal();
  const other = get('b');
  end();
  await Promise.all([one, other]);
  expect(requests.map(({ id }) => id).toSorted()).toEqual(['a', 'a', 'b', 'b']);
});

test('a signal ends the pause, and nothing more is sent', async () => {
  const { get, expectRefusal, requests, controller } = await startPausedService(
    createFirstFailure(429, { 'retry-after': '30' }),
  );
  const one = get('a');
  await expectRefusal();
  const others = [one, get('b'), get('c')];
  controller.abort(new Error('Interrupted.'));
  const requestEnd = await Promise.allSettled(others);
  expect(requestEnd.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(requests.map(({ id }) => id)).toEqual(['a']);
});

/** Creates a pause whose sleeps the test ends. */
function createManualPause(random = () => 1) {
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
function createWaiter(pause: ReturnType<typeof createPause>) {
  const waiter = { isSent: false };
  void pause.wait().then(() => {
    waiter.isSent = true;
  });
  return waiter;
}

test.each([
  [10, 20],
  [20, 10],
])('of two pauses, %i and %i ms, the longer one counts', async (one, second) => {
  const { pause, end } = createManualPause();
  pause.start(one);
  const firstWaiter = createWaiter(pause);
  pause.start(second);
  const lateWaiter = createWaiter(pause);
  await end(10);
  await end(250);
  expect([firstWaiter.isSent, lateWaiter.isSent]).toEqual([false, false]);
  await end(20);
  await end(250);
  expect([firstWaiter.isSent, lateWaiter.isSent]).toEqual([true, true]);
});

test('after a pause one request is sent at once and the others are spread', async () => {
  const dice = [0.2, 0.8];
  const { pause, sleeps, end } = createManualPause(() => dice.shift() ?? 0);
  pause.start(1000);
  const waiters = [createWaiter(pause), createWaiter(pause), createWaiter(pause)];
  const listSent = () => waiters.map(({ isSent }) => isSent);
  await end(1000);
  expect([listSent(), [...sleeps.keys()]]).toEqual([
    [true, false, false],
    [50, 200],
  ]);
  await end(50);
  expect(listSent()).toEqual([true, true, false]);
  await end(200);
  expect(listSent()).toEqual([true, true, true]);
});

test('a new pause also delays requests that are about to be sent', async () => {
  const { pause, end } = createManualPause();
  pause.start(1000);
  const [expectRefusal, other] = [createWaiter(pause), createWaiter(pause)];
  await end(1000);
  pause.start(2000);
  await end(250);
  expect([expectRefusal.isSent, other.isSent]).toEqual([true, false]);
  await end(2000);
  await end(250);
  expect(other.isSent).toBe(true);
});

test('without a pause no request waits', async () => {
  const { pause, sleeps } = createManualPause();
  await Promise.all([pause.wait(), pause.wait(), pause.wait()]);
  expect(sleeps.size).toBe(0);
});
