import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { requireProgram } from '../../process/programs.ts';
import { createSignedInHome, runKith } from '../../support/binary.ts';

const run = (command: string, ...args: readonly string[]) => spawnSync(command, args, { encoding: 'latin1' });
const isRoot = process.getuid?.() === 0;
const isLong = process.env.KITH_LONG === '1';

beforeEach(requireProgram('crontab'));

/** A user with the number of root, so that the crontab of nobody else is changed. */
const cronUser = 'kith-cron-test';

/**
 * Creates a home folder, and a program `crontab` for a user of its own. Without root, it is the crontab of the user
 * who runs the tests: only in CI.
 */
function createCronHome() {
  const { env, home } = createSignedInHome({}, "it's 50% 설정");
  if (!isRoot) return { env, home, crontab: 'crontab' };
  run('userdel', '-f', cronUser);
  const { status } = run('useradd', '-o', '-u', '0', '-N', '-M', '-d', home, '-s', '/bin/sh', cronUser);
  expect(status).toBe(0);
  mkdirSync(join(home, 'bin'));
  const crontab = join(home, 'bin/crontab');
  const program = run('sh', '-c', 'command -v crontab').stdout.trim();
  writeFileSync(crontab, `#!/bin/sh\nexec ${program} -u ${cronUser} "$@"\n`, { mode: 0o755 });
  onTestFinished(() => {
    run(crontab, '-r');
    run('userdel', '-f', cronUser);
  });
  return { env: { ...env, PATH: [join(home, 'bin'), env.PATH].join(delimiter) }, home, crontab };
}

/** Runs a cron if none is running. */
function startCron(): ChildProcess | undefined {
  if (run('pgrep', '-x', 'cron|crond').status === 0) return undefined;
  const cron = spawn(run('sh', '-c', 'command -v cron || command -v crond').stdout.trim(), ['-f'], {
    stdio: 'ignore',
  });
  onTestFinished(() => void cron.kill('SIGTERM'));
  return cron;
}

// Cron starts a job at a full minute.
test(isLong
  ? 'cron runs an installed schedule'
  : 'the crontab program accepts an installed schedule', async ({ skip }) => {
  // A person who runs the tests keeps the crontab and the list of users as they are.
  if (!inject('isCi') && !(isLong && isRoot))
    skip('it changes the crontab: only in CI, or for root with KITH_LONG=1');
  const { env, home, crontab } = createCronHome();
  const others = '# caf\xe9\nMAILTO=""\n5 4 1 1 * echo 100\\% done\n';
  if (isRoot) spawnSync(crontab, ['-'], { input: Buffer.from(others, 'latin1') });
  const before = run(crontab, '-l').stdout;
  const options = { env: { ...env, KITH_CONFIG_DIR: join(home, "it's 50% 설정") }, cwd: home };
  const kith = (...words: string[]) => runKith(words, options);
  const flags = ['--every', '1m', '--for', 'cron', '--yes', '--quiet'];
  const job = ['--', 'events', 'export', '--out', '회의 100% "a"'];
  expect(await kith('schedule', 'install', 'nightly', ...flags, ...job)).toEqual({
    code: 0,
    out: '',
    err: '',
  });
  expect(run(crontab, '-l').stdout.startsWith(before)).toBe(true);
  const readRun = async () => JSON.parse((await kith('schedule', 'list', '--json')).out)[0];
  expect(await readRun()).toMatchObject({ state: 'installed', last_run: null });
  if (isLong) {
    startCron();
    let lastRun = await readRun();
    for (const end = Date.now() + 130_000; lastRun.last_exit_code === null && Date.now() < end; ) {
      await wait(1000);
      lastRun = await readRun();
    }
    expect(lastRun).toMatchObject({ last_exit_code: 0 });
    expect(readFileSync(lastRun.log, 'utf8')).toContain('회의 100% "a": 36 new, ');
  }
  expect(await kith('schedule', 'remove', 'nightly', '--yes', '-q')).toEqual({ code: 0, out: '', err: '' });
  expect(run(crontab, '-l').stdout).toBe(before);
}, 150_000);
