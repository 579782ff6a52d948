import sql from 'sql-template-tag';
import type { contacts } from '../../contract/contacts.ts';
import type { Input } from '../../contract/grammar.ts';
import { extractEmailHost, publicMailHosts } from '../../values/domain.ts';
import { isEmail } from '../../values/email.ts';
import { type ParsedPhone, parsePhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { getOnly, insertRow, updateRow } from '../db/statements.ts';
import type { Row } from '../db/tables.ts';
import type { FieldErrors } from '../field-errors.ts';
import {
  blankToNull,
  type FieldChange,
  readCustomFields,
  storeValues,
  validateValues,
} from './field-values.ts';
import { createRecord, findRecord } from './record-rows.ts';
import { readRegion } from './region.ts';

/** A valid change of a contact. What is undefined does not change. */
interface ContactChange {
  readonly first_name: string | null | undefined;
  readonly last_name: string | null | undefined;
  readonly newEmails: readonly Address[];
  readonly phones: readonly ParsedPhone[] | undefined;
  readonly organization: OrganizationChoice;
  readonly values: readonly FieldChange[];
}

interface Address {
  readonly email: string;
  /** In lower case; unique. */
  readonly folded: string;
}

/** The id of an organization's row, null for none, the domain of one to create, or undefined for no change. */
type OrganizationChoice = number | null | { readonly domain: string } | undefined;

/** Validates a new contact, or a change of the contact `row` (specification, 4.1). */
export async function validateContact(
  db: Database,
  row: Row<'contact'> | undefined,
  input: Input<typeof contacts.create>,
  errors: FieldErrors,
): Promise<ContactChange> {
  const { emails = [], phone_numbers, custom_fields = [] } = input;
  const newEmails = await validateEmails(db, row, emails, errors);
  const change: ContactChange = {
    first_name: input.first_name === undefined ? undefined : blankToNull(input.first_name),
    last_name: input.last_name === undefined ? undefined : blankToNull(input.last_name),
    newEmails,
    phones: phone_numbers && (await validatePhones(db, phone_numbers, errors)),
    organization: await validateOrganization(db, row, input.organization_id, newEmails, errors),
    values: await validateValues(db, await readCustomFields(db, 'contact'), custom_fields, errors, [
      'custom_fields',
    ]),
  };
  const firstName = change.first_name === undefined ? row?.first_name : change.first_name;
  const hasEmail = emails.length > 0 || (row !== undefined && (await readFolded(db, row.id)).length > 0);
  if (!blankToNull(firstName) && !hasEmail) {
    errors.add(
      ['first_name'],
      'required',
      'first_name, or at least one valid address in emails, is required.',
    );
  }
  return change;
}

/** Reads the email addresses of a contact, in lower case. */
async function readFolded(db: Database, contact: number): Promise<string[]> {
  const rows = await db.all<Row<'contact_email'>>(
    sql`select folded from contact_email where contact_id = ${contact}`,
  );
  return rows.map(({ folded }) => folded);
}

/** Returns the addresses that the contact does not have yet. */
async function validateEmails(
  db: Database,
  row: Row<'contact'> | undefined,
  emails: readonly string[],
  errors: FieldErrors,
): Promise<Address[]> {
  const added: Address[] = [];
  for (const [index, text] of emails.entries()) {
    if (text === undefined) continue; // invalid, and removed
    const email = text.trim();
    const folded = email.toLowerCase();
    if (!isEmail(email)) {
      errors.add(['emails', index], 'value', `"${text}" is not an email address.`);
      continue;
    }
    if (added.some((other) => other.folded === folded)) continue;
    const owner = await db.first<Row<'contact_email'>>(
      sql`select contact_id from contact_email where folded = ${folded}`,
    );
    if (!owner) added.push({ email, folded });
    else if (owner.contact_id !== row?.id) {
      const id = ids.contact.encode(owner.contact_id);
      // Clients search for this phrase.
      const message = `The email address "${email}" has already been taken by the contact ${id}.`;
      errors.add(['emails', index], 'taken', message);
    }
  }
  return added;
}

async function validatePhones(
  db: Database,
  texts: readonly string[],
  errors: FieldErrors,
): Promise<ParsedPhone[]> {
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

async function validateOrganization(
  db: Database,
  row: Row<'contact'> | undefined,
  id: string | null | undefined,
  emails: readonly Address[],
  errors: FieldErrors,
): Promise<OrganizationChoice> {
  if (id === undefined || id === null) return id;
  const path = ['organization_id'];
  if (id === 'auto') {
    if (row) {
      errors.add(path, 'value', '"auto" is only supported for new contacts. Use the id of an organization.');
      return undefined;
    }
    const [first] = emails;
    if (first) return chooseByDomain(db, extractEmailHost(first.email).replace(/^www\./, ''));
    errors.add(path, 'value', '"auto" requires an email address.');
    return undefined;
  }
  const organization = await findRecord(db, 'organization', id);
  if (!organization) errors.add(path, 'not_found', `No organization has the id "${id}".`);
  return organization?.id;
}

/** Chooses the organization with a domain, or a new one; null for the domain of a public mail provider. */
async function chooseByDomain(db: Database, domain: string): Promise<OrganizationChoice> {
  const owner = await db.first<Row<'organization_domain'>>(
    sql`select organization_id from organization_domain where domain = ${domain}`,
  );
  if (owner) return owner.organization_id;
  return publicMailHosts.has(domain) ? null : { domain };
}

/** Returns those of the emails that the contact has, in lower case. A contact without a first name keeps one. */
export async function validateEmailRemoval(
  db: Database,
  row: Row<'contact'>,
  emails: readonly string[],
  errors: FieldErrors,
): Promise<string[]> {
  const requested = new Set(Array.from(emails, (email) => (email ?? '').trim().toLowerCase()));
  const existing = await readFolded(db, row.id);
  const removed = existing.filter((folded) => requested.has(folded));
  if (removed.length > 0 && removed.length === existing.length && !row.first_name) {
    errors.add(
      ['emails'],
      'required',
      'A contact needs a first name or an email address; these are its last email addresses.',
    );
  }
  return removed;
}

/** Stores a valid change of a contact. `time` is for an organization that is created with it. */
export async function storeContact(
  db: Database,
  id: number,
  { first_name, last_name, organization, newEmails, phones, values }: ContactChange,
  time: number,
): Promise<void> {
  const organization_id =
    typeof organization === 'object' && organization
      ? await createOrganization(db, organization.domain, time)
      : organization;
  await updateRow(db, 'contact', id, { first_name, last_name, organization_id });
  if (newEmails.length > 0) {
    const { last } = getOnly(
      await db.all<{ last: number | null }>(
        sql`select max(position) as last from contact_email where contact_id = ${id}`,
      ),
    );
    for (const [index, address] of newEmails.entries()) {
      await insertRow(db, 'contact_email', {
        ...address,
        contact_id: id,
        position: (last ?? -1) + 1 + index,
      });
    }
  }
  if (phones) {
    await db.run(sql`delete from contact_phone where contact_id = ${id}`);
    for (const [position, phone] of phones.entries()) {
      await insertRow(db, 'contact_phone', { contact_id: id, position, ...phone });
    }
  }
  await storeValues(db, 'contact_value', id, values);
}

async function createOrganization(db: Database, domain: string, time: number): Promise<number> {
  const id = await createRecord(db, 'organization', time);
  await insertRow(db, 'organization_domain', { domain, organization_id: id, position: 0 });
  return id;
}
