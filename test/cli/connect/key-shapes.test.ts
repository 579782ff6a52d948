import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';

const key = 'kith_AbCdEf0123456789-bCdEf0123456789AbCdEf01234';
const other = 'AbCdEf0123456789AbCdEf0123456789';

test.each([
  [`contacts list --base-url ${key}`, {}],
  [`contacts list --base-url short-key`, {}],
  ['contacts list', { KITH_BASE_URL: key }],
  ['contacts list', { KITH_API_KEY_FILE: key, KITH_BASE_URL: 'https://crm.example.com' }],
  ['contacts list', { KITH_API_KEY_FILE: 'short-key', KITH_BASE_URL: 'https://crm.example.com' }],
  ['contacts list', { KITH_API_KEY_FILE: '/short-key', KITH_BASE_URL: 'https://crm.example.com' }],
  [`contacts list --profile ${key}`, {}],
  ['contacts list', { KITH_PROFILE: other }],
  [`auth switch ${key}`, {}],
  [`auth login --key=${key}`, {}],
  [`auth login --base-url http://${key}`, {}],
  [`auth ${other}`, {}],
  [key, {}],
  [`config set ${key} 1`, {}],
  ['schedule install x --hourly 0 -- contacts list --base-url short-key', {}],
  ['schedule install x --hourly 0 -- contacts list --base-url=short-key', {}],
])('does not print a key that was typed in the wrong place: %s', async (line, env) => {
  for (const json of ['', ' --json']) {
    const { code, out, err } = await createMachine(createTemporaryFolder())(line + json, { env });
    expect([2, 4]).toContain(code);
    expect(out + err).not.toMatch(/AbCdEf|short-key/i);
  }
});

test('prints a wrong word that is not a key', async () => {
  const { err } = await createMachine()('contacts list --profile acme-production-europe-2026');
  expect(err).toContain('"acme-production-europe-2026"');
});
