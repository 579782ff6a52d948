import type { Client } from '../client/client.ts';
import type { ContactLookup } from '../client/contact-lookup.ts';
import { readTexts } from '../values/field-values.ts';
import type { Identity } from './conflicts.ts';
import type { RecordIndex } from './record-index.ts';
import { type NamedValue, type RowPlan, requireOne, type StoredRecord, type Values } from './rows.ts';

const emailKey = (email: string) => `email:${email.trim().toLowerCase()}`;

const tailKey = (number: string) => `tail:${readTail(number) ?? ''}`;

/** The key of a number and its person's names: very many colleagues may share a number. */
const personKey = (number: string, names: readonly string[]) =>
  `${tailKey(number)}:${JSON.stringify(names.map((name) => name.trim().toLowerCase()))}`;

/** The key of a contact that exists only in a dry run, so that the service does not find it. */
const predictedKey = (key: string) => `predicted:${key}`;

/** Returns the keys of a contact in an index. */
export function readContactKeys(contact: StoredRecord): string[] {
  const emails = readTexts(contact.emails).map(emailKey);
  const [first, last] = [contact.first_name ?? '', contact.last_name ?? ''];
  // Without an email address, a contact matches a row with any name.
  const persons = emails.length > 0 ? [[first], [first, last]] : [[]];
  const numbers = readTexts(contact.phone_numbers).flatMap((number) => [
    tailKey(number),
    ...persons.map((names) => personKey(number, names)),
  ]);
  return [...emails, ...numbers, ...(contact.isPredicted ? numbers.map(predictedKey) : [])];
}

/** Returns keys of a number so that each contact that may match the row has one of them. */
function readNumberKeys(number: string, { own: { emails, first_name, last_name } }: RowPlan): string[] {
  const [first] = first_name ?? [];
  const [last] = last_name ?? [];
  if (emails === undefined || first === undefined) return [tailKey(number)];
  const firsts = [first, ''];
  const persons =
    last === undefined
      ? firsts.map((one) => [one])
      : firsts.flatMap((one) => [last, ''].map((two) => [one, two]));
  return [[], ...persons].map((names) => personKey(number, names));
}

/** Returns the keys that rows about one contact have in common. */
export function readContactPlanKeys({ own: { emails = [], phone_numbers = [] } }: RowPlan): string[] {
  return [...emails.map(emailKey), ...phone_numbers.map(tailKey)];
}

/** Returns the identities of a row: its emails, then its numbers with the person's names. */
export function identifyContactPlan({ own }: Pick<RowPlan, 'own'>): Identity[][] {
  const { emails = [], phone_numbers = [], first_name = [], last_name = [] } = own;
  const names = emails.length > 0 ? [first_name[0] ?? '', last_name[0] ?? ''] : [];
  const numbers = phone_numbers.map((number) => ({ key: personKey(number, names), number }));
  return [emails.map((email) => ({ key: emailKey(email) })), numbers];
}

/** Returns the identities of a contact. A number alone identifies it if no other contact has it. */
export function identifyContact(index: RecordIndex, contact: StoredRecord): Identity[] {
  const emails = readTexts(contact.emails);
  const phone_numbers = readTexts(contact.phone_numbers);
  const names = { first_name: [contact.first_name ?? ''], last_name: [contact.last_name ?? ''] };
  const isUnique = (number: string) =>
    index.findSome(tailKey(number), (other) => readTexts(other.phone_numbers).includes(number)).length < 2;
  const unique = phone_numbers.filter(isUnique).map((number) => ({ key: personKey(number, []), number }));
  return [...identifyContactPlan({ own: { emails, phone_numbers, ...names } }).flat(), ...unique];
}

/** Finds the contact of a row. All methods throw `Refusal` if several match. */
export interface ContactMatcher {
  match(plan: RowPlan): Promise<StoredRecord | undefined>;
  /** Asks the service for everything that the index does not have. */
  lookUp(plan: RowPlan): Promise<StoredRecord | undefined>;
  /**
   * The same just before the contact is created. If the row has emails, they alone are looked up: very many colleagues
   * may share its phone number, and each row would read all of them.
   */
  lookUpNew(plan: RowPlan): Promise<StoredRecord | undefined>;
}

