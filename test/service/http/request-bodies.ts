import fc from 'fast-check';
import { ids } from '../../../src/service/db/ids.ts';
import { anyCharacter } from '../../support/any-text.ts';

/** Returns the first arbitrary usually, and sometimes one of the others. */
export const usually = <T>(usual: fc.Arbitrary<T>, ...others: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 16 }, ...others);

export const oneOf = fc.constantFrom;
const upToThree = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 });

/** Creates ids of a resource: those of the sample (rows 1 to `last`), and some unknown ones. */
export const createIdArbitrary = (resource: keyof typeof ids, last: number) =>
  usually(fc.integer({ min: 1, max: last }).map(ids[resource].encode), oneOf(ids[resource].encode(99_999)));

export const contactId = createIdArbitrary('contact', 8);
export const organizationId = createIdArbitrary('organization', 6);
export const listId = createIdArbitrary('list', 4);

const name = usually(
  oneOf('Ada', 'Lovelace', '김지우', 'Acme', 'Role', 'City', 'Next step', 'Won'),
  fc.string(),
  fc.string({ unit: anyCharacter }),
);
export const email = usually(
  fc.nat(40).map((number) => `a${number}@example${number % 3}.com`),
  fc.emailAddress(),
  fc.string(),
);
export const phone = usually(
  oneOf('+14155550100', '010-5550-1234', '(415) 555 0199', '+49 30 901820'),
  fc.string(),
);
const unreserved = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@"];
const segment = fc.string({ unit: usually(oneOf(...unreserved), anyCharacter.map(encodeURIComponent)) });
/** Replaces webPath of fast-check, which builds a table of all characters: see anyCharacter. */
export const webPath = fc.array(segment).map((segments) => segments.map((one) => `/${one}`).join(''));
const webUrl = fc
  .tuple(oneOf('http', 'https'), fc.domain(), webPath)
  .map(([scheme, ...rest]) => `${scheme}://${rest.join('')}`);

const domain = usually(
  fc.nat(40).map((number) => `d${number}.example`),
  oneOf('https://www.acme.example/about', 'bücher.example'),
  webUrl,
  fc.string(),
);

/** The fields of the sample by model, with valid values. */
const sampleFields = {
  organization: { Industry: 'Brewery', City: 'Porto', 'Keeps cold': ['Beer', 'Fish'], 'Cold rooms': 5 },
  contact: { Role: 'Chef', Language: 'Korean', Birthday: '1990-02-28', 'Met by': ['a@example.com'] },
  list: { Edition: 'Korean', Guests: 2, 'Next step': 'Call', Rooms: 0.5, Tier: 'Partner', Territory: 'Oslo' },
} as const;
const value = fc.oneof(oneOf<unknown>(null, [], 'https://example.com'), contactId, fc.jsonValue());

const createNamedValues = (fields: Readonly<Record<string, unknown>>) => {
  const names = oneOf(...Object.keys(fields));
  const validValues = names.map((name) => ({ name, value: fields[name] }));
  return upToThree(usually(validValues, fc.record({ name: usually(names, fc.string()), value })));
};

const type = oneOf('text', 'textarea', 'url', 'number', 'date', 'datetime', 'select', 'user', 'contact');
const definition = fc.record(
  { name, data_type: type, accepts_multiple_values: fc.boolean(), options: upToThree(name) },
  { requiredKeys: ['name'] },
);
const statuses = upToThree(fc.record({ name, type: oneOf('active', 'won', 'lost') }));
const entryType = oneOf('Contact', 'Organization');
const cents = usually(fc.nat(), fc.maxSafeNat(), fc.double());

const contact = {
  first_name: name,
  last_name: name,
  emails: upToThree(email),
  phone_numbers: upToThree(phone),
  organization_id: usually<string | null>(organizationId, oneOf('auto', null)),
  custom_fields: createNamedValues(sampleFields.contact),
};
const organization = {
  name,
  domains: upToThree(domain),
  custom_fields: createNamedValues(sampleFields.organization),
};
const list = {
  name,
  fields: upToThree(definition),
  identifier: usually(oneOf('DEAL', 'S'), name),
  duplicates_allowed: fc.boolean(),
  entry_label: name,
  status_label: name,
  statuses,
};
const entry = {
  status: oneOf('Lead', 'Won', 'Lost', 'Invited', 'Certified'),
  assignee_email: usually<string | null>(email, oneOf(null)),
  one_time_value_cents: cents,
  recurring_value_cents: cents,
  recurring_value_period: oneOf('monthly', 'annual', 'one_time'),
  contact_id: usually<string | null>(contactId, oneOf(null)),
  list_fields: createNamedValues(sampleFields.list),
};

/** The fields of the bodies of each operation, usually valid. */
export const bodies: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  'contacts.create': contact,
  'contacts.update': contact,
  'contacts.removeEmails': { emails: upToThree(email) },
  'organizations.create': organization,
  'organizations.update': organization,
  'organizations.removeDomains': { domains: upToThree(domain) },
  'notes.create': { organization_id: organizationId, body: name, deal_id: name },
  'notes.update': { body: name, deal_id: name },
  'customFields.create': {
    ...{ name, data_type: type, accepts_multiple_values: fc.boolean(), options: upToThree(name) },
    model: oneOf('organization', 'contact', 'deal'),
  },
  'customFields.update': { name, options: upToThree(name) },
  'lists.create': { ...list, process: fc.boolean(), entry_type: entryType },
  'lists.update': list,
  'entries.create': {
    ...entry,
    entryable_id: fc.oneof(contactId, organizationId),
    entryable_type: entryType,
  },
  'entries.update': entry,
};

/** What a create requires besides some of these fields. An update requires nothing. */
export const requiredFields: Readonly<Record<string, fc.Arbitrary<object>>> = {
  'contacts.create': oneOf({ first_name: 'Ada' }),
  'organizations.create': oneOf({ name: '한빛물류' }),
  'notes.create': fc.record({ organization_id: organizationId, body: name }),
  'customFields.create': fc.record({ name: fc.string({ minLength: 1 }), model: oneOf('contact', 'deal') }),
  'lists.create': oneOf<object>(
    { name: '명단', process: false, entry_type: 'Contact' },
    { name: 'Deals', process: true, entry_type: 'Contact', identifier: 'S', duplicates_allowed: true },
  ),
  'entries.create': fc.oneof(
    fc.record({ entryable_id: contactId, entryable_type: oneOf('Contact') }),
    fc.record({ entryable_id: organizationId, entryable_type: oneOf('Organization') }),
  ),
};
