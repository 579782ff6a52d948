import { guessPhones, parsePhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { type ContactRow, contactsWithEmail, contactsWithNumber } from './contact-rows.ts';
import { storedRegion } from './region.ts';

/** What contacts are looked up by (specification, 4.1): where both are given, by both. */
interface Sought {
  readonly email?: string | undefined;
  readonly phone_number?: string | undefined;
}

/** The contacts with an email address or a phone number, or with both. */
export async function contactsWith(db: Database, { email, phone_number }: Sought): Promise<ContactRow[]> {
  const rows = email === undefined ? undefined : await contactsWithEmail(db, email.trim().toLowerCase());
  if (phone_number === undefined || rows?.length === 0) return rows ?? [];
  const isSought = ({ id }: ContactRow) => rows === undefined || rows.some((row) => row.id === id);
  return contactsWithPhone(db, phone_number, isSought);
}

/**
 * The contacts with a phone number, which is read in the region of the workspace; where nobody that is sought has it
 * so, in any other way that it may be meant.
 */
async function contactsWithPhone(
  db: Database,
  phone_number: string,
  isSought: (row: ContactRow) => boolean,
): Promise<ContactRow[]> {
  const stored = await parsePhone(phone_number, await storedRegion(db));
  const exact = stored ? await contactsWithNumber(db, [stored.number], []) : [];
  const found = exact.filter(isSought);
  if (found.length > 0) return found;
  const { numbers, nationals } = await guessPhones(phone_number);
  return (await contactsWithNumber(db, numbers, nationals)).filter(isSought);
}
