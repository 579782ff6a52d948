import { getBuiltinModule } from 'node:process';
import type { NamedNoun, WritableNoun } from '../contract/singular-nouns.ts';
import { normalizeDomain, normalizeEmail } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import { isSameNumber, readTail } from '../values/phone.ts';
import { listFullNameKeys, toFullNameKey } from '../values/record-names.ts';
import { normalizeLineEnds } from '../values/text.ts';

/*
 * How records are matched. Each noun is matched by these fields, in this order. A later field counts only if no record
 * has the same value in an earlier one.
 *
 * noun          field           two values are the same
 * contact       email           in any case, Unicode form and form of an international domain
 *               phone           in any common format; but contacts with other names are different persons
 *               name            as full names, in either order, with any spaces and commas; a reference needs the same
 *                               words; a row without email address and phone number: in the same organization; if a
 *                               record is matched as a whole: there, and only contacts without email address and phone
 *                               number
 * organization  domain          without scheme, path and `www.`
 *               name            as folded names; an organization with another domain is another organization
 * list          name            as folded names
 * custom field  name            as folded names, in one model
 * entry         record          the list, and its contact or organization
 * note          text            the organization, and the text without line ends and blanks at both ends
 *
 * If several records match, a person, a row or a flag has to say which one: nothing is guessed. Only a copy of a whole
 * workspace takes the first record that no other record has taken, because both workspaces may have equal records.
 */

/** Values of a record, a request body or a row, by field name. A field with several texts may be one text. */
type MatchValues = Readonly<Record<string, unknown>>;

/** Loads node:crypto only for the text of a note: it takes milliseconds, and most commands compare no notes. */
const hashText = (text: string) =>
  getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** The comparison form of a value of each kind. */
export const comparisonForms = {
  email: normalizeEmail,
  domain: normalizeDomain,
  /** The last digits. Two numbers with this form may differ: see `sharesNumber`. */
  phone: (number: string) => readTail(number) ?? '',
  name: foldName,
  fullName: toFullNameKey,
  /** A full name that names one contact, perhaps to delete it: `Ann Ali` is not `Anna Li`. */
  typedName: (name: string) =>
    foldName(name)
      .replace(/[\s,]+/g, ' ')
      .trim(),
  /** The key of an entry, or an id, which people type in any case. */
  key: foldName,
  /** Texts may be long, so the form is a hash. */
  text: (text: string) => hashText(normalizeLineEnds(text.normalize()).trim()),
} as const satisfies Readonly<Record<string, (text: string) => string>>;

/** Returns the key of a value in an index. */
export const toMatchKey = (kind: keyof typeof comparisonForms, text: string) =>
  `${kind}:${comparisonForms[kind](text)}`;

/** The fields by which a record is found, in the order of the table above. */
const matchFields = {
  contacts: ['email', 'phone', 'name'],
  organizations: ['domain', 'name'],
  lists: ['name'],
  customFields: ['name'],
} as const satisfies Readonly<Record<NamedNoun, readonly string[]>>;

export type MatchField = (typeof matchFields)[NamedNoun][number];

export const isNamedNoun = (noun: string): noun is NamedNoun => Object.hasOwn(matchFields, noun);

export const listMatchFields = (noun: NamedNoun): readonly MatchField[] => matchFields[noun];

/** Returns the keys of the values that a record has in a field. */
export function listMatchKeys(noun: NamedNoun, field: MatchField, values: MatchValues): string[] {
  switch (field) {
    case 'email':
      return readTexts(values.emails).map((email) => toMatchKey('email', email));
    case 'phone':
      return readTexts(values.phone_numbers).map((number) => toMatchKey('phone', number));
    case 'domain':
      return readTexts(values.domains).map((domain) => toMatchKey('domain', domain));
    case 'name':
      return noun === 'contacts'
        ? [...new Set(listFullNameKeys(values))].filter((key) => key !== '').map((key) => `fullName:${key}`)
        : readTexts(values.name).flatMap((name) => (foldName(name) === '' ? [] : toMatchKey('name', name)));
  }
}

/** Whether two records have the same value in a field. */
export function shareValue(
  noun: NamedNoun,
  field: MatchField,
  left: MatchValues,
  right: MatchValues,
): boolean {
  const keys = listMatchKeys(noun, field, right);
  return listMatchKeys(noun, field, left).some((key) => keys.includes(key));
}

