import sql, { type Sql } from 'sql-template-tag';
import { type Contact, type contacts, findAutoProblem } from '../../contract/contacts.ts';
import { describeMismatch } from '../../contract/field-types.ts';
import { type Input, pageSize } from '../../contract/grammar.ts';
import { settleAll } from '../../values/concurrency.ts';
import { extractEmailHost, foldEmail, publicMailHosts } from '../../values/domain.ts';
import { guessPhones, type ParsedPhone, parsePhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { buildPage, fillPage } from '../db/page.ts';
import * as member from '../db/record-members.ts';
import { createRecordReader } from '../db/record-reader.ts';
import { isIn } from '../db/render-sql.ts';
import { insertRow, insertRows } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import type { Deps, Handlers } from '../deps.ts';
import {
  type Address,
  findOwner,
  readOwners,
  removeAddresses,
  storeAddresses,
  validateAddresses,
} from './addresses.ts';
import { selectCustomFields } from './field-definitions.ts';
import { readName, readUsedFields, validateValues } from './field-values.ts';
import {
  createRecordHandlers,
  createRecordLookup,
  findRecordId,
  insertRecord,
  type RecordChange,
  type Validation,
  validateReference,
} from './record-rows.ts';
import { readRegion } from './region.ts';

/** Returns the handlers of contacts (specification, 2.4 and 4.1). */
export function contactHandlers(deps: Deps): Handlers<'contacts'> {
  const records = createRecordHandlers(deps, {
    ...createRecordLookup('contact'),
    reader: contactReader,
    validate: validateContact,
  });
  return {
    ...records,
    async list(input) {
      const { email, phone_number, first = pageSize.default, after = 0 } = input;
      if (phone_number !== undefined)
        return deps.db.snapshot(async (db) => {
          const matches = await findByPhone(db, phone_number, email);
          const page = contactReader.readIds(db, matches.slice(after, after + first));
          return fillPage<Contact>(after, matches.length, page);
        });
      if (email === undefined) return records.list(input);
      const matches = await contactReader.lookUp(deps.db, foldEmail(email)); // at most one, in one statement
      return buildPage(after, matches.length, matches.slice(after, after + first));
    },
    removeEmails: records.change((check, { emails = [] }: { emails: string[] }, row) =>
      removeAddresses(check, 'contact', { id: row.id, name: row.first_name }, emails),
    ),
  };
}

const hasEmail = (folded: string) =>
  sql`id in (select contact_id from contact_email where folded = ${folded})`;

export const contactReader = createRecordReader<Contact>({
  table: 'contact',
  resource: 'contact',
  members: {
    id: member.id('contact'),
    first_name: member.value('first_name'),
    last_name: member.value('last_name'),
    emails: member.texts({ table: 'contact_email', owner: 'contact_id', order: 'position' }, 'email'),
    phone_numbers: member.texts({ table: 'contact_phone', owner: 'contact_id', order: 'position' }, 'number'),
    organization_id: member.id('organization', 'organization_id'),
    custom_fields: member.values('contact_value'),
    ...member.stamps,
  },
  fields: { resource: 'customField', select: selectCustomFields('contact') },
  lookup: hasEmail(''),
})(undefined);

/** Finds the row ids of the contacts with a phone number, and with an email address if given (specification, 4.1). */
async function findByPhone(db: Database, phone_number: string, email: string | undefined): Promise<number[]> {
  const find = async (condition: Sql) => {
    const emailCondition = email === undefined ? sql`true` : hasEmail(foldEmail(email));
    const selection = sql`select id from contact where ${emailCondition} and ${condition} order by id`;
    return (await db.all<{ id: number }>(selection)).map(({ id }) => id);
  };
  // First the number in the workspace's region. If no contact has it, any other possible number.
  const phone = await parsePhone(phone_number, await readRegion(db));
  const exact = phone ? await find(hasPhone(sql`number = ${phone.number}`)) : [];
  if (exact.length > 0) return exact;
  const { numbers, nationals } = await guessPhones(phone_number);
  return find(hasPhone(sql`${isIn('number', numbers)} or ${isIn('national', nationals)}`));
}

/** The condition for contacts with a phone number that meets a condition. */
const hasPhone = (condition: Sql) => sql`id in (select contact_id from contact_phone where ${condition})`;

/** Validates a new contact, or a change of the contact `row` (specification, 4.1). */
async function validateContact(
  check: Validation,
  { emails = [], phone_numbers, custom_fields = [], ...input }: Input<typeof contacts.create>,
  row: Row<'contact'> | undefined,
): Promise<RecordChange<'contact'>> {
  const { db } = check;
  const first_name = readName(input.first_name);
  const name = first_name === undefined ? row?.first_name : first_name;
  const id = input.organization_id;
  const isReference = typeof id === 'string' && id !== 'auto';
  const found = isReference ? findRecordId(db, 'organization', id) : undefined;
  const [owners, region, fields] = await settleAll([
    readOwners(db, 'contact', emails),
    phone_numbers && readRegion(db),
    readUsedFields(db, 'contact', custom_fields),
    found,
  ]);
  const newEmails = await validateAddresses(check, 'contact', { id: row?.id, name }, emails, owners);
  const phones = phone_numbers && (await validatePhones(check, phone_numbers, region ?? ''));
  const organization: { id?: number | null | undefined; domain?: string } = isReference
    ? { id: await validateReference(check, 'organization', id, ['organization_id'], found) }
    : await findOrganization(check, row, id, newEmails);
  const storeCustomFields = await validateValues(check, 'contact_value', fields, custom_fields);
  return {
    columns: { first_name, last_name: readName(input.last_name), organization_id: organization.id },
    async storeReferences(time) {
      const { domain } = organization;
      if (domain === undefined) return {};
      const organization_id = await insertRecord(db, 'organization', {}, time);
      await insertRow(db, 'organization_domain', { domain, organization_id, position: 0 });
      return { organization_id };
    },
    storeParts: (id) =>
      settleAll([
        storeAddresses(db, 'contact', id, newEmails, !row),
        phones && replacePhones(db, id, phones, !row),
        storeCustomFields(id, !row),
      ]),
  };
}

async function validatePhones(
  { errors }: Validation,
  texts: readonly string[],
  region: string,
): Promise<ParsedPhone[]> {
  const numbers: ParsedPhone[] = [];
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue; // an invalid number, which was removed
    const storedPhone = await parsePhone(text, region);
    if (!storedPhone) errors.add(['phone_numbers', index], 'value', describeMismatch(text, 'a phone number'));
    else if (!numbers.some(({ number }) => number === storedPhone.number)) numbers.push(storedPhone);
  }
  return numbers;
}

