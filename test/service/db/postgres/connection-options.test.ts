import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { readConnectionOptions } from '../../../../src/service/db/postgres/connection-options.ts';

const plain = { PGSSLMODE: 'disable' };

const createFolder = () => mkdtempSync(join(tmpdir(), 'kith-'));

test('reads all parts of a URL', async () => {
  const { password, ...options } = readConnectionOptions(
    'postgres://ada:s%40cret@db.example:5433/crm?sslmode=disable&connect_timeout=3&application_name=sync&options=-csearch_path%3Dx',
    {},
  );
  expect(options).toEqual({
    host: 'db.example',
    port: 5433,
    user: 'ada',
    database: 'crm',
    ssl: false,
    isTlsOptional: false,
    application_name: 'sync',
    options: '-csearch_path=x -c extra_float_digits=1',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: 3000,
  });
  expect(await password()).toBe('s@cret');
});

test('reads special characters of a URL', async () => {
  const url =
    'postgres://a%40b:p%3A%2F@%2Frun%2Fpg/d%20b?options=-c%20x%3D1+2&passfile=/a%20b&application_name=a%2Bb';
  const { password, ...options } = readConnectionOptions(url, {});
  expect(options).toMatchObject({
    ...{ host: '/run/pg', user: 'a@b', database: 'd b', ssl: false, application_name: 'a+b' },
    options: '-c x=1+2 -c extra_float_digits=1',
  });
  expect(await password()).toBe('p:/');
  expect(readConnectionOptions('postgres://[::1]/?dbname=a%40b', plain)).toMatchObject({
    host: '::1',
    database: 'a@b',
  });
  expect(readConnectionOptions('postgres://u@/?host=/run/pg', plain)).toMatchObject({
    host: '/run/pg',
    user: 'u',
  });
});

test('reads the variables of libpq for parts that the URL does not have', async () => {
  const env = {
    PGHOST: 'db.example',
    PGPORT: '5433',
    PGUSER: 'ada',
    PGDATABASE: 'crm',
    PGPASSWORD: 'secret',
    PGSSLMODE: 'disable',
    PGCONNECT_TIMEOUT: '3',
    PGAPPNAME: 'sync',
    PGOPTIONS: '-c x=1',
  };
  const fromVariables = readConnectionOptions('postgres://', env);
  const url =
    'postgres://ada@db.example:5433/crm?sslmode=disable&connect_timeout=3&application_name=sync&options=-c%20x%3D1';
  const { password, ...options } = fromVariables;
  expect(options).toEqual({ ...readConnectionOptions(url, {}), password: undefined });
  expect(await password()).toBe('secret');
  const mixed = readConnectionOptions('postgres://grace:other@h/?port=5434&dbname=b', env);
  expect(mixed).toMatchObject({
    host: 'h',
    port: 5434,
    user: 'grace',
    database: 'b',
    application_name: 'sync',
  });
  expect(await mixed.password()).toBe('other');
});

test('if user, database and host are omitted, uses the system user and a socket or localhost', async () => {
  const { host, port, user, database, application_name } = readConnectionOptions('postgres://', plain);
  const { username } = userInfo();
  expect({ port, user, database, application_name }).toEqual({
    port: 5432,
    user: username,
    database: username,
    application_name: 'kith',
  });
  expect(['/var/run/postgresql', '/tmp', 'localhost']).toContain(host);
  const own = readConnectionOptions('postgres://ada@/', plain);
  expect(own.database).toBe('ada');
});

test('the driver does not read the variables of the process', async () => {
  const variables = {
    PGHOST: 'other.example',
    PGPORT: '1',
    PGUSER: 'other',
    PGDATABASE: 'other',
    PGPASSWORD: 'other',
    PGOPTIONS: '-c other=1',
    PGAPPNAME: 'other',
    PGSSLMODE: 'require',
    PGCLIENT_ENCODING: 'LATIN1',
  };
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    const options = readConnectionOptions('postgres://h/', plain);
    expect(JSON.stringify(Object.values(new pg.Client(options)))).not.toMatch(/other|LATIN1/);
    expect(new pg.Client(options)).toMatchObject({ host: 'h', port: 5432, ssl: false });
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  }
});

test.each([
  ['postgres://h:0/', plain, 'port: "0" is not valid.', 'from 1 to 65535 in the URL or in PGPORT'],
  [
    'postgres://u:secret@h:99999/kith?connect_timeout=2',
    plain,
    'postgres://u@h:99999/kith?connect_timeout=2: the host or the port is not valid.',
    'a port from 1 to 65535',
  ],
  ['postgres://h^/', plain, 'the host or the port is not valid.', 'a port from 1 to 65535'],
  ['postgres://h/', { ...plain, PGPORT: 'x' }, 'port: "x" is not valid.', 'in PGPORT'],
  ['postgres://h/?connect_timeout=-1', plain, 'connect_timeout: "-1" is not valid.', 'from 0 to 86400'],
  [
    'postgres://h/?sslmode=on',
    {},
    'sslmode: "on" is not valid.',
    'allow, prefer, require, verify-ca, verify',
  ],
  ['postgres://h/', { PGSSLMODE: 'no-verify' }, 'sslmode: "no-verify" is not valid.', 'Use disable, allow'],
  ['postgres://h/?sslmode=verify-full', {}, 'sslmode: "verify-full" requires', 'Add sslrootcert=FILE'],
  ['postgres://h/?sslmode=require&sslrootcert=system', {}, 'sslmode: "require" cannot be', 'verify-full'],
  ['postgres://h/?sslmode=require&sslcert=/dev/null', {}, 'sslcert requires a private key.', 'sslkey=FILE'],
  ['postgres://h/', { PGSERVICE: 'crm' }, 'The variable PGSERVICE is not supported.', 'unset PGSERVICE'],
  ['postgres://h/', { PGCHANNELBINDING: 'require' }, 'PGCHANNELBINDING is not supported.', 'unset'],
  [
    'postgres://u:secret@h/?x=1',
    {},
    'postgres://...: the URL parameter "x" is not supported',
    'postgres://USER@',
  ],
])('refuses %s with %j', (url, env, message, hint) => {
  expect(() => readConnectionOptions(url, env)).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: expect.stringContaining(message),
      detail: expect.objectContaining({ hint: expect.stringContaining(hint) }),
    }),
  );
});

