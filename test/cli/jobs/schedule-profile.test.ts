import { expect, test } from 'vitest';
import { machine, store, temporaryFolder } from '../../support/kith.ts';

test('the profile in use goes with a job, and stays its own after auth switch', async () => {
  const folder = temporaryFolder();
  const kith = machine(folder);
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
  const all = { KITH_BASE_URL: 'https://crm.example.com', KITH_API_KEY_FILE: '/run/key' };
  expect(await line('lists list', all)).toBe('lists list');
});

/** Settings with three profiles; one has the name of a flag. */
function machineWithProfiles() {
  const folder = temporaryFolder();
  const profile = { database: '/srv/kith.sqlite' };
  store(folder, { profiles: { work: profile, home: profile, '--json': profile } });
  return machine(folder);
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
    err: expect.stringMatching(/^kith: The job: There is no profile "nobody"\.\nhint: .*work, home, --json/),
  });
});

test.each([['print'], ['test']])('the help of schedule %s shows where the job goes', async (verb) => {
  const { out } = await machine()(`schedule ${verb} --help`);
  expect(out.split('\n')[0]).toBe(`Usage: kith schedule ${verb} [options] -- <job...>`);
});