/** Returns the keys of the records that a text may name. */
export function listNameKeys(noun: NamedNoun, text: string): string[] {
  if (noun === 'contacts') return [toMatchKey('typedName', text)];
  const key = toMatchKey('name', text);
  return noun === 'organizations' ? [toMatchKey('domain', text), key] : [key];
}

/** The values of a record by which another workspace or file is searched for it, in the order of the table above. */
interface MatchStep {
  readonly field: MatchField | 'record' | 'text';
  readonly keys: readonly string[];
}

/** The key of an organization without a domain: it matches any organization with its name. */
const toBareKey = (key: string) => `bare ${key}`;

/** The steps in which a record is looked up by all its values. References are ids of the searched workspace. */
export function listMatchSteps(noun: WritableNoun, values: MatchValues): MatchStep[] {
  switch (noun) {
    case 'contacts': {
      const addresses = (['email', 'phone'] as const).map((field) => ({
        field,
        keys: listMatchKeys(noun, field, values),
      }));
      const names = addresses.every(({ keys }) => keys.length === 0) ? listPersonKeys(values) : [];
      return [...addresses, { field: 'name', keys: names }];
    }
    case 'organizations': {
      const domains = listMatchKeys(noun, 'domain', values);
      const names = listMatchKeys(noun, 'name', values);
      return [
        { field: 'domain', keys: domains },
        { field: 'name', keys: domains.length > 0 ? names.map(toBareKey) : names },
      ];
    }
    case 'lists':
    case 'customFields':
      return [{ field: 'name', keys: listMatchKeys(noun, 'name', values) }];
    case 'entries': {
      const { list_id, entryable_type, entryable_id } = values;
      return [{ field: 'record', keys: [JSON.stringify([list_id, entryable_type, entryable_id])] }];
    }
    case 'notes':
      return [{ field: 'text', keys: [toNoteKey(values.organization_id, String(values.body ?? ''))] }];
  }
}

/** Returns the keys of the values that only one record should have. */
export const listAddressKeys = (noun: WritableNoun, values: MatchValues): string[] =>
  listMatchSteps(noun, values).flatMap(({ field, keys }) =>
    field === 'email' || field === 'domain' ? keys : [],
  );

/** Returns the keys under which an index has a record. */
export function listIndexKeys(noun: WritableNoun, values: MatchValues): string[] {
  if (noun !== 'organizations') return listMatchSteps(noun, values).flatMap(({ keys }) => keys);
  const domains = listMatchKeys(noun, 'domain', values);
  const names = listMatchKeys(noun, 'name', values);
  return [...domains, ...names, ...(domains.length === 0 ? names.map(toBareKey) : [])];
}

/** Returns the keys of a person: the full name in either order, and the organization. */
export const listPersonKeys = (values: MatchValues) =>
  listMatchKeys('contacts', 'name', values).map((key) =>
    JSON.stringify([key, values.organization_id ?? null]),
  );

export const toNoteKey = (organization_id: unknown, text: string) =>
  `${organization_id} ${comparisonForms.text(text)}`;

/** Whether a contact has one of the numbers of another one, or of a row. */
export function sharesNumber(stored: MatchValues, values: MatchValues): boolean {
  const numbers = readTexts(values.phone_numbers);
  return readTexts(stored.phone_numbers).some((number) => numbers.some((text) => isSameNumber(number, text)));
}

const nameFields = ['first_name', 'last_name'] as const;

/** Whether the names of two contacts contradict each other. A name that one of them lacks contradicts nothing. */
export function haveOtherNames(left: MatchValues, right: MatchValues): boolean {
  const areNamed = [left, right].every((contact) => listMatchKeys('contacts', 'name', contact).length > 0);
  if (!areNamed || shareValue('contacts', 'name', left, right)) return false;
  const readName = (values: MatchValues, field: (typeof nameFields)[number]) =>
    foldName(String(values[field] ?? ''));
  const common = nameFields.filter((field) => readName(left, field) !== '' && readName(right, field) !== '');
  return common.length === 0 || common.some((field) => readName(left, field) !== readName(right, field));
}