test('refuses a certificate that cannot be read', () => {
  const url = 'postgres://h/?sslmode=require&sslrootcert=/none';
  const message = 'Cannot read /none: it does not exist.';
  expect(() => readConnectionOptions(url, {})).toThrow(expect.objectContaining({ code: 'usage', message }));
});

test('accepts variables with values that have no effect', () => {
  const env = { ...plain, PGGSSENCMODE: 'disable', PGCHANNELBINDING: 'prefer', PGTARGETSESSIONATTRS: 'any' };
  expect(readConnectionOptions('postgres://h/', env)).toMatchObject({ host: 'h' });
});

test('checks certificates as sslmode requires', () => {
  const home = createFolder();
  const root = join(home, 'authority.crt');
  writeFileSync(root, 'authority');
  const readTls = (parameters: string, env = {}) =>
    readConnectionOptions(`postgres://h/?${parameters}`, { HOME: home, ...env }).ssl;
  const anyHost = { checkServerIdentity: expect.any(Function) };
  expect(readTls('sslmode=require')).toEqual({ rejectUnauthorized: false });
  const checked = { ca: 'authority' };
  expect(readTls(`sslmode=require&sslrootcert=${root}`)).toEqual({ ...checked, ...anyHost });
  expect(readTls('sslmode=verify-ca', { PGSSLROOTCERT: root })).toEqual({ ...checked, ...anyHost });
  expect(readTls(`sslmode=verify-full&sslrootcert=${root}`)).toEqual(checked);
  expect(readTls('sslrootcert=system')).toEqual({});
  expect(readTls('sslmode=verify-full&host=/run')).toBe(false);

  mkdirSync(join(home, '.postgresql'));
  for (const name of ['root.crt', 'postgresql.crt', 'postgresql.key'])
    writeFileSync(join(home, '.postgresql', name), name);
  const own = { ca: 'root.crt', cert: 'postgresql.crt', key: 'postgresql.key' };
  expect(readTls('sslmode=verify-full')).toEqual(own);
  expect(readTls('sslmode=require')).toEqual({ ...own, ...anyHost });
});

test.each([
  ['', 'first'],
  ['# db.example:*:*:*:comment\n', 'first'],
  ['db.example:5433:*:*:other port\ndb.example:*:crm2:*:other database\n*:*:*:grace:other user\n', 'first'],
  ['db.example:5432:crm:a\\:da:escaped \\: and \\\\\n', 'escaped : and \\'],
  ['db.example:5432\n\ndb.example:*:*:*:\n', 'first'],
])('finds the password after the lines %j', async (lines, expected) => {
  const home = createFolder();
  writeFileSync(join(home, '.pgpass'), `${lines}db.example:*:crm:*:first\n*:*:*:*:last\n`, { mode: 0o600 });
  const { password } = readConnectionOptions('postgres://a:@db.example/crm?user=a%3Ada', {
    ...plain,
    HOME: home,
  });
  expect(await password()).toBe(expected);
});

test('reads PGPASSFILE again for each connection, in which localhost matches a socket', async () => {
  const file = join(createFolder(), 'passwords');
  writeFileSync(file, 'localhost:5432:*:ada:one\n', { mode: 0o600 });
  const { password } = readConnectionOptions('postgres://ada@/?host=/run/pg', { PGPASSFILE: file });
  expect(await password()).toBe('one');
  writeFileSync(file, 'localhost:5432:*:ada:two\n');
  expect(await password()).toBe('two');
});

test('reports a missing password, and a password file that other users can read', async () => {
  const home = createFolder();
  const { password } = readConnectionOptions('postgres://ada@h/crm', { ...plain, HOME: home });
  const file = join(home, '.pgpass');
  await expect(password()).rejects.toMatchObject({
    message: 'PostgreSQL at h requires a password for the user "ada".',
    detail: { hint: `Set PGPASSWORD, or add a line to ${file}: h:5432:crm:ada:PASSWORD` },
  });
  writeFileSync(file, '*:*:*:*:secret\n', { mode: 0o640 });
  await expect(password()).rejects.toMatchObject({
    message: `The password file ${file} is readable by other users.`,
    detail: { hint: `Run: chmod 600 ${file}` },
  });
});
