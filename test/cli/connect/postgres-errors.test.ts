import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createMachine } from '../../support/kith.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { requirePostgres } from '../../support/test-database.ts';

const hba = `local all postgres trust
local all all peer
host all reader 127.0.0.1/32 scram-sha-256
hostssl all secure 127.0.0.1/32 trust
host all postgres,ghost,writer,guest 127.0.0.1/32 trust
`;

let server: PostgresServer;

beforeAll(async () => {
  if (findPostgres() === undefined) return;
  server = await startPostgres({ hasPort: true, hba });
  await server.query("create role reader login password 'secret12'");
  for (const role of ['secure', 'writer']) await server.query(`create role ${role} login`);
  await server.query('create role guest nologin');
  for (const name of ['other', 'team', 'closed', 'copy', 'lost'])
    await server.query(`create database ${name}`);
  await server.query('create table invoice (id integer)', 'other');
  await server.query('revoke connect on database closed from public');
  await server.query('alter database copy set default_transaction_read_only = on');
  await server.query('alter database lost set search_path = nowhere');
  await server.query("create database latin template template0 encoding 'LATIN1' locale 'C'");
});
afterAll(() => server?.close());
beforeEach(requirePostgres);

/** Returns how a command fails. In the URL and in the result, PORT stands for the port of the server. */
async function failWith(address: string, port = server.port) {
  const url = `postgres://${address.replace('PORT', String(port))}`;
  const { code, out, err } = await createMachine()(['keys', 'list', '--database', url]);
  expect(out).toBe('');
  return `${code} ${err.replaceAll(`:${port}`, ':PORT')}`;
}

const at = '127.0.0.1:PORT';

test.each([
  [
    `ghost@${at}/team`,
    `1 kith: Cannot use postgres://ghost@${at}/team: the user "ghost" does not exist.\nhint: Create it: createuser ghost\n`,
  ],
  [
    `reader@${at}/team`,
    '1 kith: PostgreSQL at 127.0.0.1 requires a password for the user "reader".\n' +
      'hint: Set PGPASSWORD, or add a line to ~/.pgpass: 127.0.0.1:PORT:team:reader:PASSWORD\n',
  ],
  [
    `reader:secret34@${at}/team`,
    '1 kith: Other users of this machine can read the password in --database, for example with ps. Put it in ~/.pgpass, or set PGPASSWORD.\n' +
      `kith: Cannot use postgres://reader@${at}/team: password authentication failed for the user "reader".\n` +
      'hint: Correct it in ~/.pgpass or PGPASSWORD.\n',
  ],
  [
    `secure@${at}/team`,
    `1 kith: Cannot use postgres://secure@${at}/team: the server rejects the user "secure" without TLS.\n` +
      'hint: Allow the connection in pg_hba.conf on the server. If it supports TLS, use sslmode=require.\n',
  ],
  [
    `guest@${at}/team`,
    `1 kith: Cannot use postgres://guest@${at}/team: the user "guest" may not log in.\n` +
      'hint: As a superuser, run: alter role "guest" login\n',
  ],
  [
    `writer@${at}/closed`,
    `1 kith: Cannot use postgres://writer@${at}/closed: permission denied for database "closed".\n` +
      'hint: As its owner, run: grant connect on database "closed" to "writer"\n',
  ],
  [
    `postgres@${at}/copy`,
    `1 kith: Cannot use postgres://postgres@${at}/copy: the database is read-only; it may be a standby server.\n` +
      'hint: Use a server that accepts writes: the schema must be updated.\n',
  ],
  [
    `postgres@${at}/lost`,
    `1 kith: Cannot use postgres://postgres@${at}/lost: no schema in its search_path exists.\n` +
      'hint: Create the schema, or use the default one: alter database "lost" reset search_path\n',
  ],
  [
    `postgres@${at}/latin`,
    `1 kith: postgres://postgres@${at}/latin has the encoding LATIN1. kith requires UTF8.\n` +
      'hint: Create another database: createdb --encoding UTF8 --template template0 NAME\n',
  ],
  [
    `postgres@${at}/my%20team`,
    `1 kith: Cannot use postgres://postgres@${at}/my%20team: the database "my team" does not exist.\n` +
      "hint: Create it: createdb 'my team'\n",
  ],
  [
    `writer@${at}/team`,
    `1 kith: Cannot use postgres://writer@${at}/team: permission denied for schema public.\n` +
      'hint: As the owner of the database, run: grant create on schema public to "writer"\n',
  ],
  [
    `postgres@${at}/other`,
    `1 kith: The database postgres://postgres@${at}/other has tables of another program.\n` +
      'hint: Use an empty database: createdb NAME\n',
  ],
  [
    `postgres@${at}/team?sslmode=require`,
    `1 kith: Cannot use postgres://postgres@${at}/team?sslmode=require: the server does not support TLS.\n` +
      'hint: If you trust the network, use sslmode=prefer or sslmode=disable.\n',
  ],
  [
    'postgres@127.0.0.1:1/team',
    '75 kith: Cannot reach postgres://postgres@127.0.0.1:1/team: connection refused.\n' +
      'hint: Check the host and port, and that PostgreSQL is running.\n',
  ],
  [
    'postgres@nowhere.invalid/team?sslmode=disable',
    '75 kith: Cannot reach postgres://postgres@nowhere.invalid/team?sslmode=disable: host not found.\n' +
      'hint: Check the host and port, and that PostgreSQL is running.\n',
  ],
  [
    'postgres@nowhere/team?host=/nowhere',
    '75 kith: Cannot reach postgres://postgres@nowhere/team?host=/nowhere: no server is listening on its Unix socket (/nowhere/.s.PGSQL.5432).\n' +
      'hint: Check the host and port, and that PostgreSQL is running.\n',
  ],
])('a command on %s fails with an error on one line', async (address, expected) => {
  expect(await failWith(address)).toBe(expected);
});

