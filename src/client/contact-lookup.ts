import { type Contact, contacts } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import { cleanValue } from '../contract/field-types.ts';
import { isMissing, type Received } from '../contract/received.ts';
import { normalizeEmail } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { isPhoneMatch, readTail } from '../values/phone.ts';
import { parseJson, type RawJson } from '../values/raw-json.ts';

/** The address or the number by which a contact is looked up (specification, 4.1). */
export type ContactLookup = { readonly email: string } | { readonly phone_number: string };

/** How a contact is looked up. */
export interface LookupOptions {
  /** Records per page. */
  readonly size?: number | undefined;
  /** Receives a sentence if the only contact has phone numbers that cannot be compared; if omitted, the lookup fails. */
  readonly note?: ((text: string) => Promise<void>) | undefined;
}

/** Returns a lookup in the form in which a service stores an address, and that it accepts for a number. */
export const cleanLookup = (lookup: ContactLookup): ContactLookup =>
  'email' in lookup
    ? { email: cleanValue(lookup.email, { type: 'email' }) }
    : { phone_number: cleanValue(lookup.phone_number, { type: 'phone' }) };

/**
 * Checks that each contact has the address or the number: a service that ignores the filter returns every contact.
 * @throws {Failure} unverified if a contact does not match
 */
export async function verifyMatches(
  matches: readonly RawJson<Received<Contact>>[],
  lookup: ContactLookup,
  note?: LookupOptions['note'],
): Promise<void> {
  for (const { text: received, value } of matches) {
    const contact = readObject(parseJson(received)); // the value has empty lists in place of missing lists
    if (await isMatch(contact, lookup)) continue;
    const [filter, text] =
      'email' in lookup ? ['email', lookup.email] : ['phone_number', lookup.phone_number];
    const subject = `the ${filter === 'email' ? 'email address' : 'phone number'} "${text}"`;
    if (filter === 'email' || hasOtherNumbers(contact, text)) {
      const problem = `it returned contact "${value.id}", which does not have ${subject}`;
      throw fail(`The service ignored the filter ${filter}: ${problem}.`);
    }
    const complaint = `The service returned contact "${value.id}" for ${subject}`;
    const problem = `${complaint}, but kith cannot compare its phone numbers with that number.`;
    if (!note) throw fail(problem, 'If it is the right contact, use its id.');
    await note(problem);
  }
}

function fail(message: string, hint = 'Check the base URL: kith auth status'): Failure {
  const { method, path } = contacts.list;
  return new Failure('unverified', message, { method, path, hint });
}

async function isMatch(contact: JsonObject, lookup: ContactLookup): Promise<boolean> {
  if ('email' in lookup) {
    const address = normalizeEmail(lookup.email);
    return readFieldTexts(contact, 'emails').some((email) => normalizeEmail(email) === address);
  }
  for (const number of readFieldTexts(contact, 'phone_numbers')) {
    if (await isPhoneMatch(number, lookup.phone_number)) return true;
  }
  return false;
}

/** Whether a contact certainly lacks a number: the last digits of each of its numbers differ. */
function hasOtherNumbers({ phone_numbers }: JsonObject, number: string): boolean {
  if (isMissing(phone_numbers)) return false;
  const tail = readTail(number);
  const tails = readTexts(phone_numbers).map(readTail);
  return tails.every((otherTail) => otherTail !== undefined && tail !== undefined && otherTail !== tail);
}

/**
 * Returns the texts of a field. If the contact lacks the field, returns all its texts, because the specification names
 * no field.
 */
function readFieldTexts(contact: JsonObject, field: 'emails' | 'phone_numbers'): string[] {
  return field in contact ? readTexts(contact[field]) : collectTexts(contact);
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(collectTexts);
  return typeof value === 'string' ? [value] : [];
}
