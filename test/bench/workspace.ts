import { type Database, openDatabase, transact } from '../../src/service/database.ts';
import { createService } from '../../src/service/dispatch.ts';

const batch = 500;

/** The columns of a row, in the order in which they are named. */
type Row = Readonly<Record<string, string | number | null>>;

const emailOf = (person: number) => `${person.toString(36).split('').reverse().join('')}@example.com`;
const phoneOf = (person: number) => String(2_012_000_000 + person * 7);

/** Writes the rows of many people in batches; a batch is compiled once. */
async function insertAll(
  db: Database,
  table: 'contact' | 'contact_email' | 'contact_phone',
  people: number,
  rowOf: (person: number) => Row,
): Promise<void> {
  const rowsFrom = (first: number) => Array.from({ length: batch }, (_, index) => rowOf(first + index));
  // The columns are those of the table named beside them.
  const compiled = db
    .insertInto(table)
    .values(rowsFrom(1) as never)
    .compile();
  for (let first = 1; first <= people; first += batch) {
    await db.executeQuery({ ...compiled, parameters: rowsFrom(first).flatMap(Object.values) });
  }
}

/** A workspace file with so many contacts, each with an email address and a phone number. */
export async function workspaceOf(file: string, people: number) {
  const db = openDatabase(file);
  const time = Date.UTC(2026, 4, 4);
  await transact(db, async (db) => {
    await insertAll(db, 'contact', people, (person) => ({
      first_name: `First ${person}`,
      last_name: `Last ${person}`,
      organization_id: null,
      created_at: time + person,
      updated_at: time + person,
    }));
    await insertAll(db, 'contact_email', people, (person) => ({
      folded: emailOf(person),
      email: emailOf(person),
      contact_id: person,
      position: 0,
    }));
    await insertAll(db, 'contact_phone', people, (person) => ({
      contact_id: person,
      position: 0,
      number: `+1${phoneOf(person)}`,
      national: phoneOf(person),
    }));
  });
  const log = (text: string) => {
    throw new Error(text);
  };
  const service = createService({ db, now: () => new Date(time), log });
  const contacts = async (query: Readonly<Record<string, string | number>>, expected: number) => {
    const pairs = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
    const { body } = await service({ method: 'GET', path: '/v1/contacts', query: pairs });
    const { data } = body as { data: unknown[] };
    if (data.length !== expected) throw new Error(`${JSON.stringify(query)} gave ${data.length} contacts.`);
  };
  const anyone = () => 1 + Math.floor(Math.random() * people);
  return {
    close: () => db.destroy(),
    byEmail: () => contacts({ email: emailOf(anyone()) }, 1),
    byPhone: () => contacts({ phone_number: phoneOf(anyone()) }, 1),
    byUnknownPhone: () => contacts({ phone_number: String(700_000_000 + anyone()) }, 0),
    page: (page: number) => contacts({ first: 100, after: (page - 1) * 100 }, 100),
    smallPage: () => contacts({ first: 1 }, 1),
    counted: async () => {
      await db
        .selectFrom('contact')
        .select(({ fn }) => fn.countAll().as('total'))
        .execute();
    },
  };
}
