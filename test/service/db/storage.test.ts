import { readFileSync, writeFileSync } from 'node:fs';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/service/db/database.ts';
import { loadSqlite } from '../../../src/service/db/engine.ts';
import { createService } from '../../../src/service/dispatch.ts';
import { createMachine, createSampleWorkspace, createTemporaryFolder } from '../../support/kith.ts';

/** A service on a workspace file, and what it tells the operator. */
function serviceOn(file: string) {
  const db = openDatabase(file);
  const logged: string[] = [];
  const service = createService({ db, now: () => new Date(0), log: (text) => logged.push(text) });
  const problem = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await service({ method, path, query: [], body });
    const { title, detail } = answer.body as { title: string; detail: string };
    return { status: answer.status, title, detail };
  };
  return { db, logged, problem };
}

/** Damages the pages of a file on which its contacts begin. */
function damage(file: string): void {
  const sqlite = new (loadSqlite())(file);
  const roots = "select rootpage from sqlite_schema where tbl_name glob 'contact*' and rootpage > 0";
  const pages = sqlite.prepare(roots).all() as { rootpage: number }[];
  sqlite.close();
  const bytes = readFileSync(file);
  for (const { rootpage } of pages) bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096);
  writeFileSync(file, bytes);
}

test('returns 507 to a write on a full disk, and still serves reads', async () => {
  const { db, logged, problem } = serviceOn(createSampleWorkspace());
  // SQLite then finds no room for another page, as on a full disk.
  await db.run(sql`pragma max_page_count = 1`);
  const answers = [];
  for (let round = 0; round < 20; round += 1) {
    const answer = await problem('POST', '/v1/organizations', { name: `${round}${'x'.repeat(5000)}` });
    if (answer.status !== 201) answers.push(answer);
  }
  expect(answers[0]).toEqual({
    status: 507,
    title: 'Insufficient Storage',
    detail: 'Cannot use the workspace file: no space left on its disk.',
  });
  expect(logged[0]).toContain('database or disk is full');
  expect((await problem('GET', '/v1/organizations')).status).toBe(200);
  db.close();
});

test('responds with 507 to reads and writes of a damaged file', async () => {
  const file = createSampleWorkspace();
  damage(file);
  const { db, problem } = serviceOn(file);
  const damaged = {
    status: 507,
    title: 'Insufficient Storage',
    detail: 'Cannot use the workspace file: it is damaged.',
  };
  expect(await problem('GET', '/v1/contacts')).toEqual(damaged);
  expect(await problem('POST', '/v1/contacts', { emails: ['ada@example.com'] })).toEqual(damaged);
  db.close();
});

test('exits with 1, the code "storage" and the name of a damaged file', async () => {
  const folder = createTemporaryFolder();
  const file = createSampleWorkspace(folder);
  const kith = createMachine(folder);
  await kith(['auth', 'login', '--local', '--database', file]);
  damage(file);
  const { code, err } = await kith('contacts create --email ada@example.com --json');
  expect({ code, error: JSON.parse(err).error }).toMatchObject({
    code: 1,
    error: { code: 'storage', status: 507, message: `Cannot use the workspace file ${file}: it is damaged.` },
  });
});
