import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openWorkspace } from '../../../src/service/db/open.ts';
import { runWithSignal } from '../../reliability/signals.ts';
import { createEnv } from '../../support/binary.ts';
import { createSampleWorkspace, createTemporaryFolder } from '../../support/kith.ts';
import { runQuery } from '../../support/postgres.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';
import { workspaces } from './records.ts';

beforeEach(requirePostgres);

const { signal } = new AbortController();
const copy = (from: string, to: string, report = () => {}) => workspaces.copy(from, to, report, signal);

/** Creates a database with the sample. */
async function createSource(): Promise<string> {
  const url = await createTestDatabase();
  await copy(createSampleWorkspace(), url);
  return url;
}

/** Locks the last table of a database until `release`, so that a copy stops before it. */
async function lockLastTable(url: string) {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin; lock table recording in access exclusive mode');
  return () => client.query('rollback');
}

/** Returns whether a copy waits for a locked table, as of the previous call. */
function createLockCheck(url: string): () => boolean {
  let isWaiting = false;
  const query =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  return () => {
    void runQuery(url, query).then(
      (rows) => {
        isWaiting ||= rows.length > 0;
      },
      () => {},
    );
    return isWaiting;
  };
}

test.each([
  ['SIGINT', 130, 'a file'],
  ['SIGTERM', 143, 'a database'],
] as const)('%s in the middle of a copy exits with %i and leaves %s as it was', async (name, code, kind) => {
  const source = await createSource();
  const folder = createTemporaryFolder();
  const target = kind === 'a file' ? join(folder, 'copy.sqlite') : await createTestDatabase();
  const release = await lockLastTable(source);
  const sendAt = createLockCheck(source);
  const args = ['workspace', 'copy', source, target];
  const result = await runWithSignal(args, { env: createEnv(createTemporaryFolder()), sendAt, signal: name });
  expect(result).toMatchObject({ code, out: '' });
  expect(readdirSync(folder)).toEqual([]);
  await release();
  expect(await copy(source, target)).toContainEqual({ table: 'contact', rows: 150 });
  expect(await copy(target, await createTestDatabase())).toContainEqual({ table: 'recording', rows: 38 });
});

test.runIf(process.env.KITH_LONG === '1')('a copy may take longer than a request', async () => {
  const target = await createTestDatabase();
  await (await openWorkspace(target)).close();
  await runQuery(
    target,
    `create function wait() returns trigger language plpgsql as 'begin perform pg_sleep(40); return null; end';
    create trigger wait after insert on contact for each statement execute function wait()`,
  );
  expect(await copy(createSampleWorkspace(), target)).toContainEqual({ table: 'contact', rows: 150 });
});

test('a copy that fails does not create a missing file', async () => {
  const source = await createSource();
  const target = join(createTemporaryFolder(), 'copy.sqlite');
  await lockLastTable(source);
  const failure = expect(copy(source, target)).rejects.toMatchObject({ code: 'unavailable' });
  const endCopy =
    "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
  await vi.waitUntil(async () => (await runQuery(source, endCopy)).length > 0, { timeout: 10_000 });
  await failure;
  expect(readdirSync(dirname(target))).toEqual([]);
});

test('a copy does not replace a file that another program creates while it runs', async () => {
  const target = join(createTemporaryFolder(), 'copy.sqlite');
  const report = () => writeFileSync(target, 'mine');
  await expect(copy(createSampleWorkspace(), target, report)).rejects.toThrow(
    `The file ${target} already exists.`,
  );
  expect(readFileSync(target, 'utf8')).toBe('mine');
  expect(readdirSync(dirname(target))).toEqual(['copy.sqlite']);
});

test('refuses a target next to which a database has left a -wal file', async () => {
  const target = join(createTemporaryFolder(), 'copy.sqlite');
  writeFileSync(`${target}-wal`, '');
  await expect(copy(createSampleWorkspace(), target)).rejects.toThrow(`${target}-wal exists`);
  expect(existsSync(target)).toBe(false);
});

test('a copy names the file that cannot be created', async () => {
  const folder = createTemporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const target = join(folder, 'file', 'copy.sqlite');
  await expect(copy(createSampleWorkspace(), target)).rejects.toThrow(
    new RegExp(`^Cannot write ${target}: .*folder`),
  );
});
