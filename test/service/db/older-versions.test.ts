import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { CalendarEvent } from '../../../src/contract/calendar-events.ts';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import { ids } from '../../../src/service/db/ids.ts';
import { createOldDatabase, createOldFile } from '../../support/old-workspace.ts';
import { isOnPostgres, test } from '../engines.ts';
import { openTestWorkspace } from '../service.ts';

test('a workspace of an older version continues the keys of its processes', async () => {
  const allowed = isOnPostgres() ? 'true' : '1';
  const rows = `insert into contact (first_name, created_at, updated_at) values ('Ada', 0, 0);
    insert into list (name, process, entry_type, identifier, duplicates_allowed, statuses, last_key, created_at, updated_at)
      values ('Deals', ${allowed}, 'Contact', 'DEAL', ${allowed}, '[{"name":"Open","type":"active"}]', 7, 0, 0),
        ('New', ${allowed}, 'Contact', 'NEW', ${allowed}, '[{"name":"Open","type":"active"}]', 0, 0, 0);
    insert into entry (list_id, key, status, entryable_contact_id, created_at, updated_at)
      values (1, 'DEAL-6', 'Open', 1, 0, 0)`;
  const location = await (isOnPostgres() ? createOldDatabase(3, rows) : createOldFile(6, rows));
  const { sendOk } = await openTestWorkspace(location);
  const listKeys = async (list: number) => {
    const { data } = await sendOk<{ data: { key: string }[] }>(`GET ${getEntries(list)}`);
    return data.map(({ key }) => key);
  };
  const getEntries = (list: number) => `/v1/lists/${ids.list.encode(list)}/entries`;
  const ada = { entryable_id: ids.contact.encode(1), entryable_type: 'Contact' };
  for (const list of [1, 1, 2]) await sendOk(`POST ${getEntries(list)}`, ada);
  expect([await listKeys(1), await listKeys(2)]).toEqual([['DEAL-6', 'DEAL-8', 'DEAL-9'], ['NEW-1']]);
});

test('a workspace of an older version finds the meetings of a contact, and updated meetings', async () => {
  const rows = `insert into contact (first_name, created_at, updated_at) values ('Ada', 0, 0);
    insert into contact_email (folded, email, contact_id, position)
      values ('a@x.example', 'a@x.example', 1, 0), ('b@x.example', 'B@x.example', 1, 1);
    insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)
      values ('First', '', '', 1000, 0, 1000), ('Second', '', '', 9000000000000, 0, 2000), ('Hidden', '', '', 5000, 0, 3000);
    insert into calendar_event_attendee (calendar_event_id, position, email, folded)
      values (1, 0, 'a@x.example', 'a@x.example'), (1, 1, 'B@x.example', 'b@x.example'),
        (2, 0, 'b@x.example', 'b@x.example'), (3, 0, 'a@x.example', 'a@x.example');
    insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
      values (1, 'done', 0, 0, 0), (2, 'done', 0, 0, 0)`;
  const location = await (isOnPostgres() ? createOldDatabase(3, rows) : createOldFile(6, rows));
  const { db, sendOk } = await openTestWorkspace(location);
  const listTitles = async (query: string) => {
    const page = await sendOk<Page<CalendarEvent>>(`GET /v1/calendar_events?${query}`);
    return [page.pagination.total_count, ...page.data.map(({ title }) => title)];
  };
  const ofAda = `contact_id=${ids.contact.encode(1)}`;
  expect(await listTitles(ofAda)).toEqual([2, 'Second', 'First']);
  expect(await listTitles('updated_after=1')).toEqual([1, 'Second']);
  await db.run(sql`update recording set calendar_event_id = 3 where calendar_event_id = 1`);
  expect(await listTitles(ofAda)).toEqual([2, 'Second', 'Hidden']);
  expect(await listTitles('updated_after=2')).toEqual([1, 'Hidden']);
});

test('finds the email addresses that an older version stored with invisible characters', async () => {
  const emails = [
    'bob\u200b@a.example',
    '\u202acy\u2011x@a.example\u202c',
    'ada@a.example\u200b',
    'ada@a.example',
  ];
  const rows = emails.map(
    (email, index) => `insert into contact (first_name, created_at, updated_at) values ('${index}', 0, 0);
    insert into contact_email (folded, email, contact_id, position) values ('${email}', '${email}', ${index + 1}, 0)`,
  );
  const create = isOnPostgres() ? createOldDatabase : createOldFile;
  const { call, sendOk } = await openTestWorkspace(await create(isOnPostgres() ? 6 : 9, rows.join(';')));
  const find = async (email: string) => {
    const { data } = await sendOk<Page<Contact>>(`GET /v1/contacts?email=${encodeURIComponent(email)}`);
    return data.map((contact) => contact.emails);
  };
  expect(await find('bob@a.example')).toEqual([['bob\u200b@a.example']]);
  expect(await find('cy-x@a.example')).toEqual([['\u202acy\u2011x@a.example\u202c']]);
  // Another contact has the address without invisible characters.
  expect(await find('ada@a.example')).toEqual([['ada@a.example']]);
  expect(await call('POST /v1/contacts', { emails: ['bob@a.example'] })).toMatchObject({ status: 422 });
  const path = `/v1/contacts/${ids.contact.encode(3)}`;
  expect(await sendOk(`DELETE ${path}/emails`, { emails: ['ada@a.example'] })).toMatchObject({ emails: [] });
});
