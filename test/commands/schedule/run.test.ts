import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addGuardVariables } from '../../../src/commands/schedule/guard-variables.ts';
import { RunLog } from '../../../src/commands/schedule/run-log.ts';
import { Failure } from '../../../src/contract/errors.ts';
import { startTestService } from '../../client/loopback.ts';
import { createSignedInHome, launcher } from '../../support/binary.ts';
import { createFakeSchedulers } from '../../support/fake-schedulers.ts';
import { createMachine, createTemporaryFolder, type MachineOptions } from '../../support/kith.ts';

/** A machine with a schedule named nightly, whose job is a process. */
async function createScheduledMachine(job: string, flags: readonly string[] = []) {
  const settings = "it's 100% 설정";
  const { home } = createSignedInHome({}, settings);
  const folder = join(home, settings);
  const fakes = createFakeSchedulers(home);
  const machine = createMachine(folder);
  const invocation = { node: process.execPath, script: launcher, folder: home };
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, { invocation, ...options, env: { HOME: home, PATH: fakes.PATH, ...options.env } });
  const words = ['schedule', 'install', 'nightly', '--hourly', '0', '--for', 'cron', '--yes', ...flags];
  expect(await kith([...words, '--', ...job.split(' ')])).toMatchObject({ code: 0 });
  const readLog = () => readFileSync(join(folder, 'schedules/nightly.log'), 'utf8');
  const readLastRun = async () => {
    const [{ last_run, last_exit_code }] = JSON.parse((await kith('schedule list --json')).out);
    return { last_run, last_exit_code };
  };
  return { kith, home, folder, readLog, readLastRun, ...fakes };
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

test('run exits with 0, logs the output of the job, and list shows the run', async () => {
  const { kith, home, folder, readLog, readLastRun } =
    await createScheduledMachine('events export --out 요약');
  expect(await kith('schedule run nightly')).toEqual({ code: 0, out: '', err: '' });
  expect(readLog()).toMatch(
    new RegExp(
      `^${time} start: kith --profile demo events export --out '?${home}/요약'?\n` +
        `${home}/요약: 36 new, .*\n` +
        `${time} end: exit code 0, done\n$`,
    ),
  );
  expect(statSync(join(folder, 'schedules/nightly.log')).mode & 0o777).toBe(0o600);
  expect(await readLastRun()).toEqual({ last_run: expect.stringMatching(time), last_exit_code: 0 });
  const shown = await kith('schedule run nightly', { terminal: 100 });
  expect(shown.out).toContain('요약: 0 new');
});

test.each(['{', '{"version":2}'])(
  'a last run that kith cannot read does not stop the job: %s',
  async (text) => {
    const { kith, folder, readLastRun } = await createScheduledMachine('contacts list --limit 1');
    writeFileSync(join(folder, 'schedules/nightly.last-run.json'), text);
    expect(await readLastRun()).toEqual({ last_run: null, last_exit_code: null });
    expect((await kith('schedule run nightly')).code).toBe(0);
    expect(await readLastRun()).toMatchObject({ last_exit_code: 0 });
  },
);

test('the guards of a run and of its schedule apply to the job', async () => {
  const { kith, readLog } = await createScheduledMachine('contacts create --first-name Ada', [
    '--max-writes',
    '5',
  ]);
  const run = async (env: Record<string, string>, flags = '') =>
    (await kith(`schedule run nightly ${flags}`, { env })).code;
  expect(await run({ KITH_READONLY: '1' })).toBe(8);
  expect(readLog()).toContain('contacts create is not allowed: KITH_READONLY is set.');
  expect(await run({ KITH_MAX_WRITES: '0' })).toBe(9);
  expect(await run({}, '--allow notes')).toBe(8);
});