test('shows no password with --debug', async () => {
  const url = `postgres://reader:wrong567@127.0.0.1:${server.port}/team`;
  const { code, err } = await createMachine()(['keys', 'list', '--debug', '--database', url]);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/password authentication failed.*\n +at /),
  });
  expect(err).not.toContain('wrong567');
});

test('on a Unix socket, the server may accept only the system user of the same name', async () => {
  const args = ['keys', 'list', '--database', server.url('team').replace('postgres@', 'writer@')];
  expect((await createMachine()(args)).err).toContain(
    'on a Unix socket, the server accepts the user "writer" only from the system user of that name.\n' +
      'hint: Add a host to the URL, such as localhost.\n',
  );
});

test('refuses a server before PostgreSQL 15', async () => {
  const [{ number } = {}] = await server.query("select current_setting('server_version_num') as number");
  const [{ version } = {}] = await server.query("select current_setting('server_version') as version");
  /** Makes the server look older. */
  const pretend = (bytes: Buffer) =>
    Buffer.from(
      bytes
        .toString('latin1')
        .replace(String(number), '140009')
        .replace(String(version), '14.9'.padEnd(String(version).length)),
      'latin1',
    );
  const proxy = createServer((client) => {
    const upstream = connect(server.port ?? 0, '127.0.0.1');
    const transform = new Transform({ transform: (chunk, _, done) => done(null, pretend(chunk)) });
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(transform).pipe(client);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = proxy.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  expect(await failWith(`postgres@${at}/team`, port)).toMatch(
    /^1 kith: postgres:.* is on PostgreSQL 14\.9.*\. kith requires PostgreSQL 15 or later\.\n$/,
  );
});

test('a command fails with 75 if the server has too many connections', async () => {
  await server.query('alter role writer connection limit 0');
  expect(await failWith(`writer@${at}/team`)).toBe(
    `75 kith: Cannot use postgres://writer@${at}/team: too many connections for role "writer".\n`,
  );
});
