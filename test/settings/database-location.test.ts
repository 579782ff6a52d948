import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isProfileUnused, readMachineSecrets, resolveConnection } from '../../src/settings/connection.ts';
import { parseDatabase } from '../../src/settings/database-location.ts';
import type { StoredSettings } from '../../src/settings/settings.ts';

const url = 'postgres://ada:secret12@db.example/kith';
const fromVariable = { kind: 'local', profile: undefined, databaseSource: 'KITH_DATABASE_URL' };
const stored: StoredSettings = {
  active: 'work',
  profiles: {
    work: { base_url: 'https://crm.example.com', api_key: 'key-of-work' },
    demo: { database: '/tmp/demo.sqlite' },
  },
};
const settings = () => ({ read: () => stored });

test.each([
  ['kith.sqlite', resolve('kith.sqlite')],
  ['/srv/kith.sqlite', '/srv/kith.sqlite'],
  [url, url],
])('the location %s is %s', (text, expected) => {
  expect(parseDatabase(text, '--database')).toBe(expected);
});

test.each([
  ['mysql://ada:secret12@h/db', '--database: a mysql:// URL is not supported.', 'postgres://USER@'],
  ['jdbc:postgresql://ada:secret12@h/db', 'a jdbc:postgresql:// URL is not supported.', 'postgres://USER@'],
  [`"${url}"`, '--database: the URL begins with a space or quotation mark.', 'docker --env-file'],
  [` ${url}`, '--database: the URL begins with a space or quotation mark.', 'Remove it.'],
  ['postgres://ada:sec@ret12@h/db', '--database: not a valid PostgreSQL URL.', 'escaped: %40 for @'],
  [`${url}?schema=x`, '--database: the URL parameter "schema" is not supported; use host, port', 'USER@'],
])('refuses %s without repeating it', (text, message, hint) => {
  expect(() => parseDatabase(text, '--database')).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: expect.stringContaining(message),
      detail: { hint: expect.stringContaining(hint) },
    }),
  );
  expect(() => parseDatabase(text, '--database')).not.toThrow(/ret12/);
});

test.each([
  ['before the active profile', {}, { ...fromVariable, database: url }],
  ['before KITH_PROFILE', { KITH_PROFILE: 'demo' }, { ...fromVariable, database: url }],
  ['before a key without a base URL', { KITH_API_KEY: 'key-of-env' }, { ...fromVariable, database: url }],
])('KITH_DATABASE_URL comes %s', (_, env, connection) => {
  expect(resolveConnection({}, { ...env, KITH_DATABASE_URL: url }, settings)).toEqual(connection);
});

test('KITH_DATABASE_URL can name a workspace file', () => {
  expect(resolveConnection({}, { KITH_DATABASE_URL: 'kith.sqlite' }, settings)).toEqual({
    ...fromVariable,
    database: resolve('kith.sqlite'),
  });
});

test('--profile and --base-url come before KITH_DATABASE_URL', () => {
  const env = { KITH_DATABASE_URL: url, KITH_API_KEY: 'key-of-env' };
  expect(resolveConnection({ profile: 'demo' }, env, settings)).toMatchObject({
    database: '/tmp/demo.sqlite',
    databaseSource: 'profile demo',
  });
  expect(resolveConnection({ baseUrl: 'https://crm.example.com' }, env, settings)).toMatchObject({
    kind: 'hosted',
  });
  expect(isProfileUnused({ profile: 'demo' }, env)).toBe(false);
  expect(isProfileUnused({}, env)).toBe(true);
});

test('an empty KITH_DATABASE_URL is none', () => {
  expect(resolveConnection({}, { KITH_DATABASE_URL: '' }, settings)).toMatchObject({ profile: 'work' });
});

test('refuses to choose between KITH_DATABASE_URL and KITH_BASE_URL', () => {
  const env = { KITH_DATABASE_URL: url, KITH_BASE_URL: 'https://crm.example.com' };
  expect(() => resolveConnection({}, env, settings)).toThrow(
    expect.objectContaining({ code: 'usage', message: 'KITH_DATABASE_URL and KITH_BASE_URL are both set.' }),
  );
});

test('the secrets of this machine include the passwords of databases', () => {
  const env = { KITH_CONFIG_DIR: '/nowhere', PGPASSWORD: 'from-pg', KITH_DATABASE_URL: url };
  expect(readMachineSecrets(env).filter(Boolean)).toEqual(['from-pg', 'secret12']);
  // A word stands in the URL too.
  expect(readMachineSecrets({ ...env, PGPASSWORD: 'postgres' }).filter(Boolean)).toEqual(['secret12']);
});