test('merges the variables of two guards into the stricter value', () => {
  const stored = { TZ: 'UTC', KITH_ALLOW: 'contacts,notes:create', KITH_MAX_WRITES: '5', KITH_READONLY: '0' };
  const env = { KITH_ALLOW: 'contacts:update,notes', KITH_MAX_WRITES: '9', KITH_READONLY: 'true' };
  const flags = { readonly: false, allow: undefined, maxWrites: undefined, maxRequests: 7 };
  expect(addGuardVariables(stored, flags, env)).toEqual({
    TZ: 'UTC',
    KITH_ALLOW: 'contacts:update,notes:create',
    KITH_MAX_WRITES: '5',
    KITH_MAX_REQUESTS: '7',
    KITH_READONLY: 'true',
  });
  expect(addGuardVariables(stored, { ...flags, maxRequests: undefined }, {})).toEqual(stored);
});

test('a failed job sets the exit code, which --on-failure receives, but no secret', async () => {
  const command = 'env > failure.txt; echo "told $KITH_EXIT_CODE"; exit 9';
  const { kith, home, folder, readLog, readLastRun } = await createScheduledMachine(
    'contacts find --phone 555',
    ['--on-failure', command],
  );
  const log = join(folder, 'schedules/nightly.log');
  const secrets = {
    KITH_API_KEY: 'secret-key-1',
    PGPASSWORD: 'secret-word',
    KITH_API_KEY_FILE: '/run/secret',
  };
  const { code, err } = await kith('schedule run nightly', { env: { ...secrets, LANG: 'ko_KR.UTF-8' } });
  expect({ code, err }).toEqual({
    code: 3,
    err:
      'kith: The command of --on-failure failed with exit code 9.\n' +
      'kith: The schedule nightly failed: exit code 3: No contact has the phone number "555".\n' +
      `hint: See ${log}\n`,
  });
  const environment = readFileSync(join(home, 'failure.txt'), 'utf8');
  expect(environment).toContain(`KITH_SCHEDULE=nightly\n`);
  expect(environment.split('\n')).toEqual(
    expect.arrayContaining([
      'KITH_EXIT_CODE=3',
      'KITH_ERROR=No contact has the phone number "555".',
      `KITH_LOG=${log}`,
      `HOME=${home}`,
      'LANG=ko_KR.UTF-8',
    ]),
  );
  expect(environment).not.toContain('secret');
  expect(readLog()).toMatch(
    /No contact has the phone number "555"\.\n.* end: exit code 3, .*\n.* on failure: env > .*\ntold 3\n.* The command of --on-failure failed/,
  );
  expect(await readLastRun()).toMatchObject({ last_exit_code: 3 });
});

test('reports only the Nth failure in a row, in a terminal every failure', async () => {
  const { kith, home, folder } = await createScheduledMachine('contacts find --phone 555', [
    ...['--after-failures', '3', '--on-failure', 'echo "$KITH_ERROR" >> told'],
  ]);
  const run = (options?: MachineOptions) => kith('schedule run nightly', options);
  const readTold = () => (existsSync(join(home, 'told')) ? readFileSync(join(home, 'told'), 'utf8') : '');
  const readError = async () => (await kith('schedule list --jq .[].last_error')).out;
  expect(await run()).toEqual({ code: 3, out: '', err: '' });
  expect(await readError()).toBe('No contact has the phone number "555".\n');
  expect((await run({ terminal: 100 })).err).toContain('The schedule nightly failed (2 times in a row)');
  expect(readTold()).toBe('');
  expect((await run()).err).toContain('failed (3 times in a row): exit code 3: No contact has');
  expect(readTold()).toBe('No contact has the phone number "555".\n');
  const definition = join(folder, 'schedules/nightly.json');
  const stored = JSON.parse(readFileSync(definition, 'utf8'));
  const setJob = (words: readonly string[]) =>
    writeFileSync(definition, JSON.stringify({ ...stored, ...{ script: words[0], job: words.slice(1) } }));
  setJob([stored.script, 'config', 'get', 'limit']);
  expect([await run(), await readError()]).toEqual([{ code: 0, out: '', err: '' }, 'null\n']);
  setJob([stored.script, ...stored.job]);
  expect(await run()).toEqual({ code: 3, out: '', err: '' });
});

