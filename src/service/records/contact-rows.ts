import type { Selectable } from 'kysely';
import { Failure } from '../../contract/errors.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { pageBytes, pageRows } from '../db/page.ts';
import { type RecordTexts, readingBytesOfRows } from '../db/page-bytes.ts';
import { belonging, byId, reading } from '../db/reading.ts';
import type { Tables } from '../db/tables.ts';

/** The row of a contact. */
export type ContactRow = Selectable<Tables['contact']>;

const columns = ['id', 'first_name', 'last_name', 'organization_id', 'created_at', 'updated_at'] as const;

/** The rows of a page of contacts. */
export const contactPage = pageRows('contact', columns);

const texts: RecordTexts = {
  table: 'contact',
  columns: ['first_name', 'last_name'],
  parts: [
    ['contact_email', 'contact_id', ['email']],
    ['contact_phone', 'contact_id', ['number']],
    ['contact_value', 'record_id', ['value']],
  ],
  fields: "custom_field where model = 'contact'",
};

/** Counts the bytes of text in a page of contacts. */
export const contactPageBytes = pageBytes(texts);

/** Counts the bytes of text in some contacts. */
export const contactBytes = readingBytesOfRows(texts);

/** The rows of the contacts with an email address, written without case. */
export const contactsWithEmail = reading(
  'contact',
  columns,
  'where id in (select contact_id from contact_email where folded = ?)',
  (folded: string) => [folded],
);

/** The rows of the contacts with one of some phone numbers, with their country code or without, in the order of their ids. */
export const contactsWithNumber = reading(
  'contact',
  columns,
  `where id in (
    select contact_id from contact_phone
    where number in (select value from json_each(?)) or national in (select value from json_each(?))
  ) order by id`,
  (numbers: readonly string[], nationals: readonly string[]) => [
    JSON.stringify(numbers),
    JSON.stringify(nationals),
  ],
);

const rowById = byId('contact', columns);

/** The email addresses of contacts, in their order. */
export const emailsOf = belonging('contact_email', 'contact_id', ['email'], ['position']);

/** The phone numbers of contacts, in their order. */
export const phonesOf = belonging('contact_phone', 'contact_id', ['number'], ['position']);

/** The row of a contact by its id. Throws `not_found`. */
export async function contactRow(db: Database, id: string): Promise<ContactRow> {
  const row = await contactRowOrNone(db, id);
  if (!row) throw new Failure('not_found', `No contact has the id "${id}".`);
  return row;
}

/** The row of a contact by its id, where there is one. */
export async function contactRowOrNone(db: Database, id: string): Promise<ContactRow | undefined> {
  const row = ids.contact.decode(id);
  if (row === undefined) return undefined;
  return rowById(db, row);
}
