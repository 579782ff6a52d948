import { existsSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import sql, { raw } from 'sql-template-tag';
import { beforeEach, expect, test } from 'vitest';
import { listTablesToCopy } from '../../../src/service/copy/copy-tables.ts';
import { createEmptyWorkspace, createSampleWorkspace, createTemporaryFolder } from '../../support/kith.ts';
import { runQuery } from '../../support/postgres.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';
import { openRequests } from './locations.ts';
import { workspaces } from './records.ts';

beforeEach(requirePostgres);

const { signal } = new AbortController();
const copy = (from: string, to: string) => workspaces.copy(from, to, () => {}, signal);
const createMissingFile = () => join(createTemporaryFolder(), 'copy.sqlite');

/** Opens a workspace; `send` returns the status and the body of a response. */
async function open(location: string) {
  const { db, send: request } = await openRequests(location);
  const send = async (line: string, body?: unknown) => {
    const response = await request(line, body);
    return { status: response.status, body: response.body as Record<string, unknown> };
  };
  return { db, send };
}

type Send = Awaited<ReturnType<typeof open>>['send'];

/** The records of each list that are also read alone: the list has the values of all. */
const singles = 5;

/** Returns the responses of all endpoints that read, by their path. */
async function readAll(send: Send) {
  const responses: Record<string, unknown> = {};
  const read = async (path: string) => {
    const { body } = await send(`GET ${path}`);
    responses[path] = body;
    const records = Object.values(body).find(Array.isArray) ?? [];
    return records as { id: string; recordings?: { id: string }[] }[];
  };
  for (const noun of ['contacts', 'organizations', 'notes', 'lists', 'custom_fields', 'calendar_events']) {
    for (const [index, { id, recordings = [] }] of (await read(`${noun}?first=500`)).entries()) {
      if (index < singles) await read(`${noun}/${encodeURIComponent(id)}`);
      if (noun === 'lists') {
        for (const entry of (await read(`lists/${id}/entries?first=500`)).slice(0, singles))
          await read(`lists/${id}/entries/${entry.id}`);
      }
      for (const recording of recordings) {
        for (const part of ['', '/transcript', '/summary']) await read(`recordings/${recording.id}${part}`);
      }
    }
  }
  return responses;
}

const readWorkspace = async (location: string) => {
  const { db, send } = await open(location);
  const keys = await db.all(sql`select * from api_key order by id`);
  const events = await db.all(sql`select id, shown, updated_at from calendar_event order by id`);
  const attendance = await db.all(sql`select * from attendance order by calendar_event_id, folded`);
  const tally = await db.all(
    sql`select scope, block, records from tally where records <> 0 order by scope, block`,
  );
  const row = await db.all(sql`select * from workspace`);
  return { responses: await readAll(send), keys, events, attendance, tally, row };
};

test('a copy to PostgreSQL and back has the same records, ids, times and keys', async () => {
  const [file, url, back, other] = [
    createSampleWorkspace(),
    await createTestDatabase(),
    createMissingFile(),
    await createTestDatabase(),
  ];
  await workspaces.createKey(file, 'cron', true);
  await (await open(file)).db.run(sql`insert into foreign_id values ('contact', 1, 'C/1')`);
  const original = await readWorkspace(file);
  expect(Object.keys(original.responses).length).toBeGreaterThan(50);
  expect(original.responses['contacts/C%2F1']).toMatchObject({ id: 'C/1' });
  const tables = await copy(file, url);
  expect(tables).toContainEqual({ table: 'api_key', rows: 1 });
  expect(tables.filter(({ rows }) => rows === 0)).toEqual([]);
  expect(await copy(url, other)).toEqual(tables);
  expect(await copy(other, back)).toEqual(tables);
  for (const location of [url, other, back]) expect(await readWorkspace(location)).toEqual(original);
});

test('every table of a workspace file is copied', async () => {
  const { db } = await open(createEmptyWorkspace());
  const tables = await db.all<{ name: string }>(sql`select name from pragma_table_list
    where type = 'table' and name not like 'sqlite_%' and name not like 'tally%' and name <> 'attendance' order by name`);
  expect(
    listTablesToCopy()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(tables.map(({ name }) => name));
});

test('new records in a copy never get the id of a deleted record', async () => {
  const file = createEmptyWorkspace();
  const first = await open(file);
  const ids: unknown[] = [];
  for (const name of ['A', 'B', 'C'])
    ids.push((await first.send('POST contacts', { first_name: name })).body.id);
  await first.send(`DELETE contacts/${ids[2]}`);
  await first.db.close();
  const url = await createTestDatabase();
  const back = createMissingFile();
  await copy(file, url);
  await copy(url, back);
  const expected = (await (await open(file)).send('POST contacts', { first_name: 'D' })).body.id;
  expect(ids).not.toContain(expected);
  for (const location of [url, back]) {
    const { send } = await open(location);
    expect((await send('POST contacts', { first_name: 'D' })).body.id).toBe(expected);
    expect((await send('POST organizations', { name: 'O' })).status).toBe(201);
  }
});

test('copies the duplicates of a list that no longer allows them, and the copy accepts no more', async () => {
  const file = createEmptyWorkspace();
  const { db, send } = await open(file);
  const { body: contact } = await send('POST contacts', { first_name: 'A' });
  const { body: list } = await send('POST lists', { name: 'All', process: false, entry_type: 'Contact' });
  const entry = { entryable_id: contact.id, entryable_type: 'Contact' };
  expect((await send(`POST lists/${list.id}/entries`, entry)).status).toBe(201);
  await db.run(sql`insert into entry (list_id, entryable_contact_id, created_at, updated_at)
    select list_id, entryable_contact_id, created_at, updated_at from entry`);
  const url = await createTestDatabase();
  expect(await copy(file, url)).toContainEqual({ table: 'entry', rows: 2 });
  const copied = await open(url);
  expect((await copied.send(`POST lists/${list.id}/entries`, entry)).status).toBe(422);
  expect(await runQuery(url, 'select id::int, sole_list_id::int as sole from entry order by id')).toEqual([
    { id: 1, sole: 1 },
    { id: 2, sole: null },
  ]);
  const { body: second } = await copied.send('POST contacts', { first_name: 'B' });
  const other = { ...entry, entryable_id: second.id };
  expect((await copied.send(`POST lists/${list.id}/entries`, other)).status).toBe(201);
  const soles = await runQuery(url, 'select sole_list_id::int as sole from entry order by id');
  expect(soles.at(-1)).toEqual({ sole: 1 });
});

test('refuses a target with records or keys', async () => {
  const sample = createSampleWorkspace();
  const [withKey, url] = [createEmptyWorkspace(), await createTestDatabase()];
  await workspaces.createKey(withKey, 'cron', false);
  await copy(sample, url);
  await expect(copy(withKey, sample)).rejects.toThrow(`${sample} has records; the target`);
  await expect(copy(sample, withKey)).rejects.toThrow(`${withKey} has API keys; the target`);
  await expect(copy(sample, url)).rejects.toThrow(/^postgres:.* has records/);
});

test('refuses a mistyped file and the same location, and creates no file', async () => {
  const [sample, missing, target] = [createSampleWorkspace(), createMissingFile(), createMissingFile()];
  await expect(copy(missing, target)).rejects.toThrow(`Workspace file not found: ${missing}`);
  expect([missing, target].filter(existsSync)).toEqual([]);
  const link = createMissingFile();
  linkSync(sample, link);
  const url = await createTestDatabase();
  for (const [from, to] of [
    [sample, sample],
    [sample, link],
    [url, url.replace('postgres:', 'postgresql:')],
  ] as const) {
    await expect(copy(from, to)).rejects.toMatchObject({ code: 'usage' });
  }
});

test('after a failure during the copy, the target is empty and has all its triggers', async () => {
  const [sample, url, file] = [createSampleWorkspace(), await createTestDatabase(), createEmptyWorkspace()];
  await (await open(url)).db.close();
  await runQuery(url, `alter table recording add check (status <> 'done')`);
  await expect(copy(sample, url)).rejects.toMatchObject({
    code: 'failed',
    message: /cannot store the rows of recording/,
  });
  const { db } = await open(file);
  await db.run(sql`create trigger change after insert on note begin
    update note set body = 'changed' where id = new.id; end`);
  await expect(copy(sample, file)).rejects.toThrow(
    'The rows of note differ after the copy; nothing was copied.',
  );
  for (const location of [url, file]) {
    const { db } = await open(location);
    for (const { name } of listTablesToCopy()) {
      const rows = await db.all(sql`select * from ${raw(name)}`);
      expect({ name, rows: rows.length }).toEqual({ name, rows: name === 'workspace' ? 1 : 0 });
    }
  }
  const triggers = "select tgenabled as state from pg_trigger where tgname = 'entry_sole'";
  expect(await runQuery(url, triggers)).toEqual([{ state: 'O' }]);
});

test('a copy has the state of one moment, even if another process writes to the source', async () => {
  for (const from of [createEmptyWorkspace(), await createTestDatabase()]) {
    const { db, send } = await open(from);
    await send('POST organizations', { name: 'A' });
    const writes: Promise<unknown>[] = [];
    const insertion = sql`insert into contact (first_name, created_at, updated_at) values ('B', 0, 0)`;
    const write = () => void writes.push(db.run(insertion));
    const tables = await workspaces.copy(from, createMissingFile(), write, signal);
    await Promise.all(writes);
    expect(tables).toContainEqual({ table: 'contact', rows: 0 });
    expect(await db.all(sql`select 1 from contact`)).toHaveLength(writes.length);
  }
});
