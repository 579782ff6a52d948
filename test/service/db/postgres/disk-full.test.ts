import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { withWorkspace } from '../../../../src/service/db/open.ts';
import { createKey } from '../../../../src/service/http/keys.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../../support/postgres.ts';
import { requirePostgres } from '../../../support/test-database.ts';
import { expectUnreadyUntilWritten, serveLocation } from '../../serve.ts';
import {
  createContact,
  describeResponse,
  expectStored,
  listContacts,
  openService,
  writeUntil,
} from './writers.ts';

let server: PostgresServer;
let disk: string;
let isMounted = false;

beforeAll(async () => {
  if (findPostgres() === undefined) return;
  disk = mkdtempSync(join(tmpdir(), 'kith-disk-'));
  isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'none', disk]).status === 0;
  if (!isMounted) return;
  const folder = join(disk, 'server');
  mkdirSync(folder);
  for (const path of [disk, folder]) chmodSync(path, 0o777);
  // The process that writes the log would be the first to crash.
  server = await startPostgres({ folder, settings: { wal_writer_delay: '10s' } });
});
afterAll(async () => {
  await server?.close();
  if (isMounted) spawnSync('umount', ['-l', disk]);
  if (disk !== undefined) rmSync(disk, { recursive: true });
});
beforeEach(requirePostgres);
beforeEach(({ skip }) => {
  if (!isMounted) skip('this machine mounts no file system for us');
});

/** Fills the server's disk except for a number of bytes. Returns a function that frees the space, as the end of the test does. */
function fillDisk(free: number) {
  const ballast = join(disk, 'ballast');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - free));
  const release = () => rmSync(ballast, { force: true });
  onTestFinished(release);
  return release;
}

/** Creates contacts until twenty requests fail. */
const writeUntilFull = (service: Parameters<typeof writeUntil>[0]) =>
  writeUntil(service, (sent, created) => sent - created > 20);

test('writes get 507 while the disk of the database server is full', async () => {
  await server.query('create database tables');
  const service = await openService(server.url('tables'));
  expect((await createContact(service, 'Ada')).status).toBe(201);
  const release = fillDisk(100_000);
  const outcomes = await writeUntilFull(service);
  expect(new Set(outcomes.values())).toEqual(new Set(['created', 'full']));
  expect((await createContact(service, 'Grace')).body).toMatchObject({
    detail: 'Cannot use the database: no space left on the disk of the database server.',
  });
  expect((await listContacts(service)).status).toBe(200);
  release();
  expect((await createContact(service, 'Grace')).status).toBe(201);
  await expectStored(server, 'tables', outcomes);
});

test('a served workspace on a full disk logs one line for each failed write, and is not ready until one succeeds', async () => {
  await server.query('create database served');
  const location = server.url('served');
  const key = await withWorkspace(location, (db) =>
    createKey(db, { name: 'x', readOnly: false }, new Date(0)),
  );
  await expectUnreadyUntilWritten(await serveLocation(location, key.key), () => fillDisk(100_000));
});

test('no acknowledged write is lost when the database server crashes because its log cannot grow', async () => {
  await server.query('create database log');
  const service = await openService(server.url('log'));
  expect((await createContact(service, 'Ada')).status).toBe(201);
  const release = fillDisk(0);
  // The next segment of the log cannot be created.
  await server.query('select pg_switch_wal()').catch(() => {});
  const outcomes = await writeUntilFull(service);
  expect([...outcomes.values()].filter((outcome) => !/^(created|unknown|refused)$/.test(outcome))).toEqual(
    [],
  );
  await expect.poll(() => server.log.text).toContain('database system is shut down');
  expect(describeResponse(await listContacts(service))).toBe('refused');
  release();
  await server.start();
  expect((await createContact(service, 'Grace')).status).toBe(201);
  await expectStored(server, 'log', outcomes.set('Ada', 'created'));
});
