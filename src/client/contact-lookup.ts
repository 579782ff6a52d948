import { contacts } from '../contract/contacts.ts';
import { Failure, type FailureCode } from '../contract/errors.ts';
import { normalizeEmail } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { isPhoneMatch } from '../values/phone.ts';
import type { RawJson } from '../values/raw-json.ts';

/** The address or the number by which a contact is looked up (specification, 4.1). */
export type ContactLookup = { readonly email: string } | { readonly phone_number: string };

/**
 * Checks that each contact has the address or the number: a service that ignores the filter returns every contact.
 * @throws {Failure} unverified if a contact does not match, failed if one has no id
 */
export async function verifyMatches(matches: readonly RawJson[], lookup: ContactLookup): Promise<void> {
  for (const { value } of matches) {
    const contact = readObject(value);
    if ((contact.id ?? '') === '') throw fail('failed', 'The service returned a contact without an id.');
    if (await isMatch(contact, lookup)) continue;
    const [filter, text] =
      'email' in lookup ? ['email', lookup.email] : ['phone_number', lookup.phone_number];
    const noun = filter === 'email' ? 'email address' : 'phone number';
    const what = `it returned contact "${contact.id}", which does not have the ${noun} "${text}"`;
    throw fail('unverified', `The service ignored the filter ${filter}: ${what}.`);
  }
}

function fail(code: FailureCode, message: string): Failure {
  const { method, path } = contacts.list;
  return new Failure(code, message, { method, path, hint: 'Check the base URL: kith auth status' });
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

/** Returns the texts of a field, or all texts of a contact without it, because the specification names no field. */
function readFieldTexts(contact: JsonObject, field: 'emails' | 'phone_numbers'): string[] {
  return field in contact ? readTexts(contact[field]) : collectTexts(contact);
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(collectTexts);
  return typeof value === 'string' ? [value] : [];
}
