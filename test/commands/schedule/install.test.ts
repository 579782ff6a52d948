import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launcher } from '../../support/binary.ts';
import { createFakeSchedulers } from '../../support/fake-schedulers.ts';
import { createMachine, createTemporaryFolder, type MachineOptions } from '../../support/kith.ts';

/** A machine with fake schedulers. The settings folder has spaces, quotes, a percent sign and Korean letters. */
function createScheduleMachine({
  hasSystemd = false,
  env = {},
}: {
  hasSystemd?: boolean;
  env?: object;
} = {}) {
  const home = createTemporaryFolder();
  const fakes = createFakeSchedulers(home, { hasSystemd });
  const folder = join(home, "it's 50% 설정");
  const machine = createMachine(folder);
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, { ...options, env: { HOME: home, PATH: fakes.PATH, ...env, ...options.env } });
  const schedules = join(folder, 'schedules');
  return { kith, home, schedules, ...fakes };
}

const formatBlock = (schedules: string, time: string, name = 'nightly') => {
  const folder = Buffer.from(schedules.replace(/\/schedules$/, '')).toString('latin1');
  const quoted = folder.replaceAll("'", `'"'"'`).replaceAll('%', '\\%');
  return (
    `# kith schedule ${name}: begin\n` +
    `${time} KITH_CONFIG_DIR='${quoted}' /usr/bin/node /opt/kith/bin/kith.js schedule run ${name}\n` +
    `# kith schedule ${name}: end\n`
  );
};

const job = '-- index update -q';

/** A program that exists. */
const installed = { invocation: { node: process.execPath, script: launcher, folder: '/' } };

test('install adds lines to the crontab and remove deletes them, byte for byte', async () => {
  const { kith, schedules, readCrontab, writeCrontab } = createScheduleMachine();
  const others = '# caf\xe9 \xff\nMAILTO=""\n\n5 4 * * 0 echo 100\\% done\r\n';
  writeCrontab(others);
  const { code, out, err } = await kith(`schedule install nightly --daily 03:00 --yes ${job}`, {
    now: new Date('2026-11-27T21:00:00Z'),
  });
  expect({ code, out, err }).toEqual({
    code: 0,
    out:
      'Installed schedule nightly (cron): every day at 03:00 UTC. Next run: 2026-11-28T03:00:00.000Z.\n' +
      `Log: ${schedules}/nightly.log\n`,
    err: '',
  });
  expect(readCrontab()).toBe(others + formatBlock(schedules, '0 3 * * *'));
  await kith(`schedule install other --hourly 7 --yes ${job}`);
  await kith(`schedule install nightly --every 15m --yes ${job}`);
  expect(readCrontab()).toBe(
    others + formatBlock(schedules, '0,15,30,45 * * * *') + formatBlock(schedules, '7 * * * *', 'other'),
  );
  await kith('schedule remove other --yes');
  expect(await kith('schedule remove nightly --yes')).toEqual({
    code: 0,
    out: 'Removed schedule nightly.\n',
    err: '',
  });
  expect([readCrontab(), readdirSync(schedules)]).toEqual([others, []]);
  expect(await kith('schedule remove nightly --yes --json')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/"deleted": ?false/),
  });
});

test('keeps a line that is added to the crontab during an installation', async () => {
  const { kith, schedules, readCrontab, writeCrontab, addLater } = createScheduleMachine();
  writeCrontab('0 1 * * * x\n');
  addLater('0 2 * * * y\n');
  expect((await kith(`schedule install nightly --every 15m --yes ${job}`)).code).toBe(0);
  expect(readCrontab()).toBe(`0 1 * * * x\n0 2 * * * y\n${formatBlock(schedules, '0,15,30,45 * * * *')}`);
});

