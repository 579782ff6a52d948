import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import type { FaultPlan } from '../../../src/contract/workspace.ts';
import { serveTestWorkspace } from '../serve.ts';

const plan = (probabilities: FaultPlan['probabilities'], seed = 7): FaultPlan => ({
  probabilities,
  delay: 0,
  seed,
});

const countContacts = sql`select count(*) as count from contact`;

/** Sends requests one after the other; a lost response is `reset`. */
async function sendAll(
  { send }: Awaited<ReturnType<typeof serveTestWorkspace>>,
  count: number,
  line: string,
) {
  const statuses: (number | 'reset')[] = [];
  for (let index = 0; index < count; index += 1) {
    const body = line.startsWith('POST') ? { first_name: `Ada ${index}` } : undefined;
    const response = await send(line, body).catch(() => undefined);
    statuses.push(response?.status ?? 'reset');
  }
  return statuses;
}

test('injects the same faults for the same seed, about as often as requested', async () => {
  const faultPlan = plan([
    ['503', 0.2],
    ['429', 0.1],
    ['reset', 0.1],
  ]);
  const runs = [faultPlan, faultPlan, { ...faultPlan, seed: 8 }].map(async (faultPlan) => {
    const server = await serveTestWorkspace({ faultPlan });
    return { statuses: await sendAll(server, 100, 'GET /v1/notes?first=1'), faults: server.requests };
  });
  const [first, second, otherSeed] = await Promise.all(runs);
  expect(first?.statuses).toEqual(second?.statuses);
  expect(first?.statuses).not.toEqual(otherSeed?.statuses);
  const count = (status: number | 'reset') => first?.statuses.filter((item) => item === status).length;
  expect([200, 429, 503, 'reset' as const].map(count)).toEqual([62, 9, 21, 8]);
  const faults = first?.faults.flatMap(({ fault }) => fault ?? []);
  expect(faults).toEqual(first?.statuses.filter((status) => status !== 200).map(String));
});

test('503 and 429 precede a write; half of the 500 and reset faults follow it', async () => {
  const create = async (fault: '429' | '500' | '503' | 'reset') => {
    const server = await serveTestWorkspace({ faultPlan: plan([[fault, 1]]) });
    const statuses = await sendAll(server, 20, 'POST /v1/contacts');
    const rows = await server.db.all<{ count: number }>(countContacts);
    return [[...new Set(statuses)], rows[0]?.count];
  };
  expect(await Promise.all((['429', '503', '500', 'reset'] as const).map(create))).toEqual([
    [[429], 0],
    [[503], 0],
    [[500], 9],
    [['reset'], 9],
  ]);
});

test('delays each response, and injects no fault into health checks and requests with an invalid key', async () => {
  const server = await serveTestWorkspace({ faultPlan: { ...plan([['503', 1]]), delay: 60 } });
  const begin = performance.now();
  expect((await server.send('GET /v1/notes')).status).toBe(503);
  expect(performance.now() - begin).toBeGreaterThan(50);
  expect((await server.send('GET /healthz')).status).toBe(200);
  expect((await server.send('GET /v1/notes', undefined, 'wrong')).status).toBe(401);
});

test('the problem document says that the fault was injected', async () => {
  const { send } = await serveTestWorkspace({ faultPlan: plan([['429', 1]]) });
  const { headers, text } = await send('GET /v1/notes');
  expect(headers.get('retry-after')).toBe('1');
  expect(JSON.parse(text)).toMatchObject({
    title: 'Too Many Requests',
    detail: 'This fault was injected by --fault.',
  });
});
