import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/settings/base-url.ts';
import { resolveConnection } from '../../src/settings/connection.ts';
import type { ConnectionFlags } from '../../src/settings/database-location.ts';
import type { Environment } from '../../src/settings/paths.ts';
import type { Settings, StoredSettings } from '../../src/settings/settings.ts';

const stored: StoredSettings = {
  active: 'work',
  profiles: {
    work: { base_url: 'https://crm.example.com/eu', api_key: 'key-of-work' },
    other: { base_url: 'https://other.example.com', api_key: 'key-of-other' },
    demo: { database: '/tmp/demo.sqlite' },
  },
};

const settingsOf = (stored: StoredSettings): Pick<Settings, 'read'> => ({ read: () => stored });

const unread = (): Settings => {
  throw new Error('The settings were read without need.');
};

const hosted = (
  profile: string | undefined,
  [baseUrl, baseUrlSource]: readonly [string, string],
  [key, keySource]: readonly [string, string],
) => ({ kind: 'hosted', profile, baseUrl, baseUrlSource, key, keySource });

const crm = ['https://crm.example.com/eu', 'profile work'] as const;
const workKey = ['key-of-work', 'profile work'] as const;
const envKey = ['key-of-env', 'KITH_API_KEY'] as const;
const database = '/tmp/demo.sqlite';
const local = { kind: 'local', profile: 'demo', database, databaseSource: 'profile demo' };

const keyFile = join(mkdtempSync(join(tmpdir(), 'kith-key-')), 'key');
writeFileSync(keyFile, 'key-of-file\n');
afterAll(() => rmSync(dirname(keyFile), { recursive: true }));

test.each([
  ['that does not exist', '/nowhere/key', 'it does not exist.'],
  ['that is a folder', tmpdir(), 'it is a folder, not a file.'],
  ['that never ends', '/dev/zero', 'it is longer than any key.'],
])('fails with exit code 4 for a key file %s', (_, file, reason) => {
  const read = () => resolveConnection({}, { KITH_API_KEY_FILE: file }, () => settingsOf(stored));
  expect(read).toThrow(
    expect.objectContaining({
      code: 'unauthorized',
      message: `Cannot read the key file of KITH_API_KEY_FILE, ${file}: ${reason}`,
    }),
  );
});

test('an empty key file exits with 4', () => {
  const file = join(dirname(keyFile), 'empty');
  writeFileSync(file, ' \n');
  expect(() => resolveConnection({}, { KITH_API_KEY_FILE: file }, () => settingsOf(stored))).toThrow(
    expect.objectContaining({
      code: 'unauthorized',
      message: `The key file ${file} (KITH_API_KEY_FILE) is empty.`,
    }),
  );
});