test('the stored schedule has the pinned command and environment, and only its owner may read it', async () => {
  const { kith, home, schedules } = createScheduleMachine({
    env: {
      KITH_API_KEY: 'secret-key-1',
      KITH_API_KEY_FILE: '/run/key',
      KITH_BASE_URL: 'https://crm.example.com',
      KITH_READONLY: '1',
      KITH_MAX_REQUESTS: '100',
      KITH_LEDGER: 'states.jsonl',
      KITH_DEBUG: '1',
      HTTPS_PROXY: 'http://proxy.example.com:3128',
      http_proxy: 'http://ada:secret-word@proxy.example.com:3128',
    },
  });
  const words = ['--on-failure', 'mail -s "failed" ada'];
  const { code, err } = await kith([
    ...['schedule', 'install', 'nightly', '--daily', '03:00', '--yes', ...words],
    ...['--', 'events', 'export', '--out', '회의 50%'],
  ]);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('KITH_API_KEY is set in this shell'),
  });
  expect(err).toContain('The proxy of this shell has a password');
  const path = join(schedules, 'nightly.json');
  expect(readFileSync(path, 'utf8')).not.toContain('secret');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    version: 1,
    name: 'nightly',
    scheduler: 'cron',
    time: { minutes: [0], hours: [3] },
    time_zone: 'UTC',
    job: ['events', 'export', '--out', '/home/ada/work/회의 50%'],
    node: '/usr/bin/node',
    script: '/opt/kith/bin/kith.js',
    folder: home,
    environment: {
      HOME: home,
      SHELL: '/bin/sh',
      PATH: '/usr/bin:/bin',
      KITH_CONFIG_DIR: schedules.replace(/\/schedules$/, ''),
      KITH_API_KEY_FILE: '/run/key',
      KITH_LEDGER: '/home/ada/work/states.jsonl',
      KITH_BASE_URL: 'https://crm.example.com',
      HTTPS_PROXY: 'http://proxy.example.com:3128',
      KITH_READONLY: '1',
      KITH_MAX_REQUESTS: '100',
      TZ: 'UTC',
    },
    on_failure: 'mail -s "failed" ada',
  });
  expect([statSync(path).mode & 0o777, statSync(schedules).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('the job of a project runs in the folder of its project file', async () => {
  const { kith, home, schedules } = createScheduleMachine();
  const project = join(home, 'project');
  mkdirSync(join(project, 'notes'), { recursive: true });
  writeFileSync(join(project, '.kith.json'), '{"limit": 5}');
  const invocation = { ...installed.invocation, folder: join(project, 'notes') };
  expect(await kith(`schedule install nightly --hourly 1 --yes ${job}`, { invocation })).toMatchObject({
    code: 0,
  });
  const { folder } = JSON.parse(readFileSync(join(schedules, 'nightly.json'), 'utf8'));
  expect(folder).toBe(project);
});

const line = `schedule install nightly --daily 03:00 --for cron ${job}`;

test('install shows the files and the changed lines, and asks', async () => {
  const { kith, schedules, readCrontab } = createScheduleMachine();
  const declined = await kith(line, { terminal: 200, answers: [false] });
  expect(declined.code).toBe(1);
  expect(declined.err).toContain(`Write ${schedules}/nightly.json:\n  {\n    "version": 1,\n`);
  const entry = Buffer.from(formatBlock(schedules, '0 3 * * *'), 'latin1').toString();
  expect(declined.err).toContain(`Change in the crontab:\n${entry.replace(/^(?=.)/gm, '+ ')}`);
  expect(declined.err).toContain('Install the schedule nightly?');
  expect([readCrontab(), existsSync(schedules)]).toEqual([undefined, false]);
  expect(await kith(line, { terminal: 200, answers: [true] })).toMatchObject({ code: 0 });
  const removal = await kith('schedule remove nightly', { terminal: 200, answers: [false] });
  expect(removal.err).toContain(`Change in the crontab:\n${entry.replace(/^(?=.)/gm, '- ')}`);
  expect(removal.err).toContain(`Remove ${schedules}/nightly.json\n`);
  expect([removal.code, existsSync(join(schedules, 'nightly.json'))]).toEqual([1, true]);
});

test.each([['install'], ['remove']])(
  '%s changes nothing without a terminal and --yes, or with --dry-run',
  async (verb) => {
    const { kith, schedules, readCrontab } = createScheduleMachine();
    await kith(`schedule install nightly --hourly 1 --yes ${job}`);
    const before = [readCrontab(), readdirSync(schedules)];
    const typed = verb === 'install' ? line : 'schedule remove nightly';
    const refusal = {
      code: 2,
      out: '',
      err:
        'kith: Refusing to change this machine without confirmation.\n' +
        'hint: Pass --yes to skip the prompt, or --dry-run to see the changes.\n',
    };
    expect(await kith(typed)).toEqual(refusal);
    expect(await kith(typed, { terminal: 80, env: { CI: 'true' } })).toMatchObject({ code: 2 });
    const preview = await kith(typed.replace(verb, `${verb} --dry-run`));
    expect(preview).toMatchObject({
      code: 0,
      out: expect.stringContaining('Change in the crontab:\n- # kith'),
    });
    expect([readCrontab(), readdirSync(schedules)]).toEqual(before);
  },
);

test.each(['crontab -', 'crontab -l'])('a failing `%s` leaves everything as it was', async (call) => {
  const { kith, schedules, readCrontab, writeCrontab, failAt } = createScheduleMachine();
  writeCrontab('0 1 * * * x\n');
  failAt(`${call}`);
  const failed = await kith(line.replace('install', 'install --yes'));
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining(': it is broken\n') });
  expect([readCrontab(), existsSync(join(schedules, 'nightly.json'))]).toEqual(['0 1 * * * x\n', false]);
  failAt();
  await kith(line.replace('install', 'install --yes'));
  const before = [readCrontab(), readFileSync(join(schedules, 'nightly.json'), 'utf8')];
  failAt(`${call}`);
  expect(await kith(`schedule install nightly --hourly 5 --yes ${job}`)).toMatchObject({ code: 1 });
  expect(await kith('schedule remove nightly --yes')).toMatchObject({ code: 1 });
  expect([readCrontab(), readFileSync(join(schedules, 'nightly.json'), 'utf8')]).toEqual(before);
});

