import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { expect, test } from 'vitest';
import type { Contact } from '../../../../src/contract/contacts.ts';
import { Failure } from '../../../../src/contract/errors.ts';
import type { Database, OpenDatabase } from '../../../../src/service/db/database.ts';
import { openDatabase } from '../../../../src/service/db/sqlite/open-workspace.ts';
import { insertRow } from '../../../../src/service/db/statements.ts';
import { createService } from '../../../../src/service/dispatch.ts';
import { readRegion } from '../../../../src/service/records/region.ts';
import { loadSqlite } from '../../../../src/sqlite/engine.ts';
import { createTemporaryFolder } from '../../../support/kith.ts';
import { schemaVersion } from '../../../support/next-version.ts';
import { lockWorkspace } from './lock-workspace.ts';

const createTestService = (db: OpenDatabase) =>
  createService({
    db,
    now: () => new Date(0),
    log: (text) => {
      throw new Error(text);
    },
  });

/** The error of opening the file. */
function openAndFail(file: string): [string, string] {
  try {
    openDatabase(file);
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.message];
    throw error;
  }
  throw new Error('It opened.');
}

const readPragma = async (db: Database, name: string) =>
  Object.values((await db.first<object>(sql`select * from ${raw(`pragma_${name}`)}`)) ?? {})[0];

test('creates a workspace and missing folders with access for the owner only', async () => {
  const folder = join(createTemporaryFolder(), 'a', 'b');
  const db = openDatabase(join(folder, 'kith.sqlite'));
  const modes = [
    folder,
    ...['kith.sqlite', 'kith.sqlite-wal', 'kith.sqlite-shm'].map((name) => join(folder, name)),
  ];
  expect(modes.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual([
    '700',
    '600',
    '600',
    '600',
  ]);
  db.close();
});

test('uses WAL, syncs each commit and enforces foreign keys, so that an acknowledged write survives a power failure', async () => {
  const db = openDatabase(join(createTemporaryFolder(), 'kith.sqlite'));
  const pragmaNames = ['journal_mode', 'synchronous', 'foreign_keys', 'user_version'];
  const values = await Promise.all(pragmaNames.map((name) => readPragma(db, name)));
  db.close();
  expect(values).toEqual(['wal', 2, 1, schemaVersion]);
});

test('a reopened workspace has the records written before, and is not migrated twice', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const first = openDatabase(file);
  const created = await createTestService(first)({
    method: 'POST',
    path: '/v1/contacts',
    query: [],
    body: { first_name: '지우', phone_numbers: ['+821055501234'] },
  });
  first.close();
  const second = openDatabase(file);
  const { id } = created.body as Contact;
  const read = await createTestService(second)({ method: 'GET', path: `/v1/contacts/${id}`, query: [] });
  second.close();
  expect(read).toMatchObject({ status: 200, body: created.body });
});

test('the file of a closed workspace can be copied without its -wal file', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const db = openDatabase(file);
  await db.run(sql`update workspace set region = 'KR'`);
  db.close();
  copyFileSync(file, `${file}.copy`);
  const copy = openDatabase(`${file}.copy`);
  const rows = await copy.all(sql`select region from workspace`);
  copy.close();
  expect(rows).toEqual([{ region: 'KR' }]);
});

test('the file of a new, closed workspace has its tables without a -wal file', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  openDatabase(file).close();
  copyFileSync(file, `${file}.copy`);
  expect(statSync(`${file}.copy`).size).toBeGreaterThan(100_000);
});

test('a connection that has only read does not merge the -wal file of a writer', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const writer = openDatabase(file);
  const before = readFileSync(file);
  await writer.run(sql`update workspace set region = 'KR'`);
  const reader = openDatabase(file);
  expect(await readRegion(reader)).toBe('KR');
  reader.close();
  expect(readFileSync(file).equals(before)).toBe(true);
  writer.close();
  expect(readFileSync(file).equals(before)).toBe(false);
});

/** Makes a workspace of a newer version in a folder, as that kith leaves it when it ends, or when it is killed. */
async function createNewerWorkspace({ isKilled }: { isKilled: boolean }): Promise<string> {
  const folder = createTemporaryFolder();
  const created = join(folder, 'made.sqlite');
  const db = openDatabase(created);
  await db.run(sql`pragma user_version = 99`);
  if (!isKilled) await db.run(sql`pragma wal_checkpoint(truncate)`);
  await db.run(sql`update workspace set region = 'KR'`);
  if (!isKilled) await db.run(sql`pragma wal_checkpoint(truncate)`);
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  for (const suffix of isKilled ? ['', '-wal'] : ['']) copyFileSync(created + suffix, file + suffix);
  db.close();
  return file;
}

