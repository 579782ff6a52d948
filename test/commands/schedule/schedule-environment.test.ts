import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../../support/kith.ts';
import { planSchedule, planStoredSchedule, workFolder } from './plan-schedule.ts';

test('a job keeps the active profile after auth switch', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const line = async (job: string, more = {}) => {
    const env = { KITH_CONFIG_DIR: folder, ...more };
    return (await planStoredSchedule(`--hourly 0 -- ${job}`, env, kith)).job.join(' ');
  };
  await kith('auth login --local --profile first');
  expect(await line('lists list')).toBe('--profile first lists list');
  const first = await line('lists list');
  await kith('auth login --local --profile second');
  expect(await line('keys list')).toBe('--profile second keys list');
  expect(await line('lists list --profile first')).toBe('lists list --profile first');
  expect(await line('keys list --database /x.sqlite')).toBe('keys list --database /x.sqlite');
  expect(await line('config list')).toBe('config list');
  expect(await line('auth login --local')).toBe('auth login --local');
  expect(await line('lists list', { KITH_PROFILE: 'first' })).toBe(first);
  const environment = { KITH_BASE_URL: 'https://crm.example.com', KITH_API_KEY_FILE: '/run/key' };
  expect(await line('lists list', environment)).toBe('lists list');
});

test.each<[Record<string, string>, Record<string, string>]>([
  [{}, {}],
  [{ KITH_BASE_URL: 'https://crm.example.com' }, { KITH_BASE_URL: 'https://crm.example.com' }],
  [
    { KITH_DATABASE_URL: 'postgres://kith:secret12@db.example.com/kith', PGPASSWORD: 'secret34' },
    { KITH_DATABASE_URL: 'postgres://kith@db.example.com/kith' },
  ],
  [
    { PGHOST: 'db.example.com', PGPASSFILE: 'pass' },
    { PGPASSFILE: `${workFolder}/pass`, PGHOST: 'db.example.com' },
  ],
  [{ KITH_API_KEY_FILE: 'key.txt' }, { KITH_API_KEY_FILE: `${workFolder}/key.txt` }],
  [{ KITH_CONFIG_DIR: '../my kith' }, { KITH_CONFIG_DIR: '/home/ada/my kith' }],
  [
    { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' },
    { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' },
  ],
  [{ NODE_EXTRA_CA_CERTS: 'ca.pem' }, { NODE_EXTRA_CA_CERTS: `${workFolder}/ca.pem` }],
  [{ KITH_DEBUG: '1', PAGER: 'less', NODE_OPTIONS: '--inspect' }, {}],
])('a schedule for the environment %o has the variables %o', async (more, variables) => {
  const env = { KITH_CONFIG_DIR: '', ...more };
  const { environment } = await planStoredSchedule('--hourly 0 -- lists list', env);
  const { HOME, ...others } = environment;
  expect(others).toEqual({ SHELL: '/bin/sh', PATH: '/usr/bin:/bin', TZ: 'UTC', ...variables });
});

const keyStays =
  'kith: KITH_API_KEY is set in this shell but not for cron. Store the key in a file and set KITH_API_KEY_FILE, ' +
  'or sign in with `kith auth login`.\n';

test.each([
  ['lists list', keyStays],
  ['config list', ''],
])('the schedule of %s does not contain the key of this shell', async (job, err) => {
  const plan = await planSchedule(`--hourly 0 -- ${job}`, { KITH_API_KEY: 'secret-key-1' });
  expect(plan).toMatchObject({ code: 0, err });
  expect(plan.out).not.toContain('secret');
});

/** Previews a schedule on a machine with three profiles; one has the name of a flag. */
function planWithProfiles(line: string, env: object) {
  const folder = createTemporaryFolder();
  const profile = { database: '/srv/kith.sqlite' };
  writeStoredSettings(folder, { profiles: { work: profile, home: profile, '--json': profile } });
  return planSchedule(line, { KITH_CONFIG_DIR: folder, ...env }, createMachine(folder));
}

test.each([
  [{}, '--json --profile work lists list', '--json --profile work lists list'],
  [{}, 'lists list --profile --json', 'lists list --profile --json'],
  [{ KITH_PROFILE: 'work' }, 'lists list', '--profile work lists list'],
  [{ KITH_PROFILE: 'work' }, '--profile home lists list', '--profile home lists list'],
])('with %o the job %s becomes %s', async (env, job, words) => {
  const { out } = await planWithProfiles(`--json --hourly 0 -- ${job}`, env);
  expect(JSON.parse(out).command.join(' ')).toBe(words);
});

test.each([
  [{}, '', 'lists list --profile nobody'],
  [{}, '--profile nobody', 'keys list'],
  [{ KITH_PROFILE: 'nobody' }, '', 'lists list'],
])('with %o and the flags %s rejects the job %s, whose profile does not exist', async (env, flags, job) => {
  expect(await planWithProfiles(`--hourly 0 ${flags} -- ${job}`, env)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(/^kith: The job: Profile "nobody" not found\.\nhint: .*work, home, --json/),
  });
});

test('the help of schedule install shows -- before the job', async () => {
  const { out } = await createMachine()('schedule install --help');
  expect(out.split('\n')[0]).toBe('Usage: kith schedule install [options] <name> -- <job...>');
});

test('a schedule has the guards of its command line and its shell', async () => {
  const { job, environment } = await planStoredSchedule(
    '--hourly 0 --readonly --max-requests 50 -- lists list',
    { KITH_ALLOW: 'notes' },
  );
  expect(job).toEqual(['--readonly', '--max-requests', '50', 'lists', 'list']);
  expect(environment).toMatchObject({ KITH_ALLOW: 'notes' });
  expect(await planSchedule('--hourly 0 --allow none -- lists list --allow notes')).toEqual({
    code: 2,
    out: '',
    err: 'kith: --allow is set before and after --. Set it only after --.\n',
  });
});

test('a schedule does not contain the password of a database', async () => {
  const url = 'postgres://kith:secret12@db.example.com/kith';
  const plan = await planSchedule('--hourly 0 -- lists list', { KITH_DATABASE_URL: url });
  expect(plan).toMatchObject({
    code: 0,
    out: expect.not.stringContaining('secret12'),
    err: 'kith: The password of the database is set in this shell but not for cron. Put it in ~/.pgpass.\n',
  });
  for (const job of [
    `keys list --database ${url}`,
    `keys list --database=${url}`,
    `workspace copy demo ${url}`,
  ])
    expect(await planSchedule(`--hourly 0 -- ${job}`)).toEqual({
      code: 2,
      out: '',
      err:
        'kith: The job: the URL has a password, which a schedule would show.\n' +
        'hint: Put the password into ~/.pgpass, and use postgres://kith@db.example.com/kith\n',
    });
  const { job } = await planStoredSchedule(
    '--hourly 0 -- keys list --database postgres://db.example.com/kith',
  );
  expect(job).toEqual(['keys', 'list', '--database', 'postgres://db.example.com/kith']);
});

test.each([['gone'], ['file']])('installs no schedule without a home folder: %s', async (name) => {
  const HOME = join(createTemporaryFolder(), name);
  if (name === 'file') writeFileSync(HOME, '');
  expect(await planSchedule('--hourly 0 -- config set limit 5', { HOME })).toEqual({
    code: 1,
    out: '',
    err: `kith: The home folder ${HOME} does not exist; cron needs it to run jobs.\nhint: Set HOME to the home folder of the user who owns the crontab.\n`,
  });
});
