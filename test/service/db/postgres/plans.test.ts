import sql, { raw } from 'sql-template-tag';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../../src/service/db/database.ts';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import { createService } from '../../../../src/service/dispatch.ts';
import { createTestDatabase, requirePostgres } from '../../../support/test-database.ts';
import { fillWorkspace, listReads } from '../filled-workspace.ts';

beforeEach(requirePostgres);

const series = 'generate_series(1, 20000) as n';

/** Adds enough records that the server prefers indexes. The filled workspace has one of each kind. */
const manyRecords = [
  `insert into organization (name, created_at, updated_at) select 'O', 0, 0 from ${series}`,
  `insert into organization_domain select id || '.example', id, 0 from organization where id > 1`,
  `insert into contact (organization_id, created_at, updated_at) select n, 0, 0 from ${series}`,
  `insert into contact_email select email, email, id, 0 from contact, concat('a', id, '@b.example') as email where id > 1`,
  `insert into contact_phone select id, 0, '+' || id, id::text from contact where id > 1`,
  `insert into contact_value select id, 1, '"x"' from contact`,
  `insert into note (organization_id, body, created_at, updated_at) select n, 'N', 0, 0 from ${series}`,
  `insert into entry (list_id, entryable_contact_id, created_at, updated_at) select 1, id, 0, 0 from contact where id > 1`,
  `insert into entry_value select id, 1, '"x"' from entry`,
  `insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)
    select 'E', '', '', n * 10000000::bigint, 0, n from generate_series(1, 3000) as n`,
  `insert into calendar_event_attendee (calendar_event_id, position, email, folded)
    select id, 0, 'a@a.example', 'a@a.example' from calendar_event where id > 1`,
  `insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
    select id, 'done', 0, 0, 0 from calendar_event`,
  'analyze',
];

/**
 * Counts the rows and index entries that the server has read since the last call, by table. The length of `tally_delta`
 * depends on chance.
 */
async function countRowsRead(db: Database): Promise<Map<string, number>> {
  await db.all(sql`select pg_stat_force_next_flush()`);
  const rows = await db.all<{ name: string; count: number }>(sql`select relname as name, seq_tup_read +
    coalesce((select sum(idx_tup_read) from pg_stat_user_indexes as one where one.relid = tables.relid), 0) as count
    from pg_stat_user_tables as tables where relname <> 'tally_delta'`);
  await db.all(sql`select pg_stat_reset()`);
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** Rows of one table that a read may touch: a page, and up to a block of 512 in front of it. */
const maxRows = 600;
const repetitions = 8;

test('no read scans most rows of a table', async () => {
  const db = await openWorkspace(await createTestDatabase(), { poolSize: 1 });
  onTestFinished(() => db.close());
  const log = (text: string) => {
    throw new Error(text);
  };
  const service = createService({ db, now: () => new Date(0), log });
  const send = async (line: string, body?: unknown) => {
    const [method = '', target = ''] = line.split(' ');
    const [path = '', query] = target.split('?');
    return (await service({ method, path, query: [...new URLSearchParams(query)], body })).body;
  };
  const reads = listReads(await fillWorkspace({ db, sendOk: send as never }));
  for (const statement of manyRecords) await db.run(raw(statement));
  await countRowsRead(db);
  const growing: unknown[] = [];
  for (const path of reads) {
    // PostgreSQL may change to a plan for any parameters after five executions.
    for (let count = 0; count < repetitions; count += 1) await send(`GET /v1${path}`);
    for (const [table, count] of await countRowsRead(db)) {
      if (count > repetitions * maxRows) growing.push({ path, table, count });
    }
  }
  expect(growing).toEqual([]);
});