type Lookup = (text: string, plan: RowPlan) => Promise<StoredRecord[]>;

/** Matches contacts in an index, and on the service unless the index has all of them. */
export function createContactMatcher(
  client: Client,
  index: RecordIndex,
  isComplete: boolean,
): ContactMatcher {
  const query = async (lookup: ContactLookup) => {
    const records = await client.findContacts(lookup);
    return records.map(({ value: contact }) => {
      // This run may have written the indexed record after the service read its response.
      const indexed = index.get(contact.id);
      if (!indexed) index.put(contact);
      return indexed ?? contact;
    });
  };
  const findByEmail: Lookup = async (email) => index.find(emailKey(email));
  const lookUpEmail: Lookup = async (email, plan) => {
    const indexed = await findByEmail(email, plan);
    return indexed.length > 0 ? indexed : query({ email: email.trim() });
  };
  const lookUpPhone: Lookup = async (number, plan) => {
    const isMatch = (contact: StoredRecord) =>
      !isSomebodyElse(plan, contact) &&
      readTexts(contact.phone_numbers).some((stored) => isSameNumber(stored, number));
    const predicted = readNumberKeys(number, plan).flatMap((key) =>
      index.findSome(predictedKey(key), isMatch),
    );
    return [...predicted, ...(await query({ phone_number: number.trim() }))];
  };
  const findByPhone: Lookup = async (number, plan) => {
    // Only the service knows the country of a number without a country code, but the last digits must be equal.
    const isUnused =
      readTail(number) !== undefined && !readNumberKeys(number, plan).some((key) => index.has(key));
    return isUnused ? [] : lookUpPhone(number, plan);
  };
  const matchWith = async (byEmail: Lookup, byPhone: Lookup, plan: RowPlan) => {
    const { emails = [], phone_numbers = [] } = plan.own;
    const emailMatches = await Promise.all(emails.map((email) => byEmail(email, plan)));
    const contact = requireOne(emailMatches.flat(), 'Several contacts have its emails');
    if (contact) return contact;
    const phoneMatches = (await Promise.all(phone_numbers.map((number) => byPhone(number, plan)))).flat();
    return requireOne(
      phoneMatches.filter((one) => !isSomebodyElse(plan, one)),
      'Several contacts have its phone numbers',
    );
  };
  return {
    match: (plan) =>
      isComplete ? matchWith(findByEmail, findByPhone, plan) : matchWith(lookUpEmail, lookUpPhone, plan),
    lookUp: (plan) => matchWith(lookUpEmail, lookUpPhone, plan),
    lookUpNew: (plan) => matchWith(lookUpEmail, plan.own.emails ? async () => [] : lookUpPhone, plan),
  };
}

/** Whether a contact with this body, which shares an email or a number with the row, would be the row's contact. */
export function isSameContact(plan: RowPlan, body: Values): boolean {
  const emails = new Set(readTexts(body.emails).map(emailKey));
  const sharesEmail = (plan.own.emails ?? []).some((email) => emails.has(emailKey(email)));
  return sharesEmail || !isSomebodyElse(plan, body);
}

/** Whether both have emails, and names that differ: colleagues may share a phone number. */
function isSomebodyElse({ own }: RowPlan, contact: Values): boolean {
  const differs = (name: 'first_name' | 'last_name') => {
    const [wanted] = own[name] ?? [];
    const stored = String(contact[name] ?? '');
    return wanted !== undefined && stored !== '' && wanted.trim().toLowerCase() !== stored.toLowerCase();
  };
  const haveEmails = own.emails !== undefined && readTexts(contact.emails).length > 0;
  return haveEmails && (differs('first_name') || differs('last_name'));
}

/** A row whose contact fields hold ids. */
export interface ResolvedPlan {
  /** Without the values that name a missing contact. */
  readonly plan: RowPlan;
  /** The errors of those values. */
  readonly errors: readonly string[];
}

