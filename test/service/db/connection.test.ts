import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { connectionTo, driver } from '../../../src/service/db/connection.ts';
import { loadSqlite } from '../../../src/service/db/engine.ts';
import { temporaryFolder } from '../../support/kith.ts';

const counted = CompiledQuery.raw('select count(*) as rows from thing');

/** Two connections to a file with an empty table: one that is used as the service does, and another program's. */
function connections() {
  const Engine = loadSqlite();
  const file = join(temporaryFolder(), 'file.sqlite');
  const [sqlite, other] = [new Engine(file), new Engine(file)];
  sqlite.exec('pragma journal_mode = wal; create table thing (id integer primary key)');
  const connection = connectionTo(sqlite);
  onTestFinished(() => {
    connection.close();
    other.close();
  });
  const rows = () => connection.rowsNow(counted.sql, []);
  return { sqlite, connection, rows, insert: () => other.exec('insert into thing default values') };
}

test('queries without a wait between them read one state of the file, and those after it the next', async () => {
  const { connection, rows, insert } = connections();
  expect(rows()).toEqual([{ rows: 0 }]);
  insert();
  expect(rows()).toEqual([{ rows: 0 }]);
  await nextTurn();
  expect(rows()).toEqual([{ rows: 1 }]);
  insert();
  connection.endSnapshot();
  expect(rows()).toEqual([{ rows: 2 }]);
  insert();
  expect((await connection.executeQuery(counted)).rows).toEqual([{ rows: 3 }]);
});

test('queries that take long read one state of the file too', async () => {
  const { rows, insert } = connections();
  expect(rows()).toEqual([{ rows: 0 }]);
  insert();
  for (let query = 0; query < 20; query += 1) {
    const start = performance.now();
    while (performance.now() - start < 5);
    expect(rows()).toEqual([{ rows: 0 }]);
  }
});

test('a write does not find the file held by what was read before it', async () => {
  const { connection, rows } = connections();
  for (const text of ['begin immediate', 'insert into thing default values', 'commit']) {
    rows();
    if (text === 'begin immediate') connection.isTaken = true;
    await connection.executeQuery(CompiledQuery.raw(text));
    expect(rows()).toBeUndefined();
  }
  connection.isTaken = false;
  expect(rows()).toEqual([{ rows: 1 }]);
});

test('while the connection is taken nothing is read beside it', async () => {
  const { connection, rows } = connections();
  const made = driver(connection);
  await made.acquireConnection();
  expect(rows()).toBeUndefined();
  await made.releaseConnection(connection);
  expect(rows()).toEqual([{ rows: 0 }]);
});

test('what SQLite itself undoes after a fault of the disk does no more harm', async () => {
  const { sqlite, rows, insert } = connections();
  rows();
  sqlite.exec('rollback');
  await nextTurn();
  insert();
  expect(rows()).toEqual([{ rows: 1 }]);
});

test('closing does not fail at what lies beside the file and cannot come into it', () => {
  const { sqlite, connection } = connections();
  sqlite.exec('begin; insert into thing default values'); // as a full disk: it keeps SQLite from a checkpoint
  expect(() => connection.close()).not.toThrow();
  expect(() => sqlite.exec('commit')).toThrow(/open|closed/);
});