test('concurrent installations install all their schedules', async () => {
  const { kith, readCrontab } = createScheduleMachine();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const results = await Promise.all(
    names.map((name) => kith(`schedule install ${name} --hourly 1 --for cron --yes ${job}`)),
  );
  expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  expect(
    readCrontab()
      ?.match(/(?<=schedule )\w(?=: begin)/g)
      ?.sort(),
  ).toEqual(names);
});

const systemdOnly = { hasSystemd: true };

test('systemd gets a service and a timer, which are enabled', async () => {
  const { kith, home, schedules, takeCalls, readCrontab } = createScheduleMachine(systemdOnly);
  const result = await kith(`schedule install nightly --weekly "mon-fri 07:30" --yes ${job}`, installed);
  expect(result).toMatchObject({
    code: 0,
    out: expect.stringContaining('Installed schedule nightly (systemd): mon,tue,wed,thu,fri at 07:30 UTC.'),
    err: 'kith: The schedule runs only while you are signed in. To change this, type: loginctl enable-linger\n',
  });
  const units = join(home, '.config/systemd/user');
  expect(takeCalls()).toEqual([
    'systemctl --user show-environment',
    'systemctl --user daemon-reload',
    'systemctl --user enable kith-nightly.timer',
    'systemctl --user restart kith-nightly.timer',
  ]);
  expect(readFileSync(join(units, 'kith-nightly.service'), 'utf8')).toContain(
    `ExecStart=${process.execPath} ${launcher} schedule run nightly\n`,
  );
  expect(readFileSync(join(units, 'kith-nightly.timer'), 'utf8')).toContain(
    'OnCalendar=Mon,Tue,Wed,Thu,Fri *-*-* 07:30:00\n',
  );
  expect([readCrontab(), await listStates(kith)]).toEqual([undefined, { nightly: 'installed' }]);
  await kith('schedule remove nightly --yes');
  expect(takeCalls().slice(-2)).toEqual([
    'systemctl --user disable --now kith-nightly.timer',
    'systemctl --user daemon-reload',
  ]);
  expect([readdirSync(units), readdirSync(schedules)]).toEqual([[], []]);
});