test.each<[string, ConnectionFlags, Environment, unknown]>([
  ['the active profile', {}, {}, hosted('work', crm, workKey)],
  ['KITH_PROFILE', {}, { KITH_PROFILE: 'demo' }, local],
  [
    '--profile before KITH_PROFILE',
    { profile: 'other' },
    { KITH_PROFILE: 'demo' },
    hosted('other', ['https://other.example.com', 'profile other'], ['key-of-other', 'profile other']),
  ],
  ['an empty KITH_PROFILE is none', {}, { KITH_PROFILE: '' }, hosted('work', crm, workKey)],
  ['an empty --profile is none', { profile: '' }, { KITH_PROFILE: 'demo' }, local],
  ['KITH_API_KEY before the stored key', {}, { KITH_API_KEY: 'key-of-env' }, hosted('work', crm, envKey)],
  ['space around KITH_API_KEY', {}, { KITH_API_KEY: ' key-of-env\n' }, hosted('work', crm, envKey)],
  [
    'KITH_API_KEY_FILE before the stored key',
    {},
    { KITH_API_KEY_FILE: keyFile },
    hosted('work', crm, ['key-of-file', `KITH_API_KEY_FILE ${keyFile}`]),
  ],
  [
    'KITH_API_KEY before KITH_API_KEY_FILE',
    {},
    { KITH_API_KEY: 'key-of-env', KITH_API_KEY_FILE: '/nowhere' },
    hosted('work', crm, envKey),
  ],
  ['an empty KITH_API_KEY_FILE is none', {}, { KITH_API_KEY_FILE: '' }, hosted('work', crm, workKey)],
  ['a KITH_API_KEY of space is none', {}, { KITH_API_KEY: ' \n' }, hosted('work', crm, workKey)],
  [
    'KITH_BASE_URL before the stored one, same origin',
    {},
    { KITH_BASE_URL: 'https://crm.example.com/us' },
    hosted('work', ['https://crm.example.com/us', 'KITH_BASE_URL'], workKey),
  ],
  [
    '--base-url before KITH_BASE_URL',
    { baseUrl: 'https://crm.example.com' },
    { KITH_BASE_URL: 'https://elsewhere.example.com' },
    hosted('work', ['https://crm.example.com', '--base-url'], workKey),
  ],
  ['an empty KITH_BASE_URL is none', {}, { KITH_BASE_URL: '' }, hosted('work', crm, workKey)],
  [
    'the same origin, spelled otherwise',
    { baseUrl: 'HTTPS://CRM.example.com:443/' },
    {},
    hosted('work', ['HTTPS://CRM.example.com:443/', '--base-url'], workKey),
  ],
  [
    'another origin with KITH_API_KEY',
    { baseUrl: 'https://elsewhere.example.com' },
    { KITH_API_KEY: 'key-of-env', KITH_PROFILE: 'work' },
    hosted('work', ['https://elsewhere.example.com', '--base-url'], envKey),
  ],
  [
    '--base-url and KITH_API_KEY with the profile of a local workspace',
    { profile: 'demo', baseUrl: 'http://127.0.0.1:4717' },
    { KITH_API_KEY: 'key-of-env' },
    hosted('demo', ['http://127.0.0.1:4717', '--base-url'], envKey),
  ],
])('%s', (_, named, env, connection) => {
  expect(resolveConnection(named, env, () => settingsOf(stored))).toEqual(connection);
});

test.each([
  ['flag', { baseUrl: 'https://x.example.com' }, { KITH_API_KEY: 'key-of-env' }, '--base-url'],
  [
    'environment',
    {},
    { KITH_API_KEY: 'key-of-env', KITH_BASE_URL: 'https://x.example.com' },
    'KITH_BASE_URL',
  ],
  [
    'environment, with an empty profile',
    {},
    { KITH_API_KEY: 'key-of-env', KITH_BASE_URL: 'https://x.example.com', KITH_PROFILE: '' },
    'KITH_BASE_URL',
  ],
])('ignores damaged settings if %s provides URL and key', (_, named, env, from) => {
  expect(resolveConnection(named, env, unread)).toEqual(
    hosted(undefined, ['https://x.example.com', from], envKey),
  );
});

const signIn =
  'Sign in with `kith auth login --base-url URL`, or try the sample workspace with `kith auth login --local --demo`.';
const storedOnly =
  'A stored key is sent only to the service that it was stored for. Set KITH_API_KEY for this one.';

test.each<[string, ConnectionFlags, Environment, string, string]>([
  ['port', { baseUrl: 'https://crm.example.com:8443' }, {}, 'https://crm.example.com:8443', storedOnly],
  ['host', { baseUrl: 'https://example.com' }, {}, 'https://example.com', storedOnly],
  [
    'host below',
    { baseUrl: 'https://crm.example.com.evil.example' },
    {},
    'https://crm.example.com.evil.example',
    storedOnly,
  ],
  ['scheme', { baseUrl: 'http://localhost' }, {}, 'http://localhost', storedOnly],
  ['host by environment', {}, { KITH_BASE_URL: 'https://example.com' }, 'https://example.com', storedOnly],
  [
    'host, from no key at all',
    { profile: 'demo', baseUrl: 'https://example.com' },
    {},
    'https://example.com',
    signIn,
  ],
])('a stored key goes to no other %s', (_, named, env, origin, hint) => {
  expect(() => resolveConnection(named, env, () => settingsOf(stored))).toThrow(
    expect.objectContaining({
      code: 'unauthorized',
      message: `No API key for ${origin}.`,
      detail: { hint },
    }),
  );
});

