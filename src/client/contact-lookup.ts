import { domainToASCII } from 'node:url';
import { contacts } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import { readTexts } from '../values/field-values.ts';
import { isPhoneMatch } from '../values/phone.ts';
import type { RawJson } from '../values/raw-json.ts';

/** The address or the number by which a contact is looked up (specification, 4.1). */
export type ContactLookup = { readonly email: string } | { readonly phone_number: string };

const checkBaseUrl = 'Check the base URL: kith auth status';

type Json = Readonly<Record<string, unknown>>;

/**
 * Checks that each contact found has the address or the number. Throws `unverified` if one does not: a service that
 * ignores the filter returns every contact. Throws `failed` if one has no id, because it cannot be changed.
 */
export async function verifyMatches(found: readonly RawJson[], lookup: ContactLookup): Promise<void> {
  for (const { value } of found) {
    const contact: Json = typeof value === 'object' ? { ...value } : {};
    if ((contact.id ?? '') === '') throw withoutId();
    if (!(await isMatch(contact, lookup))) throw ignoredFilter(contact, lookup);
  }
}

async function isMatch(contact: Json, lookup: ContactLookup): Promise<boolean> {
  if ('email' in lookup) {
    const wanted = foldedEmail(lookup.email);
    return textsOf(contact, 'emails').some((email) => foldedEmail(email) === wanted);
  }
  for (const number of textsOf(contact, 'phone_numbers')) {
    if (await isPhoneMatch(number, lookup.phone_number)) return true;
  }
  return false;
}

/** An address as two are compared: in lower case, its domain in ASCII, as a service may store it. */
function foldedEmail(email: string): string {
  const text = email.normalize('NFC').trim().toLowerCase();
  const domain = text.slice(text.lastIndexOf('@') + 1);
  return text.slice(0, text.length - domain.length) + (domainToASCII(domain) || domain);
}

/** Returns the texts of a field, or all texts of a contact without it, because the specification names no field. */
function textsOf(contact: Json, field: 'emails' | 'phone_numbers'): string[] {
  return field in contact ? readTexts(contact[field]) : allTexts(contact);
}

function allTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(allTexts);
  return typeof value === 'string' ? [value] : [];
}

function withoutId(): Failure {
  return new Failure('failed', 'The service returned a contact without an id.', {
    method: 'GET',
    path: contacts.list.path,
    hint: checkBaseUrl,
  });
}

function ignoredFilter({ id }: Json, lookup: ContactLookup): Failure {
  const [filter, what, text] =
    'email' in lookup
      ? ['email', 'email address', lookup.email]
      : ['phone_number', 'phone number', lookup.phone_number];
  return new Failure(
    'unverified',
    `The service ignored the filter ${filter}: it returned contact "${id}", which does not have the ${what} "${text}".`,
    { method: 'GET', path: contacts.list.path, hint: checkBaseUrl },
  );
}
