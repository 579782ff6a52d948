import sql from 'sql-template-tag';
import type { Contact } from '../../contract/contacts.ts';
import { pageSize } from '../../contract/grammar.ts';
import { guessPhones, parsePhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { buildPage, createByteCounter, fitRows, type PageRequest } from '../db/page.ts';
import { belongsTo, listOf, readParts } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import { removeAddresses } from './addresses.ts';
import { validateContact } from './contact-rules.ts';
import { readCustomFields } from './field-definitions.ts';
import { readValueMaps } from './field-values.ts';
import { createRecordHandlers, getRecord } from './record-rows.ts';
import { readRegion } from './region.ts';

/** Returns the handlers of contacts (specification, 2.4 and 4.1). */
export function contactHandlers(deps: Deps): Handlers<'contacts'> {
  const records = createRecordHandlers(deps, {
    table: 'contact',
    paging: { countBytes },
    getRow: (db, path: { contact_id: string }) => getRecord(db, 'contact', path.contact_id),
    toRecords: toContacts,
    validate: validateContact,
  });
  return {
    ...records,
    list({ email, phone_number, ...request }) {
      if (email === undefined && phone_number === undefined) return records.list(request);
      return readMatches(deps.db, { email, phone_number, ...request });
    },
    removeEmails: records.change((check, { emails = [] }: { emails: string[] }, row) =>
      removeAddresses(check, 'contact', { id: row.id, name: row.first_name }, emails),
    ),
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
    ...formatStamps(row),
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
