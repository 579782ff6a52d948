import { readRecord } from '../changes/nouns.ts';
import type { StoredRecord, Values } from '../changes/values.ts';
import type { ContactLookup } from '../client/contact-lookup.ts';
import { contactRequirement, contacts, findAutoProblem } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import { readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import { createPhoneCheck, isSameNumber, readTail } from '../values/phone.ts';
import { type RowBody, toNamedValues } from './body-errors.ts';
import type { OwnColumns, RowPlan } from './mapping.ts';
import { createOrganizationResolver, planNamed } from './organizations.ts';
import { Refusal, requireOne } from './outcome.ts';
import {
  createColumns,
  createComparedColumns,
  findNewValues,
  listImported,
  readOwnValues,
} from './own-fields.ts';
import { createRecordIndex, type Identity, type ImporterOptions, loadList } from './record-index.ts';
import { RecordWriter } from './record-writer.ts';
import type { Importer } from './run.ts';
import { isNumberLike } from './table.ts';

/** Returns the columns of a contact import; `region` is that of the workspace's phone numbers, if it is known. */
export async function createContactColumns(region: string | undefined): Promise<OwnColumns> {
  const columns = createColumns(listImported('contacts'));
  const check = await createPhoneCheck(region);
  return { ...columns, phone_numbers: { ...columns.phone_numbers, check } };
}

/** Returns the bodies that a row may need, to check them. */
export function planContactBodies(plan: RowPlan): RowBody[] {
  const { organization = [], organization_id = [] } = plan.own;
  const contact = { ...buildFields(plan, organization_id[0]), custom_fields: toNamedValues(plan.custom) };
  return [
    { what: 'contact', body: contact },
    ...organization.map(
      (text): RowBody => ({ what: 'organization', body: planNamed(text), field: 'organization' }),
    ),
  ];
}

interface ContactImporterOptions extends ImporterOptions {
  /** Whether the service chooses the organization of a new contact by the domain of its first email. */
  readonly autoOrganization: boolean;
  /** Whether a row without email and phone number creates a contact each time. */
  readonly allowUnmatched: boolean;
}

/** Imports contacts. Each is matched by email, then by phone number. */
export async function createContactImporter(options: ContactImporterOptions): Promise<Importer> {
  const { client } = options;
  const matcher = await loadContacts(options);
  const { index, readKeys } = matcher;
  const resolveOrganization = options.own.has('organization')
    ? await createOrganizationResolver(options)
    : undefined;
  const recordWriter = new RecordWriter(client, index, { what: 'contact' });
  // Only its id identifies a completed row of a report without email and phone number.
  const readReported = async (plan: RowPlan) => {
    const { recordId } = plan;
    if (recordId === undefined || readKeys(plan).length > 0) return undefined;
    const contact = await readRecord(client, { what: 'contact', id: recordId });
    if (!contact && isNumberLike(recordId)) {
      throw new Refusal(
        `Contact ${recordId} not found: a spreadsheet may have changed the id. Correct it, or delete it to create the contact again.`,
      );
    }
    return contact;
  };
  return {
    ...matcher,
    main: 'contact',
    compared: { ...createComparedColumns('contacts'), organization: foldName },
    async match(plan) {
      const contact = (await matcher.match(plan)) ?? (await readReported(plan));
      return contact && recordWriter.refresh(contact);
    },
    async write({ plan, agreed, record, writes }) {
      if (!record && readKeys(plan).length === 0 && !options.allowUnmatched) {
        throw new Refusal('No email or phone to match on.');
      }
      checkRequirements(agreed, record === undefined);
      const { emails, organization, organization_id: ids } = agreed.own;
      const [text] = organization ?? [];
      const id = text === undefined ? ids?.[0] : await resolveOrganization?.(text, writes);
      const isAuto = options.autoOrganization && !resolveOrganization && emails !== undefined;
      const newId = id ?? (isAuto ? 'auto' : undefined);
      const contact = await recordWriter.save(writes, record, {
        planFields: (existing) => (existing ? findChanges(agreed, existing, id) : buildFields(agreed, newId)),
        values: agreed.custom,
        keys: readKeys(agreed),
        isMatch: (values) => isSameContact(plan, values),
        isDuplicate: (error) => emails !== undefined && error instanceof Failure && error.code === 'invalid',
        lookUp: (onlyNew) => matcher.lookUp(plan, onlyNew),
      });
      if (contact !== record) index.put(contact);
      return contact;
    },
  };
}

/** Finds what the service would refuse before the organization of the row is created. @throws {Refusal} */
function checkRequirements({ own }: RowPlan, isNew: boolean): void {
  const [email] = own.emails ?? [];
  if (isNew && email === undefined && !own.first_name) throw new Refusal(contactRequirement);
  const isAuto = !own.organization && own.organization_id?.[0] === 'auto';
  const problem = isAuto ? findAutoProblem(isNew, email) : undefined;
  if (problem !== undefined) throw new Refusal(problem);
}

/** Returns the fields of a new contact. */
const buildFields = (plan: RowPlan, organization_id: string | undefined): Values => ({
  ...readOwnValues('contacts', plan),
  organization_id,
});

/** Returns the fields that differ. */
const findChanges = (plan: RowPlan, current: StoredRecord, organization_id: string | undefined): Values => ({
  ...findNewValues('contacts', plan, current),
  ...(organization_id !== undefined && organization_id !== current.organization_id && { organization_id }),
});

const toEmailKey = (email: string) => `email:${email.trim().toLowerCase()}`;

const toTailKey = (number: string) => `tail:${readTail(number) ?? ''}`;

/** The key of a number and its person's names: very many colleagues may share a number. */
const toPersonKey = (number: string, names: readonly string[]) =>
  `${toTailKey(number)}:${JSON.stringify(names.map((name) => name.trim().toLowerCase()))}`;

/** The key of a contact that exists only in a dry run, so that the service does not find it. */
const toPredictedKey = (key: string) => `predicted:${key}`;

/** Returns the keys of a contact in an index. */
function readRecordKeys(contact: StoredRecord): string[] {
  const emails = readTexts(contact.emails).map(toEmailKey);
  const [first, last] = [contact.first_name ?? '', contact.last_name ?? ''];
  // Without an email address, a contact matches a row with any name.
  const persons = emails.length > 0 ? [[first], [first, last]] : [[]];
  const numbers = readTexts(contact.phone_numbers).flatMap((number) => [
    toTailKey(number),
    ...persons.map((names) => toPersonKey(number, names)),
  ]);
  return [...emails, ...numbers, ...(contact.isPredicted ? numbers.map(toPredictedKey) : [])];
}

/** Returns keys of a number so that each contact that may match the row has one of them. */
function readNumberKeys(number: string, { own: { emails, first_name, last_name } }: RowPlan): string[] {
  const [first] = first_name ?? [];
  const [last] = last_name ?? [];
  if (emails === undefined || first === undefined) return [toTailKey(number)];
  const persons = [first, ''].flatMap((one) =>
    last === undefined ? [[one]] : [last, ''].map((two) => [one, two]),
  );
  return [[], ...persons].map((names) => toPersonKey(number, names));
}

/** Returns the identities of a row: its emails, then its numbers with the person's names. */
function identifyPlan({ own }: Pick<RowPlan, 'own'>): Identity[][] {
  const { emails = [], phone_numbers = [], first_name = [], last_name = [] } = own;
  const names = emails.length > 0 ? [first_name[0] ?? '', last_name[0] ?? ''] : [];
  const numbers = phone_numbers.map((number) => ({ key: toPersonKey(number, names), number }));
  return [emails.map((email) => ({ key: toEmailKey(email) })), numbers];
}

/**
 * Reads the contacts, unless looking up each row takes fewer requests, and returns functions that match rows with them
 * in the index, and on the service unless the index has all of them.
 */
export async function loadContacts(options: ImporterOptions) {
  const { client, rows } = options;
  const index = createRecordIndex(options, readRecordKeys);
  const { isComplete } = await loadList(options, index, contacts.list, { maxRequests: rows });
  const query = async (lookup: ContactLookup) => {
    const records = await client.findContacts(lookup);
    return records.map(({ value: contact }) => {
      // This run may have written the indexed record after the service read its response.
      const indexed = index.get(contact.id);
      if (!indexed) index.put(contact);
      return indexed ?? contact;
    });
  };
  const findByEmail = async (email: string, isIndexed: boolean) => {
    const indexed = index.find(toEmailKey(email));
    return isIndexed || indexed.length > 0 ? indexed : query({ email: email.trim() });
  };
  const findByPhone = async (number: string, plan: RowPlan, isIndexed: boolean) => {
    const keys = readNumberKeys(number, plan);
    // Only the service knows the country of a number without a country code, but the last digits must be equal.
    const isUnused = readTail(number) !== undefined && !keys.some((key) => index.has(key));
    if (isIndexed && isUnused) return [];
    const isMatch = (contact: StoredRecord) =>
      !isSomeoneElse(plan, contact) &&
      readTexts(contact.phone_numbers).some((stored) => isSameNumber(stored, number));
    const predicted = keys.flatMap((key) => index.findSome(toPredictedKey(key), isMatch));
    return [...predicted, ...(await query({ phone_number: number.trim() }))];
  };
  /** Finds the contact of a row. `isIndexed`: the index has all contacts. */
  const find = async (plan: RowPlan, isIndexed: boolean, numbers = plan.own.phone_numbers ?? []) => {
    const { emails = [] } = plan.own;
    const emailMatches = await Promise.all(emails.map((email) => findByEmail(email, isIndexed)));
    const contact = requireOne(emailMatches.flat(), 'Several contacts have its emails');
    if (contact) return contact;
    const phoneMatches = await Promise.all(numbers.map((number) => findByPhone(number, plan, isIndexed)));
    return requireOne(
      phoneMatches.flat().filter((one) => !isSomeoneElse(plan, one)),
      'Several contacts have its phone numbers',
    );
  };
  return {
    index,
    /** Returns the keys that rows about one contact have in common. */
    readKeys: ({ own: { emails = [], phone_numbers = [] } }: RowPlan) => [
      ...emails.map(toEmailKey),
      ...phone_numbers.map(toTailKey),
    ],
    identifyPlan,
    read: (contact_id: string) =>
      index.get(contact_id) ?? (isComplete ? undefined : client.read(contacts.get, { contact_id })),
    /** Returns the contact of a row. @throws {Refusal} if several match */
    match: (plan: RowPlan) => find(plan, isComplete),
    /**
     * Returns the contact of a row again, and asks the service for everything that the index does not have. `onlyNew`: if
     * the row has emails, they alone are looked up. Very many colleagues may share its phone number, and each row would
     * read all of them.
     */
    lookUp: (plan: RowPlan, onlyNew: boolean) =>
      find(plan, false, onlyNew && plan.own.emails ? [] : plan.own.phone_numbers),
    /** Returns the identities of a contact. A number alone identifies it if no other contact has it. */
    identify(contact: StoredRecord): Identity[] {
      const emails = readTexts(contact.emails);
      const phone_numbers = readTexts(contact.phone_numbers);
      const names = { first_name: [contact.first_name ?? ''], last_name: [contact.last_name ?? ''] };
      const isUnique = (number: string) =>
        index.findSome(toTailKey(number), (other) => readTexts(other.phone_numbers).includes(number)).length <
        2;
      const unique = phone_numbers
        .filter(isUnique)
        .map((number) => ({ key: toPersonKey(number, []), number }));
      return [...identifyPlan({ own: { emails, phone_numbers, ...names } }).flat(), ...unique];
    },
  };
}

/** Whether a contact with these values, which shares an email or a number with the row, would be the row's contact. */
function isSameContact(plan: RowPlan, values: Values): boolean {
  const emails = new Set(readTexts(values.emails).map(toEmailKey));
  const sharesEmail = (plan.own.emails ?? []).some((email) => emails.has(toEmailKey(email)));
  return sharesEmail || !isSomeoneElse(plan, values);
}

/** Whether both have emails, and names that differ: colleagues may share a phone number. */
function isSomeoneElse({ own }: RowPlan, contact: Values): boolean {
  const differs = (name: 'first_name' | 'last_name') => {
    const [newName] = own[name] ?? [];
    const currentName = String(contact[name] ?? '');
    return (
      newName !== undefined &&
      currentName !== '' &&
      newName.trim().toLowerCase() !== currentName.toLowerCase()
    );
  };
  const haveEmails = own.emails !== undefined && readTexts(contact.emails).length > 0;
  return haveEmails && (differs('first_name') || differs('last_name'));
}