async function replacePhones(
  db: Database,
  contact_id: number,
  phones: readonly ParsedPhone[],
  isNew: boolean,
): Promise<void> {
  const rows = phones.map((phone, position) => ({ contact_id, position, ...phone }));
  await settleAll([
    !isNew && db.run(sql`delete from contact_phone where contact_id = ${contact_id}`),
    insertRows(db, 'contact_phone', rows),
  ]);
}

/** Returns the row id of an organization (null to clear it, undefined to keep it), or the domain of a new one. */
async function findOrganization(
  check: Validation,
  row: Row<'contact'> | undefined,
  id: 'auto' | null | undefined,
  [email]: readonly Address[],
): Promise<{ id?: number | null | undefined; domain?: string }> {
  if (id === undefined || id === null) return { id };
  const problem = findAutoProblem(!row, email?.key);
  if (problem !== undefined) {
    check.errors.add(['organization_id'], 'value', problem);
    return {};
  }
  const domain = extractEmailHost(email?.key ?? '').replace(/^www\./, '');
  const owner = await findOwner(check.db, 'organization', domain);
  // The domain of a public mail provider says nothing about the organization.
  const isKnown = owner !== undefined || publicMailHosts.has(domain);
  return isKnown ? { id: owner ?? null } : { domain };
}
