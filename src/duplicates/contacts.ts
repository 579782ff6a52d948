import type { Contact } from '../contract/contacts.ts';
import type { Received } from '../contract/received.ts';
import { comparisonForms, toMatchKey } from '../records/match.ts';
import { readTexts } from '../values/field-values.ts';
import { mayBeSameNumber } from '../values/phone.ts';
import { combineScores, type Match } from './find-pairs.ts';
import { comparePersonNames, listTypingKeys, type PersonName, parsePersonName } from './name-similarity.ts';

/** The parts of a contact that are compared. */
export interface ComparedContact {
  readonly name: PersonName;
  readonly emails: readonly string[];
  /** The numbers that can be compared with numbers in other formats. */
  readonly phones: readonly string[];
  readonly organization: string | undefined;
}

/** Returns the parts of a contact that are compared. */
export function toComparedContact(contact: Received<Contact>): ComparedContact {
  const { first_name, last_name, emails, phone_numbers, organization_id } = contact;
  return {
    name: parsePersonName(`${first_name ?? ''} ${last_name ?? ''}`),
    // Without the tag in `ada+crm@example.com`, which reaches the same mailbox.
    emails: readTexts(emails).map((email) => comparisonForms.email(email).replace(/(?<=.)\+[^@]*(?=@)/, '')),
    phones: readTexts(phone_numbers).filter((number) => comparisonForms.phone(number) !== ''),
    organization: organization_id || undefined,
  };
}

/**
 * Returns keys of which two duplicates have at least one in common. Similar names count only within an organization.
 */
export function listContactKeys({ name, emails, phones, organization }: ComparedContact): string[] {
  const keys = [
    ...emails.map((email) => `email ${email}`),
    ...phones.map((number) => toMatchKey('phone', number)),
    ...name.keys.map((key) => `name ${key}`),
  ];
  if (organization === undefined || name.words.length === 0) return keys;
  const similarKeys = [...name.keys, ...listTypingKeys(name.words.join(' ')), ...listPartialNames(name)];
  return [...keys, ...similarKeys.map((key) => `${organization} ${key}`)];
}

/** Returns a name without one of its words, and a name of two words with an initial. */
function listPartialNames({ words }: PersonName): string[] {
  const shorter = words.map((_, at) => words.filter((_, index) => index !== at).join(' '));
  const [firstWord = '', lastWord = ''] = words;
  const initials =
    words.length === 2 ? [`${firstWord.charAt(0)} ${lastWord}`, `${firstWord} ${lastWord.charAt(0)}`] : [];
  return [words.join(' '), ...(words.length > 1 ? shorter : []), ...initials];
}

/** Compares two contacts; undefined if nothing suggests a duplicate. */
export function compareContacts(left: ComparedContact, right: ComparedContact): Match | undefined {
  const reasons: string[] = [];
  const scores: number[] = [];
  const add = (reason: string, score: number) => {
    reasons.push(reason);
    scores.push(score);
  };
  const relation = comparePersonNames(left.name, right.name);
  const isNamed = left.name.words.length > 0 && right.name.words.length > 0;
  if (left.emails.some((email) => right.emails.includes(email))) add('same email', 98);
  // Colleagues share the number of their office.
  if (sharePhone(left, right)) add('same phone', isNamed && !relation ? 40 : 75);
  const hasEvidence = reasons.length > 0;
  const isSameOrganization = left.organization !== undefined && left.organization === right.organization;
  const mayBeSame = hasEvidence || left.organization === undefined || right.organization === undefined;
  if (relation === 'same' && (isSameOrganization || mayBeSame))
    add('same name', isSameOrganization ? 90 : 60);
  if (relation === 'similar' && (isSameOrganization || hasEvidence))
    add('similar name', isSameOrganization ? 65 : 50);
  if (relation === 'partial' && (isSameOrganization || hasEvidence)) add('similar name', 50);
  return reasons.length > 0 ? { score: combineScores(scores), reasons } : undefined;
}

/** Whether two contacts have a phone number in common, with or without country code. */
const sharePhone = ({ phones }: ComparedContact, other: ComparedContact) =>
  phones.some((number) => other.phones.some((another) => mayBeSameNumber(number, another)));
