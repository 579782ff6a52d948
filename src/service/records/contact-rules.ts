import type { contacts } from '../../contract/contacts.ts';
import type { Input } from '../../contract/grammar.ts';
import { extractEmailHost, publicMailHosts } from '../../values/domain.ts';
import { isEmail } from '../../values/email.ts';
import { type ParsedPhone, parsePhone } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { filled } from '../db/rows.ts';
import type { Faults } from '../field-errors.ts';
import type { ContactRow } from './contact-rows.ts';
import { fieldsOfModel } from './custom-fields.ts';
import { type CheckedValue, checkedValues, storeValues } from './field-values.ts';
import { storedRegion } from './region.ts';

/** A change of a contact that was checked whole and can be stored; what is undefined stays. */
export interface ContactChange {
  readonly first_name: string | null | undefined;
  readonly last_name: string | null | undefined;
  readonly newEmails: readonly Address[];
  readonly phones: readonly ParsedPhone[] | undefined;
  readonly organization: Choice;
  readonly values: readonly CheckedValue[];
}

interface Address {
  readonly email: string;
  /** Without case: by this it is unique. */
  readonly folded: string;
}

/** The organization: a row, none, one to be made with this domain, or as it is. */
type Choice = number | null | { readonly domain: string } | undefined;

/** Checks what is asked of a contact (`row`), or of a new one, by all rules of specification 4.1. */
export async function checkedContactChange(
  db: Database,
  row: ContactRow | undefined,
  input: Input<typeof contacts.create>,
  faults: Faults,
): Promise<ContactChange> {
  const newEmails = await checkedEmails(db, row, input.emails ?? [], faults);
  const change: ContactChange = {
    first_name: input.first_name === undefined ? undefined : filled(input.first_name),
    last_name: input.last_name === undefined ? undefined : filled(input.last_name),
    newEmails,
    phones: input.phone_numbers && (await checkedPhones(db, input.phone_numbers, faults)),
    organization: await checkedOrganization(db, row, input.organization_id, newEmails, faults),
    values: await checkedValues(db, await fieldsOfModel(db, 'contact'), input.custom_fields ?? [], faults, [
      'custom_fields',
    ]),
  };
  const firstName = change.first_name === undefined ? row?.first_name : change.first_name;
  const hasEmail = (input.emails ?? []).length > 0 || (row !== undefined && (await holdsEmail(db, row.id)));
  if (!filled(firstName) && !hasEmail) {
    faults.add(
      ['first_name'],
      'required',
      'first_name, or at least one valid address in emails, is required.',
    );
  }
  return change;
}

async function holdsEmail(db: Database, contact: number): Promise<boolean> {
  const found = await db
    .selectFrom('contact_email')
    .select('folded')
    .where('contact_id', '=', contact)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** The addresses that the contact does not hold yet. */
async function checkedEmails(
  db: Database,
  row: ContactRow | undefined,
  emails: readonly string[],
  faults: Faults,
): Promise<Address[]> {
  const found: Address[] = [];
  for (const [index, given] of emails.entries()) {
    if (given === undefined) continue; // a hole: at fault already
    const email = given.trim();
    const folded = email.toLowerCase();
    if (!isEmail(email)) {
      faults.add(['emails', index], 'value', `"${given}" is not an email address.`);
      continue;
    }
    if (found.some((other) => other.folded === folded)) continue;
    const holder = await db
      .selectFrom('contact_email')
      .select('contact_id')
      .where('folded', '=', folded)
      .executeTakeFirst();
    if (!holder) found.push({ email, folded });
    else if (holder.contact_id !== row?.id) {
      const id = ids.contact.encode(holder.contact_id);
      // Clients look for this phrase.
      const message = `The email address "${email}" has already been taken by the contact ${id}.`;
      faults.add(['emails', index], 'taken', message);
    }
  }
  return found;
}

async function checkedPhones(db: Database, texts: readonly string[], faults: Faults): Promise<ParsedPhone[]> {
  const region = await storedRegion(db);
  const found: ParsedPhone[] = [];
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue; // a hole: at fault already
    const stored = await parsePhone(text, region);
    if (!stored) faults.add(['phone_numbers', index], 'value', `"${text}" is not a phone number.`);
    else if (!found.some(({ number }) => number === stored.number)) found.push(stored);
  }
  return found;
}

