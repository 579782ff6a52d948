import type { Contact } from '../contract/contacts.ts';
import type { Received } from '../contract/received.ts';
import type { Noun } from '../contract/singular-nouns.ts';
import { readTexts } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { formatFullName } from '../values/record-names.ts';

/**
 * Returns the name by which a person knows a record: the full name of a contact, or else its first email address or
 * phone number; the name of an organization, or else its first domain; the key of an entry; the text of a note. Empty
 * if the record has none of them.
 */
export function getLabel(noun: Noun, record: object): string {
  const values = record as JsonObject; // only the members that a record of the noun may have are read
  switch (noun) {
    case 'contacts':
      return (
        formatFullName(toText(values.first_name), toText(values.last_name)) ||
        readFirst(values.emails) ||
        readFirst(values.phone_numbers)
      );
    case 'organizations':
      return toText(values.name) || readFirst(values.domains);
    case 'entries':
      return toText(values.key);
    case 'notes':
      return toText(values.body);
    case 'customFields':
    case 'lists':
      return toText(values.name);
    default:
      return toText(values.title);
  }
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '');

const readFirst = (texts: unknown) => readTexts(texts)[0] ?? '';

/** Returns the names of a contact by which references find it: with either part first. */
export function listFullNames({
  first_name,
  last_name,
}: Pick<Received<Contact>, 'first_name' | 'last_name'>) {
  const [first, last] = [first_name ?? '', last_name ?? ''];
  return [formatFullName(first, last), `${first} ${last}`, `${last} ${first}`];
}
