import type { Selectable } from 'kysely';
import { Failure } from '../contract/errors.ts';
import type { Database } from './database.ts';
import { ids } from './ids.ts';
import { pageRows } from './page.ts';
import { belonging, reading } from './reading.ts';
import type { Tables } from './tables.ts';

/** The row of a contact. */
export type ContactRow = Selectable<Tables['contact']>;

const columns = ['id', 'first_name', 'last_name', 'organization_id', 'created_at', 'updated_at'] as const;

/** The rows of a page of contacts. */
export const contactPage = pageRows((db) => db.selectFrom('contact').select(columns));

/** The rows of the contacts with an email address, written without case. */
export const contactsWithEmail = reading((db, folded: string) =>
  db
    .selectFrom('contact')
    .select(columns)
    .where('id', 'in', db.selectFrom('contact_email').select('contact_id').where('folded', '=', folded)),
);

const rowById = reading((db, id: number) => db.selectFrom('contact').select(columns).where('id', '=', id));

/** The email addresses of contacts, in their order. */
export const emailsOf = belonging('contact_id', (db) =>
  db.selectFrom('contact_email').select(['contact_id', 'email']).orderBy('contact_id').orderBy('position'),
);

/** The phone numbers of contacts, in their order. */
export const phonesOf = belonging('contact_id', (db) =>
  db.selectFrom('contact_phone').select(['contact_id', 'number']).orderBy('contact_id').orderBy('position'),
);

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
  return (await rowById(db, row))[0];
}
