import { contacts } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import { organizations } from '../contract/organizations.ts';
import { isEmail } from '../values/email.ts';
import { readTexts } from '../values/field-values.ts';
import {
  checkNumber,
  createContactMatcher,
  identifyContact,
  identifyContactPlan,
  isSameContact,
  isSameNumber,
  readContactKeys,
  readContactPlanKeys,
} from './contact-match.ts';
import type { OwnColumns } from './mapping.ts';
import { type Membership, noMembership } from './membership.ts';
import { buildOrganization, findOrganization, foldName, readOrganizationKeys } from './organizations.ts';
import { createRecordIndex, type FreshLookup, idKey, loadRecords, syncList } from './record-index.ts';
import { createRecordWriter, type RecordWriter, readRecord } from './record-writer.ts';
import { formatValues, type RowWriter } from './row-writer.ts';
import { isTaken, Refusal, type RowPlan, type StoredRecord, type Values } from './rows.ts';
import type { Importer, ImporterOptions, MatchedRow } from './run.ts';
import { isNumberLike } from './table.ts';

/** The columns of contacts, apart from custom fields. */
export const contactColumns = {
  emails: {
    aliases: ['email'],
    isMultiple: true,
    check: (text) => (isEmail(text) ? undefined : 'an email address'),
  },
  phone_numbers: { aliases: ['phone', 'phones', 'phone_number'], isMultiple: true, check: checkNumber },
  first_name: {},
  last_name: {},
  organization: {},
  organization_id: {},
} as const satisfies OwnColumns;

export interface ContactImporterOptions extends ImporterOptions {
  /** Whether the service chooses the organization of a new contact by the domain of its first email. */
  readonly autoOrganization: boolean;
  /** Whether a column names organizations. */
  readonly hasOrganizations: boolean;
  /** Whether a row without email and phone number creates a contact each time. */
  readonly allowUnmatched: boolean;
  readonly membership: Membership | undefined;
}

const asIs = (text: string) => text;

/** Imports contacts. Each is matched by email, then by phone number. */
export async function createContactImporter(options: ContactImporterOptions): Promise<Importer> {
  const { client, rows, membership = noMembership } = options;
  const index = createRecordIndex(options, readContactKeys);
  const isComplete = await loadRecords(options, index, contacts.list, rows);
  const matcher = createContactMatcher(client, index, isComplete);
  const findOrganizationId = await createOrganizationFinder(options);
  const recordWriter = createRecordWriter(client, index, { what: 'contact' });
  // Only its id identifies a completed row of a report without email and phone number.
  const readReported = async (plan: RowPlan) => {
    const { recordId } = plan;
    if (recordId === undefined || readContactPlanKeys(plan).length > 0) return undefined;
    const contact = await readRecord(client, { what: 'contact' }, recordId);
    if (!contact && isNumberLike(recordId)) {
      throw new Refusal(
        `Contact ${recordId} not found: a spreadsheet may have changed the id. Correct it, or delete it to create the contact again.`,
      );
    }
    return contact;
  };
  return {
    main: 'contact',
    readKeys: readContactPlanKeys,
    compared: {
      identify: identifyContactPlan,
      own: { first_name: asIs, last_name: asIs, organization: foldName, organization_id: asIs },
    },
    async match(plan) {
      const contact = (await matcher.match(plan)) ?? (await readReported(plan));
      return contact && recordWriter.refresh(contact);
    },
    recordKey: ({ id }) => idKey(id),
    identify: (contact) => identifyContact(index, contact),
    async write(row) {
      const { plan, agreed, record, writer } = row;
      if (!record && readContactPlanKeys(plan).length === 0 && !options.allowUnmatched) {
        throw new Refusal('No email or phone to match on.');
      }
      const organization_id = await findOrganizationId(agreed, record, writer);
      const lookup = { lookUp: () => matcher.lookUp(plan), lookUpNew: () => matcher.lookUpNew(plan) };
      const contact = await writeContact(row, organization_id, recordWriter, lookup);
      if (contact !== record) index.put(contact);
      await membership.join(contact, 'Contact', agreed, writer);
      return contact.id ?? '';
    },
  };
}

