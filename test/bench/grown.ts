import sql, { raw } from 'sql-template-tag';
import { openDatabase } from '../../src/service/db/database.ts';

/** When the records of a grown workspace were made, and the latest event changed. */
export const time = Date.UTC(2026, 4, 4);
const years = 10 * 365.25 * 86_400_000;

/** What the contact of a row has, and when the event of a row starts: they lie in ten years, however many there are. */
export const emailOf = (row: number) => `${(Math.imul(row, 2_654_435_761) >>> 0).toString(16)}@example.com`;
export const phoneOf = (row: number) => String(2_012_000_000 + row * 7);
export const startOf = (row: number, records: number) => time - Math.floor(years / records) * row;

/** The same in SQL, of the row `i`. */
const email = `printf('%x', (i * 2654435761) & 4294967295) || '@example.com'`;
const phone = '(2012000000 + i * 7)';
const stamps = `${time} + i, ${time} + i`;

/** What a row with the number `i` of each table holds. */
const tables = (records: number): Readonly<Record<string, string>> => ({
  'list (name, process, entry_type, created_at, updated_at)': `'List ' || i, 0, 'Contact', ${stamps}`,
  'organization (name, created_at, updated_at)': `'Organization ' || i, ${stamps}`,
  'contact (first_name, last_name, organization_id, created_at, updated_at)': `'First ' || i, 'Last ' || i, i, ${stamps}`,
  'contact_email (folded, email, contact_id, position)': `${email}, ${email}, i, 0`,
  'contact_phone (contact_id, position, number, national)': `i, 0, '+1' || ${phone}, ${phone}`,
  'note (organization_id, body, created_at, updated_at)': `i, 'Note ' || i, ${stamps}`,
  'entry (list_id, entryable_contact_id, created_at, updated_at)': `1, i, ${stamps}`,
  'calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)': `'Event ' || i, '', '',
    ${time} - ${Math.floor(years / records)} * i, ${time} - i * 1000, ${time} - i * 1000`,
  'calendar_event_attendee (calendar_event_id, position, email, folded)': `i, 0, ${email}, ${email}`,
  'recording (calendar_event_id, status, started_at, created_at, updated_at)': `i, 'done', ${time}, ${time}, ${time}`,
});

/** Makes a workspace file with so many records of each kind: SQLite makes the rows itself, a million of each in half a minute. */
export async function grow(file: string, records: number): Promise<void> {
  const db = openDatabase(file);
  await db.transaction(async (db) => {
    for (const [table, columns] of Object.entries(tables(records))) {
      await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${records})
        insert into ${raw(table)} select ${raw(columns)} from n`);
    }
  });
  await db.run(sql`pragma wal_checkpoint(truncate)`);
  db.close();
}
