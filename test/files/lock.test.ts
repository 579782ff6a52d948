import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { type LockHolder, withLock } from '../../src/files/lock.ts';
import { startModule } from '../support/binary.ts';
import { createLockHolder, createTemporaryFolder } from '../support/kith.ts';

const isLong = process.env.KITH_LONG === '1';
const repetitions = isLong ? 1000 : 6;

const createHolder = (pid: number, runningPids: readonly number[] = []): LockHolder => ({
  ...createLockHolder(pid),
  host: () => 'here',
  isRunning: (one) => runningPids.includes(one),
});

const createLockOptions = (folder: string) => ({
  path: join(folder, '.kith-export.lock'),
  work: `is exporting to ${folder}`,
});

/** Creates a folder with a lock file of an age in seconds. */
function createLockFile(text: string, age = 0) {
  const folder = createTemporaryFolder();
  const path = join(folder, '.kith-export.lock');
  const lockTime = Date.now() / 1000 - age;
  writeFileSync(path, text);
  utimesSync(path, lockTime, lockTime);
  return { folder, path };
}

const since = '2026-11-20T10:00:00.000Z';
const describeHolder = (pid: number, host: string, isKernelLock?: boolean) =>
  JSON.stringify({ pid, host, since, isKernelLock });
const day = 86_400;

test.each<[string, string, number, readonly number[], boolean]>([
  ['of a process that has ended', describeHolder(7, 'here', true), 0, [], true],
  ['of a process that has ended and whose id was reused', describeHolder(7, 'here', true), 0, [7], true],
  ['of another machine or container, released there', describeHolder(7, 'there', true), 0, [], true],
  ['without a kernel lock, of a process that has ended', describeHolder(7, 'here'), 0, [], true],
  ['without a kernel lock, of a process that runs', describeHolder(7, 'here'), day, [7], false],
  ['without a kernel lock, of another machine', describeHolder(7, 'there'), day, [], false],
  [
    'without a kernel lock, with the own process id, of a container that has ended',
    describeHolder(1, 'here'),
    0,
    [1],
    true,
  ],
  [
    'without a kernel lock, with our own number, of another machine',
    describeHolder(1, 'there'),
    0,
    [1],
    false,
  ],
  ['that is empty', '', 0, [], true],
  ['that is half written', '{"pid":', 3, [], true],
  ['that says nothing', 'null', 3, [], true],
  ['that a power failure has filled with zeros', '\0'.repeat(90), 3, [], true],
])(
  'takes the lock only if its holder has ended: a lock file %s',
  async (_, text, age, runningPids, takesLock) => {
    const { folder, path } = createLockFile(text, age);
    const lockedWork = () =>
      withLock(createLockOptions(folder), createHolder(1, runningPids), async () =>
        JSON.parse(String(await readHolderName(path))),
      );
    if (takesLock) expect(await lockedWork()).toMatchObject({ pid: 1, host: 'here' });
    else await expect(lockedWork()).rejects.toMatchObject({ code: 'busy' });
    expect(readdirSync(folder)).toEqual(takesLock ? [] : ['.kith-export.lock']);
  },
);

/** Reads a lock file in another process: closing it in this one would release the lock. */
async function readHolderName(path: string): Promise<string> {
  const child = spawn('cat', [path]);
  const [bytes] = await once(child.stdout, 'data');
  return String(bytes);
}

/** Starts a process that holds a lock until it is killed. */
async function startLockingProcess(path: string): Promise<ChildProcess> {
  const program = `
    import { withLock } from ${JSON.stringify(join(process.cwd(), 'src/files/lock.ts'))};
    import { findLockFile } from ${JSON.stringify(join(process.cwd(), 'src/service/db/sqlite/lock-file.ts'))};
    const holder = { pid: process.pid, host: () => 'here', isRunning: () => true, now: () => new Date(),
      loadLockFile: async () => findLockFile() };
    await withLock({ path: ${JSON.stringify(path)}, work: 'works' }, holder, async () => {
      process.stdout.write('locked');
      await new Promise((resolve) => setTimeout(resolve, 1e9));
    });`;
  const child = startModule(program);
  await once(child.stdout, 'data');
  return child;
}

