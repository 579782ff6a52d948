import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../../src/service/db/database.ts';
import { createDatabase } from '../../../../src/service/db/sqlite/connection.ts';
import { loadSqlite } from '../../../../src/sqlite/engine.ts';
import { createTemporaryFolder } from '../../../support/kith.ts';

/** Opens a file with an empty table twice: as the service does, and as another program does. */
function openTwice() {
  const SqliteDatabase = loadSqlite();
  const file = join(createTemporaryFolder(), 'file.sqlite');
  const [sqlite, other] = [new SqliteDatabase(file), new SqliteDatabase(file)];
  sqlite.exec('pragma journal_mode = wal; create table thing (id integer primary key)');
  const db = createDatabase(sqlite);
  onTestFinished(() => {
    db.close();
    other.close();
  });
  const count = async (on: Database = db) =>
    (await on.first<{ count: number }>(sql`select count(*) as count from thing`))?.count;
  return { sqlite, db, count, insertElsewhere: () => other.exec('insert into thing default values') };
}

const insert = sql`insert into thing default values`;

test('queries without an await between them see one state of the file, and later ones the next', async () => {
  const { db, count, insertElsewhere } = openTwice();
  expect(await count()).toBe(0);
  insertElsewhere();
  expect(await count()).toBe(0);
  await nextTurn();
  expect(await count()).toBe(1);
  insertElsewhere();
  await db.readRequest(() => count());
  expect(await count()).toBe(2);
  insertElsewhere();
  expect(await db.transaction(count)).toBe(3);
});

test('long queries without an await between them see one state of the file too', async () => {
  const { count, insertElsewhere } = openTwice();
  expect(await count()).toBe(0);
  insertElsewhere();
  for (let query = 0; query < 20; query += 1) {
    const start = performance.now();
    while (performance.now() - start < 5);
    expect(await count()).toBe(0);
  }
});

test('queries see one state of the file if the first runs in the callback of an event, as for a request', async () => {
  const { count, insertElsewhere } = openTwice();
  const counts = await new Promise((resolve) => {
    setImmediate(async () => {
      const first = count();
      insertElsewhere();
      resolve([await first, await count()]);
    });
  });
  expect(counts).toEqual([0, 0]);
});

test('a write right after a read does not find the file locked', async () => {
  const { db, count } = openTwice();
  expect(await Promise.all([count(), db.run(insert)])).toEqual([0, 1]);
  expect(await count()).toBe(1);
});

test('a query waits for the current transaction', async () => {
  const { db, count } = openTwice();
  let finishFirst = () => {};
  const transaction = db.transaction(async (part) => {
    await part.run(insert);
    await new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
  });
  await nextTurn();
  let isRead = false;
  const rows = count().finally(() => {
    isRead = true;
  });
  await nextTurn();
  expect(isRead).toBe(false);
  finishFirst();
  await transaction;
  expect(await rows).toBe(1);
});

test('tolerates a snapshot that SQLite has ended after a disk error', async () => {
  const { sqlite, count, insertElsewhere } = openTwice();
  await count();
  sqlite.exec('rollback');
  await nextTurn();
  insertElsewhere();
  expect(await count()).toBe(1);
});

test('closing succeeds if the -wal file cannot be merged into the database', async () => {
  const { sqlite, db } = openTwice();
  await db.run(insert);
  sqlite.exec('begin; insert into thing default values'); // like a full disk, it keeps SQLite from a checkpoint
  expect(() => db.close()).not.toThrow();
  expect(() => sqlite.exec('commit')).toThrow(/open|closed/);
});
