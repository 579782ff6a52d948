import fc from 'fast-check';
import sql, { raw } from 'sql-template-tag';
import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { countRuns, isOnPostgres, test } from '../engines.ts';
import { openTestWorkspace } from '../service.ts';
import { fillWorkspace } from './filled-workspace.ts';

/** Inserts a row that belongs to the `nth` row of another table, if there is one. */
const createStatements = {
  organization: 'insert into organization (created_at, updated_at) values (0, 0)',
  contact: 'insert into contact (created_at, updated_at) values (0, 0)',
  note: `insert into note (organization_id, body, created_at, updated_at)
    select id, 'A', 0, 0 from organization limit 1 offset NTH`,
  custom_field: `insert into custom_field (model, name, data_type, accepts_multiple_values, options, created_at, updated_at)
    values ('contact', 'COUNT', 'text', false, '[]', 0, 0)`,
  list: `insert into list (name, process, entry_type, duplicates_allowed, created_at, updated_at)
    values ('A', true, 'Contact', true, 0, 0)`,
  entry: `insert into entry (list_id, entryable_contact_id, created_at, updated_at)
    select list.id, contact.id, 0, 0 from list, contact limit 1 offset NTH`,
  calendar_event: `insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)
    values ('A', '', '', NTH000000000, 0, NTH000000000)`,
  calendar_event_attendee: `insert into calendar_event_attendee (calendar_event_id, position, email, folded)
    select id, COUNT, '', 'address NTH' from calendar_event limit 1 offset NTH / 3`,
  recording: `insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
    select id, case NTH % 4 when 0 then 'failed' else 'done' end, 0, 0, 0 from calendar_event limit 1 offset NTH / 2`,
} as const;
type Table = keyof typeof createStatements;
const table = fc.constantFrom(...(Object.keys(createStatements) as Table[]));

/** The number of created rows, for unique names. */
let count = 0;

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('make' as const), table, nth: fc.nat(8) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), table, nth: fc.nat(8) }) },
  // Later rows get ids in other blocks, and in other groups of blocks.
  { weight: 1, arbitrary: fc.record({ what: fc.constant('leap' as const), table, nth: fc.nat(70) }) },
  { weight: 1, arbitrary: fc.constant({ what: 'compact' as const, table: 'contact' as const, nth: 0 }) },
);

async function applyStep(
  db: Database,
  { what: action, table, nth }: { what: string; table: Table; nth: number },
) {
  count += 1;
  const key = table === 'calendar_event_attendee' ? 'position' : 'id';
  const text = {
    make: createStatements[table].replaceAll('NTH', String(nth)).replaceAll('COUNT', String(count)),
    delete: `delete from ${table} where ${key} = (select ${key} from ${table} limit 1 offset ${nth})`,
    leap:
      key === 'position'
        ? 'select 1'
        : isOnPostgres()
          ? `select setval('${table}_id_seq', nextval('${table}_id_seq') + ${nth * 512})`
          : `update sqlite_sequence set seq = seq + ${nth * 512} where name = '${table}'`,
    compact: isOnPostgres() ? 'select compact_tally()' : 'select 1',
  }[action];
  await db.run(raw(text ?? ''));
}

const isShown =
  "exists (select 1 from recording where calendar_event_id = calendar_event.id and status = 'done')";

/** The scope and the block of each counted record. */
const records = [
  ...['organization', 'contact', 'note', 'custom_field', 'list'].map(
    (table) => `select '${table}' as scope, id >> 9 as block from ${table}`,
  ),
  `select 'entry:' || list_id, id >> 9 from entry`,
  `select 'calendar_event', -(starts_at >> 26) from calendar_event where ${isShown}`,
  `select 'calendar_event:updated', -(updated_at >> 26) from calendar_event where ${isShown}`,
  `select 'attendee:' || folded, -(starts_at >> 26)
    from (select distinct calendar_event_id, folded from calendar_event_attendee) as attendee
    join calendar_event on calendar_event.id = calendar_event_id where ${isShown}`,
].join(' union all ');

/** Returns the tally, and the result of counting. */
async function compareCounts(db: Database, tally: string, key: string, shift: number) {
  const keptQuery = `select scope, ${key} as part, records from ${tally} where records <> 0 order by 1, 2`;
  const countedQuery = `select scope, block >> ${shift} as part, count(*) as records from (${records}) as counted group by 1, 2 order by 1, 2`;
  return {
    kept: await db.all(raw(keptQuery)),
    counted: await db.all(raw(countedQuery)),
  };
}

test('the tally and its groups equal the counted records after any inserts and deletes', async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 120 }), async (steps) => {
      const { db } = await openTestWorkspace();
      for (const one of steps) await applyStep(db, one);
      const blocks = await compareCounts(db, 'tally', 'block', 0);
      const groups = await compareCounts(db, 'tally_group', 'part', 6);
      most = Math.max(most, blocks.counted.length);
      expect([blocks.kept, groups.kept]).toEqual([blocks.counted, groups.counted]);
    }),
    { numRuns: countRuns(80), endOnFailure: true },
  );
  expect(most).toBeGreaterThan(8);
});

test('deleting a list deletes its counts', async () => {
  const { db, sendOk, call } = await openTestWorkspace();
  const { list } = await fillWorkspace({ db, sendOk });
  const countRows = async () => {
    const rows = await db.all(sql`select scope from tally_group where scope like 'entry:%' and records <> 0`);
    return rows.length;
  };
  expect(await countRows()).toBe(1);
  expect((await call(`DELETE /v1/lists/${list}`)).status).toBe(204);
  expect(await countRows()).toBe(0);
  expect((await sendOk<Page<Contact>>('GET /v1/contacts')).pagination.total_count).toBe(1);
});
