import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { type ReceivedRequest, sendJson } from '../client/loopback.ts';
import {
  loseConnection,
  restoreConnection,
  type startControlledService,
} from '../import/controlled-service.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { type CommandResult, createMachine, type MachineOptions, splitWords } from '../support/kith.ts';
import { createRandom, shuffle, takeRounds } from '../support/rounds.ts';

export type Kith = (line: string, options?: MachineOptions) => Promise<CommandResult>;

/** A command that sends several writes, with a service and a settings folder of its own. */
export interface Writer {
  readonly service: Awaited<ReturnType<typeof startControlledService>>;
  readonly folder: string;
  /** The environment of the commands; if omitted, that of the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs the commands before the disturbed one. */
  readonly prepare?: (kith: Kith) => Promise<unknown>;
  readonly line: string;
  readonly stdin?: string;
  /** The command that reverts the writes; if omitted, `undo --yes`. */
  readonly revert?: string;
  /** Reads the records, a text for each. */
  readonly read: () => Promise<readonly string[]>;
  /** Reads what the completed command leaves besides the records. */
  readonly readReport?: (kith: Kith) => unknown;
  /** Checks what a command leaves that did not succeed. */
  readonly checkStopped?: () => Promise<void> | void;
  /** A part of the message that refuses the command while it runs. */
  readonly busy: string;
  /** A part of the message with which the command continues after it was killed. */
  readonly continued?: string;
  /** What another client does before a request: it adds one record. */
  readonly meanwhile?: (request: ReceivedRequest) => Promise<unknown>;
  /** The command that reverts the revert; if omitted, `redo --yes`. null: it is refused. */
  readonly reapply?: string | null;
  /** Whether the command may create records again, because it reverts its writes first. */
  readonly mayRepeat?: boolean;
  /** The faults after which the command does not continue. */
  readonly unfit?: readonly string[];
  /** Faults after which the completed command is right, but not yet its revert: known defects. */
  readonly irreversible?: readonly string[];
}

/** What a fault can disturb. */
interface Disturbed {
  readonly response: ServerResponse;
  readonly controller: AbortController;
  readonly kill: () => void;
  readonly runAgain: () => Promise<unknown>;
}

interface Fault {
  readonly name: string;
  /** Before or after the service carries out a write. `connection`: after it, and all later requests are lost. */
  readonly hook: 'before' | 'after' | 'connection';
  /** Decides about a request. `position`: 0 for the write to disturb, 1 for the next one. */
  readonly isHit: (request: ReceivedRequest, position: number) => boolean;
  readonly disturb: (disturbed: Disturbed) => unknown;
  /** Flags of the disturbed command. `index`: the number of writes before the one to disturb. */
  readonly flags?: (index: number) => string;
  /** Whether the command runs as a process. It may send more requests before it ends: they are lost. */
  readonly kills?: boolean;
}

const isWrite = ({ method }: ReceivedRequest) => method !== 'GET';
const isNow = (request: ReceivedRequest, position: number) => isWrite(request) && position === 0;
const isOneOfFive = (request: ReceivedRequest, position: number) =>
  isWrite(request) && position >= 0 && position < 5;
const isRandom = (request: ReceivedRequest, position: number) =>
  isWrite(request) && (position === 0 || (position > 0 && createRandom(position)() < 0.4));
const isLater = (_: ReceivedRequest, position: number) => position >= 0;
const isLaterWrite = (request: ReceivedRequest, position: number) => isWrite(request) && position >= 0;

const drop = ({ response }: Disturbed) => response.destroy();
const refuse =
  (status: number) =>
  ({ response }: Disturbed) =>
    sendJson(response, status, { message: 'Not now.' }, { 'retry-after': '0' });
const interrupt = ({ controller }: Disturbed) => controller.abort(new Failure('interrupted', 'Interrupted.'));
const killAndDrop = (disturbed: Disturbed) => {
  disturbed.kill();
  drop(disturbed);
};

const undisturbed: Fault = {
  name: 'a second run at the first write',
  hook: 'before',
  isHit: isNow,
  disturb: ({ runAgain }) => runAgain(),
};