test('a failure of systemctl removes the units, or restores those of the earlier schedule', async () => {
  const { kith, home, schedules, takeCalls, failAt } = createScheduleMachine(systemdOnly);
  const units = join(home, '.config/systemd/user');
  failAt('restart');
  const failed = await kith(`schedule install nightly --hourly 1 --yes ${job}`, installed);
  expect(failed).toMatchObject({
    code: 1,
    err: 'kith: systemctl --user restart kith-nightly.timer failed with exit code 1: it is broken\n',
  });
  expect([readdirSync(units), readdirSync(schedules)]).toEqual([[], []]);
  expect(takeCalls().slice(-2)).toEqual([
    'systemctl --user disable --now kith-nightly.timer',
    'systemctl --user daemon-reload',
  ]);
  failAt();
  await kith(`schedule install nightly --hourly 1 --yes ${job}`, installed);
  takeCalls();
  failAt('restart');
  expect(await kith(`schedule install nightly --hourly 2 --yes ${job}`)).toMatchObject({ code: 1 });
  expect(readFileSync(join(units, 'kith-nightly.timer'), 'utf8')).toContain(' *:01:00\n');
  expect(takeCalls().at(-1)).toBe('systemctl --user daemon-reload');
  expect(await listStates(kith)).toEqual({ nightly: 'installed' });
});

test('a folder for schedules that cannot be created is a failure with its path', async () => {
  const { kith, schedules, readCrontab } = createScheduleMachine();
  mkdirSync(join(schedules, '..'), { recursive: true });
  writeFileSync(schedules, '');
  const { code, err } = await kith(`schedule install nightly --hourly 1 --yes ${job}`);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(`kith: Cannot write ${schedules}: `),
  });
  expect(readCrontab()).toBeUndefined();
});

test('a crontab that cannot be read matters only to schedules of cron', async () => {
  const { kith, failAt, readCrontab } = createScheduleMachine(systemdOnly);
  await kith(`schedule install nightly --hourly 1 --yes ${job}`, installed);
  const message = 'kith: crontab -l failed with exit code 1: it is broken\n';
  failAt('crontab -l');
  expect(await kith('schedule list --jq .[].state')).toEqual({ code: 0, out: 'installed\n', err: message });
  expect(await kith('schedule remove nightly --yes')).toMatchObject({ code: 0, err: message });
  failAt();
  await kith(`schedule install nightly --hourly 1 --for cron --yes ${job}`, installed);
  failAt('crontab -l');
  expect(await kith('schedule list')).toMatchObject({ code: 1, err: message });
  expect(await kith('schedule remove nightly --yes')).toMatchObject({ code: 1, err: message });
  expect(readCrontab()).toContain('schedule run nightly');
});

test('an interrupted change of the crontab is reverted, and lines added in the meantime stay', async () => {
  const { kith, bin, schedules, readCrontab, writeCrontab } = createScheduleMachine();
  writeCrontab('0 1 * * * mine');
  const program = readFileSync(join(bin, 'crontab'), 'utf8');
  // It has replaced the crontab, but does not end yet.
  const slow = program.replace(
    'mv tab.new tab ;;',
    'mv tab.new tab; echo "0 2 * * * new" >> tab; sleep 30 ;;',
  );
  writeFileSync(join(bin, 'crontab'), slow);
  const { Failure } = await import('../../../src/contract/errors.ts');
  const interrupt = new AbortController();
  const timer = setInterval(() => {
    if (!readCrontab()?.includes('new')) return;
    clearInterval(timer);
    writeFileSync(join(bin, 'crontab'), program);
    interrupt.abort(new Failure('interrupted', 'Interrupted.'));
  }, 20);
  const { code } = await kith(`schedule install nightly --hourly 1 --yes ${job}`, {
    signal: interrupt.signal,
  });
  expect(code).toBe(130);
  expect(readCrontab()).toBe('0 1 * * * mine\n0 2 * * * new\n');
  expect(readdirSync(schedules)).toEqual([]);
});

test('a schedule that moves to another scheduler leaves no entry in the first one', async () => {
  const { kith, home, readCrontab } = createScheduleMachine(systemdOnly);
  await kith(`schedule install nightly --hourly 1 --for cron --yes ${job}`);
  await kith(`schedule install nightly --hourly 1 --yes ${job}`);
  expect(readCrontab()).toBeUndefined();
  await kith(`schedule install nightly --hourly 1 --for cron --yes ${job}`);
  expect(readdirSync(join(home, '.config/systemd/user'))).toEqual([]);
  expect(readCrontab()).toContain('nightly');
});

