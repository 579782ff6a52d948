import { expect } from 'vitest';
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
