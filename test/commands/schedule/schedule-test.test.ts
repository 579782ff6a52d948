import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { startTestService } from '../../client/loopback.ts';
import { createEnv, createSignedInHome, launcher, runKith, runProgram } from '../../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';

/** Returns a home folder and a working folder whose names need quotes in a shell and in cron. */
function createOddHome() {
  const settings = "it's 100% $HOME 설정";
  const { env, home, database } = createSignedInHome({}, settings);
  const cwd = join(home, 'work "%h" 회의');
  mkdirSync(cwd);
  return { env: { ...env, KITH_CONFIG_DIR: join(home, settings) }, home, cwd, database };
}

const splitLine = (line: string) => line.split(' ');

/** Runs `schedule test` in this process; the job is a process. */
function testJob(line: string, home: string, env: Readonly<Record<string, string>>, folder = home) {
  const invocation = { node: process.execPath, script: launcher, folder };
  const settings = join(home, '.config/kith');
  const cache = { XDG_CACHE_HOME: createEnv(home).XDG_CACHE_HOME ?? '' };
  return createMachine(settings)(line, {
    env: { HOME: home, KITH_CONFIG_DIR: '', ...cache, ...env },
    invocation,
  });
}

const formatRunningNote = (job: string) => `kith: Running (this is not a dry run): kith ${job}\n`;
const meanings = {
  2: 'usage: the command line is invalid or ambiguous; nothing was written',
  3: 'not found: 404, or `find`, `grep` or `search` matched nothing',
  4: 'not authenticated: no key, 401 or 403',
};
const formatFailure = (exit: keyof typeof meanings, hint = '') =>
  `kith: The command fails from cron: exit code ${exit}, ${meanings[exit]}.\n${hint}`;

test.each([
  [
    'workspace import-events /dev/null/x.ics',
    1,
    'kith: Cannot read /dev/null/x.ics: a part of its path is not a folder.\n',
    formatFailure(2),
  ],
  ['config get limit', 0, '25\nThe command works from cron: exit code 0, done.\n', ''],
  ['contacts find --phone 555', 1, 'kith: No contact has the phone number "555".\n', formatFailure(3)],
  [
    'lists list --profile nobody',
    1,
    'kith: Profile "nobody" not found.\nhint: Profiles: demo.\n',
    formatFailure(4),
  ],
  [
    'contacts delete 0rlnky --dry-run',
    0,
    'DELETE /v1/contacts/0rlnky\nThe command works from cron: exit code 0, done.\n',
    '',
  ],
])('schedule test -- %s ends with %i', async (job, code, out, err) => {
  const { env, cwd } = createOddHome();
  // A job that needs a profile gets the active one.
  const fullJob = /profile|config/.test(job) ? job : `--profile demo ${job}`;
  const terminal = { ...env, EDITOR: 'true', VISUAL: 'true' };
  const invocation = { node: process.execPath, script: launcher, folder: cwd };
  expect(await createMachine()(`schedule test -- ${job}`, { env: terminal, invocation })).toEqual({
    code,
    out,
    err: formatRunningNote(fullJob) + err,
  });
});

test('a relative path is made absolute, with a note', async () => {
  const { env, home, cwd } = createOddHome();
  const out = join(cwd, 'x');
  expect(await runKith(splitLine('schedule test -- events export --out x'), { env, cwd })).toEqual({
    code: 0,
    out: `${out}: 36 new, 0 updated, 0 unchanged, 1 pending, 0 failed\nThe command works from cron: exit code 0, done.\n`,
    err: `kith: cron starts in ${home}, so "x" becomes ${out}.\n${formatRunningNote(`--profile demo events export --out ${out}`)}`,
  });
});

const keyStays =
  'hint: KITH_API_KEY is set in this shell but not for cron. Store the key in a file and set ' +
  'KITH_API_KEY_FILE, or sign in with `kith auth login`.\n';
const notSignedIn =
  'kith: You are not signed in to a workspace.\nhint: Sign in with `kith auth login --base-url URL`, or try the sample workspace with `kith auth login --local --demo`.\n';

test('a key that only this shell has is missing in the job', async () => {
  const env = { KITH_API_KEY: 'secret-key-1' };
  expect(await testJob('schedule test -q -- lists list', createTemporaryFolder(), env)).toEqual({
    code: 1,
    out: notSignedIn,
    err: formatFailure(4, keyStays),
  });
});