/** Creates the contact or updates what differs. If somebody else created it since, it is looked up and updated. */
async function writeContact(
  { plan, agreed, record: current, writer }: MatchedRow,
  organization_id: string | undefined,
  recordWriter: RecordWriter,
  lookup: FreshLookup,
): Promise<StoredRecord> {
  const update = (contact: StoredRecord, id: string | undefined) =>
    recordWriter.update(writer, contact, findChanges(agreed, contact, id), {
      map: 'custom_fields',
      wanted: agreed.custom,
    });
  if (current) return update(current, organization_id);
  const existingId = organization_id === 'auto' ? undefined : organization_id;
  const { emails, phone_numbers, first_name, last_name } = agreed.own;
  const body = {
    first_name: first_name?.[0],
    last_name: last_name?.[0],
    emails,
    phone_numbers,
    organization_id,
    ...(agreed.custom.length > 0 && { custom_fields: formatValues(agreed.custom) }),
  };
  const { record, isNew } = await recordWriter.create(writer, {
    body,
    keys: readContactPlanKeys(agreed),
    isMatch: (other) => isSameContact(plan, other),
    isDuplicate: (error) => emails !== undefined && error instanceof Failure && error.code === 'invalid',
    ...lookup,
  });
  return isNew ? record : update(record, existingId);
}

/** Returns the fields that differ. PATCH adds emails to the existing ones, but replaces phone numbers. */
function findChanges({ own }: RowPlan, current: StoredRecord, organization_id: string | undefined): Values {
  const storedEmails = readTexts(current.emails).map((email) => email.toLowerCase());
  const emails = (own.emails ?? []).filter((email) => !storedEmails.includes(email.trim().toLowerCase()));
  const numbers = readTexts(current.phone_numbers);
  const newNumbers = (own.phone_numbers ?? []).filter(
    (number) => !numbers.some((stored) => isSameNumber(stored, number)),
  );
  const changeName = (name: 'first_name' | 'last_name') => {
    const [text] = own[name] ?? [];
    return text !== undefined && text.trim() !== current[name]?.trim() && { [name]: text };
  };
  return {
    ...changeName('first_name'),
    ...changeName('last_name'),
    ...(emails.length > 0 && { emails }),
    ...(newNumbers.length > 0 && { phone_numbers: [...numbers, ...newNumbers] }),
    ...(organization_id !== undefined && organization_id !== current.organization_id && { organization_id }),
  };
}

/** Returns the id of the organization that a row names, and creates it if necessary. May throw `Refusal`. */
type OrganizationFinder = (
  plan: RowPlan,
  contact: StoredRecord | undefined,
  writer: RowWriter,
) => Promise<string | undefined>;

async function createOrganizationFinder(options: ContactImporterOptions): Promise<OrganizationFinder> {
  if (!options.hasOrganizations) {
    return async ({ own }, contact) => {
      const isAuto = options.autoOrganization && !contact && own.emails !== undefined;
      return own.organization_id?.[0] ?? (isAuto ? 'auto' : undefined);
    };
  }
  const findOrCreate = await createOrganizationResolver(options);
  return async ({ own }, _, writer) => {
    const [text] = own.organization ?? [];
    return text === undefined ? own.organization_id?.[0] : findOrCreate(text, writer);
  };
}

/**
 * Returns a function that finds an organization by the text of a cell. If several rows name a new one, one of them
 * creates it. One that somebody else created since is found by reading the list again.
 */
async function createOrganizationResolver(
  options: ImporterOptions,
): Promise<(text: string, writer: RowWriter) => Promise<string>> {
  const index = createRecordIndex(options, readOrganizationKeys);
  const list = await syncList(options, index, organizations.list);
  const recordWriter = createRecordWriter(options.client, index, { what: 'organization' });
  const pending = new Map<string, Promise<string>>();
  const create = async (text: string, writer: RowWriter) => {
    const lookup = list.freshly(() => findOrganization(index, text));
    const creation = {
      body: buildOrganization(text),
      keys: [foldName(text)],
      isDuplicate: isTaken,
      ...lookup,
    };
    const { record, isNew } = await recordWriter.create(writer, creation);
    if (isNew) index.put(record);
    return record.id ?? '';
  };
  return async (text, writer) => {
    const key = foldName(text);
    // The row whose create fails reports it. The rows that waited for it try again, one after the other.
    while (pending.has(key)) await pending.get(key)?.catch(() => {});
    const known = findOrganization(index, text);
    if (known) return known.id ?? '';
    const creation = create(text.trim(), writer).finally(() => pending.delete(key));
    pending.set(key, creation);
    return creation;
  };
}