test.each([
  ['closed', { isKilled: false }],
  ['left by a kill', { isKilled: true }],
])(
  'refuses a workspace of a newer version and does not change a byte of it: one %s',
  async (_, condition) => {
    const file = await createNewerWorkspace(condition);
    const files = () =>
      readdirSync(dirname(file))
        .filter((name) => !condition.isKilled || !name.endsWith('-shm'))
        .map((name) => [name, readFileSync(join(dirname(file), name), 'base64')]);
    const before = files();
    expect(openAndFail(file)).toEqual([
      'failed',
      `The workspace file ${file} was written by a newer version of kith.`,
    ]);
    expect(files()).toEqual(before);
  },
);

test('a workspace of a newer version keeps its journal mode', async () => {
  const file = await createNewerWorkspace({ isKilled: false });
  const other = new (loadSqlite())(file);
  other.exec('pragma journal_mode = delete');
  other.close();
  const before = readFileSync(file);
  expect(openAndFail(file)[1]).toContain('newer version of kith');
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('refuses a file that is not a database and does not change it', () => {
  const file = join(createTemporaryFolder(), 'notes.txt');
  writeFileSync(file, 'Dear diary, '.repeat(1000));
  expect(openAndFail(file)).toEqual([
    'storage',
    `Cannot use the workspace file ${file}: it is not an SQLite database.`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe('Dear diary, '.repeat(1000));
});

test.each([
  [0, 'recipe'],
  [1, 'recipe'],
  [1, 'workspace'],
])(
  'refuses the database of another program with version %i and the table "%s", and does not change it',
  async (version, table) => {
    const file = join(createTemporaryFolder(), 'other.sqlite');
    await createForeignFile(file, version, table);
    const before = readFileSync(file);
    expect(openAndFail(file)).toEqual(['failed', `The file ${file} is the database of another program.`]);
    expect(readFileSync(file).equals(before)).toBe(true);
  },
);

/** Makes a database with one table. */
async function createForeignFile(file: string, version: number, table: string): Promise<void> {
  const db = openDatabase(':memory:');
  await db.run(sql`attach ${file} as other`);
  await db.run(sql`create table other.${raw(table)} (name text)`);
  await db.run(sql`pragma other.user_version = ${raw(String(version))}`);
  db.close();
}

test('refuses a folder in place of the file', () => {
  const folder = createTemporaryFolder();
  expect(openAndFail(folder)).toEqual([
    'failed',
    expect.stringMatching(`^Cannot use the workspace file ${folder}: it is a folder, not a file`),
  ]);
});

const insertNote = (db: Database, name: string) =>
  insertRow(db, 'organization', { name, created_at: 0, updated_at: 0 });

test('closing the workspace rolls back an open transaction and unlocks the file', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const db = openDatabase(file);
  const openTransaction = db.transaction(async (part) => {
    await insertNote(part, 'written');
    db.close();
    await insertNote(part, 'not any more');
  });
  await expect(openTransaction).rejects.toThrow('The workspace was closed');
  const reopened = openDatabase(file);
  await insertNote(reopened, 'next');
  const rows = await reopened.all(sql`select name from organization`);
  reopened.close();
  expect(rows).toEqual([{ name: 'next' }]);
});

test('a transaction that SQLite rolls back by itself, as on a full disk, throws the original error', async () => {
  const db = openDatabase(':memory:');
  const conflictingInsert = sql`insert or rollback into workspace (id, region) values (1, 'US')`;
  await expect(db.transaction((db) => db.run(conflictingInsert))).rejects.toThrow('UNIQUE');
  db.close();
});

test('while another process writes, a write gets 503 after a wait, and a read gets 200', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const [writer, other] = [openDatabase(file), openDatabase(file)];
  await other.run(sql`pragma busy_timeout = 1`);
  const service = createTestService(other);
  const write = () => service({ method: 'POST', path: '/v1/contacts', query: [], body: { first_name: 'A' } });
  await writer.run(sql`begin immediate`);
  const refusedResponse = await write();
  const read = await service({ method: 'GET', path: '/v1/contacts', query: [] });
  await writer.run(sql`rollback`);
  const acceptedResponse = await write();
  for (const db of [writer, other]) db.close();
  expect(refusedResponse).toEqual({
    status: 503,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '1' },
    body: {
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The workspace is being written by another process.',
    },
  });
  expect([read.status, acceptedResponse.status]).toEqual([200, 201]);
});

test('closing the workspace ends a write that waits for another process with 503', async () => {
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const db = openDatabase(file);
  const service = createTestService(db);
  lockWorkspace(file);
  const pendingResponse = service({
    method: 'POST',
    path: '/v1/contacts',
    query: [],
    body: { first_name: 'Ada' },
  });
  await new Promise((next) => setImmediate(next));
  db.close();
  expect(await pendingResponse).toMatchObject({ status: 503 });
});
