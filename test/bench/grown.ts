import { sql } from 'kysely';
import type { WireRequest } from '../../src/contract/grammar.ts';
import { openDatabase, transact } from '../../src/service/database.ts';
import { createService } from '../../src/service/dispatch.ts';
import { ids } from '../../src/service/ids.ts';

const time = Date.UTC(2026, 4, 4);
const years = 10 * 365.25 * 86_400_000;

const emailOf = (row: number) => `${(Math.imul(row, 2_654_435_761) >>> 0).toString(16)}@example.com`;
const phoneOf = (row: number) => String(2_012_000_000 + row * 7);

/** What a row with the number `i` of each table holds; the events lie in ten years, however many there are. */
const tables = (records: number): Readonly<Record<string, string>> => ({
  'contact (first_name, last_name, created_at, updated_at)': `'First ' || i, 'Last ' || i, ${time} + i, ${time} + i`,
  'contact_email (folded, email, contact_id, position)': `${email}, ${email}, i, 0`,
  'contact_phone (contact_id, position, number, national)': `i, 0, '+1' || (2012000000 + i * 7), 2012000000 + i * 7`,
  'organization (name, created_at, updated_at)': `'Organization ' || i, ${time} + i, ${time} + i`,
  'note (organization_id, body, created_at, updated_at)': `i, 'Note ' || i, ${time} + i, ${time} + i`,
  'entry (list_id, entryable_contact_id, created_at, updated_at)': `1, i, ${time} + i, ${time} + i`,
  'calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)': `'Event ' || i, '', '',
    ${time} - ${Math.floor(years / records)} * i, ${time} - i * 1000, ${time} - i * 1000`,
  'calendar_event_attendee (calendar_event_id, position, email, folded)': `i, 0, ${email}, ${email}`,
  'recording (calendar_event_id, status, started_at, created_at, updated_at)': `i, 'done', ${time}, ${time}, ${time}`,
});
const email = `printf('%x', (i * 2654435761) & 4294967295) || '@example.com'`;

/** A workspace file with so many records of each kind: SQLite makes the rows itself, a million of each in a minute. */
export async function grown(file: string, records: number) {
  const db = openDatabase(file);
  const service = createService({
    db,
    now: () => new Date(time),
    log: (text) => {
      throw new Error(text);
    },
  });
  const send = async (
    method: 'GET' | 'POST',
    path: string,
    query: WireRequest['query'] = [],
    body?: unknown,
  ) => {
    const answer = await service({ method, path, query, body });
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer.body;
  };
  await send('POST', '/v1/lists', [], { name: 'All', process: false, entry_type: 'Contact' });
  await transact(db, async (db) => {
    for (const [table, columns] of Object.entries(tables(records))) {
      await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${records})
        insert into ${sql.raw(table)} select ${sql.raw(columns)} from n`.execute(db);
    }
  });
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  const anyone = () => 1 + Math.floor(Math.random() * records);
  const list = async (path: string, query: Readonly<Record<string, string | number>>, expected: number) => {
    const pairs = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
    const { data } = (await send('GET', path, pairs)) as { data: unknown[] }; // as every list answers
    if (data.length !== expected) throw new Error(`${path} ${JSON.stringify(query)} gave ${data.length}.`);
  };
  const pages = (path: string) => ({
    first: () => list(path, { first: 100 }, 100),
    anywhere: () => list(path, { first: 100, after: Math.floor(Math.random() * (records - 99)) }, 100),
  });
  const [contacts, entries, events] = [
    pages('/v1/contacts'),
    pages(`/v1/lists/${ids.list.encode(1)}/entries`),
    pages('/v1/calendar_events'),
  ];
  const startOf = (row: number) => Math.floor((time - Math.floor(years / records) * row) / 1000);
  let made = 0;
  return {
    close: () => db.destroy(),
    measures: {
      'look-up by email': () => list('/v1/contacts', { email: emailOf(anyone()) }, 1),
      'look-up by phone': () => list('/v1/contacts', { phone_number: phoneOf(anyone()) }, 1),
      'look-up by a phone number that nobody has': () =>
        list('/v1/contacts', { phone_number: 700_000_000 + anyone() }, 0),
      'one contact': () => send('GET', `/v1/contacts/${ids.contact.encode(anyone())}`),
      'first page of contacts': contacts.first,
      'page of contacts anywhere': contacts.anywhere,
      'durable create of a contact': () => {
        made += 1;
        return send('POST', '/v1/contacts', [], { first_name: 'New', emails: [`new${made}@example.com`] });
      },
      'page of organizations anywhere': pages('/v1/organizations').anywhere,
      'page of notes anywhere': pages('/v1/notes').anywhere,
      'first page of entries': entries.first,
      'page of entries anywhere': entries.anywhere,
      'first page of events': events.first,
      'page of events anywhere': events.anywhere,
      'events that start after any time': () =>
        list(
          '/v1/calendar_events',
          { starts_after: startOf(100 + Math.floor(Math.random() * (records - 100))), first: 100 },
          100,
        ),
      'events changed lately, 100 of them': () =>
        list('/v1/calendar_events', { updated_after: time / 1000 - 101, first: 100 }, 100),
      'events of one contact': () =>
        list('/v1/calendar_events', { contact_id: ids.contact.encode(anyone()) }, 1),
    } satisfies Readonly<Record<string, () => Promise<unknown>>>,
  };
}