test.each<[string, ConnectionFlags, Environment, StoredSettings, string, string]>([
  ['nothing', {}, {}, { profiles: {} }, 'You are not signed in to a workspace.', signIn],
  [
    'only a key',
    {},
    { KITH_API_KEY: 'key-of-env' },
    { profiles: {} },
    'No base URL is set for the key from KITH_API_KEY.',
    signIn,
  ],
  [
    'only profiles, none active',
    {},
    {},
    { profiles: stored.profiles },
    'You are not signed in to a workspace.',
    signIn,
  ],
  [
    'an active profile that is gone',
    {},
    {},
    { active: 'gone', profiles: {} },
    'You are not signed in to a workspace.',
    signIn,
  ],
  [
    'an unknown profile',
    { profile: 'nope' },
    {},
    stored,
    'Profile "nope" not found.',
    'Profiles: work, other, demo.',
  ],
  [
    'an unknown profile of none',
    {},
    { KITH_PROFILE: 'nope' },
    { profiles: {} },
    'Profile "nope" not found.',
    signIn,
  ],
  [
    'an unknown profile, with URL and key given',
    { profile: 'nope', baseUrl: 'https://x.example.com' },
    { KITH_API_KEY: 'key-of-env' },
    { profiles: {} },
    'Profile "nope" not found.',
    signIn,
  ],
  [
    'the name of a method',
    { profile: 'toString' },
    {},
    stored,
    'Profile "toString" not found.',
    'Profiles: work, other, demo.',
  ],
])('there is %s', (_, named, env, stored, message, hint) => {
  expect(() => resolveConnection(named, env, () => settingsOf(stored))).toThrow(
    expect.objectContaining({ code: 'unauthorized', message, detail: { hint } }),
  );
});

test.each(['two words', 'key\nX-Evil: 1', 'kéy', '키'])(
  'rejects a key that is not valid in a header: %j',
  (key) => {
    expect(() => resolveConnection({}, { KITH_API_KEY: key }, () => settingsOf(stored))).toThrow(
      expect.objectContaining({
        code: 'unauthorized',
        message: 'The key in KITH_API_KEY contains invalid characters.',
      }),
    );
  },
);

test.each([
  'https://crm.example.com',
  'https://crm.example.com:8443/crm/',
  'http://localhost:4717',
  'http://127.0.0.1:4717',
  'http://127.8.9.1',
  'http://127.1',
  'http://[::1]:4717',
])('%s is a base URL', (url) => {
  expect(() => parseBaseUrl(url, '--base-url')).not.toThrow();
});

const noUrl = '--base-url: not a valid URL.';
const clear = (origin: string) => `${origin} would receive the key unencrypted.`;
const parts = 'A base URL must not contain a user, password, query or fragment.';

test.each([
  ['crm.example.com', noUrl],
  ['ftp://crm.example.com', noUrl],
  ['file:///etc/passwd', noUrl],
  ['localhost:4717', noUrl],
  ['https://', noUrl],
  ['', noUrl],
  ['https://user@crm.example.com', parts],
  ['https://:secret@crm.example.com', parts],
  ['https://crm.example.com?key=1', parts],
  ['https://crm.example.com#x', parts],
  ['http://crm.example.com:80', clear('http://crm.example.com')],
  ['http://10.0.0.1:8080', clear('http://10.0.0.1:8080')],
  ['http://0.0.0.0', clear('http://0.0.0.0')],
  ['http://localhost.example.com', clear('http://localhost.example.com')],
  ['http://127.0.0.1.example.com', clear('http://127.0.0.1.example.com')],
  ['http://[::2]', clear('http://[::2]')],
])('rejects the base URL %s', (url, message) => {
  const failure = expect.objectContaining({ code: 'usage', message });
  expect(() => parseBaseUrl(url, '--base-url')).toThrow(failure);
  if (url === '') return;
  expect(() => resolveConnection({ baseUrl: url }, {}, () => settingsOf(stored))).toThrow(failure);
  expect(() => resolveConnection({ baseUrl: url }, { KITH_API_KEY: 'key-of-env' }, unread)).toThrow(failure);
});
