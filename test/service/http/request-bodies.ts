import fc from 'fast-check';
import { ids } from '../../../src/service/db/ids.ts';
import { anyCharacter } from '../../support/any-text.ts';

/** Mostly the first, now and then one of the others. */
export const mostly = <T>(usual: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 16 }, ...others);

export const of = fc.constantFrom;
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 });

/** The ids of a resource; the sample has rows 1 to `last` and some more ids have none. */
export const idOf = (resource: keyof typeof ids, last: number) =>
  mostly(fc.integer({ min: 1, max: last }).map(ids[resource].encode), of(ids[resource].encode(99_999)));

export const contactId = idOf('contact', 8);
export const organizationId = idOf('organization', 6);
export const listId = idOf('list', 4);

const name = mostly(
  of('Ada', 'Lovelace', '김지우', 'Acme', 'Role', 'City', 'Next step', 'Won'),
  fc.string(),
  fc.string({ unit: anyCharacter }),
);
export const email = mostly(
  fc.nat(40).map((number) => `a${number}@example${number % 3}.com`),
  fc.emailAddress(),
  fc.string(),
);
export const phone = mostly(
  of('+14155550100', '010-5550-1234', '(415) 555 0199', '+49 30 901820'),
  fc.string(),
);
const unreserved = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@"];
const segment = fc.string({ unit: mostly(of(...unreserved), anyCharacter.map(encodeURIComponent)) });
/** What fast-check has under this name makes its table of all characters: see anyCharacter. */
export const webPath = fc.array(segment).map((segments) => segments.map((one) => `/${one}`).join(''));
const webUrl = fc
  .tuple(of('http', 'https'), fc.domain(), webPath)
  .map(([scheme, ...rest]) => `${scheme}://${rest.join('')}`);

const domain = mostly(
  fc.nat(40).map((number) => `d${number}.example`),
  of('https://www.acme.example/about', 'bücher.example'),
  webUrl,
  fc.string(),
);

/** Fields of the sample, those of a model or of a list, with values that they take. */
const fieldsOf = {
  organization: { Industry: 'Brewery', City: 'Porto', 'Keeps cold': ['Beer', 'Fish'], 'Cold rooms': 5 },
  contact: { Role: 'Chef', Language: 'Korean', Birthday: '1990-02-28', 'Met by': ['a@example.com'] },
  list: { Edition: 'Korean', Guests: 2, 'Next step': 'Call', Rooms: 0.5, Tier: 'Partner', Territory: 'Oslo' },
} as const;
const value = fc.oneof(of<unknown>(null, [], 'https://example.com'), contactId, fc.jsonValue());

const namedOf = (fields: Readonly<Record<string, unknown>>) => {
  const names = of(...Object.keys(fields));
  const right = names.map((name) => ({ name, value: fields[name] }));
  return some(mostly(right, fc.record({ name: mostly(names, fc.string()), value })));
};

const type = of('text', 'textarea', 'url', 'number', 'date', 'datetime', 'select', 'user', 'contact');
const definition = fc.record(
  { name, data_type: type, accepts_multiple_values: fc.boolean(), options: some(name) },
  { requiredKeys: ['name'] },
);
const statuses = some(fc.record({ name, type: of('active', 'won', 'lost') }));
const entryType = of('Contact', 'Organization');
const cents = mostly(fc.nat(), fc.maxSafeNat(), fc.double());

const contact = {
  first_name: name,
  last_name: name,
  emails: some(email),
  phone_numbers: some(phone),
  organization_id: mostly<string | null>(organizationId, of('auto', null)),
  custom_fields: namedOf(fieldsOf.contact),
};
const organization = { name, domains: some(domain), custom_fields: namedOf(fieldsOf.organization) };
const list = {
  name,
  fields: some(definition),
  identifier: mostly(of('DEAL', 'S'), name),
  duplicates_allowed: fc.boolean(),
  entry_label: name,
  status_label: name,
  statuses,
};
const entry = {
  status: of('Lead', 'Won', 'Lost', 'Invited', 'Certified'),
  assignee_email: mostly<string | null>(email, of(null)),
  one_time_value_cents: cents,
  recurring_value_cents: cents,
  recurring_value_period: of('monthly', 'annual', 'one_time'),
  contact_id: mostly<string | null>(contactId, of(null)),
  list_fields: namedOf(fieldsOf.list),
};

/** A body that may well be right for the verb of a noun, from any part of its fields. */
export const bodies: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  'contacts.create': contact,
  'contacts.update': contact,
  'contacts.removeEmails': { emails: some(email) },
  'organizations.create': organization,
  'organizations.update': organization,
  'organizations.removeDomains': { domains: some(domain) },
  'notes.create': { organization_id: organizationId, body: name, deal_id: name },
  'notes.update': { body: name, deal_id: name },
  'customFields.create': {
    ...{ name, data_type: type, accepts_multiple_values: fc.boolean(), options: some(name) },
    model: of('organization', 'contact', 'deal'),
  },
  'customFields.update': { name, options: some(name) },
  'lists.create': { ...list, process: fc.boolean(), entry_type: entryType },
  'lists.update': list,
  'entries.create': {
    ...entry,
    entryable_id: fc.oneof(contactId, organizationId),
    entryable_type: entryType,
  },
  'entries.update': entry,
};
