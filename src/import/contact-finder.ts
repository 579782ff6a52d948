import type { Client } from '../client/client.ts';
import type { ContactLookup } from '../client/contact-lookup.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import { readTexts } from '../values/field-values.ts';
import type { Identity } from './contradictions.ts';
import { onlyOne } from './only-one.ts';
import { isSameNumber, tailOf } from './phone-numbers.ts';
import { isImagined } from './rehearsal.ts';
import { idKey, type Shelf } from './shelf.ts';
import type { Wish } from './wishes.ts';

const emailKey = (email: string) => `email:${email.trim().toLowerCase()}`;

const tailKey = (number: string) => `tail:${tailOf(number) ?? ''}`;

/** The key of a number and of the names of the person who has it: very many colleagues may share one. */
const personKey = (number: string, names: readonly string[]) =>
  `${tailKey(number)}:${JSON.stringify(names.map((name) => name.trim().toLowerCase()))}`;

/** A contact that a dry run would create and the service does not know. */
const imaginedKey = (key: string) => `imagined:${key}`;

/** What a contact is found by on a shelf. */
export function contactKeys(contact: Fields): string[] {
  const emails = readTexts(contact.emails).map(emailKey);
  const [first, last] = [plain(contact.first_name), plain(contact.last_name)];
  // Without an email address its names tell it from nobody.
  const persons = emails.length > 0 ? [[first], [first, last]] : [[]];
  const numbers = readTexts(contact.phone_numbers).flatMap((number) => [
    tailKey(number),
    ...persons.map((names) => personKey(number, names)),
  ]);
  return [...emails, ...numbers, ...(isImagined(contact) ? numbers.map(imaginedKey) : [])];
}

/** The keys of a number of which each contact that a row may be about has one. */
function numberKeys(number: string, { own: { emails, first_name, last_name } }: Wish): string[] {
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

/** What rows of one contact have in common. */
export function contactWishKeys({ own: { emails = [], phone_numbers = [] } }: Wish): string[] {
  return [...emails.map(emailKey), ...phone_numbers.map(tailKey)];
}

/** What tells which contact a row, or a contact itself, is about: colleagues may share a number. */
export function contactIdentities({ own }: Wish): Identity[][] {
  const { emails = [], phone_numbers = [], first_name = [], last_name = [] } = own;
  const names = emails.length > 0 ? [first_name[0] ?? '', last_name[0] ?? ''] : [];
  const numbers = phone_numbers.map((number) => ({ key: personKey(number, names), number }));
  return [emails.map((email) => ({ key: emailKey(email) })), numbers];
}

/** The same of a contact on a shelf: by its numbers alone too, if no other contact has them. */
export function identitiesOfContact(shelf: Shelf, contact: Fields): Identity[] {
  const emails = readTexts(contact.emails);
  const phone_numbers = readTexts(contact.phone_numbers);
  const names = { first_name: [plain(contact.first_name)], last_name: [plain(contact.last_name)] };
  const isItsOwn = (number: string) =>
    shelf.fewUnder(tailKey(number), (other) => readTexts(other.phone_numbers).includes(number)).length < 2;
  const own = phone_numbers.filter(isItsOwn).map((number) => ({ key: personKey(number, []), number }));
  const wish = { own: { emails, phone_numbers, ...names }, custom: [], list: [] };
  return [...contactIdentities(wish).flat(), ...own];
}

/** Finds the contact that a row is about. Both throw `Refusal` where it is not one. */
export interface ContactFinder {
  find(wish: Wish): Promise<Fields | undefined>;
  /** The same, asking the service for everything that is not on the shelf. */
  findAgain(wish: Wish): Promise<Fields | undefined>;
  /**
   * The same just before the contact is created. A row with emails is looked up by these alone: very many colleagues
   * may share its phone number, and all of them would be read for each row.
   */
  findNew(wish: Wish): Promise<Fields | undefined>;
}

type LookUp = (text: string, wish: Wish) => Promise<Fields[]>;

/** A finder over what is on a shelf; what is not there is asked of the service, unless the shelf has it all. */
export function contactFinder(client: Client, shelf: Shelf, isWhole: boolean): ContactFinder {
  const asked = async (lookup: ContactLookup) => {
    const found = await client.findContacts(lookup);
    return found.map(({ value }) => {
      const contact = fieldsOf(value);
      // What stands there was written by this run, maybe after the question: it goes before the answer.
      const [known] = shelf.under(idKey(contact.id));
      if (!known) shelf.put(contact);
      return known ?? contact;
    });
  };
  const knownByEmail = async (email: string) => shelf.under(emailKey(email));
  const byEmail = async (email: string) => {
    const known = await knownByEmail(email);
    return known.length > 0 ? known : asked({ email: email.trim() });
  };
  const knownByPhone = async (number: string, wish: Wish) => {
    // Only the service knows which country a number without its code is of; but no other digits ever match.
    const isNobodys = tailOf(number) !== undefined && !numberKeys(number, wish).some(shelf.mayHave);
    return isNobodys ? [] : byPhone(number, wish);
  };
  const byPhone = async (number: string, wish: Wish) => {
    const isMeant = (contact: Fields) =>
      !isSomebodyElse(wish, contact) &&
      readTexts(contact.phone_numbers).some((held) => isSameNumber(held, number));
    const imagined = numberKeys(number, wish).flatMap((key) => shelf.fewUnder(imaginedKey(key), isMeant));
    return [...imagined, ...(await asked({ phone_number: number.trim() }))];
  };
  const findBy = async (lookUpEmail: LookUp, lookUpPhone: LookUp, wish: Wish) => {
    const { emails = [], phone_numbers = [] } = wish.own;
    const ofEmails = await Promise.all(emails.map((email) => lookUpEmail(email, wish)));
    const found = onlyOne(ofEmails.flat(), 'Its emails are those of several contacts');
    if (found) return found;
    const ofNumbers = (await Promise.all(phone_numbers.map((number) => lookUpPhone(number, wish)))).flat();
    return onlyOne(
      ofNumbers.filter((contact) => !isSomebodyElse(wish, contact)),
      'Its phone numbers are those of several contacts',
    );
  };
  return {
    find: (wish) => (isWhole ? findBy(knownByEmail, knownByPhone, wish) : findBy(byEmail, byPhone, wish)),
    findAgain: (wish) => findBy(byEmail, byPhone, wish),
    findNew: (wish) => findBy(byEmail, wish.own.emails ? async () => [] : byPhone, wish),
  };
}

/** Whether a contact with this body, which has an email or a number of the row, would be the one that the row is about. */
export function isSameContact(wish: Wish, body: Fields): boolean {
  const emails = new Set(readTexts(body.emails).map(emailKey));
  const sharesEmail = (wish.own.emails ?? []).some((email) => emails.has(emailKey(email)));
  return sharesEmail || !isSomebodyElse(wish, body);
}

/** Colleagues share a telephone: another name beside another email address is another person. */
function isSomebodyElse({ own }: Wish, contact: Fields): boolean {
  const isOther = (name: 'first_name' | 'last_name') => {
    const [given] = own[name] ?? [];
    const held = plain(contact[name]);
    return given !== undefined && held !== '' && given.trim().toLowerCase() !== held.toLowerCase();
  };
  const haveEmails = own.emails !== undefined && readTexts(contact.emails).length > 0;
  return haveEmails && (isOther('first_name') || isOther('last_name'));
}