const faults: readonly Fault[] = [
  { name: 'request lost', hook: 'before', isHit: isNow, disturb: drop },
  { name: 'response lost', hook: 'after', isHit: isNow, disturb: drop },
  { name: 'random responses lost', hook: 'after', isHit: isRandom, disturb: drop },
  { name: 'connection cut before', hook: 'before', isHit: isLater, disturb: drop },
  { name: 'connection cut after', hook: 'connection', isHit: isNow, disturb: drop },
  { name: '429', hook: 'before', isHit: isNow, disturb: refuse(429) },
  { name: 'five times 503', hook: 'before', isHit: isOneOfFive, disturb: refuse(503) },
  { name: '503 until the run stops', hook: 'before', isHit: isLaterWrite, disturb: refuse(503) },
  { name: 'key revoked', hook: 'before', isHit: isLater, disturb: refuse(401) },
  { name: 'disk full', hook: 'before', isHit: isLaterWrite, disturb: refuse(507) },
  { name: 'Ctrl-C', hook: 'after', isHit: isNow, disturb: interrupt },
  {
    name: 'guard',
    hook: 'before',
    isHit: () => false,
    disturb: drop,
    flags: (index) => `--max-writes ${index + 1}`,
  },
  { name: 'killed before', hook: 'before', isHit: isLater, disturb: killAndDrop, kills: true },
  { name: 'killed after', hook: 'connection', isHit: isNow, disturb: drop, kills: true },
];

/** Runs a command that is disturbed at a write, runs it again if it did not succeed, and reverts it. */
async function runDisturbed(start: () => Promise<Writer>, fault: Fault, index: number) {
  const writer = await start();
  const { folder, line, stdin = '', revert = 'undo --yes', reapply = 'redo --yes', read } = writer;
  const { control, clock, takeWrites } = writer.service;
  const env = { ...(writer.env ?? writer.service.env), KITH_UNDO: 'on' };
  const machine = createMachine(folder);
  // Commands run an hour after each other, because clocks may differ by minutes. A process has the real time.
  let hours = fault.kills ? 0 : 1;
  const kith: Kith = (line, options = {}) => {
    const now = new Date(Date.parse(clock.time) + hours * 3_600_000);
    clock.time = now.toISOString();
    return machine(line, { env, now, sleep: async () => {}, ...options });
  };
  await writer.prepare?.(kith);
  const before = await read();
  takeWrites();
  const guarded = fault === undisturbed ? await kith(`${line} --readonly`, { stdin }) : undefined;
  const guardedWrites = takeWrites();

  const controller = new AbortController();
  let second: CommandResult | undefined;
  let onKill = () => {};
  let position = -index - 1;
  let creates = 0;
  const isHit = (request: ReceivedRequest) => {
    if (isWrite(request)) position += 1;
    return fault.isHit(request, position);
  };
  const runAgain = async () => {
    second = await kith(line, { stdin });
  };
  const disturb = async (request: ReceivedRequest, response: ServerResponse) => {
    if (isHit(request)) await fault.disturb({ response, controller, kill: () => onKill(), runAgain });
    return response.destroyed || response.writableEnded;
  };
  const resume = () => {
    restoreConnection(control);
    control.before = async (request) => {
      await writer.meanwhile?.(request);
      return false;
    };
    countCreates();
  };
  const countCreates = () => {
    const { after } = control;
    control.after = (request, response) => {
      if (request.method === 'POST') creates += 1;
      return after(request, response);
    };
  };
  resume();
  if (fault.hook === 'connection')
    loseConnection(control, (request) => {
      const isLost = isHit(request);
      if (isLost) onKill();
      return isLost;
    });
  else if (fault.hook === 'after') control.after = disturb;
  else
    control.before = async (request, response) => {
      await writer.meanwhile?.(request);
      return disturb(request, response);
    };
  if (fault.hook !== 'before') countCreates();
  const typed = `${line} ${fault.flags?.(index) ?? ''}`;
  const first = fault.kills
    ? await runKith(splitWords(typed), {
        env: createEnv(folder, { ...env, KITH_CONFIG_DIR: folder }),
        stdin,
        onStart: (child) => {
          child.stdin?.end(stdin);
          onKill = () => child.kill('SIGKILL');
        },
      })
    : await kith(typed, { stdin, signal: controller.signal });
  await writer.service.receiveRemaining();
  resume();
  hours = 1;
  if (first.code !== 0) await writer.checkStopped?.();
  const writes = takeWrites();
  let last = first;
  // After a conflict with another client, the command runs once more.
  for (let runs = 0; last.code !== 0 && runs < (writer.meanwhile ? 2 : 1); runs += 1)
    last = await kith(line, { stdin });
  if (fault.name === 'killed after' && writer.continued) expect(last.err).toContain(writer.continued);
  const [after, report, created] = [await read(), await writer.readReport?.(kith), creates];
  const reverted = await kith(revert);
  const undone = await read();
  const reapplied = reapply === null ? undefined : await kith(reapply);
  const redone = reapplied && (await read());
  return {
    ...{ guarded, guardedWrites, first, second, last, reverted, reapplied, writes, created, report },
    states: { before, after, undone, redone: redone ?? after },
    isReached: position >= 0,
    writer,
  };
}

