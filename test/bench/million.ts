import { join } from 'node:path';
import { type Database, openDatabase, transact } from '../../src/service/database.ts';
import { createService } from '../../src/service/dispatch.ts';
import { lines, ratios } from './ratio.ts';

const batch = 500;
const rounds = 30;

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
async function workspaceOf(file: string, people: number) {
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

/** Something done so often that the clock can tell. */
const often = (name: string, times: number, work: (index: number) => Promise<void>) => ({
  name,
  run: async () => {
    for (let index = 0; index < times; index += 1) await work(index);
  },
});

const lookUps = {
  byEmail: 'by email',
  byPhone: 'by phone',
  byUnknownPhone: 'by a phone number that nobody has',
} as const;

/** What a look-up and a page cost in a workspace with a million contacts. */
export async function million(folder: string, write: (text: string) => void): Promise<void> {
  const start = performance.now();
  const small = await workspaceOf(join(folder, 'thousand.sqlite'), 1_000);
  const large = await workspaceOf(join(folder, 'million.sqlite'), 1_000_000);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  try {
    write(`A million contacts (built in ${seconds} s, median of ${rounds}, quartiles)\n`);
    for (const how of ['byEmail', 'byPhone', 'byUnknownPhone'] as const) {
      const name = `look-up ${lookUps[how]}, against a thousand contacts`;
      write(lines(await ratios(often('thousand', 100, small[how]), [often(name, 100, large[how])], rounds)));
    }
    const pages = [
      often('page 9,999 of 100, read in order, against the first page', 20, (index) =>
        large.page(9_980 + index),
      ),
      often('a page of 100 anywhere, against the first page', 20, () =>
        large.page(1 + Math.floor(Math.random() * 10_000)),
      ),
    ];
    write(
      lines(
        await ratios(
          often('first page', 20, () => large.page(1)),
          pages,
          rounds,
        ),
      ),
    );
    const totals = [
      often('one contact and total_count, against a thousand contacts', 50, large.smallPage),
      often('counting the contacts, against the same', 50, large.counted),
    ];
    write(lines(await ratios(often('thousand', 50, small.smallPage), totals, 5)));
  } finally {
    await Promise.all([small.close(), large.close()]);
  }
}
