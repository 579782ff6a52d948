import { type ContactRow, contactsWithEmail } from './contact-rows.ts';
import type { Database } from './database.ts';
import { otherReadings, storedNumber } from './phone.ts';

/** What contacts are looked up by (specification, 4.1): where both are given, by both. */
interface Sought {
  readonly email?: string | undefined;
  readonly phone_number?: string | undefined;
}

/** The contacts with an email address or a phone number, or with both. */
export async function contactsWith(db: Database, { email, phone_number }: Sought): Promise<ContactRow[]> {
  const rows = email === undefined ? undefined : await contactsWithEmail(db, email.trim().toLowerCase());
  if (phone_number === undefined || rows?.length === 0) return rows ?? [];
  return contactsWithPhone(db, phone_number, rows);
}

/**
 * The contacts with a phone number, which is read in the region of the workspace; where nobody has it so, in any other
 * way that it may be meant. Where `rows` are given, only among them.
 */
async function contactsWithPhone(
  db: Database,
  phone_number: string,
  rows: readonly ContactRow[] | undefined,
): Promise<ContactRow[]> {
  const all = db.selectFrom('contact').selectAll().orderBy('id');
  const contacts = rows
    ? all.where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
    : all;
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

function phones(db: Database) {
  return db.selectFrom('contact_phone').select('contact_id');
}