/** Returns a function that replaces email addresses in contact fields by ids. An export writes email addresses. */
export function createContactResolver(client: Client): (plan: RowPlan) => Promise<ResolvedPlan> {
  const ids = new Map<string, string>();
  const findId = async (email: string): Promise<string | undefined> => {
    const key = email.trim().toLowerCase();
    const known = ids.get(key);
    if (known !== undefined) return known;
    const [contact] = await client.findContacts({ email: email.trim() });
    if (!contact) return undefined;
    const id = contact.value.id ?? '';
    ids.set(key, id);
    return id;
  };
  const resolve = async (named: NamedValue, errors: string[]): Promise<NamedValue[]> => {
    if (named.data_type !== 'contact') return [named];
    const values: readonly unknown[] = Array.isArray(named.value) ? named.value : [named.value];
    const resolved = await Promise.all(
      values.map(async (value) => (String(value).includes('@') ? findId(String(value)) : String(value))),
    );
    const missing = values.filter((_, index) => resolved[index] === undefined);
    for (const value of missing) errors.push(`${named.name}: contact "${String(value)}" not found.`);
    if (missing.length > 0) return [];
    return [{ ...named, value: Array.isArray(named.value) ? resolved : resolved[0] }];
  };
  return async (plan) => {
    const errors: string[] = [];
    const custom = await Promise.all(plan.custom.map((one) => resolve(one, errors)));
    const list = await Promise.all(plan.list.map((one) => resolve(one, errors)));
    return { plan: { ...plan, custom: custom.flat(), list: list.flat() }, errors };
  };
}

const keepDigits = (text: string) => text.replace(/\D/g, '');

/** An extension. The service does not store it. */
const extension = /\s*(x|ext\.?|#)\s*\d{1,6}\s*$/i;
const withoutExtension = (text: string) => text.replace(extension, '');

/** Returns the possible digits of a number: in most countries the zero of `+44 (0)20` is dialed only within the country. */
function readDigits(text: string): string[] {
  const number = withoutExtension(text);
  return [number.replace('(0)', ''), number].map(keepDigits);
}

/** Returns what is expected if a text does not look like a phone number. Only the service knows whether it is valid. */
export function checkNumber(text: string): string | undefined {
  const count = keepDigits(text).length;
  const isNumber = /^[+\d\s().\-/]+((x|ext\.?|#)\s*\d+)?$/i.test(text) && count >= 4 && count <= 20;
  return isNumber ? undefined : 'a phone number';
}

/** The number of last digits that all spellings of a number share. */
const tailLength = 6;

/** Returns the last digits that all spellings of a number share; undefined if there may be another spelling. */
export function readTail(number: string): string | undefined {
  const nationals = readDigits(number).map((digits) => digits.replace(/^0+/, ''));
  const [tail = '', ...others] = new Set(nationals.map((digits) => digits.slice(-tailLength)));
  const isCertain = others.length === 0 && tail.length === tailLength;
  return isCertain && !/[^+\d\s().\-/]/.test(withoutExtension(number)) ? tail : undefined;
}

/** Whether two spellings may be one number: one of them may lack its country code. */
export function mayBeSameNumber(one: string, other: string): boolean {
  const nationals = (number: string) => readDigits(number).map((digits) => digits.replace(/^0+/, ''));
  return nationals(one).some((digits) =>
    nationals(other).some((others) => digits.endsWith(others) || others.endsWith(digits)),
  );
}

/** Whether a stored number (E.164) equals one written in a common format. */
export function isSameNumber(stored: string, written: string): boolean {
  const isWhole = written.trim().startsWith('+');
  return readDigits(stored).some((held) =>
    readDigits(written).some((digits) => (isWhole ? held === digits : dials(held, digits))),
  );
}

/** Whether the digits dial a number, within its country or from abroad with `00`, `011` or `0011`. */
function dials(held: string, digits: string): boolean {
  const national = digits.replace(/^0+/, '');
  const isNational = national.length > tailLength && held.endsWith(national);
  return isNational || held === digits.replace(/^0+11/, '');
}
