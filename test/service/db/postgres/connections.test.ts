import { chownSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { toOpenFailure } from '../../../../src/service/db/postgres/errors.ts';
import { createPool } from '../../../../src/service/db/postgres/open-postgres.ts';
import { authority, early, elsewhere, expired, selfSigned, trusted } from '../../../client/certificates.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/postgres.ts';
import { requirePostgres } from '../../../support/test-database.ts';

const hba = `local all all trust
hostnossl all plain 127.0.0.1/32 trust
hostssl all secure 127.0.0.1/32 trust
host all reader 127.0.0.1/32 scram-sha-256
host all postgres 127.0.0.1/32 trust
`;

let server: PostgresServer;

beforeAll(async () => {
  if (findPostgres() === undefined) return;
  server = await startPostgres({ hasPort: true, hba });
  for (const name of ['plain', 'secure']) await server.query(`create role ${name} login`);
  await server.query("create role reader login password 'secret12'");
});
afterAll(() => server?.close());
beforeEach(requirePostgres);

/** Writes a file that the server can read, and returns its path. */
function writeServerFile(name: string, text: string): string {
  const path = join(server.data, name);
  writeFileSync(path, text, { mode: 0o600 });
  const { uid, gid } = statSync(server.data);
  chownSync(path, uid, gid);
  return path;
}

/** Makes the server use a certificate; without one it has no TLS. */
async function useCertificate(certificate?: typeof trusted) {
  const { key, cert } = certificate ?? trusted;
  writeServerFile('server.key', key);
  writeServerFile('server.crt', cert);
  await server.query(`alter system set ssl = ${certificate ? 'on' : 'off'}`);
  const before = server.log.text.length;
  await server.query('select pg_reload_conf()');
  await expect.poll(() => server.log.text.slice(before)).toContain('reloading configuration files');
}

/** Opens a connection, and returns whether it is encrypted or how it failed. */
async function tryConnect(parameters: string, { user = 'postgres', env = {} } = {}) {
  const url = `postgres://${user}@127.0.0.1:${server.port}/postgres${parameters}`;
  let pool: Pool | undefined;
  try {
    pool = await createPool(url, { env: { HOME: server.folder, ...env } });
    const { rows } = await pool.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0].ssl ? 'encrypted' : 'plain';
  } catch (error) {
    return toOpenFailure(error, 'DB', { user, database: 'postgres' }).message;
  } finally {
    await pool?.end();
  }
}

test('without TLS on the server, only sslmode disable, allow and prefer connect', async () => {
  await useCertificate();
  for (const mode of ['', '?sslmode=disable', '?sslmode=allow', '?sslmode=prefer'])
    expect(await tryConnect(mode)).toBe('plain');
  expect(await tryConnect('?sslmode=require')).toBe('Cannot use DB: the server does not support TLS.');
});

test('encrypts by default if the server supports TLS', async () => {
  await useCertificate(trusted);
  for (const mode of ['', '?sslmode=allow', '?sslmode=prefer', '?sslmode=require'])
    expect(await tryConnect(mode)).toBe('encrypted');
  expect(await tryConnect('', { env: { PGSSLMODE: 'disable' } })).toBe('plain');
  expect(await tryConnect('', { user: 'secure' })).toBe('encrypted');
  expect(await tryConnect('?sslmode=disable', { user: 'secure' })).toBe(
    'Cannot use DB: the server rejects the user "secure" without TLS.',
  );
  expect(await tryConnect('?sslmode=disable', { user: 'plain' })).toBe('plain');
  // libpq would try again without TLS.
  expect(await tryConnect('', { user: 'plain' })).toBe(
    'Cannot use DB: the server rejects the user "plain" from this machine.',
  );
});

const formatProblem = (text: string) => `The certificate of DB ${text}.`;
const hasExpired = formatProblem('has expired (CERT_HAS_EXPIRED)');
const isEarly = formatProblem('is not valid yet (CERT_NOT_YET_VALID)');
const isElsewhere = formatProblem('is for another host (ERR_TLS_CERT_ALTNAME_INVALID)');
const isSelfSigned = formatProblem('is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)');

