import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withWorkspace } from '../../../../src/service/db/open.ts';
import { openDatabase } from '../../../../src/service/db/sqlite/open-workspace.ts';
import { createService } from '../../../../src/service/dispatch.ts';
import { createKey } from '../../../../src/service/http/keys.ts';
import { createWriteMonitor } from '../../../../src/service/http/readiness.ts';
import { loadSqlite } from '../../../../src/sqlite/engine.ts';
import { createMachine, createSampleWorkspace, createTemporaryFolder } from '../../../support/kith.ts';
import { expectUnreadyUntilWritten, serveLocation } from '../../serve.ts';

/** Creates a service on a workspace file, and records its log. */
function createLoggedService(file: string) {
  const db = openDatabase(file);
  const logged: string[] = [];
  const service = createService({ db, now: () => new Date(0), log: (text) => logged.push(text) });
  const readProblem = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const response = await service({ method, path, query: [], body });
    const { title, detail } = response.body as { title: string; detail: string };
    return { status: response.status, title, detail };
  };
  return { db, logged, readProblem };
}

/** Damages the pages of a file on which its contacts begin. */
function damageFile(file: string): void {
  const sqlite = new (loadSqlite())(file);
  const roots = "select rootpage from sqlite_schema where tbl_name glob 'contact*' and rootpage > 0";
  const pages = sqlite.prepare(roots).all() as { rootpage: number }[];
  sqlite.close();
  const bytes = readFileSync(file);
  for (const { rootpage } of pages) bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096);
  writeFileSync(file, bytes);
}

test('returns 507 to a write on a full disk, and still serves reads', async () => {
  const { db, logged, readProblem } = createLoggedService(createSampleWorkspace());
  // SQLite then cannot add a page, as on a full disk.
  await db.run(sql`pragma max_page_count = 1`);
  const responses = [];
  for (let repetition = 0; repetition < 20; repetition += 1) {
    const response = await readProblem('POST', '/v1/organizations', {
      name: `${repetition}${'x'.repeat(5000)}`,
    });
    if (response.status !== 201) responses.push(response);
  }
  expect(responses[0]).toEqual({
    status: 507,
    title: 'Insufficient Storage',
    detail: 'Cannot use the workspace file: no space left on its disk.',
  });
  expect(logged[0]).toMatch(/^Cannot use the workspace file: .* database or disk is full$/);
  expect((await readProblem('GET', '/v1/organizations')).status).toBe(200);
  db.close();
});

test('a served workspace on a full disk logs one line for each failed write, and is not ready until one succeeds', async ({
  skip,
}) => {
  const disk = createTemporaryFolder();
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', disk]);
  if (mount.status !== 0) skip('this machine mounts no file system for us');
  onTestFinished(() => void spawnSync('umount', ['-l', disk]));
  const file = join(disk, 'workspace.sqlite');
  const { key } = await withWorkspace(file, (db) =>
    createKey(db, { name: 'x', readOnly: false }, new Date(0)),
  );
  await expectUnreadyUntilWritten(await serveLocation(file, key), () => {
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 100_000));
    return () => rmSync(ballast);
  });
});

test('forgets a failed write after a minute, because a load balancer may send no further writes', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { record, check } = createWriteMonitor();
  record({ status: 507, headers: {}, body: { detail: 'Full.' } });
  vi.advanceTimersByTime(60_000);
  expect(check).toThrow('The last write failed. Full.');
  vi.advanceTimersByTime(1);
  expect(check()).toBeUndefined();
});

test('responds with 507 to reads and writes of a damaged file', async () => {
  const file = createSampleWorkspace();
  damageFile(file);
  const { db, readProblem } = createLoggedService(file);
  const damagedProblem = {
    status: 507,
    title: 'Insufficient Storage',
    detail: 'Cannot use the workspace file: it is damaged.',
  };
  expect(await readProblem('GET', '/v1/contacts')).toEqual(damagedProblem);
  expect(await readProblem('POST', '/v1/contacts', { emails: ['ada@example.com'] })).toEqual(damagedProblem);
  db.close();
});

test('exits with 1, the code "storage" and the name of a damaged file', async () => {
  const folder = createTemporaryFolder();
  const file = createSampleWorkspace(folder);
  const kith = createMachine(folder);
  await kith(['auth', 'login', '--local', '--database', file]);
  damageFile(file);
  const { code, err } = await kith('contacts create --email ada@example.com --json');
  expect({ code, error: JSON.parse(err).error }).toMatchObject({
    code: 1,
    error: { code: 'storage', status: 507, message: `Cannot use the workspace file ${file}: it is damaged.` },
  });
});