/** Returns the values that occur more often in a list than in another. */
function subtract(values: readonly string[], others: readonly string[]): string[] {
  const count = (list: readonly string[], value: string) => list.filter((one) => one === value).length;
  return values.filter((value) => count(values, value) > count(others, value));
}

/**
 * Returns each fault at each write, in random order: all faults at one of the writes before one comes again. Faults that
 * lose responses begin with creates, which a command could repeat.
 */
function listCases(writes: readonly string[], ordered: readonly Fault[]) {
  const places = shuffle([...writes.entries()]);
  const isCreate = ([, at]: [number, string]) => at.startsWith('POST');
  const createsFirst = places.toSorted((one, other) => Number(isCreate(other)) - Number(isCreate(one)));
  return places.flatMap((_, round) =>
    ordered.map((fault, position) => {
      const ofFault = fault.hook === 'before' ? places : createsFirst;
      const turn = fault.hook === 'before' ? round + position : round;
      const [index, at] = ofFault[turn % places.length] as [number, string];
      return { fault, index, at };
    }),
  );
}

const shuffledFaults = shuffle(faults);
const [losses, otherFaults] = [true, false].map((isLoss) =>
  shuffledFaults.filter(({ hook }) => (hook === 'connection') === isLoss),
) as [Fault[], Fault[]];

function rotate<T>(values: readonly T[], count: number): T[] {
  const first = count % values.length;
  return [...values.slice(first), ...values.slice(0, first)];
}

/** Orders the faults of a row. A row with several cases begins with a loss, which it must continue after. */
function orderFaults(row: number, few: number): Fault[] {
  if (few === 1) return rotate(shuffledFaults, row);
  const [loss, ...others] = rotate(losses, row);
  return [...(loss ? [loss] : []), ...rotate(otherFaults, row * (few - 1)), ...others];
}

let rowCount = 0;

/**
 * Tests what all commands with several writes have in common. By default, only a few random cases, of which the run
 * prints the seed: each row of a file continues with the next faults. With KITH_LONG=1, each fault at each write.
 */
export function describeWriter(name: string, start: () => Promise<Writer>, few = 3): void {
  const ordered = orderFaults(rowCount++, few);
  let calmRun: ReturnType<typeof runDisturbed> | undefined;
  const runUndisturbed = () => (calmRun ??= runDisturbed(start, undisturbed, 0));

  describe(name, () => {
    test('a guard and a second run at once are refused, one undo reverts all writes, and a redo sends them again', async () => {
      const calm = await runUndisturbed();
      const { guarded, guardedWrites, first, second, last, reverted, reapplied, states, writer } = calm;
      expect([guarded?.code, guardedWrites]).toEqual([8, []]);
      expect(second).toMatchObject({ code: 75, out: '', err: expect.stringContaining(writer.busy) });
      expect(first.code).toBe(writer.meanwhile ? 75 : 0); // a change of another client is a conflict
      expect([last.code, reverted.code, reapplied?.code ?? 0]).toEqual([0, 0, 0]);
      const { before, after, undone, redone } = states;
      expect(after).not.toEqual(before);
      expect(subtract(before, undone)).toEqual([]);
      expect(subtract(undone, before)).toHaveLength(writer.meanwhile ? 1 : 0);
      expect(redone.toSorted()).toEqual(after.toSorted());
    }, 120_000);

    test('loses and duplicates nothing if it is disturbed and run again, and one undo reverts all writes', async () => {
      const calm = await runUndisturbed();
      const { mayRepeat, unfit, irreversible } = calm.writer;
      const fit = ordered.filter((fault) => !unfit?.includes(fault.name));
      for (const { at, index, fault } of takeRounds(listCases(calm.writes, fit), few)) {
        const run = await runDisturbed(start, fault, index);
        const results = [run.last, run.reverted, run.reapplied ?? run.last];
        const story = [`${fault.name}: ${at}`, run.first.err, ...results.map(({ err }) => err)].join('\n');
        const isReverted = !irreversible?.includes(fault.name);
        const names = isReverted ? (['after', 'undone', 'redone'] as const) : (['after'] as const);
        const outcome = {
          codes: results.map(({ code }) => code),
          lost: names.flatMap((name) => [name, ...subtract(calm.states[name], run.states[name])]),
          duplicated: names.flatMap((name) => [name, ...subtract(run.states[name], calm.states[name])]),
          repeated: mayRepeat ? 0 : run.created - calm.created,
          report: run.report,
          isReached: run.isReached || fault.flags !== undefined,
        };
        const nothing = { codes: [0, 0, 0], lost: [...names], duplicated: [...names], repeated: 0 };
        expect(outcome, story).toEqual({ ...nothing, report: calm.report, isReached: true });
      }
    }, 300_000);
  });
}
