import { join } from 'node:path';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import { ids } from '../../../src/service/db/ids.ts';
import { loadSqlite } from '../../../src/sqlite/engine.ts';
import { createTemporaryFolder } from '../../support/kith.ts';

/** Records the statements that are prepared until the test ends. */
function recordPreparedStatements(): Set<string> {
  const preparedSql = new Set<string>();
  // Other tests may have loaded the service: it is loaded again, with the real engine.
  vi.resetModules();
  vi.doMock('../../../src/sqlite/engine.ts', () => ({
    loadSqlite: () =>
      class extends loadSqlite() {
        override prepare(sql: string) {
          preparedSql.add(sql);
          return super.prepare(sql);
        }
      },
  }));
  onTestFinished(() => {
    vi.doUnmock('../../../src/sqlite/engine.ts');
    vi.resetModules();
  });
  return preparedSql;
}

/** A workspace with records of every kind. */
async function createFilledWorkspace() {
  const { openTestWorkspace: workspace } = await import('../service.ts');
  const file = join(createTemporaryFolder(), 'kith.sqlite');
  const created = await workspace(file);
  const { db, sendOk } = created;
  const { id: list } = await sendOk<{ id: string }>('POST /v1/lists', {
    ...{ name: 'All', process: false, entry_type: 'Contact', fields: [{ name: 'Next step' }] },
  });
  for (const model of ['contact', 'organization']) {
    await sendOk('POST /v1/custom_fields', { name: 'Role', model, data_type: 'text' });
  }
  const organization = await sendOk<{ id: string }>('POST /v1/organizations', { domains: ['a.example'] });
  await sendOk('POST /v1/notes', { organization_id: organization.id, body: 'A' });
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    ...{ first_name: 'A', emails: ['a@a.example'], phone_numbers: ['+14155550100'] },
  });
  const entry = { entryable_id: contact.id, entryable_type: 'Contact' };
  const { id } = await sendOk<{ id: string }>(`POST /v1/lists/${list}/entries`, entry);
  await db.run(sql`insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)
    values ('E', '', '', 0, 0, 9000)`);
  await db.run(sql`insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
    values (1, 'done', 0, 0, 0)`);
  return {
    ...created,
    file,
    paths: { list, entry: id, contact: contact.id, organization: organization.id },
  };
}

/** Matches a full table scan or a sort. Custom fields are few, and recordings are limited to a page. */
const growthPattern =
  /^SCAN (?!CONSTANT|json_each|page\b|whole\b|total\b|\(subquery|workspace|sqlite_schema)|^USE TEMP B-TREE.* from "?(contact|organization|note|entry|calendar_event)\b/;

test('no read scans a whole table, or sorts records without an index', async () => {
  const preparedSql = recordPreparedStatements();
  const { file, sendOk, paths } = await createFilledWorkspace();
  const lines = [
    ...[
      '',
      '?first=1&after=0',
      '?email=a@a.example',
      '?phone_number=%2B14155550100',
      '?phone_number=4155550100',
    ].map((query) => `/contacts${query}`),
    `/contacts/${paths.contact}`,
    '/organizations',
    `/organizations/${paths.organization}`,
    '/notes',
    `/lists/${paths.list}/entries`,
    `/lists/${paths.list}/entries/${paths.entry}`,
    '/calendar_events',
    '/calendar_events?starts_after=-1&starts_before=9',
    `/calendar_events/${ids.calendarEvent.encode(1)}`,
    '/contacts?phone_number=030901820',
  ];
  for (const line of lines) await sendOk(`GET /v1${line}`);
  const queries = [...preparedSql].filter((text) => /^\s*(select|with) /.test(text));
  expect(queries.length).toBeGreaterThan(20);
  const database = new (loadSqlite())(file);
  const plans = queries.flatMap((query) =>
    database
      .prepare(`explain query plan ${query}`)
      .all()
      .map((step) => `${(step as { detail: string }).detail}: ${query}`),
  );
  database.close();
  expect(plans.length).toBeGreaterThan(queries.length);
  expect(plans.filter((plan) => growthPattern.test(plan))).toEqual([]);
});

test('deleting a list deletes its counts', async () => {
  const { db, sendOk, call, paths } = await createFilledWorkspace();
  const countRows = async () => {
    const rows = await db.all(sql`select scope from tally_group where scope like 'entry:%'`);
    return rows.length;
  };
  expect(await countRows()).toBe(1);
  expect((await call(`DELETE /v1/lists/${paths.list}`)).status).toBe(204);
  expect(await countRows()).toBe(0);
  expect((await sendOk<Page<Contact>>('GET /v1/contacts')).pagination.total_count).toBe(1);
});
