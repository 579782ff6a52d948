import sql from 'sql-template-tag';
import type { contacts } from '../../contract/contacts.ts';
import type { Input } from '../../contract/grammar.ts';
import { extractEmailHost, publicMailHosts } from '../../values/domain.ts';
import { type ParsedPhone, parsePhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { insertRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import { type Address, findOwner, storeAddresses, validateAddresses, validateIdentity } from './addresses.ts';
import { readCustomFields } from './field-definitions.ts';
import { blankToNull, storeValues, validateValues } from './field-values.ts';
import { insertRecord, type RecordChange, type Validation, validateReference } from './record-rows.ts';
import { readRegion } from './region.ts';

/** Validates a new contact, or a change of the contact `row` (specification, 4.1). */
export async function validateContact(
  check: Validation,
  { emails = [], phone_numbers, custom_fields = [], ...input }: Input<typeof contacts.create>,
  row: Row<'contact'> | undefined,
): Promise<RecordChange<'contact'>> {
  const { db } = check;
  const first_name = blankToNull(input.first_name);
  const newEmails = await validateAddresses(check, 'contact', row?.id, emails);
  const phones = phone_numbers && (await validatePhones(check, phone_numbers));
  const organization = await validateOrganization(check, row, input.organization_id, newEmails);
  const fields = await readCustomFields(db, 'contact');
  const values = await validateValues(check, fields, custom_fields, ['custom_fields']);
  if (emails.length === 0) {
    const name = first_name === undefined ? row?.first_name : first_name;
    await validateIdentity(check, 'contact', row?.id, name);
  }
  return {
    columns: { first_name, last_name: blankToNull(input.last_name), organization_id: organization.id },
    async storeParts(id, time) {
      if (organization.domain !== undefined) {
        const organization_id = await createOrganization(db, organization.domain, time);
        await updateRow(db, 'contact', id, { organization_id });
      }
      await storeAddresses(db, 'contact', id, newEmails);
      if (phones) await replacePhones(db, id, phones);
      await storeValues(db, 'contact_value', id, values);
    },
  };
}

async function validatePhones({ db, errors }: Validation, texts: readonly string[]): Promise<ParsedPhone[]> {
  const region = await readRegion(db);
  const numbers: ParsedPhone[] = [];
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue; // invalid, and removed
    const stored = await parsePhone(text, region);
    if (!stored) errors.add(['phone_numbers', index], 'value', `"${text}" is not a phone number.`);
    else if (!numbers.some(({ number }) => number === stored.number)) numbers.push(stored);
  }
  return numbers;
}

async function replacePhones(db: Database, contact_id: number, phones: readonly ParsedPhone[]) {
  await db.run(sql`delete from contact_phone where contact_id = ${contact_id}`);
  for (const [position, phone] of phones.entries())
    await insertRow(db, 'contact_phone', { contact_id, position, ...phone });
}

/** The row id of an organization (null for none, undefined for no change), or the domain of one to create. */
interface OrganizationChoice {
  readonly id?: number | null | undefined;
  readonly domain?: string;
}

async function validateOrganization(
  check: Validation,
  row: Row<'contact'> | undefined,
  id: string | null | undefined,
  [email]: readonly Address[],
): Promise<OrganizationChoice> {
  const path = ['organization_id'];
  if (id === undefined || id === null) return { id };
  if (id !== 'auto') return { id: await validateReference(check, 'organization', id, path) };
  if (!row && email) return chooseByDomain(check.db, extractEmailHost(email.key).replace(/^www\./, ''));
  const reason = row
    ? '"auto" is only supported for new contacts. Use the id of an organization.'
    : '"auto" requires an email address.';
  check.errors.add(path, 'value', reason);
  return {};
}

/** Chooses the organization with a domain, or a new one; none for the domain of a public mail provider. */
async function chooseByDomain(db: Database, domain: string): Promise<OrganizationChoice> {
  const id = await findOwner(db, 'organization', domain);
  if (id !== undefined) return { id };
  return publicMailHosts.has(domain) ? { id: null } : { domain };
}

async function createOrganization(db: Database, domain: string, time: number): Promise<number> {
  const id = await insertRecord(db, 'organization', { columns: {} }, time);
  await insertRow(db, 'organization_domain', { domain, organization_id: id, position: 0 });
  return id;
}
