import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { Database } from '../../../src/service/db/database.ts';
import { isIn } from '../../../src/service/db/render-sql.ts';
import { createRow, insertRow } from '../../../src/service/db/statements.ts';
import { test } from '../engines.ts';
import { openTestWorkspace } from '../service.ts';

const times = { created_at: 0, updated_at: 0 };
const insert = (db: Database, name: string) => insertRow(db, 'organization', { name, ...times });
const readNames = async (db: Database) =>
  (await db.all<{ name: string }>(sql`select name from organization order by id`)).map(({ name }) => name);

test('commits a transaction completely or not at all', async () => {
  const { db } = await openTestWorkspace();
  await expect(
    db.transaction(async (part) => {
      await insert(part, 'lost');
      await part.transaction((inner) => insert(inner, 'lost with it'));
      throw new Error('halfway');
    }),
  ).rejects.toThrow('halfway');
  await db.transaction((part) => insert(part, 'kept'));
  expect(await readNames(db)).toEqual(['kept']);
});

test('a failed statement in a transaction rolls it back, and the next one works', async () => {
  const { db } = await openTestWorkspace();
  const rejected = db.transaction(async (part) => {
    await insert(part, 'lost');
    await part.run(sql`insert into missing (id) values (1)`);
  });
  await expect(rejected).rejects.toThrow(/no such table|does not exist/);
  expect(await readNames(db)).toEqual([]);
  await db.transaction((part) => insert(part, 'kept'));
  expect(await readNames(db)).toEqual(['kept']);
});

test('returns the rows of an insert, and the number of changed rows', async () => {
  const { db } = await openTestWorkspace();
  expect(await db.first(sql`select id from organization`)).toBeUndefined();
  expect(await createRow(db, 'organization', { name: 'Acme', ...times })).toBe(1);
  expect(await createRow(db, 'organization', { name: 'Bolt', ...times })).toBe(2);
  expect(await db.all(sql`select id from organization where ${isIn('id', [2, 3])}`)).toEqual([{ id: 2 }]);
  expect(await db.all(sql`select id from organization where ${isIn('id', [])}`)).toEqual([]);
  expect(await db.run(sql`delete from organization where id in (${1}, ${2}, ${3})`)).toBe(2);
});

test('a row contains only numbers and texts, even for booleans and JSON', async () => {
  const { db } = await openTestWorkspace();
  const field = { model: 'contact', name: 'Tier', data_type: 'select', accepts_multiple_values: 1 } as const;
  const options = JSON.stringify(['é', '"']);
  const time = 1_777_887_000_123;
  const row = { ...field, options, created_at: time, updated_at: Number.MAX_SAFE_INTEGER };
  const id = await createRow(db, 'custom_field', row);
  const stored = await db.first<typeof row>(sql`select * from custom_field`);
  expect({ ...stored, options: JSON.parse(stored?.options ?? '') }).toEqual({
    id,
    ...row,
    options: ['é', '"'],
  });
  expect(
    await db.first(sql`select count(*) as count, sum(id) as sum, max(name) as name from custom_field`),
  ).toEqual({ count: 1, sum: id, name: 'Tier' });
});
