import { expect, test } from 'vitest';
import { loseConnection, restoreConnection } from '../import/controlled-service.ts';
import { readState } from '../import/state.ts';
import { startTime } from '../service/service.ts';
import { shuffle } from '../support/rounds.ts';
import { mergedNouns, mergeServices } from './merge-service.ts';

type Noun = (typeof mergedNouns)[number];
type MergeService = Awaited<ReturnType<(typeof mergeServices)[Noun]>>;

/** Starts the service, with a machine whose clock is that of the service. */
async function createStoppableMerge(noun: Noun = 'contacts') {
  const service = await mergeServices[noun]();
  const kith = (line: string) => service.kith(line, { now: new Date(startTime) });
  const merge = (flags = '') => kith(`${noun} merge ${service.keep} ${service.other} --yes -q ${flags}`);
  /** Returns the state; `OTHER` is the id of the contact that the merge deletes, also after it was created again. */
  const read = async () => {
    const { data } = await service.sendOk<{ data: { id: string; emails: string[] }[] }>('GET /v1/contacts');
    const { id } = data.find(({ emails }) => emails.includes('al@home.example')) ?? {};
    const json = JSON.stringify(await readState(service.sendOk));
    return JSON.parse(id === undefined ? json : json.replaceAll(id, 'OTHER'));
  };
  return { ...service, kith, merge, read };
}

/** Stops a command at its nth write: before it is carried out, after it without a connection, or with a 503. */
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
    loseConnection(control, ({ method }) => {
      count += method === 'GET' ? 0 : 1;
      return method !== 'GET' && count === stop;
    });
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

const resume = ({ control }: MergeService) => restoreConnection(control);

/** Chooses writes at which a run stops: a few by default, all with KITH_LONG=1. */
const chooseStops = (writes: number, few: number) =>
  shuffle(
    Array.from({ length: writes }, (_, index) => index + 1),
    few,
  );

const counts = new Map<Noun, ReturnType<typeof countWritesOnce>>();

/** Returns the numbers of writes of a merge and its undo. */
async function countWrites(noun: Noun = 'contacts') {
  const count = counts.get(noun) ?? countWritesOnce(noun);
  counts.set(noun, count);
  return count;
}

/** Merges and undoes without interruptions. */
async function countWritesOnce(noun: Noun) {
  const { kith, merge, takeWrites } = await createStoppableMerge(noun);
  expect((await merge()).code).toBe(0);
  const merged = takeWrites().length;
  expect((await kith('undo --yes -q')).code).toBe(0);
  return { merge: merged, undo: takeWrites().length };
}

/** Each noun with each way to stop. */
const toCases = <W extends Way>(ways: readonly W[]) =>
  mergedNouns.flatMap((noun) => ways.map((way) => [noun, way] as const));
const allCases = toCases(Object.keys(stops) as Way[]);

test.each(allCases)(
  'continues the undo of a merge of %s that stopped at a write (%s)',
  { timeout: 120_000 },
  async (noun, way) => {
    const { undo } = await countWrites(noun);
    for (const stop of chooseStops(undo, 1)) {
      const service = await createStoppableMerge(noun);
      const { kith, merge, read } = service;
      const before = await read();
      expect((await merge()).code).toBe(0);
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

test.each(toCases(['before', 'after']))(
  'undoes a merge of %s that stopped at a write (%s) and was finished by a second run',
  { timeout: 120_000 },
  async (noun, way) => {
    const counted = await countWrites(noun);
    for (const stop of chooseStops(counted.merge, 1)) {
      const service = await createStoppableMerge(noun);
      const { kith, merge, read } = service;
      const before = await read();
      stops[way](service, stop);
      expect((await merge('--retries 0')).code).toBe(7);
      resume(service);
      expect((await merge()).code).toBe(0);
      const { code, err } = await kith('undo --yes -q');
      expect({ stop, code, err }).toEqual({ stop, code: 0, err: '' });
      expect({ stop, ...(await read()) }).toEqual({ stop, ...before });
    }
  },
);

test.each(mergedNouns)(
  'a redo of a merge of %s moves the addresses to the kept record again',
  async (noun) => {
    const { kith, merge, read } = await createStoppableMerge(noun);
    expect((await merge()).code).toBe(0);
    const merged = await read();
    expect((await kith('undo --yes -q')).code).toBe(0);
    const undone = await read();
    const { code, err } = await kith('redo --yes');
    expect({ code, isRestored: !err.includes('Not restored: The email') }).toEqual({
      code: 0,
      isRestored: true,
    });
    expect(await read()).toEqual(merged);
    expect(await kith('undo --yes')).toMatchObject({
      code: 0,
      err: expect.not.stringContaining('keeps its new'),
    });
    expect(await read()).toEqual(undone);
  },
);

test.each(allCases)(
  'continues the redo of a merge of %s that stopped at a write (%s)',
  { timeout: 120_000 },
  async (noun, way) => {
    const { undo } = await countWrites(noun);
    for (const stop of chooseStops(undo, 1)) {
      const service = await createStoppableMerge(noun);
      const { kith, merge, read } = service;
      expect((await merge()).code).toBe(0);
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
  const { kith, merge, keep, other, call, sendOk } = service;
  const counted = await countWrites();
  stops.after(service, counted.merge - 2);
  expect((await merge('--retries 0')).code).toBe(7);
  resume(service);
  expect((await kith('undo --yes -q')).code).toBe(0);
  expect((await call(`DELETE /v1/contacts/${other}/emails`, { emails: ['al@home.example'] })).status).toBe(
    200,
  );
  expect((await merge()).code).toBe(0);
  const { emails } = await sendOk<{ emails: string[] }>(`GET /v1/contacts/${keep}`);
  expect(emails).toEqual(['ada@acme.example', 'ada@home.example']);
});
