import { expect, test } from 'vitest';
import { readState } from '../import/state.ts';
import { startTime } from '../service/service.ts';
import { shuffle } from '../support/rounds.ts';
import { createMergeService } from './merge-service.ts';

type MergeService = Awaited<ReturnType<typeof createMergeService>>;

/** Starts the service, with a machine whose clock is that of the service. */
async function createStoppableMerge() {
  const service = await createMergeService();
  const kith = (line: string) => service.kith(line, { now: new Date(startTime) });
  /** Returns the state; `OTHER` is the id of the contact that the merge deletes, also after it was created again. */
  const read = async () => {
    const { data } = await service.sendOk<{ data: { id: string; emails: string[] }[] }>('GET /v1/contacts');
    const { id = '' } = data.find(({ emails }) => emails.includes('al@home.example')) ?? {};
    return JSON.parse(JSON.stringify(await readState(service.sendOk)).replaceAll(id, 'OTHER'));
  };
  return { ...service, kith, read };
}

/** Stops a command at its nth write: before it is carried out, after it without a response, or with a 503. */
const stops = {
  before: ({ control }: MergeService, stop: number) => {
    let count = 0;
    control.before = ({ method }, response) => {
      count += method === 'GET' ? 0 : 1;
      if (method === 'GET' || count !== stop) return false;
      response.destroy();
      return true;
    };
  },
  after: ({ control }: MergeService, stop: number) => {
    let count = 0;
    control.after = ({ method }, response) => {
      count += method === 'GET' ? 0 : 1;
      if (method === 'GET' || count !== stop) return false;
      response.destroy();
      return true;
    };
  },
  503: ({ control }: MergeService, stop: number) => {
    let count = 0;
    control.before = ({ method }, response) => {
      count += method === 'GET' ? 0 : 1;
      if (method === 'GET' || count < stop) return false;
      response.writeHead(503, { 'retry-after': '1' }).end();
      return true;
    };
  },
};
type Way = keyof typeof stops;

function resume({ control }: MergeService): void {
  control.before = () => false;
  control.after = () => false;
}

/** Chooses writes at which a run stops: a few by default, all with KITH_LONG=1. */
const chooseStops = (writes: number, few: number) =>
  shuffle(
    Array.from({ length: writes }, (_, index) => index + 1),
    few,
  );

let counted: ReturnType<typeof countWritesOnce> | undefined;

/** Returns the numbers of writes of a merge and its undo. */
async function countWrites() {
  counted ??= countWritesOnce();
  return counted;
}

/** Merges and undoes without interruptions. */
async function countWritesOnce() {
  const { kith, keep, other, takeWrites } = await createStoppableMerge();
  expect((await kith(`contacts merge ${keep} ${other} --yes -q`)).code).toBe(0);
  const merge = takeWrites().length;
  expect((await kith('undo --yes -q')).code).toBe(0);
  return { merge, undo: takeWrites().length };
}

test.each(Object.keys(stops) as Way[])(
  'continues the undo of a merge that stopped at a write (%s)',
  { timeout: 120_000 },
  async (way) => {
    const { undo } = await countWrites();
    for (const stop of chooseStops(undo, 1)) {
      const service = await createStoppableMerge();
      const { kith, keep, other, read } = service;
      const before = await read();
      expect((await kith(`contacts merge ${keep} ${other} --yes -q`)).code).toBe(0);
      stops[way](service, stop);
      const stopped = await kith('undo --yes -q --retries 0');
      expect({ stop, code: stopped.code }).toEqual({ stop, code: String(way) === '503' ? 75 : 7 });
      resume(service);
      const { code, err } = await kith('undo --yes');
      expect({ stop, code, err }).toEqual({
        stop,
        code: 0,
        err: expect.not.stringContaining('Not restored: '),
      });
      expect({ stop, ...(await read()) }).toEqual({ stop, ...before });
    }
  },
);

test.each(['before', 'after'] as const)(
  'undoes a merge that stopped at a write (%s) and was finished by a second run',
  { timeout: 120_000 },
  async (way) => {
    const { merge } = await countWrites();
    for (const stop of chooseStops(merge, 1)) {
      const service = await createStoppableMerge();
      const { kith, keep, other, read } = service;
      const before = await read();
      stops[way](service, stop);
      expect((await kith(`contacts merge ${keep} ${other} --yes -q --retries 0`)).code).toBe(7);
      resume(service);
      expect((await kith(`contacts merge ${keep} ${other} --yes -q`)).code).toBe(0);
      const { code, err } = await kith('undo --yes -q');
      expect({ stop, code, err }).toEqual({ stop, code: 0, err: '' });
      expect({ stop, ...(await read()) }).toEqual({ stop, ...before });
    }
  },
);

test('a redo of a merge moves the addresses to the kept contact again', async () => {
  const { kith, keep, other, read } = await createStoppableMerge();
  expect((await kith(`contacts merge ${keep} ${other} --yes -q`)).code).toBe(0);
  const merged = await read();
  expect((await kith('undo --yes -q')).code).toBe(0);
  const undone = await read();
  const { code, err } = await kith('redo --yes');
  expect({ code, isRestored: !err.includes('Not restored: The email') }).toEqual({
    code: 0,
    isRestored: true,
  });
  expect(await read()).toEqual(merged);
  expect((await kith('undo --yes -q')).code).toBe(0);
  expect(await read()).toEqual(undone);
});

test.each(Object.keys(stops) as Way[])(
  'continues the redo of a merge that stopped at a write (%s)',
  { timeout: 120_000 },
  async (way) => {
    const { undo } = await countWrites();
    for (const stop of chooseStops(undo, 1)) {
      const service = await createStoppableMerge();
      const { kith, keep, other, read } = service;
      expect((await kith(`contacts merge ${keep} ${other} --yes -q`)).code).toBe(0);
      const merged = await read();
      expect((await kith('undo --yes -q')).code).toBe(0);
      stops[way](service, stop);
      await kith('redo --yes -q --retries 0');
      resume(service);
      const { code, err } = await kith('redo --yes');
      if (code !== 3) expect({ code, err }).toMatchObject({ code: 0 }); // 3: the lost response was that of the last write
      expect({ stop, ...(await read()) }).toEqual({ stop, ...merged });
    }
  },
);

test('an address that its owner removed after the undo does not come back with the next merge', async () => {
  const service = await createStoppableMerge();
  const { kith, keep, other, call, sendOk } = service;
  const { merge } = await countWrites();
  stops.after(service, merge - 2);
  expect((await kith(`contacts merge ${keep} ${other} --yes -q --retries 0`)).code).toBe(7);
  resume(service);
  expect((await kith('undo --yes -q')).code).toBe(0);
  expect((await call(`DELETE /v1/contacts/${other}/emails`, { emails: ['al@home.example'] })).status).toBe(
    200,
  );
  expect((await kith(`contacts merge ${keep} ${other} --yes -q`)).code).toBe(0);
  const { emails } = await sendOk<{ emails: string[] }>(`GET /v1/contacts/${keep}`);
  expect(emails).toEqual(['ada@acme.example', 'ada@home.example']);
});