test.each([
  ['valid', trusted, 'encrypted', 'encrypted'],
  ['too old', expired, hasExpired, hasExpired],
  ['too new', early, isEarly, isEarly],
  ['for another host', elsewhere, 'encrypted', isElsewhere],
  ['self-signed', selfSigned, isSelfSigned, isSelfSigned],
])('checks a certificate that is %s', async (_, certificate, verifyCa, verifyFull) => {
  await useCertificate(certificate);
  const root = `&sslrootcert=${writeServerFile('root.crt', authority)}`;
  expect({
    require: await tryConnect('?sslmode=require'),
    requireWithRoot: await tryConnect(`?sslmode=require${root}`),
    verifyCa: await tryConnect(`?sslmode=verify-ca${root}`),
    verifyFull: await tryConnect(`?sslmode=verify-full${root}`),
    publicRoots: await tryConnect('?sslrootcert=system'),
  }).toEqual({
    require: 'encrypted',
    requireWithRoot: verifyCa,
    verifyCa,
    verifyFull,
    publicRoots: expect.stringMatching(
      /^The certificate of DB (is signed by an unknown|is self-signed|has exp|is not)/,
    ),
  });
});

test('reads exact numbers if the server rounds them by default', async () => {
  await server.query('alter role plain set extra_float_digits = 0');
  const pool = await createPool(`postgres://plain@127.0.0.1:${server.port}/postgres?sslmode=disable`, {});
  const { rows } = await pool.query('select 0.1::float8 + 0.2::float8 as sum');
  await pool.end();
  expect(rows).toEqual([{ sum: 0.1 + 0.2 }]);
});

test('signs in with a password from PGPASSWORD or a password file', async () => {
  expect(await tryConnect('', { user: 'reader', env: { PGPASSWORD: 'secret12' } })).toBe('encrypted');
  expect(await tryConnect('', { user: 'reader:secret12' })).toBe('encrypted');
  const PGPASSFILE = writeServerFile('passwords', `127.0.0.1:${server.port}:*:reader:secret12\n`);
  expect(await tryConnect('', { user: 'reader', env: { PGPASSFILE } })).toBe('encrypted');
  expect(await tryConnect('', { user: 'reader', env: { PGPASSWORD: 'other' } })).toBe(
    'Cannot use DB: password authentication failed for the user "reader".',
  );
  expect(await tryConnect('', { user: 'reader' })).toBe(
    'PostgreSQL at 127.0.0.1 requires a password for the user "reader".',
  );
});

/** Starts a server that is not PostgreSQL, and returns how a connection to it fails. */
async function tryOther(respond: (socket: Socket) => void, parameters: string) {
  const other = createServer((socket) => respond(socket.on('error', () => {}).resume()));
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address?.port;
  const message = await tryConnect(`?connect_timeout=1&port=${port}${parameters}`);
  const countOpen = () => new Promise((resolve) => other.getConnections((_, count) => resolve(count)));
  await expect.poll(countOpen, { timeout: 5000 }).toBe(0);
  return message;
}

const isClosed = 'the server closed the connection unexpectedly';
const timedOut = 'the connection timed out';
const isForeign = 'the server does not speak the PostgreSQL protocol';

test.each([
  ['closes the connection', (socket: Socket) => void socket.end(), [isClosed, isClosed, isClosed]],
  ['never answers', () => {}, [timedOut, timedOut, timedOut]],
  [
    'answers in HTTP and closes the connection',
    (socket: Socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    [isForeign, isClosed, isForeign],
  ],
  [
    'answers in another protocol',
    (socket: Socket) => void socket.on('data', () => socket.write('-ERR unknown command\r\n')),
    [isForeign, timedOut, isForeign],
  ],
  [
    'sends the greeting of MySQL',
    (socket: Socket) => void socket.write('J\0\0\0\n8.0.33\0'),
    [isForeign, isForeign, isForeign],
  ],
])('reports a server that %s, and leaves no connection to it open', async (_, respond, expected) => {
  const parameters = ['', '&sslmode=disable', '&sslmode=require'];
  const messages = await Promise.all(parameters.map((more) => tryOther(respond, more)));
  expect(messages).toEqual(expected.map((reason) => `Cannot reach DB: ${reason}.`));
});

test.each([
  ['?port=1', 'connection refused (127.0.0.1:1)'],
  ['?host=nowhere.invalid', 'host not found (nowhere.invalid)'],
  ['?host=/nowhere&port=5432', 'no server is listening on its Unix socket (/nowhere/.s.PGSQL.5432)'],
])('reports an address where no server listens: %s', async (parameters, reason) => {
  expect(await tryConnect(parameters)).toBe(`Cannot reach DB: ${reason}.`);
});