test('a key in a file is available, and --json reports everything', async () => {
  const home = createTemporaryFolder();
  writeFileSync(join(home, 'key.txt'), 'secret-key-1\n', { mode: 0o600 });
  const env = {
    KITH_API_KEY: 'secret-key-1',
    KITH_API_KEY_FILE: 'key.txt',
    KITH_BASE_URL: 'http://127.0.0.1:9',
    LOGNAME: 'ada',
  };
  const job = 'lists list --retries 0 --json';
  const { code, out, err } = await testJob(`schedule test --json -q -- ${job}`, home, env);
  const { stderr, ...fields } = JSON.parse(out);
  const meaning =
    'try again later: network error, 429 or 5xx after all retries, another run holds the lock, records are deleted each time a list is read, or `--offline` forbids the command';
  expect({ code, fields, error: JSON.parse(stderr).error.code, failure: JSON.parse(err) }).toEqual({
    code: 1,
    fields: {
      works: false,
      exit: 75,
      meaning,
      reasons: [],
      stdout: '',
      command: splitLine(job),
      environment: {
        HOME: home,
        LOGNAME: 'ada',
        SHELL: '/bin/sh',
        PATH: '/usr/bin:/bin',
        XDG_CACHE_HOME: createEnv(home).XDG_CACHE_HOME,
        KITH_API_KEY_FILE: join(home, 'key.txt'),
        KITH_BASE_URL: 'http://127.0.0.1:9',
        TZ: expect.any(String),
      },
    },
    error: 'network',
    failure: {
      error: {
        code: 'failed',
        message: `The command fails from cron: exit code 75, ${meaning}.`,
        details: [],
        exit_code: 1,
        retryable: false,
        warnings: [`Running (this is not a dry run): kith ${job}`],
      },
    },
  });
});

test('a settings folder that is not writable is a likely reason', async () => {
  const env = { KITH_CONFIG_DIR: '/dev/null/kith' };
  const { code, err } = await testJob('schedule test -q -- config set limit 5', createTemporaryFolder(), env);
  expect({ code, err }).toEqual({
    code: 1,
    err:
      'kith: The command fails from cron: exit code 1, failed: invalid response or internal error.\n' +
      'hint: The settings folder /dev/null/kith is not writable.\n',
  });
});

test.each([['gone'], ['file']])('runs no job without a home folder: %s', async (name) => {
  const home = join(createTemporaryFolder(), name);
  if (name === 'file') writeFileSync(home, '');
  expect(await testJob('schedule test -- config set limit 5', home, {})).toEqual({
    code: 1,
    out: '',
    err: `kith: The home folder ${home} does not exist; cron needs it to run jobs.\nhint: Set HOME to the home folder of the user who owns the crontab.\n`,
  });
});

/** A server on a free port of this machine. */
async function listenOnPort(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

test('Ctrl-C stops the job too', async () => {
  const { env, home } = createOddHome();
  let reportRequest = () => {};
  const firstRequest = new Promise<void>((resolve) => {
    reportRequest = resolve;
  });
  let isAnswered = true;
  const { url } = await startTestService((_, response) => {
    isAnswered = false;
    response.on('close', () => {
      isAnswered = true;
    });
    reportRequest();
  });
  const job = ['lists', 'list', '--base-url', url];
  writeFileSync(join(home, 'key.txt'), 'secret-key-1', { mode: 0o600 });
  const run = await runProgram(process.execPath, [launcher, 'schedule', 'test', '-q', '--', ...job], {
    env: { ...env, KITH_API_KEY_FILE: 'key.txt' },
    cwd: home,
    onStart: async (child) => {
      await firstRequest;
      child.kill('SIGINT');
    },
  });
  expect(run).toEqual({ code: 130, out: '', err: 'kith: Interrupted.\n' });
  await expect.poll(() => isAnswered).toBe(true);
});

test.each([
  ['0', false],
  ['80', true],
])('ends in a terminal of %s columns; shows a spinner: %o', async (columns, hasSpinner) => {
  const home = createTemporaryFolder();
  const env = createEnv(home, { TERM: 'xterm' });
  writeFileSync(join(home, 'key.txt'), 'secret-key-1', { mode: 0o600 });
  // A service that takes long enough for a spinner, and then does not respond.
  const server = createServer((socket) => void setTimeout(() => socket.destroy(), 1000));
  const job = `lists list --base-url http://127.0.0.1:${await listenOnPort(server)} --retries 0`;
  const commandLine = `stty cols ${columns}; KITH_API_KEY_FILE=key.txt "${process.execPath}" "${launcher}" schedule test -- ${job}`;
  const line = `script -qec '${commandLine}' /dev/null </dev/null | head -c 50000`;
  const testResult = await runProgram('bash', ['-c', line], { env, cwd: home });
  server.close();
  const out = stripVTControlCharacters(testResult.out);
  expect(out.includes('Running as cron would')).toBe(hasSpinner);
  expect(out).toContain('\nkith: The command fails from cron: exit code 75, try again later: ');
});
