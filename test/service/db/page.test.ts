import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import { createPage } from '../../client/loopback.ts';
import { test } from '../engines.ts';
import { openTestWorkspace } from '../service.ts';

/** Creates a workspace with `count` contacts, `n1` the first. Triggers update the tally. */
async function createContacts(count: number) {
  const workspace = await openTestWorkspace();
  await workspace.db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into contact (first_name, created_at, updated_at) select 'n' || i, 0, 0 from n`);
  const readNames = async (query: string) => {
    const { data, pagination } = await workspace.sendOk<Page<Contact>>(`GET /v1/contacts${query}`);
    return { readNames: data.map(({ first_name }) => first_name), pagination };
  };
  return { ...workspace, readNames };
}

const createNames = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => `n${first + index}`);

test('pages contain the contacts from the offset on, oldest first, and are empty after the end', async () => {
  const { readNames } = await createContacts(30);
  const rows: readonly (readonly [query: string, first: number, last: number, hasMore: boolean])[] = [
    ['', 1, 25, true],
    ['?first=3', 1, 3, true],
    ['?first=3&after=3', 4, 6, true],
    ['?after=5', 6, 30, false],
    ['?first=30', 1, 30, false],
    ['?first=500', 1, 30, false],
    ['?first=29', 1, 29, true],
    ['?after=29', 30, 30, false],
    ...[30, 31, 1_000_000, 999_999_999_999_999].map((at) => [`?after=${at}`, at + 1, at, false] as const),
  ];
  for (const [query, first, last, has_next_page] of rows) {
    const pagination = { end_cursor: last, has_next_page, total_count: 30 };
    expect([query, await readNames(query)]).toEqual([
      query,
      { readNames: createNames(first, last), pagination },
    ]);
  }
});

test('pages follow each other without gaps across blocks of ids and deleted records', async () => {
  const { db, readNames } = await createContacts(9000);
  await db.run(sql`delete from contact where id % 7 = 0 or id between 4000 and 4200 or id = 9000`);
  const remainingNames = createNames(1, 8999).filter((_, index) => {
    const id = index + 1;
    return id % 7 !== 0 && (id < 4000 || id > 4200);
  });
  const read: (string | null)[] = [];
  for (let after = 0; after < remainingNames.length; after += 500) {
    const page = await readNames(`?first=500&after=${after}`);
    read.push(...page.readNames);
    const end_cursor = Math.min(after + 500, remainingNames.length);
    const has_next_page = end_cursor < remainingNames.length;
    expect(page.pagination).toEqual({ end_cursor, has_next_page, total_count: remainingNames.length });
  }
  expect(read).toEqual(remainingNames);
});

test('added records do not shift the pages already read', async () => {
  const { sendOk, readNames } = await createContacts(30);
  const before = await readNames('?first=10&after=10');
  await sendOk('POST /v1/contacts', { first_name: 'new' });
  expect((await readNames('?first=10&after=10')).readNames).toEqual(before.readNames);
  expect((await readNames('?after=30')).readNames).toEqual(['new']);
});

test('counts and pages the entries of each list separately', async () => {
  const { sendOk, readNames } = await createContacts(6);
  const { readNames: all } = await readNames('');
  const createList = async (name: string) =>
    (await sendOk<{ id: string }>('POST /v1/lists', { name, process: false, entry_type: 'Contact' })).id;
  const [one, two] = [await createList('one'), await createList('two')];
  const { data } = await sendOk<Page<Contact>>('GET /v1/contacts');
  for (const [index, { id }] of data.entries()) {
    await sendOk(`POST /v1/lists/${index % 2 ? one : two}/entries`, {
      entryable_id: id,
      entryable_type: 'Contact',
    });
  }
  const page = await sendOk<Page<{ entryable_id: string }>>(`GET /v1/lists/${one}/entries?first=2&after=1`);
  const entryNames = page.data.map(
    ({ entryable_id }) => all[data.findIndex(({ id }) => id === entryable_id)],
  );
  expect([entryNames, page.pagination]).toEqual([
    ['n4', 'n6'],
    { end_cursor: 3, has_next_page: false, total_count: 3 },
  ]);
});

/** Every character up to U+33FF that a text may contain, and some beyond. */
const everyCharacter = `${Array.from({ length: 0x33ff }, (_, index) => String.fromCharCode(index + 1)).join('')}\u{e000}\u{ffff}😀`;

test('a page is equal to JSON.stringify for any texts, numbers and ids of fields', async () => {
  const { db, service, sendOk } = await openTestWorkspace();
  const fields = [
    [everyCharacter, 'text'],
    ['Score', 'number'],
    ['Web', 'url'],
  ];
  for (const [name, data_type] of fields)
    await sendOk('POST /v1/custom_fields', { model: 'contact', name, data_type });
  // The id of the last field becomes 790907: an object lists such a key before the others.
  await db.run(sql`update custom_field set id = 745 where name = 'Web'`);
  const value = (name: string, value: unknown) => ({ name, value });
  const bodies = [0, -1.5, 1e21, 1e-7, 123456789012345].map((score) => ({
    first_name: everyCharacter,
    custom_fields: [
      value(everyCharacter, everyCharacter),
      value('Score', score),
      value('Web', 'https://a.co/"\\'),
    ],
  }));
  const contacts: unknown[] = [];
  for (const body of [...bodies, { first_name: 'Ada' }])
    contacts.push(await sendOk('POST /v1/contacts', body));
  const { text } = await service({ method: 'GET', path: '/v1/contacts', query: [] });
  expect(text).toBe(JSON.stringify(createPage(contacts)));
  expect(text).toContain('"custom_fields":{"790907":{"name":"Web","data_type":"url","value":null}');
});