test('launchd gets an agent, which is loaded', async () => {
  const { kith, home, takeCalls } = createScheduleMachine();
  expect(
    await kith(`schedule install nightly --daily 03:00 --for launchd --yes ${job}`, installed),
  ).toMatchObject({
    code: 0,
  });
  const agent = join(home, 'Library/LaunchAgents/kith-nightly.plist');
  const domain = `gui/${process.getuid?.()}`;
  expect(takeCalls()).toEqual([
    `launchctl bootout ${domain}/kith-nightly`,
    `launchctl bootstrap ${domain} ${agent}`,
  ]);
  expect(readFileSync(agent, 'utf8')).toContain('<key>Label</key>\n  <string>kith-nightly</string>');
  expect(await listStates(kith)).toEqual({ nightly: 'installed' });
  await kith('schedule remove nightly --yes');
  expect([takeCalls().at(-1), existsSync(agent)]).toEqual([
    `launchctl bootout ${domain}/kith-nightly`,
    false,
  ]);
});

test('without a scheduler on this machine nothing is installed', async () => {
  const { kith, schedules } = createScheduleMachine();
  expect(await kith(line.replace('install', 'install --yes'), { env: { PATH: '/nonexistent' } })).toEqual({
    code: 1,
    out: '',
    err:
      'kith: The program crontab is not installed.\n' +
      'hint: Install cron, or choose another scheduler with --for.\n',
  });
  expect(existsSync(join(schedules, 'nightly.json'))).toBe(false);
});

/** Returns the states of the listed schedules by their names. */
async function listStates(kith: ReturnType<typeof createScheduleMachine>['kith']) {
  const records: { name: string; state: string }[] = JSON.parse((await kith('schedule list --json')).out);
  return Object.fromEntries(records.map(({ name, state }) => [name, state]));
}