test('the reported error has no key and no password', async () => {
  const flags = ['--on-failure', 'echo "$KITH_ERROR" > told'];
  const { kith, home, folder } = await createScheduledMachine('config get limit', flags);
  const definition = join(folder, 'schedules/nightly.json');
  const stored = JSON.parse(readFileSync(definition, 'utf8'));
  const script =
    'console.error("kith: kith_abcdefghijklmnopqrstuvwxyz postgres://ada:s3cretpw99@db/x"); process.exit(1)';
  writeFileSync(definition, JSON.stringify({ ...stored, script: '-e', job: [script] }), { mode: 0o600 });
  const error = '[key] postgres://ada@db/x';
  expect((await kith('schedule run nightly')).err).toContain(`exit code 1: ${error}\n`);
  expect((await kith('schedule list --jq .[].last_error')).out).toBe(`${error}\n`);
  expect(readFileSync(join(home, 'told'), 'utf8')).toBe(`${error}\n`);
});

test('the error of a run is its last error line, without control characters and with a limited length', () => {
  const folder = createTemporaryFolder();
  const findError = (...texts: readonly string[]) => {
    const log = new RunLog(join(folder, 'x.log'));
    for (const text of texts) log.writeError(text);
    log.close();
    return log.findError();
  };
  expect(findError('kith: First.\nkith: Not', ' found.\nhint: kith contacts list\n')).toBe('Not found.');
  expect(findError('\nError: Cannot find module\n    at x\n\nNode.js v20.19.0\n')).toBe(
    'Error: Cannot find module',
  );
  expect(
    findError(JSON.stringify({ error: { message: 'No "x".', errors: [{ message: 'y' }] } }, null, 2)),
  ).toBe('No "x".');
  expect(findError('\u001b[31mred\u001b[0m\r\n')).toBe('\\x1b[31mred\\x1b[0m');
  expect(findError('x'.repeat(100_000))).toBe(`${'x'.repeat(299)}…`);
  expect(findError()).toBeUndefined();
});

test('the job gets the environment of the installation, not that of the scheduler', async () => {
  const { kith, readLog } = await createScheduledMachine('auth status --json');
  const env = { KITH_PROFILE: 'nobody', KITH_BASE_URL: 'https://other.example.com', KITH_FORMAT: 'csv' };
  expect(await kith('schedule run nightly', { env })).toMatchObject({ code: 0 });
  expect(readLog()).toMatch(/"profile": ?"demo"/);
});

test('notes that the URL of an earlier version is not requested', async () => {
  const { kith, folder, readLog } = await createScheduledMachine('config get limit');
  const definition = join(folder, 'schedules/nightly.json');
  const stored = JSON.parse(readFileSync(definition, 'utf8'));
  const text = JSON.stringify({ ...stored, ping: 'http://127.0.0.1:9/x' });
  writeFileSync(definition, text, { mode: 0o600 });
  const note =
    'kith no longer requests the URL of --ping. Install the schedule nightly again; see `kith help scripting`.';
  expect(await kith('schedule run nightly')).toEqual({ code: 0, out: '', err: `kith: ${note}\n` });
  expect(readLog()).toContain(note);
});

