import sql from 'sql-template-tag';
import { expect, test as onSqlite, onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import { contract } from '../../../src/contract/index.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { ids } from '../../../src/service/db/ids.ts';
import { createRow, insertRow } from '../../../src/service/db/statements.ts';
import { createService } from '../../../src/service/dispatch.ts';
import { createKey } from '../../../src/service/http/keys.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { createEmbeddedTransport } from '../../../src/service/workspace.ts';
import { createClientOver, createTestClient } from '../../client/loopback.ts';
import { slowTest, test } from '../engines.ts';
import { plainOptions } from '../server.ts';
import { openTestWorkspace, startTime, type TestWorkspace } from '../service.ts';

const megabyte = 1024 * 1024;
/** The limit of a page, and the JSON around its records. */
const largest = 8 * megabyte + 200;

interface Record {
  readonly id: string;
}

/** Inserts notes of the given sizes in bytes, without the service. */
async function addNotes(db: Database, sizes: readonly number[]) {
  await db.transaction(async (db) => {
    const times = { created_at: 0, updated_at: 0 };
    const organization_id = await createRow(db, 'organization', { name: 'Acme', ...times });
    for (const size of sizes)
      await insertRow(db, 'note', { organization_id, body: 'x'.repeat(size), ...times });
  });
}

const repeat = <T>(count: number, item: T) => Array.from({ length: count }, () => item);
const notes = process.env.KITH_LONG === '1' ? 500 : 10;

test(`${notes} notes of 1 MB come in pages of at most 8 MB that follow one another`, async () => {
  const { db, sendOk } = await openTestWorkspace();
  await addNotes(db, repeat(notes, 1_000_000));
  const ids: string[] = [];
  let after = 0;
  for (let more = true; more; ) {
    const page = await sendOk<Page<Record>>(`GET /v1/notes?first=500&after=${after}`);
    const { end_cursor, has_next_page, total_count } = page.pagination;
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(largest);
    expect(end_cursor).toBe(after + page.data.length);
    expect(total_count).toBe(notes);
    ids.push(...page.data.map(({ id }) => id));
    after = end_cursor;
    more = has_next_page;
  }
  expect([ids.length, new Set(ids).size]).toEqual([notes, notes]);
});

test('a page is full up to 8 MB, and a record that is larger comes alone', async () => {
  const { db, sendOk } = await openTestWorkspace();
  await addNotes(db, [...repeat(500, 16_000), 9 * megabyte, 10]);
  const measureLength = async (query: string) => {
    const { data, pagination } = await sendOk<Page<Record>>(`GET /v1/notes?${query}`);
    return [data.length, pagination.end_cursor, pagination.has_next_page];
  };
  expect(await measureLength('first=500')).toEqual([500, 500, true]);
  expect(await measureLength('first=500&after=500')).toEqual([1, 501, true]);
  expect(await measureLength('first=500&after=501')).toEqual([1, 502, false]);
});

test('a statement for a page returns at most 8 MiB, unless a single record is larger', async () => {
  const { db } = await openTestWorkspace();
  await addNotes(db, [...repeat(60, 1000), ...repeat(30, 2_000_000), ...repeat(60, 1000)]);
  const sizes: number[] = [];
  const first: Database['first'] = async (...args) => {
    const row = await db.first<{ json?: string }>(...args);
    sizes.push(row?.json?.length ?? 0);
    return row as never;
  };
  const watched = { ...db, first, snapshot: (work) => work({ ...db, first }) } as typeof db;
  const service = createService({ db: watched, now: () => new Date(startTime), log: () => {} });
  const { body } = await service({ method: 'GET', path: '/v1/notes', query: [['first', '500']] });
  expect((body as Page<Record>).data.length).toBe(64);
  expect(Math.max(...sizes)).toBeLessThan(2_001_000);
});

const longText = 'x'.repeat(250_000);
const field = { name: 'Long', data_type: 'textarea' };
const name = (index: number) => `${index}${longText}`;

/** A list, its field definitions, and the body of a record larger than 250 kB. */
type ListCase = readonly [path: string, definitions: readonly unknown[], body: (index: number) => unknown];

/** All statements for pages have the form of these on both engines. */
const listsOnBothEngines: readonly ListCase[] = [
  [
    '/v1/contacts?phone_number=%2B14155550100',
    [{ ...field, model: 'contact' }],
    (index) => ({
      first_name: `A${index}`,
      phone_numbers: ['+14155550100'],
      custom_fields: [{ name: 'Long', value: longText }],
    }),
  ],
];

const listsOnSqlite: readonly ListCase[] = [
  ['/v1/contacts', [], (index) => ({ first_name: name(index) })],
  ['/v1/contacts', [{ name: name(0), model: 'contact' }], (index) => ({ first_name: `A${index}` })],
  [
    '/v1/organizations',
    [{ ...field, model: 'organization' }],
    (index) => ({ name: `A${index}`, custom_fields: [{ name: 'Long', value: longText }] }),
  ],
  ['/v1/custom_fields', [], (index) => ({ name: name(index), model: 'contact' })],
  [
    '/v1/lists',
    [],
    (index) => ({
      name: `L${index}`,
      process: false,
      entry_type: 'Contact',
      fields: [{ name: name(index) }],
    }),
  ],
  [
    `/v1/lists/${ids.list.encode(1)}/entries`,
    [],
    (index) => ({
      ...{ entryable_id: ids.organization.encode(index + 1), entryable_type: 'Organization' },
      list_fields: [{ name: 'Long', value: longText }],
    }),
  ],
];

/** Slightly more records than a page can contain. */
const records = 34;

async function checkPageOfList(...[path, definitions, body]: ListCase): Promise<void> {
  const { sendOk } = await openTestWorkspace();
  for (const definition of definitions) await sendOk('POST /v1/custom_fields', definition);
  if (path.includes('entries')) {
    const list = { name: 'L', process: false, entry_type: 'Organization', fields: [field] };
    await sendOk('POST /v1/lists', list);
    for (let index = 0; index < records; index += 1)
      await sendOk('POST /v1/organizations', { name: `A${index}` });
  }
  for (let index = 0; index < records; index += 1)
    await sendOk(`POST ${path.replace(/\?.*/, '')}`, body(index));
  const page = await sendOk<Page<Record>>(`GET ${path}${path.includes('?') ? '&' : '?'}first=100`);
  expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(largest);
  expect(page.pagination).toEqual({
    end_cursor: page.data.length,
    has_next_page: true,
    total_count: records,
  });
}

test.each(listsOnBothEngines)('limits a page of %s to 8 MB', checkPageOfList);
slowTest.each(listsOnSqlite)('limits a page of %s to 8 MB (%#)', checkPageOfList);

onSqlite.each(['', '&updated_after=-9'])('limits a page of events%s to 8 MB', async (filter) => {
  const { db, sendOk } = await openTestWorkspace();
  const event = { title: 'Meeting', start_at: '', end_at: '', starts_at: 1, created_at: 0, updated_at: 0 };
  for (let index = 0; index < records; index += 1) {
    const calendar_event_id = await createRow(db, 'calendar_event', event);
    const attendee = { position: 0, email: longText, folded: '' };
    await insertRow(db, 'calendar_event_attendee', { calendar_event_id, ...attendee });
  }
  await db.run(sql`update calendar_event set shown = true`);
  const page = await sendOk<Page<Record>>(`GET /v1/calendar_events?first=100${filter}`);
  expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(largest);
  expect(page.pagination).toEqual({
    end_cursor: page.data.length,
    has_next_page: true,
    total_count: records,
  });
});

/** A client of a workspace in this process, and one of the same workspace over HTTP. */
async function createClients({ db, location, service }: TestWorkspace): Promise<Client[]> {
  const { key } = await createKey(db, { name: 'test', readOnly: true }, new Date(startTime));
  const shell = { db, service, newId: () => 'id', log: () => {}, version: '0.0.0' };
  const { url, stop } = await startServer(shell, plainOptions);
  onTestFinished(() => stop());
  const embedded = await createEmbeddedTransport(location, () => new Date(startTime));
  onTestFinished(() => embedded.close());
  return [createTestClient(url, 0, { key }).client, createClientOver(embedded, 0).client];
}

onSqlite.each([
  ['small, then large', [...repeat(75, 10), ...repeat(10, 1_000_000)]],
  ['large, then small', [...repeat(10, 1_000_000), ...repeat(75, 10)]],
])('the client reads pages concurrently without losing or repeating records: %s', (_, sizes) =>
  checkConcurrentPages(sizes),
);

test('the client reads pages concurrently without losing or repeating records: mixed', () =>
  checkConcurrentPages(
    Array.from({ length: 75 }, (_, index) => (index % 7 === 0 ? 1_000_000 : 1000 * index)),
  ));

async function checkConcurrentPages(sizes: readonly number[]): Promise<void> {
  const workspace = await openTestWorkspace();
  await addNotes(workspace.db, sizes);
  for (const client of await createClients(workspace)) {
    const read: number[] = [];
    const ids = new Set<unknown>();
    for await (const { records } of client.pages(contract.notes.list, {}, { size: 25 })) {
      for (const { value } of records) {
        const note = value as { id: string; body: string };
        ids.add(note.id);
        read.push(note.body.length);
      }
    }
    expect(read).toEqual(sizes);
    expect(ids.size).toBe(sizes.length);
  }
}
