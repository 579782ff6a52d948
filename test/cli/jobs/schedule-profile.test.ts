import { expect, test } from 'vitest';
import { machine, temporaryFolder } from '../../support/kith.ts';

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

test.each([['print'], ['test']])('the help of schedule %s shows where the job goes', async (verb) => {
  const { out } = await machine()(`schedule ${verb} --help`);
  expect(out.split('\n')[0]).toBe(`Usage: kith schedule ${verb} [options] -- <job...>`);
});