test('a second run does not start while the first one runs, and a removal leaves no file', async () => {
  let release = () => {};
  const { url } = await startTestService((_, response) => {
    release = () => response.writeHead(404).end();
    reportRequest();
  });
  let reportRequest = () => {};
  const firstRequest = new Promise<void>((resolve) => {
    reportRequest = resolve;
  });
  const { kith, folder, readLog, readLastRun } = await createScheduledMachine(`api /v1/x --base-url ${url}`);
  // The job reads its key from a file that the installation names.
  const definition = join(folder, 'schedules/nightly.json');
  const stored = JSON.parse(readFileSync(definition, 'utf8'));
  writeFileSync(join(folder, 'key.txt'), 'secret-key-1', { mode: 0o600 });
  stored.environment.KITH_API_KEY_FILE = join(folder, 'key.txt');
  stored.job = stored.job.filter((word: string) => !/^(--profile|demo)$/.test(word));
  writeFileSync(definition, JSON.stringify(stored), { mode: 0o600 });
  const first = kith('schedule run nightly');
  await firstRequest;
  expect(await kith('schedule run nightly')).toEqual({
    code: 75,
    out: '',
    err: expect.stringMatching(
      /^kith: Another run is running the schedule nightly: process \d+, since .*\n$/,
    ),
  });
  expect(readLog()).toMatch(/ skipped: Another run is running the schedule nightly/);
  expect(await readLastRun()).toEqual({ last_run: expect.stringMatching(time), last_exit_code: null });
  expect(await kith('schedule remove nightly --yes')).toMatchObject({ code: 0 });
  release();
  expect((await first).code).toBe(3);
  expect(readdirSync(join(folder, 'schedules'))).toEqual([]);
});

test('a signal ends the job, and the command on failure does not run', async () => {
  const controller = new AbortController();
  const { url, requests } = await startTestService(() =>
    controller.abort(new Failure('terminated', 'Terminated.')),
  );
  const flags = ['--on-failure', 'touch failure.txt'];
  const { kith, home, folder, readLog, readLastRun } = await createScheduledMachine(
    'config get limit',
    flags,
  );
  // A program that waits until it receives the signal.
  const definition = join(folder, 'schedules/nightly.json');
  const stored = JSON.parse(readFileSync(definition, 'utf8'));
  const script = `fetch(${JSON.stringify(url)}).catch(() => {}); process.on("SIGTERM", () => process.exit(143))`;
  writeFileSync(definition, JSON.stringify({ ...stored, script: '-e', job: [script] }), { mode: 0o600 });
  const { code, err } = await kith('schedule run nightly', { signal: controller.signal });
  expect({ code, err }).toEqual({ code: 143, err: 'kith: Terminated.\n' });
  expect(readLog()).toMatch(/ end: exit code 143, terminated\n$/);
  expect(await readLastRun()).toMatchObject({ last_exit_code: 143 });
  expect([requests.length, existsSync(join(home, 'failure.txt'))]).toEqual([1, false]);
});

test('the output of one run is limited', () => {
  const folder = createTemporaryFolder();
  const log = join(folder, 'x.log');
  const runLog = new RunLog(log);
  for (let count = 0; count < 10; count += 1) runLog.write('x'.repeat(1024 * 1024));
  runLog.note(new Date('2026-11-27T21:00:00Z'), 'end');
  runLog.close();
  const text = readFileSync(log, 'utf8');
  expect([text.length < 5 * 1024 * 1024, text.slice(-110)]).toEqual([
    true,
    expect.stringMatching(/x\nkith: the output is too long; .*\n2026-11-27T21:00:00.000Z end\n$/),
  ]);
});

test('a job that cannot start fails with 127 in the log, and the command on failure runs', async () => {
  const { kith, home, folder, readLog } = await createScheduledMachine('config get limit', [
    ...['--on-failure', 'echo "$KITH_EXIT_CODE" > told'],
  ]);
  const definition = join(folder, 'schedules/nightly.json');
  const text = readFileSync(definition, 'utf8').replace(process.execPath, '/opt/node-19/bin/node');
  writeFileSync(definition, text, { mode: 0o600 });
  const { code, err } = await kith('schedule run nightly');
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(
      'The schedule nightly failed: exit code 127: spawn /opt/node-19/bin/node ENOENT\n',
    ),
  });
  expect(readLog()).toContain('ENOENT');
  expect(readFileSync(join(home, 'told'), 'utf8')).toBe('127\n');
});
