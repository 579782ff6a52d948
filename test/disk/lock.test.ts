import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { type Holder, onceFree, whileLocked } from '../../src/disk/lock.ts';
import { temporaryFolder } from '../kith.ts';

const holder = (pid: number, running: readonly number[] = []): Holder => ({
  pid,
  host: () => 'here',
  isRunning: (one) => running.includes(one),
  now: () => new Date(),
});

const lockIn = (folder: string) => ({
  path: join(folder, '.kith-export.lock'),
  work: `exports to ${folder}`,
});

/** A folder with a lock in it, that was touched so many seconds ago. */
function lockedBy(text: string, age = 0) {
  const folder = temporaryFolder();
  const path = join(folder, '.kith-export.lock');
  const then = Date.now() / 1000 - age;
  writeFileSync(path, text);
  utimesSync(path, then, then);
  return { folder, path };
}

const told = (pid: number, host: string) => JSON.stringify({ pid, host, since: '2026-11-20T10:00:00.000Z' });
const minutes = 60;

test.each<[string, string, number, readonly number[], boolean]>([
  ['of a process that is no more', told(7, 'here'), 0, [], true],
  ['of a process that runs', told(7, 'here'), 9 * minutes, [7], false],
  ['of a process that runs, but gave no sign for long', told(7, 'here'), 11 * minutes, [7], true],
  ['of another machine', told(7, 'there'), 9 * minutes, [], false],
  ['of another machine that gave no sign for long', told(7, 'there'), 11 * minutes, [], true],
  ['with our own number, of a container that is over', told(1, 'here'), 0, [1], true],
  ['with our own number, of another machine', told(1, 'there'), 0, [1], false],
  ['that nobody writes any more', '', 0, [], true],
  ['that was never written', '', 3, [], true],
  ['that is half written', '{"pid":', 3, [], true],
  ['that says nothing', 'null', 3, [], true],
])('a lock %s', async (_, text, age, running, isTaken) => {
  const { folder, path } = lockedBy(text, age);
  const work = () =>
    whileLocked(lockIn(folder), holder(1, running), async () => JSON.parse(readFileSync(path, 'utf8')));
  if (isTaken) expect(await work()).toMatchObject({ pid: 1, host: 'here' });
  else await expect(work()).rejects.toMatchObject({ code: 'busy' });
  expect(readdirSync(folder)).toEqual(isTaken ? [] : ['.kith-export.lock']);
});

test('a folder in place of the lock is named', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.kith-export.lock'));
  await expect(whileLocked(lockIn(folder), holder(1), async () => {})).rejects.toMatchObject({
    code: 'failed',
  });
});

test('a link to nothing in place of the lock is named, not waited for', async () => {
  const { path } = lockIn(temporaryFolder());
  symlinkSync('nowhere', path);
  const work = whileLocked(lockIn(dirname(path)), holder(1), async () => {});
  await expect(work).rejects.toThrow(`Cannot read ${path}: it is a link to nothing.`);
});

test('a lock that is just being written is waited for', async () => {
  const { folder, path } = lockedBy('');
  setTimeout(() => writeFileSync(path, told(7, 'here')), 60);
  await expect(whileLocked(lockIn(folder), holder(1, [7]), async () => {})).rejects.toMatchObject({
    code: 'busy',
  });
});

test('the lock of a run that lives is none that is stale, where the clock of the disk is behind', async () => {
  const { folder } = lockedBy(JSON.stringify({ pid: 7, host: 'here', since: new Date() }), 3600);
  await expect(whileLocked(lockIn(folder), holder(1, [7]), async () => {})).rejects.toMatchObject({
    code: 'busy',
  });
});

test('a second run is told who holds the lock, and since when', async () => {
  const { folder } = lockedBy(told(7, 'there'));
  await expect(whileLocked(lockIn(folder), holder(1), async () => {})).rejects.toMatchObject({
    code: 'busy',
    message: `Another run exports to ${folder}: process 7, since 2026-11-20T10:00:00.000Z.`,
    detail: {},
  });
});

test.each([
  ['was killed before it wrote its own', '', 'worked'],
  ['is at it', told(8, 'here'), 'busy'],
  ['was killed at it', told(9, 'here'), 'worked'],
])('a lock that is dead, while a run takes it over that %s', async (_, text, end) => {
  const { folder } = lockedBy(told(7, 'here'));
  const next = join(folder, '.kith-export.lock.next.kith-tmp');
  writeFileSync(next, text);
  const work = whileLocked(lockIn(folder), holder(1, [8]), async () => 'worked');
  expect(await work.catch(({ code }) => code)).toBe(end);
  expect(existsSync(next)).toBe(end === 'busy');
});

test('of many that find a dead lock at about the same time one works at a time', async () => {
  const pids = Array.from({ length: 12 }, (_, index) => 100 + index);
  for (let round = 0; round < 40; round += 1) {
    const { folder } = lockedBy(told(7, 'here'));
    let working = 0;
    let most = 0;
    const run = async (pid: number) => {
      await wait(Math.random() * 2);
      return whileLocked(lockIn(folder), holder(pid, pids), async () => {
        working += 1;
        most = Math.max(most, working);
        await wait(Math.random() * 2);
        working -= 1;
        return 'worked';
      }).catch(({ code }) => code);
    };
    const ends = await Promise.all(pids.map(run));
    expect([...new Set(ends)].filter((end) => end !== 'busy')).toEqual(['worked']);
    expect([most, readdirSync(folder)]).toEqual([1, []]);
  }
});

test('the lock is let go when the work fails', async () => {
  const folder = temporaryFolder();
  const failing = whileLocked(lockIn(folder), holder(1), async () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(readdirSync(folder)).toEqual([]);
});

test('a run that slept so long that another took its lock does not take it back', async () => {
  const folder = temporaryFolder();
  const path = join(folder, '.kith-export.lock');
  await whileLocked(lockIn(folder), holder(1), async () => writeFileSync(path, told(2, 'there')));
  expect(existsSync(path)).toBe(true);
});

test('a run that works for long gives a sign of life each half minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const later = new Date('2031-01-01T00:00:00Z');
  const lock = lockIn(temporaryFolder());
  await whileLocked(lock, { ...holder(1), now: () => later }, async () => {
    expect(statSync(lock.path).mtime).not.toEqual(later);
    vi.advanceTimersByTime(30_000);
    await expect.poll(() => statSync(lock.path).mtime).toEqual(later);
  });
});

test('work that waits for its lock, and then finds another one taken, is not done again', async () => {
  let times = 0;
  const work = () =>
    onceFree(
      lockIn(temporaryFolder()),
      { ...holder(1), signal: new AbortController().signal },
      200,
      async () => {
        times += 1;
        throw new Failure('busy', 'Another run writes elsewhere.');
      },
    );
  await expect(work()).rejects.toThrow('elsewhere');
  expect(times).toBe(1);
});