test('list shows next runs, and schedules whose entry or program is missing', async () => {
  const { kith, home, schedules, readCrontab, writeCrontab } = createScheduleMachine();
  const invocation = { node: process.execPath, script: join(home, 'kith.js'), folder: home };
  writeFileSync(invocation.script, '');
  const install = (name: string) =>
    kith(`schedule install ${name} --daily 03:00 --for cron --yes ${job}`, { invocation });
  for (const name of ['damaged', 'newer', 'open', 'nightly', 'orphan', 'vanished']) await install(name);
  writeFileSync(join(schedules, 'damaged.json'), '{');
  const newer = join(schedules, 'newer.json');
  writeFileSync(newer, readFileSync(newer, 'utf8').replace('"version": 1', '"version": 2'));
  writeFileSync(join(schedules, 'open.json'), readFileSync(join(schedules, 'open.json')), { mode: 0o666 });
  spawnSync('chmod', ['666', join(schedules, 'open.json')]);
  rmSync(join(schedules, 'orphan.json'));
  writeCrontab((readCrontab() ?? '').replace(/# kith schedule vanished: begin\n(.*\n){2}/, ''));
  const now = new Date('2026-11-27T21:00:00Z');
  const { out, err } = await kith('schedule list --jq .', { now });
  expect(JSON.parse(out)[2]).toEqual({
    name: 'nightly',
    scheduler: 'cron',
    schedule: 'every day at 03:00',
    time_zone: 'UTC',
    state: 'installed',
    next_run: '2026-11-28T03:00:00.000Z',
    last_run: null,
    last_exit_code: null,
    log: join(schedules, 'nightly.log'),
    command: 'kith index update -q',
    on_failure: null,
    last_error: null,
  });
  expect(err).toContain(`Cannot use ${join(schedules, 'open.json')}: other users can change it.`);
  expect(await listStates(kith)).toEqual({
    damaged: 'damaged',
    newer: 'newer version',
    nightly: 'installed',
    open: 'damaged',
    orphan: 'job missing',
    vanished: 'entry missing',
  });
  rmSync(invocation.script);
  expect(await listStates(kith)).toMatchObject({ nightly: 'program missing', vanished: 'entry missing' });
  for (const format of ['table', 'ndjson', 'csv', 'tsv']) {
    const { code, out } = await kith(`schedule list -q --format ${format} --fields name,state`);
    expect([code, out.split('\n').filter((row) => row.includes('vanished'))]).toEqual([
      0,
      [expect.any(String)],
    ]);
  }
  for (const name of ['damaged', 'newer', 'open', 'nightly', 'orphan', 'vanished'])
    expect(await kith(`schedule remove ${name} --yes`)).toMatchObject({ code: 0 });
  expect([readCrontab(), readdirSync(schedules)]).toEqual([undefined, []]);
});

test('installs in the time zone that TZ and the machine have', async () => {
  const { kith } = createScheduleMachine({ env: { TZ: realpathSync('/etc/localtime') } });
  const line = `schedule install nightly --monthly "31 03:00" --after-failures 3 --for cron --yes ${job}`;
  expect(await kith(line)).toMatchObject({
    code: 0,
    err: 'kith: Day 31 is skipped in months that do not have it.\n',
  });
});

test('does not replace the schedule of a newer version, but removes it', async () => {
  const { kith, schedules } = createScheduleMachine();
  const line = `schedule install nightly --daily 03:00 --for cron --yes ${job}`;
  await kith(line);
  const path = join(schedules, 'nightly.json');
  const text = readFileSync(path, 'utf8').replace('"version": 1', '"version": 2');
  writeFileSync(path, text);
  expect(await kith(line)).toMatchObject({
    code: 1,
    err: `kith: The schedule ${path} was written by a newer version of kith.\nhint: Update kith.\n`,
  });
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(await kith('schedule remove nightly --yes')).toMatchObject({ code: 0 });
});

const invalidName = (name: string) =>
  `kith: "${name}" is not a valid name for a schedule.\n` +
  'hint: Use up to 50 letters, digits and "-", starting with a letter or digit.\n';

test.each<[string, string | RegExp, object?]>([
  ['install "a b" --hourly 1 --yes -- index update', invalidName('a b')],
  ['install 회의 --hourly 1 --yes -- index update', invalidName('회의')],
  ['remove ../x --yes', invalidName('../x')],
  ['run a.b', invalidName('a.b')],
  [
    'install nightly --hourly 1 --yes --on-failure "curl -H secret-key-1" -- index update',
    'kith: --on-failure contains the API key, which the schedule would store.\n',
  ],
  [
    'install nightly --hourly 1 --yes --on-failure "psql postgres://ada:s3cretpw99@db/x" -- index update',
    'kith: --on-failure contains a password, which the schedule would store.\n',
  ],
  [
    'install nightly --hourly 1 --yes -- contacts list --where "name = secret-key-1"',
    'kith: The job contains the API key, which the schedule would store.\n',
  ],
  [
    'install nightly --hourly 1 --yes -- schedule remove nightly',
    'kith: The job: "remove" asks before it changes this machine: add --yes.\n',
  ],
  [
    'install nightly --hourly 1 --yes -- lists list --profile nobody',
    /^kith: The job: Profile "nobody" not found\./,
  ],
  [
    'install nightly --hourly 1 --for cron --yes -- index update',
    /^kith: KITH_ALLOW is empty\.\n/,
    { KITH_ALLOW: '' },
  ],
  [
    'install nightly --hourly 1 --yes -- index update',
    'kith: Schedules run in the time zone of the machine, but TZ is a different one.\nhint: Unset TZ: env -u TZ kith schedule install ...\n',
    { TZ: 'Asia/Seoul' },
  ],
  ['run nightly', /^kith: Schedule "nightly" not found\.\nhint: .*`kith schedule list`/],
])('schedule %s fails without a change', async (words, message, env = {}) => {
  const { kith, schedules, takeCalls } = createScheduleMachine({
    env: { KITH_API_KEY: 'secret-key-1', ...env },
  });
  const { code, out, err } = await kith(`schedule ${words}`);
  expect([out, [2, 3]]).toEqual(['', expect.arrayContaining([code])]);
  if (typeof message === 'string') expect(err).toBe(message);
  else expect(err).toMatch(message);
  expect([takeCalls(), existsSync(schedules)]).toEqual([[], false]);
});
