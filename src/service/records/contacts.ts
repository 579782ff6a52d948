import sql from 'sql-template-tag';
import type { Contact } from '../../contract/contacts.ts';
import { pageSize } from '../../contract/grammar.ts';
import { guessPhones, parsePhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { buildPage, createByteCounter, fitRows, type PageRequest, readPage } from '../db/page.ts';
import { belongsTo, getOnly, listOf, readParts } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { storeContact, validateContact, validateEmailRemoval } from './contact-rules.ts';
import { readCustomFields, readValueMaps } from './field-values.ts';
import { changeRecord, createRecord, deleteRecord, getRecord, touchRecord } from './record-rows.ts';
import { readRegion } from './region.ts';

/** Returns the handlers of contacts (specification, 2.4 and 4.1). */
export function contactHandlers({ db, now }: Deps): Handlers<'contacts'> {
  return {
    async list(input) {
      const { email, phone_number } = input;
      if (email !== undefined || phone_number !== undefined) return readMatches(db, input);
      return readPage(db, { scope: 'contact', countBytes }, input, async (window) =>
        toContacts(db, await db.all(sql`select * from contact ${window}`)),
      );
    },
    get: ({ contact_id }) => readContact(db, contact_id),
    create: (input, errors) =>
      db.transaction(async (db) => {
        const change = await validateContact(db, undefined, input, errors);
        errors.raise();
        const time = now().getTime();
        const id = await createRecord(db, 'contact', time);
        await storeContact(db, id, change, time);
        return readContact(db, ids.contact.encode(id));
      }),
    update: ({ contact_id, ...input }, errors) =>
      db.transaction(async (db) => {
        const row = await getRecord(db, 'contact', contact_id);
        const change = await validateContact(db, row, input, errors);
        errors.raise();
        return changeRecord(db, {
          table: 'contact',
          id: row.id,
          now: now(),
          read: () => readContact(db, contact_id),
          write: () => storeContact(db, row.id, change, now().getTime()),
        });
      }),
    removeEmails: ({ contact_id, emails = [] }, errors) =>
      db.transaction(async (db) => {
        const row = await getRecord(db, 'contact', contact_id);
        const removed = await validateEmailRemoval(db, row, emails, errors);
        errors.raise();
        if (removed.length > 0) {
          await db.run(
            sql`delete from contact_email where contact_id = ${row.id} and folded in ${listOf(removed)}`,
          );
          await touchRecord(db, 'contact', row.id, now());
        }
        return readContact(db, contact_id);
      }),
    delete: ({ contact_id }) => deleteRecord(db, 'contact', contact_id),
  };
}

const countBytes = createByteCounter({
  table: 'contact',
  columns: ['first_name', 'last_name'],
  parts: [
    ['contact_email', 'contact_id', ['email']],
    ['contact_phone', 'contact_id', ['number']],
    ['contact_value', 'record_id', ['value']],
  ],
  fields: sql`custom_field where model = 'contact'`,
});

const readContact = async (db: Database, id: string) =>
  getOnly(await toContacts(db, [await getRecord(db, 'contact', id)]));

async function toContacts(db: Database, rows: readonly Row<'contact'>[]): Promise<Contact[]> {
  if (rows.length === 0) return [];
  const contacts = rows.map(({ id }) => id);
  const emails = await readParts<{ record: number; email: string }>(
    db,
    sql`select contact_id as record, email from contact_email
      where ${belongsTo('contact_id', contacts)} order by contact_id, position`,
  );
  const phones = await readParts<{ record: number; number: string }>(
    db,
    sql`select contact_id as record, number from contact_phone
      where ${belongsTo('contact_id', contacts)} order by contact_id, position`,
  );
  const values = await readValueMaps(db, 'contact_value', await readCustomFields(db, 'contact'), contacts);
  return rows.map((row) => ({
    id: ids.contact.encode(row.id),
    first_name: row.first_name,
    last_name: row.last_name,
    emails: emails(row.id).map(({ email }) => email),
    phone_numbers: phones(row.id).map(({ number }) => number),
    organization_id: row.organization_id === null ? null : ids.organization.encode(row.organization_id),
    custom_fields: values(row.id),
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }));
}

/** An exact email address, a phone number, or both. */
interface Lookup extends PageRequest {
  readonly email?: string | undefined;
  readonly phone_number?: string | undefined;
}

async function readMatches(db: Database, lookup: Lookup) {
  const { first = pageSize.default, after = 0 } = lookup;
  const matches = await findContacts(db, lookup);
  const rows = await fitRows(db, matches.slice(after, after + first), countBytes);
  return buildPage(after, matches.length, await toContacts(db, rows));
}

/** Finds the contacts with an email address or a phone number, or with both (specification, 4.1). */
async function findContacts(db: Database, { email, phone_number }: Lookup): Promise<Row<'contact'>[]> {
  if (email === undefined) return findByPhone(db, phone_number ?? '', () => true);
  const rows = await db.all<Row<'contact'>>(sql`select * from contact
    where id in (select contact_id from contact_email where folded = ${email.trim().toLowerCase()})`);
  if (phone_number === undefined || rows.length === 0) return rows;
  return findByPhone(db, phone_number, ({ id }) => rows.some((row) => row.id === id));
}

/** Finds contacts by the number as read in the workspace's region; if there are none, by any other reading of it. */
async function findByPhone(
  db: Database,
  phoneNumber: string,
  isCandidate: (row: Row<'contact'>) => boolean,
): Promise<Row<'contact'>[]> {
  const parsed = await parsePhone(phoneNumber, await readRegion(db));
  const exact = parsed ? await findByNumbers(db, [parsed.number], []) : [];
  const matches = exact.filter(isCandidate);
  if (matches.length > 0) return matches;
  const { numbers, nationals } = await guessPhones(phoneNumber);
  return (await findByNumbers(db, numbers, nationals)).filter(isCandidate);
}

/** Finds the contacts with one of some phone numbers, with a country code or without. */
const findByNumbers = (db: Database, numbers: readonly string[], nationals: readonly string[]) =>
  db.all<Row<'contact'>>(sql`select * from contact
    where id in (
      select contact_id from contact_phone
      where number in ${listOf(numbers)} or national in ${listOf(nationals)}
    ) order by id`);
