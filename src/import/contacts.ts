import type { Client } from '../client/client.ts';
import type { ContactLookup } from '../client/contact-lookup.ts';
import { findColumnHeaders } from '../contract/column-headers.ts';
import { contactRequirement, contacts, findAutoProblem } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import {
  comparisonForms,
  haveOtherNames,
  listMatchKeys,
  listPersonKeys,
  sharesNumber,
  shareValue,
  toMatchKey,
} from '../records/match.ts';
import { readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import { createPhoneParser } from '../values/phone.ts';
import { splitFullName } from '../values/split-name.ts';
import { readRecord } from '../writes/nouns.ts';
import type { StoredRecord, Values } from '../writes/values.ts';
import { type RowBody, toNamedValues } from './body-errors.ts';
import type { OwnColumns, RowPlan } from './mapping.ts';
import { createOrganizationResolver, planNamed } from './organizations.ts';
import { Refusal, requireOne } from './outcome.ts';
import { createColumns, createComparedColumns, findNewValues, readOwnValues } from './own-fields.ts';
import { createRecordIndex, type ImporterOptions, loadList, type StoredIndex } from './record-index.ts';
import { predictRecord, RecordWriter, type RowWrites } from './record-writer.ts';
import { combineOwnTexts } from './row-groups.ts';
import type { Importer } from './run.ts';
import { isNumberLike } from './table.ts';

/** Returns the columns of a contact import. `region`: the region of the workspace's phone numbers, if known. */
export async function createContactColumns(region: string | undefined): Promise<OwnColumns> {
  const columns = createColumns('contacts');
  const parsePhone = await createPhoneParser(region);
  const check = (text: string) => (parsePhone(text) ? undefined : 'a phone number');
  const split = { columns: ['first_name', 'last_name'], read: splitFullName };
  const name = { headers: findColumnHeaders('contacts', 'name'), split };
  return { name, ...columns, phone_numbers: { ...columns.phone_numbers, check } };
}

/** Returns the bodies that a row may need, to check them. */
export function planContactBodies(plan: RowPlan): RowBody[] {
  const { organization = [], organization_id = [] } = plan.ownTexts;
  const contact = { ...buildFields(plan, organization_id[0]), custom_fields: toNamedValues(plan.custom) };
  return [
    { noun: 'contact', body: contact },
    ...organization.map(
      (text): RowBody => ({ noun: 'organization', body: planNamed(text), field: 'organization' }),
    ),
  ];
}

interface ContactImporterOptions extends ImporterOptions {
  /** Whether the service chooses the organization of a new contact by the domain of its first email. */
  readonly autoOrganization: boolean;
  /** Whether a row without email and phone number creates a contact each time. */
  readonly allowUnmatched: boolean;
}

/** Imports contacts. Matches each row by email, then by phone number; without them, by full name and organization. */
export async function createContactImporter(options: ContactImporterOptions): Promise<Importer> {
  const { client } = options;
  const matcher = await loadContacts(options);
  const organizations = options.ownFields.has('organization')
    ? await createOrganizationResolver(options)
    : undefined;
  const recordWriter = new RecordWriter(client, { noun: 'contact' });
  return {
    main: 'contact',
    readKeys: (plan) => matcher.readKeys(plan),
    comparedColumns: {
      ...createComparedColumns('contacts'),
      organization: (left, right) => foldName(String(left)) === foldName(String(right)),
    },
    prefetch: (plan) => matcher.match(plan),
    async match(plan, row) {
      const hasKeys = matcher.readKeys(plan).length > 0;
      // A corrected report must find the contact.
      const hasInvalidKeys = plan.leftOut?.some(({ field }) => ['emails', 'phone_numbers'].includes(field));
      const person = hasKeys || hasInvalidKeys ? undefined : readPerson(plan, organizations?.find);
      const contact = await (hasKeys
        ? matcher.match(plan)
        : ((await readReported(client, plan)) ?? (person && matcher.findPerson(person))));
      if (!contact && !hasKeys && hasInvalidKeys) throw new Refusal('');
      if (!contact && !hasKeys && !person && !options.allowUnmatched)
        throw new Refusal('No email or phone to match by; --allow-unmatched imports the row anyway.');
      return matcher.predict(contact, plan, row, person?.organization_id);
    },
    willCreate: (email) => matcher.willCreate(email),
    async write(group) {
      const record = matcher.index.get(group.key);
      const plan = combineOwnTexts(group.rows);
      checkRequirements(plan, record === undefined);
      const ids = new Map<RowWrites, string | undefined>();
      for (const row of group.rows) {
        const { organization: [text] = [], organization_id: [id] = [] } = row.plan.ownTexts;
        const organizationId =
          text === undefined ? undefined : await organizations?.resolve(text, group, row);
        ids.set(row, organizationId ?? id);
      }
      const { emails } = plan.ownTexts;
      const isAuto = options.autoOrganization && !organizations && emails !== undefined;
      const contact = await recordWriter.save(group, record, {
        planFields: (row, existing) =>
          existing
            ? findChanges(row.plan, existing, ids.get(row))
            : buildFields(row.plan, ids.get(row) ?? (isAuto ? 'auto' : undefined)),
        listValues: (row) => row.plan.custom,
        keys: matcher.readKeys(plan),
        isMatch: (values) => isSameContact(plan, values),
        isDuplicate: (error) => emails !== undefined && error instanceof Failure && error.code === 'invalid',
        lookUp: (onlyNew) => matcher.lookUp(plan, onlyNew),
      });
      if (contact !== record) matcher.index.put(contact);
      return contact;
    },
  };
}

/** The values by which a row without email and phone number is matched. */
interface Person {
  readonly first_name: string | undefined;
  readonly last_name: string | undefined;
  readonly organization_id: string;
}

/** Returns the person in a row; undefined if it has no full name or no organization. A new organization has no id yet. */
function readPerson(
  { ownTexts }: RowPlan,
  findOrganization: (text: string) => StoredRecord | undefined = () => undefined,
): Person | undefined {
  const { organization: [text] = [], organization_id: [id] = [] } = ownTexts;
  const { first_name: [first_name] = [], last_name: [last_name] = [] } = ownTexts;
  const name = [first_name ?? '', last_name ?? ''].join(' ').trim();
  const isFullName = /\s/.test(name) || /^[\p{Script=Hangul}\p{Script=Han}]{2,}$/u.test(name);
  if (!isFullName || (text ?? id) === undefined) return undefined;
  const organization_id = text === undefined ? id?.trim() : findOrganization(text)?.id;
  return { first_name, last_name, organization_id: organization_id ?? `new ${foldName(text ?? '')}` };
}

/** Reads the contact of a completed report row that has neither email nor phone number. Only its id identifies it. */
async function readReported(client: Client, { recordId }: RowPlan): Promise<StoredRecord | undefined> {
  if (recordId === undefined) return undefined;
  const contact = await readRecord(client, { noun: 'contact', id: recordId });
  if (!contact && isNumberLike(recordId)) {
    throw new Refusal(
      `Contact ${recordId} not found: a spreadsheet may have changed the id. Correct it, or delete it to create the contact again.`,
    );
  }
  return contact;
}

/** Refuses an invalid row before its organization is created. @throws {Refusal} */
function checkRequirements({ ownTexts }: RowPlan, isNew: boolean): void {
  const [email] = ownTexts.emails ?? [];
  if (isNew && email === undefined && !ownTexts.first_name) throw new Refusal(contactRequirement);
  const isAuto = !ownTexts.organization && ownTexts.organization_id?.[0] === 'auto';
  const problem = isAuto ? findAutoProblem(isNew, email) : undefined;
  if (problem !== undefined) throw new Refusal(problem);
}

/** Returns the fields of a new contact. */
const buildFields = (plan: RowPlan, organization_id: string | undefined): Values => ({
  ...readOwnValues('contacts', plan),
  organization_id,
});

const findChanges = (plan: RowPlan, current: StoredRecord, organization_id: string | undefined): Values => ({
  ...findNewFields(plan, current),
  ...(organization_id !== undefined && organization_id !== current.organization_id && { organization_id }),
});

/**
 * Returns the fields of a row that differ. A full name that the contact already has changes nothing, however it is
 * split. A name that could not be split does not replace the first name of a contact with a last name.
 */
function findNewFields(plan: RowPlan, current: StoredRecord): Values {
  const { first_name, last_name, ...others } = findNewValues('contacts', plan, current);
  const isWhole = plan.ownTexts.name !== undefined && plan.ownTexts.last_name === undefined;
  if (hasFullName(plan, current) || (isWhole && current.last_name)) return others;
  return {
    ...(first_name !== undefined && { first_name }),
    ...(last_name !== undefined && { last_name }),
    ...others,
  };
}

/** Whether a contact has the full name of a row. */
function hasFullName({ ownTexts }: RowPlan, contact: Values): boolean {
  const [name] = ownTexts.name ?? [];
  return (
    name !== undefined && listMatchKeys('contacts', 'name', contact).includes(toMatchKey('fullName', name))
  );
}

/** Returns the key of a number with a person's name, because very many colleagues may share a number. */
const toPersonKey = (number: string, name: string) =>
  `${toMatchKey('phone', number)} ${comparisonForms.fullName(name)}`;

/** Returns a key of two names that does not depend on their order. */
const joinNames = (names: readonly string[]) => names.map(comparisonForms.fullName).toSorted().join('');

/**
 * Returns the keys of a contact in an index. `hasFullNames`: whether rows have full names. `hasPersons`: whether rows may
 * be matched by name and organization.
 */
function readRecordKeys(contact: StoredRecord, hasFullNames: boolean, hasPersons: boolean): string[] {
  const emails = listMatchKeys('contacts', 'email', contact);
  const [first, last] = [contact.first_name ?? '', contact.last_name ?? ''];
  const fullNames = hasFullNames ? [`${first}${last}`, `${last}${first}`] : [];
  // Without an email address, a contact matches a row with any name.
  const names = emails.length > 0 ? [first, joinNames([first, last]), ...fullNames] : [''];
  const numbers = readTexts(contact.phone_numbers).flatMap((number) => [
    toMatchKey('phone', number),
    ...names.map((name) => toPersonKey(number, name)),
  ]);
  const persons = hasPersons && contact.organization_id ? listPersonKeys(contact) : [];
  return [...emails, ...numbers, ...persons];
}

/** Returns keys of a number so that each contact that may match the row has one of them. */
function readNumberKeys(
  number: string,
  { ownTexts: { name = [], emails, first_name, last_name } }: RowPlan,
): string[] {
  const [first] = first_name ?? [];
  const [last] = last_name ?? [];
  if (emails === undefined || first === undefined) return [toMatchKey('phone', number)];
  const names = last === undefined ? [first] : [first, last, joinNames([first, last])];
  // The contact may split the full name in another way.
  return ['', ...names, ...name].map((one) => toPersonKey(number, one));
}

/** Reads all contacts, unless looking up each row takes fewer requests. */
export async function loadContacts(options: ImporterOptions): Promise<ContactMatcher> {
  const { ownFields } = options;
  const hasFullNames = ownFields.has('name');
  const hasPersons =
    (ownFields.has('organization') || ownFields.has('organization_id')) &&
    (hasFullNames || ownFields.has('first_name'));
  const index = createRecordIndex(options, (contact) => readRecordKeys(contact, hasFullNames, hasPersons));
  const { isComplete, reload } = await loadList(options, index, contacts.list, { maxRequests: options.rows });
  return new ContactMatcher(options.client, index, isComplete, reload);
}

/** Matches rows with contacts in an index, and with those of the service unless the index has all of them. */
class ContactMatcher {
  readonly index: StoredIndex;
  /** The contacts with the changes of the rows so far. */
  readonly #predictedRecords: StoredIndex;
  readonly #client: Client;
  readonly #isComplete: boolean;
  /** The contacts that the service found for rows, by email or number. */
  readonly #queries = new Map<string, Promise<StoredRecord[]>>();
  readonly #reload: (onlyNew: boolean) => Promise<unknown>;
  #hasAll: Promise<unknown> | undefined;

  /** `isComplete`: the index has all contacts. `reload` reads the list into the index. */
  constructor(
    client: Client,
    index: StoredIndex,
    isComplete: boolean,
    reload: (onlyNew: boolean) => Promise<unknown>,
  ) {
    this.#client = client;
    this.#reload = reload;
    this.index = index;
    this.#predictedRecords = index.createOverlay();
    this.#isComplete = isComplete;
  }

  /** Returns the keys that rows about one contact have in common. */
  readKeys({ ownTexts }: RowPlan): string[] {
    return (['email', 'phone'] as const).flatMap((field) => listMatchKeys('contacts', field, ownTexts));
  }

  async read(contact_id: string): Promise<StoredRecord | undefined> {
    const indexed = this.index.get(contact_id);
    return indexed || this.#isComplete ? indexed : this.#client.read(contacts.get, { contact_id });
  }

  /**
   * Returns the contact of a row, with the changes of earlier rows. Sends at most one lookup.
   * @throws {Refusal} if several match
   */
  match(plan: RowPlan): Promise<StoredRecord | undefined> {
    return this.#find(plan, this.#predictedRecords, this.#isComplete);
  }

  /**
   * Returns the contact with a full name in an organization. The service has no lookup for names, so all are read.
   * @throws {Refusal} if several match
   */
  async findPerson(person: Person): Promise<StoredRecord | undefined> {
    if (!this.#isComplete) this.#hasAll ??= this.#reload(false);
    await this.#hasAll;
    const matches = listPersonKeys({ ...person }).flatMap((key) => this.#predictedRecords.find(key));
    return requireOne(matches, 'Several contacts have its name and organization');
  }

  /** Predicts the contact of a row for later rows, and returns its id. `organization_id`: that of a new contact. */
  predict(
    contact: StoredRecord | undefined,
    plan: RowPlan,
    row: number,
    organization_id?: string | undefined,
  ): string {
    if (contact && !this.#predictedRecords.get(contact.id)) this.index.put(contact);
    // A concurrent row may have changed it.
    const current = contact && this.#predictedRecords.get(contact.id);
    const body = current
      ? findNewFields(plan, current)
      : { ...readOwnValues('contacts', plan), ...(organization_id !== undefined && { organization_id }) };
    const predicted = predictRecord({ id: current?.id, body }, current, row);
    if (Object.keys(body).length > 0 || !current) this.#predictedRecords.put(predicted);
    return predicted.id;
  }

  /** Whether a row adds the email address to a contact. */
  willCreate(email: string): boolean {
    return this.#predictedRecords.findChanged(toMatchKey('email', email)).length > 0;
  }

  /**
   * Finds the contact of rows again, also among contacts that the index lacks. `onlyNew`: looks up only the emails of
   * the rows, if any. Many colleagues may share a phone number, and each row would read all of them.
   */
  lookUp(plan: RowPlan, onlyNew: boolean): Promise<StoredRecord | undefined> {
    return this.#find(
      plan,
      this.index,
      false,
      onlyNew && plan.ownTexts.emails ? [] : plan.ownTexts.phone_numbers,
    );
  }

  /** Finds the contact of a row. `isIndexed`: the index has all contacts. */
  async #find(
    plan: RowPlan,
    index: StoredIndex,
    isIndexed: boolean,
    numbers = plan.ownTexts.phone_numbers ?? [],
  ): Promise<StoredRecord | undefined> {
    const { emails = [] } = plan.ownTexts;
    const findByEmail = async (email: string) => {
      const indexed = index.find(toMatchKey('email', email));
      return isIndexed || indexed.length > 0 ? indexed : this.#query({ email: email.trim() }, index);
    };
    const emailMatches = await Promise.all(emails.map(findByEmail));
    const contact = requireOne(emailMatches.flat(), 'Several contacts have its emails');
    if (contact) return contact;
    const phoneMatches = await Promise.all(
      numbers.map((number) => this.#findByPhone(number, plan, index, isIndexed)),
    );
    return requireOne(
      phoneMatches.flat().filter((contact) => !isDifferentPerson(plan, contact)),
      'Several contacts have its phone numbers',
    );
  }

  async #findByPhone(
    number: string,
    plan: RowPlan,
    index: StoredIndex,
    isIndexed: boolean,
  ): Promise<StoredRecord[]> {
    const keys = readNumberKeys(number, plan);
    // Only the service knows the country of a number without a country code, but the last digits must be equal.
    const isUnused = comparisonForms.phone(number) !== '' && !keys.some((key) => index.has(key));
    if (isIndexed && isUnused) return [];
    const isMatch = (contact: StoredRecord) =>
      !isDifferentPerson(plan, contact) && sharesNumber(contact, { phone_numbers: number });
    // The service does not have the numbers of predicted contacts.
    const predicted =
      index === this.#predictedRecords ? keys.flatMap((key) => index.findChanged(key, isMatch)) : [];
    return [...predicted, ...(await this.#query({ phone_number: number.trim() }, index))];
  }

  async #query(lookup: ContactLookup, index: StoredIndex): Promise<StoredRecord[]> {
    const key = JSON.stringify(lookup);
    const isFirst = index === this.#predictedRecords;
    const query = (isFirst && this.#queries.get(key)) || this.#findOnService(lookup);
    if (isFirst) this.#queries.set(key, query);
    // This run may have written the indexed record after the service read its response.
    return (await query).map((contact) => index.get(contact.id) ?? contact);
  }

  async #findOnService(lookup: ContactLookup): Promise<StoredRecord[]> {
    const contacts = (await this.#client.findContacts(lookup)).map(({ value }) => value);
    for (const contact of contacts) if (!this.index.get(contact.id)) this.index.put(contact);
    return contacts;
  }
}

/** Whether values that share an email or a number with a row describe the row's contact. */
function isSameContact(plan: RowPlan, values: Values): boolean {
  return shareValue('contacts', 'email', plan.ownTexts, values) || !isDifferentPerson(plan, values);
}

/** Whether the row and the contact both have emails, but different names. Colleagues may share a phone number. */
function isDifferentPerson(plan: RowPlan, contact: Values): boolean {
  const haveEmails = plan.ownTexts.emails !== undefined && readTexts(contact.emails).length > 0;
  return haveEmails && !hasFullName(plan, contact) && haveOtherNames(plan.ownTexts, contact);
}