async function checkedOrganization(
  db: Database,
  row: ContactRow | undefined,
  asked: string | null | undefined,
  emails: readonly Address[],
  faults: Faults,
): Promise<Choice> {
  if (asked === undefined || asked === null) return asked;
  const place = ['organization_id'];
  if (asked === 'auto') {
    if (row) {
      faults.add(place, 'value', '"auto" is for new contacts only; give an id.');
      return undefined;
    }
    const [first] = emails;
    if (first) return organizationOf(db, extractEmailHost(first.email).replace(/^www\./, ''));
    faults.add(place, 'value', '"auto" needs an email address to go by.');
    return undefined;
  }
  const id = ids.organization.decode(asked);
  const found =
    id === undefined
      ? undefined
      : await db.selectFrom('organization').select('id').where('id', '=', id).executeTakeFirst();
  if (!found) faults.add(place, 'not_found', `No organization has the id "${asked}".`);
  return found?.id;
}

/** Returns the organization with a domain, or one to create; none is created for a public mail provider. */
async function organizationOf(db: Database, domain: string): Promise<Choice> {
  const found = await db
    .selectFrom('organization_domain')
    .select('organization_id')
    .where('domain', '=', domain)
    .executeTakeFirst();
  if (found) return found.organization_id;
  return publicMailHosts.has(domain) ? null : { domain };
}

/** Those of the emails that the contact holds, in lower case; all may only go where a first name stays. */
export async function checkedEmailRemoval(
  db: Database,
  row: ContactRow,
  emails: readonly string[],
  faults: Faults,
): Promise<string[]> {
  const asked = new Set(Array.from(emails, (email) => (email ?? '').trim().toLowerCase()));
  const held = await db
    .selectFrom('contact_email')
    .select('folded')
    .where('contact_id', '=', row.id)
    .execute();
  const removed = held.map(({ folded }) => folded).filter((folded) => asked.has(folded));
  if (removed.length > 0 && removed.length === held.length && !row.first_name) {
    faults.add(
      ['emails'],
      'required',
      'A contact needs a first name or an email; these are its last emails.',
    );
  }
  return removed;
}

/** Stores a checked change of the contact `id`; `time` is for an organization made with it. */
export async function storeContactChange(
  db: Database,
  id: number,
  change: ContactChange,
  time: number,
): Promise<void> {
  const { first_name, last_name, organization } = change;
  const organization_id =
    typeof organization === 'object' && organization ? await made(db, organization, time) : organization;
  const columns = { first_name, last_name, organization_id };
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  if (given.length > 0) {
    await db.updateTable('contact').set(Object.fromEntries(given)).where('id', '=', id).execute();
  }
  const { last } = await db
    .selectFrom('contact_email')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('contact_id', '=', id)
    .executeTakeFirstOrThrow();
  for (const [index, address] of change.newEmails.entries()) {
    const position = (last ?? -1) + 1 + index;
    await db
      .insertInto('contact_email')
      .values({ ...address, contact_id: id, position })
      .execute();
  }
  if (change.phones) {
    await db.deleteFrom('contact_phone').where('contact_id', '=', id).execute();
    for (const [position, phone] of change.phones.entries()) {
      await db
        .insertInto('contact_phone')
        .values({ contact_id: id, position, ...phone })
        .execute();
    }
  }
  await storeValues(db, 'contact_value', id, change.values);
}

async function made(db: Database, { domain }: { readonly domain: string }, time: number): Promise<number> {
  const { id } = await db
    .insertInto('organization')
    .values({ created_at: time, updated_at: time })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('organization_domain').values({ domain, organization_id: id, position: 0 }).execute();
  return id;
}
