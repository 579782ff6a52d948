import type { Client } from '../client/client.ts';
import type { ContactLookup } from '../client/contact-lookup.ts';
import { textsIn } from '../contract/texts.ts';
import { type Fields, fieldsOf, plain } from '../output/fields.ts';
import { onlyOne } from './only-one.ts';
import { isSameNumber, tailOf } from './phone-numbers.ts';
import { isImagined } from './rehearsal.ts';
import { idKey, type Shelf } from './shelf.ts';
import type { Wish } from './wishes.ts';

const emailKey = (email: string) => `email:${email.trim().toLowerCase()}`;
const tailKey = (number: string) => `tail:${tailOf(number) ?? ''}`;

/** Of a contact that a rehearsal has made, of which the service knows nothing. */
const imaginedKey = (number: string) => `imagined:${tailOf(number) ?? ''}`;

/** What a contact is found by on a shelf. */
export function contactKeys(contact: Fields): string[] {
  const numbers = textsIn(contact.phone_numbers);
  const imagined = isImagined(contact) ? numbers.map(imaginedKey) : [];
  return [...textsIn(contact.emails).map(emailKey), ...numbers.map(tailKey), ...imagined];
}

/** What rows of one contact have in common. */
export function contactWishKeys({ own: { emails = [], phone_numbers = [] } }: Wish): string[] {
  return [...emails.map(emailKey), ...phone_numbers.map(tailKey)];
}

/** Finds the contact that a row is about. Both throw `Refusal` where it is not one. */
export interface ContactFinder {
  find(wish: Wish): Promise<Fields | undefined>;
  /** The same, asking the service for everything that is not on the shelf. */
  findAgain(wish: Wish): Promise<Fields | undefined>;
}

type LookUp = (text: string) => Promise<Fields[]>;

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
  const knownByPhone = async (number: string) => {
    // Only the service knows which country a number without its code is of; but no other digits ever match.
    const isNobodys = tailOf(number) !== undefined && !shelf.mayHave(tailKey(number));
    return isNobodys ? [] : byPhone(number);
  };
  const byPhone = async (number: string) => {
    const imagined = shelf
      .under(imaginedKey(number))
      .filter(({ phone_numbers }) => textsIn(phone_numbers).some((held) => isSameNumber(held, number)));
    return [...imagined, ...(await asked({ phone_number: number.trim() }))];
  };
  const findBy = async (lookUpEmail: LookUp, lookUpPhone: LookUp, wish: Wish) => {
    const { emails = [], phone_numbers = [] } = wish.own;
    const ofEmails = await Promise.all(emails.map(lookUpEmail));
    const found = onlyOne(ofEmails.flat(), 'Its emails are those of several contacts');
    if (found) return found;
    const ofNumbers = (await Promise.all(phone_numbers.map(lookUpPhone))).flat();
    return onlyOne(
      ofNumbers.filter((contact) => !isSomebodyElse(wish, contact)),
      'Its phone numbers are those of several contacts',
    );
  };
  return {
    find: (wish) => (isWhole ? findBy(knownByEmail, knownByPhone, wish) : findBy(byEmail, byPhone, wish)),
    findAgain: (wish) => findBy(byEmail, byPhone, wish),
  };
}

/** Whether a contact with this body, which has an email or a number of the row, would be the one that the row is about. */
export function isSameContact(wish: Wish, body: Fields): boolean {
  const emails = new Set(textsIn(body.emails).map(emailKey));
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
  const haveEmails = own.emails !== undefined && textsIn(contact.emails).length > 0;
  return haveEmails && (isOther('first_name') || isOther('last_name'));
}