test('never takes the lock of a live process, however old and on whatever host', async () => {
  const folder = createTemporaryFolder();
  const { path } = createLockOptions(folder);
  const child = await startLockingProcess(path);
  expect(readdirSync(folder)).toEqual(['.kith-export.lock']);
  utimesSync(path, 1, 1);
  // Its process id is not visible, as in another container.
  const others = [createHolder(1), { ...createHolder(1), host: () => 'there' }];
  for (const other of others) {
    await expect(withLock(createLockOptions(folder), other, async () => {})).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining(`process ${child.pid}, since 2`),
    });
  }
  child.kill('SIGSTOP');
  utimesSync(path, 1, 1);
  await expect(withLock(createLockOptions(folder), createHolder(1), async () => {})).rejects.toMatchObject({
    code: 'busy',
  });
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(existsSync(path)).toBe(true);
  const lockedWork = withLock(
    createLockOptions(folder),
    createHolder(1, [child.pid ?? 0]),
    async () => 'worked',
  );
  expect([await lockedWork, readdirSync(folder)]).toEqual(['worked', []]);
});

test('respects the lock of a Node without SQLite, and the reverse', async () => {
  const folder = createTemporaryFolder();
  const createHolderWithoutSqlite = (pid: number): LockHolder => ({
    ...createHolder(pid, [8, 9]),
    loadLockFile: async () => undefined,
  });
  const lock = createLockOptions(folder);
  await withLock(lock, createHolderWithoutSqlite(9), async () => {
    for (const other of [createHolderWithoutSqlite(8), createHolder(8, [9])]) {
      const text = readFileSync(lock.path);
      const otherFolder = createTemporaryFolder();
      writeFileSync(createLockOptions(otherFolder).path, text);
      await expect(withLock(createLockOptions(otherFolder), other, async () => {})).rejects.toMatchObject({
        message: expect.stringContaining('process 9, since'),
      });
    }
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('locks by process number if the path is too long for SQLite', async () => {
  const top = createTemporaryFolder();
  const folder = join(top, ...Array.from({ length: 6 }, () => 'x'.repeat(100)));
  mkdirSync(folder, { recursive: true });
  const nestedLock = withLock(createLockOptions(folder), createHolder(9), async () => {
    writeFileSync(join(top, 'copy'), readFileSync(createLockOptions(folder).path));
    return withLock(createLockOptions(folder), createHolder(8, [9]), async () => {});
  });
  await expect(nestedLock).rejects.toMatchObject({ message: expect.stringContaining('process 9, since') });
  expect(JSON.parse(readFileSync(join(top, 'copy'), 'utf8'))).toMatchObject({ pid: 9, isKernelLock: false });
  expect(readdirSync(folder)).toEqual([]);
});

test('names a folder at the path of the lock', async () => {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, '.kith-export.lock'));
  await expect(withLock(createLockOptions(folder), createHolder(1), async () => {})).rejects.toMatchObject({
    code: 'failed',
  });
});

test.each([
  ['to nothing', 'nowhere'],
  ['to a file', 'precious'],
])('a link %s in place of the lock is named, and nothing is written through it', async (_, target) => {
  const folder = createTemporaryFolder();
  const { path } = createLockOptions(folder);
  writeFileSync(join(folder, 'precious'), 'mine');
  symlinkSync(target, path);
  const lockedWork = withLock(createLockOptions(folder), createHolder(1), async () => {});
  await expect(lockedWork).rejects.toThrow(`Cannot read ${path}: it is a link, not a file.`);
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('mine');
});

test('keeps a file that is not a lock', async () => {
  const { folder, path } = createLockFile('mine '.repeat(1000));
  const lockedWork = withLock(createLockOptions(folder), createHolder(1), async () => {});
  await expect(lockedWork).rejects.toThrow('it is not a kith lock file');
  expect(readFileSync(path, 'utf8')).toBe('mine '.repeat(1000));
});

test('reports the lock holder, its start, and what to do if it runs on another machine', async () => {
  const { folder, path } = createLockFile(describeHolder(7, 'there'));
  await expect(withLock(createLockOptions(folder), createHolder(1), async () => {})).rejects.toMatchObject({
    code: 'busy',
    message: `Another run is exporting to ${folder}: process 7, since ${since}.`,
    detail: { hint: `It runs on there. If it has ended there, remove ${path}` },
  });
});

test('one run at a time takes the lock of a dead process', async () => {
  const pids = Array.from({ length: 12 }, (_, index) => 100 + index);
  for (let repetition = 0; repetition < (isLong ? 20 : 5); repetition += 1) {
    const { folder } = createLockFile(describeHolder(7, 'here', true));
    let workerCount = 0;
    let most = 0;
    const run = async (pid: number) => {
      await wait(Math.random() * 2);
      return withLock(createLockOptions(folder), createHolder(pid, pids), async () => {
        workerCount += 1;
        most = Math.max(most, workerCount);
        await wait(Math.random() * 2);
        workerCount -= 1;
        return 'worked';
      }).catch(({ code }) => code);
    };
    const results = await Promise.all(pids.map(run));
    expect([...new Set(results)].filter((end) => end !== 'busy')).toEqual(['worked']);
    expect([most, readdirSync(folder)]).toEqual([1, []]);
  }
});

test('one process at a time holds the lock, and a killed one releases it', async () => {
  const folder = createTemporaryFolder();
  const { path } = createLockOptions(folder);
  const log = join(folder, 'log');
  const program = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as wait } from 'node:timers/promises';
    import { withLock } from ${JSON.stringify(join(process.cwd(), 'src/files/lock.ts'))};
    import { findLockFile } from ${JSON.stringify(join(process.cwd(), 'src/service/db/sqlite/lock-file.ts'))};
    const holder = { pid: process.pid, host: () => 'here', isRunning: () => true, now: () => new Date(),
      loadLockFile: async () => findLockFile() };
    for (let count = 0; count < ${repetitions}; count += 1) {
      await withLock({ path: ${JSON.stringify(path)}, work: 'works' }, holder, async () => {
        appendFileSync(${JSON.stringify(log)}, '+' + process.pid + '\\n');
        await wait(Math.random() * 3);
        if (process.argv[1] === 'killed' && count === 5) process.kill(process.pid, 'SIGKILL');
        appendFileSync(${JSON.stringify(log)}, '-' + process.pid + '\\n');
      }, 60_000);
    }`;
  const run = async (name: string) => (await once(startModule(program, name), 'close'))[0];
  const results = await Promise.all(['one', 'killed', 'two'].map(run));
  expect(results).toEqual([0, null, 0]);
  // The killed process may have been the last holder.
  expect(await withLock(createLockOptions(folder), createHolder(1, []), async () => 'free')).toBe('free');
  const steps = readFileSync(log, 'utf8').trim().split('\n');
  const overlaps = steps.filter(
    (step, index) => step[0] === '-' && steps[index - 1] !== step.replace('-', '+'),
  );
  expect([overlaps, steps.length, readdirSync(folder)]).toEqual([[], repetitions * 4 + 11, ['log']]);
}, 120_000);

test('releases the lock if the work fails', async () => {
  const folder = createTemporaryFolder();
  const failedLock = withLock(createLockOptions(folder), createHolder(1), async () => {
    throw new Error('no');
  });
  await expect(failedLock).rejects.toThrow('no');
  expect(readdirSync(folder)).toEqual([]);
});

test('does not repeat work that fails because another lock is taken', async () => {
  let times = 0;
  const lockedWork = () =>
    withLock(
      createLockOptions(createTemporaryFolder()),
      createHolder(1),
      async () => {
        times += 1;
        throw new Failure('busy', 'Another run writes elsewhere.');
      },
      200,
    );
  await expect(lockedWork()).rejects.toThrow('elsewhere');
  expect(times).toBe(1);
});
