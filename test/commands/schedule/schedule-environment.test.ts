import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../../support/kith.ts';

test('a job keeps the active profile after auth switch', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const line = async (job: string, more = {}) => {
    const { out } = await kith(`schedule print --hourly 0 --for cron -- ${job}`, { env: more });
    return out.split('/kith.js ')[1]?.trim();
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

const env = { KITH_CONFIG_DIR: '/etc/kith', HOME: '/home/ada' };
const program = 'KITH_CONFIG_DIR=/etc/kith TZ=UTC /usr/bin/node /opt/kith/bin/kith.js';
const comment = 'kith: cron: add this line with: crontab -e (times in UTC)\n';
const workFolder = '/home/ada/work';
const printSchedule = (line: string, more = {}) =>
  createMachine()(`schedule print ${line}`, { env: { ...env, ...more } });

test.each<[Record<string, string>, string]>([
  [{}, ''],
  [{ KITH_BASE_URL: 'https://crm.example.com' }, 'KITH_BASE_URL=https://crm.example.com '],
  [
    { KITH_DATABASE_URL: 'postgres://kith:secret12@db.example.com/kith', PGPASSWORD: 'secret34' },
    'KITH_DATABASE_URL=postgres://kith@db.example.com/kith ',
  ],
  [{ PGHOST: 'db.example.com', PGPASSFILE: 'pass' }, `PGPASSFILE=${workFolder}/pass PGHOST=db.example.com `],
  [{ KITH_API_KEY_FILE: 'key.txt' }, `KITH_API_KEY_FILE=${workFolder}/key.txt `],
  [{ KITH_CONFIG_DIR: '../my kith' }, "KITH_CONFIG_DIR='/home/ada/my kith' "],
  [{ XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, 'XDG_CONFIG_HOME=/c XDG_DATA_HOME=/d '],
  [{ NODE_EXTRA_CA_CERTS: 'ca.pem' }, `NODE_EXTRA_CA_CERTS=${workFolder}/ca.pem `],
  [{ KITH_DEBUG: '1', PAGER: 'less', PATH: '/opt/bin', NODE_OPTIONS: '--inspect' }, ''],
])('a schedule for the environment %o has the variables "%s"', async (more, variables) => {
  const { out } = await printSchedule('--hourly 0 --for cron -- lists list', {
    KITH_CONFIG_DIR: '',
    ...more,
  });
  expect(out).toBe(`0 * * * * ${variables}TZ=UTC /usr/bin/node /opt/kith/bin/kith.js lists list\n`);
});

const keyStays =
  'kith: KITH_API_KEY is set in this shell but not for cron. Store the key in a file and set KITH_API_KEY_FILE, ' +
  'or sign in with `kith auth login`.\n';

test.each([
  ['lists list', keyStays],
  ['config list', ''],
])('the schedule of %s does not contain the key of this shell', async (job, err) => {
  const more = { KITH_API_KEY: 'secret-key-1' };
  expect(await printSchedule(`--hourly 0 --for cron -- ${job}`, more)).toEqual({
    code: 0,
    out: `0 * * * * ${program} ${job}\n`,
    err: err + comment,
  });
  expect((await printSchedule(`--hourly 0 --json -- ${job}`, more)).out).not.toContain('secret');
});

/** Settings with three profiles; one has the name of a flag. */
function machineWithProfiles() {
  const folder = createTemporaryFolder();
  const profile = { database: '/srv/kith.sqlite' };
  writeStoredSettings(folder, { profiles: { work: profile, home: profile, '--json': profile } });
  return createMachine(folder);
}

test.each([
  [{}, '--json --profile work lists list', '--json --profile work lists list'],
  [{}, 'lists list --profile --json', 'lists list --profile --json'],
  [{ KITH_PROFILE: 'work' }, 'lists list', '--profile work lists list'],
  [{ KITH_PROFILE: 'work' }, '--profile home lists list', '--profile home lists list'],
])('with %o the job %s becomes %s', async (env, job, words) => {
  const { out } = await machineWithProfiles()(`schedule print --hourly 0 --for cron -- ${job}`, { env });
  expect(out.split('/kith.js ')[1]).toBe(`${words}\n`);
});

test.each([
  [{}, '', 'lists list --profile nobody'],
  [{}, '--profile nobody', 'keys list'],
  [{ KITH_PROFILE: 'nobody' }, '', 'lists list'],
])('with %o schedule print %s rejects the job %s, whose profile does not exist', async (env, flags, job) => {
  const line = `schedule print --hourly 0 ${flags} -- ${job}`;
  expect(await machineWithProfiles()(line, { env })).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(/^kith: The job: Profile "nobody" not found\.\nhint: .*work, home, --json/),
  });
});

test.each([['print'], ['test']])('the help of schedule %s shows -- before the job', async (verb) => {
  const { out } = await createMachine()(`schedule ${verb} --help`);
  expect(out.split('\n')[0]).toBe(`Usage: kith schedule ${verb} [options] -- <job...>`);
});

test('a schedule has the guards of its command line and its shell', async () => {
  const guarded = await printSchedule('--hourly 0 --for cron --readonly --max-requests 50 -- lists list', {
    KITH_ALLOW: 'notes',
  });
  expect(guarded.out).toBe(
    '0 * * * * KITH_CONFIG_DIR=/etc/kith KITH_ALLOW=notes TZ=UTC /usr/bin/node /opt/kith/bin/kith.js ' +
      '--readonly --max-requests 50 lists list\n',
  );
  expect(await printSchedule('--hourly 0 --allow none -- lists list --allow notes')).toEqual({
    code: 2,
    out: '',
    err: 'kith: --allow is set before and after --. Set it only after --.\n',
  });
  expect(await printSchedule('--hourly 0 -- lists list', { KITH_ALLOW: '' })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^kith: KITH_ALLOW is empty\.\n/),
  });
});

test('a schedule does not contain the password of a database', async () => {
  const password =
    'kith: The password of the database is set in this shell but not for cron. Put it in ~/.pgpass.\n';
  const url = 'postgres://kith:secret12@db.example.com/kith';
  const { code, err } = await printSchedule('--hourly 0 --for cron -- lists list', {
    KITH_DATABASE_URL: url,
  });
  expect({ code, err }).toEqual({ code: 0, err: password + comment });
  for (const job of [
    `keys list --database ${url}`,
    `keys list --database=${url}`,
    `workspace copy demo ${url}`,
  ])
    expect(await printSchedule(`--hourly 0 --for cron -- ${job}`)).toEqual({
      code: 2,
      out: '',
      err:
        'kith: The job: the URL has a password, which a schedule would show.\n' +
        'hint: Put the password into ~/.pgpass, and use postgres://kith@db.example.com/kith\n',
    });
  const { out } = await printSchedule(
    '--hourly 0 --for cron -- keys list --database postgres://db.example.com/kith',
  );
  expect(out).toContain('keys list --database postgres://db.example.com/kith\n');
});
