import type { ContactRow } from './contact-rows.ts';
import type { Database } from './database.ts';
import { otherReadings, storedNumber } from './phone.ts';

/** What contacts are looked up by (specification, 4.1): where both are given, by both. */
interface Sought {
  readonly email?: string | undefined;
  readonly phone_number?: string | undefined;
}

/**
 * The contacts with an email address or a phone number, which is read in the region of the workspace; where nobody
 * has it so, in any other way that it may be meant.
 */
export async function contactsWith(db: Database, { email, phone_number }: Sought): Promise<ContactRow[]> {
  const contacts = contactsBy(db, email);
  if (phone_number === undefined) return contacts.execute();
  const { region } = await db.selectFrom('workspace').select('region').executeTakeFirstOrThrow();
  const stored = await storedNumber(phone_number, region);
  if (stored) {
    const holders = phones(db).where('number', '=', stored.number);
    const exact = await contacts.where('id', 'in', holders).execute();
    if (exact.length > 0) return exact;
  }
  const { numbers, nationals } = await otherReadings(phone_number);
  if (numbers.length + nationals.length === 0) return [];
  // An empty list would read the whole table.
  const holders = phones(db).where((where) =>
    where.or([
      ...(numbers.length > 0 ? [where('number', 'in', numbers)] : []),
      ...(nationals.length > 0 ? [where('national', 'in', nationals)] : []),
    ]),
  );
  return contacts.where('id', 'in', holders).execute();
}

/** All contacts, or those with an email address. */
function contactsBy(db: Database, email: string | undefined) {
  const all = db.selectFrom('contact').selectAll().orderBy('id');
  if (email === undefined) return all;
  const folded = email.trim().toLowerCase();
  const holders = db.selectFrom('contact_email').select('contact_id').where('folded', '=', folded);
  return all.where('id', 'in', holders);
}

function phones(db: Database) {
  return db.selectFrom('contact_phone').select('contact_id');
}
