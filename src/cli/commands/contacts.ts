import { contacts as routes } from '../../contract/contacts.ts';
import { Failure } from '../../contract/errors.ts';
import { fieldsOf } from '../../render/fields.ts';
import { fullName, views } from '../../render/views.ts';
import { readTexts } from '../../values/field-values.ts';
import { allAtOnce, command } from '../command.ts';
import { organizationId } from '../connect/resolve.ts';
import { bodyOf, changeOf, dataOption } from '../flags/body.ts';
import { definedFields } from '../flags/defined-fields.ts';
import { changedValues, fieldChangeOptions } from '../flags/field-changes.ts';
import { customValues, fieldOption } from '../flags/field-values.ts';
import { clearable, repeated, text } from '../flags/options.ts';
import { exactlyOne } from '../flags/rules.ts';
import { listed, shown } from '../listing.ts';
import { asksToDelete, deleted, namedRecord, written } from '../writing.ts';
import { contactsImport } from './contacts-import.ts';

const id = { summary: 'Contact ID' } as const;
const firstName = text('First name', 'NAME');
const lastName = text('Last name', 'NAME');
const email = repeated(text('Email address', 'ADDRESS'));
const phone = repeated(text('Phone number, in any common format', 'NUMBER'));
const organization = text('Organization', 'ID|NAME');

export const contacts = [
  command({
    name: 'list',
    summary: 'List contacts',
    paged: true,
    examples: ['contacts list', 'contacts list --all --json --jq length'],
    run: (session) => listed(session, routes.list, {}, views.contacts, 'contact'),
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['contacts get 0rlnky', 'contacts get 0rlnky --json'],
    run: (session, { id }) => shown(session, routes.get, { contact_id: id }, views.contacts, 'contact'),
  }),
  command({
    name: 'find',
    summary: 'Find a contact by email or phone number',
    description:
      'Find a contact by email or phone number. Phone numbers are accepted in any common format, with or ' +
      'without a country code. Exits with code 3 if nothing matches, or 1 if the service ignores the filter.',
    paged: 'search',
    options: {
      email: text('Exact email address', 'ADDRESS'),
      phone: text('Phone number, in any common format', 'NUMBER'),
    },
    rules: [exactlyOne('email', 'phone')],
    examples: [
      'contacts find --phone 010-5550-1234',
      'contacts find --email jiwoo.kim@hanbit-cold.example --json',
    ],
    async run({ client, globals }, { email, phone }) {
      const lookup = email === undefined ? { phone_number: phone ?? '' } : { email };
      const found = await (await client()).findContacts(lookup, globals.pageSize);
      if (found.length === 0) {
        const what = email === undefined ? 'phone number' : 'email address';
        throw new Failure('not_found', `No contact has the ${what} "${email ?? phone}".`);
      }
      return { kind: 'records', batches: allAtOnce(found), view: views.contacts, sheet: 'contact' };
    },
  }),
  command({
    name: 'create',
    summary: routes.create.summary,
    description:
      'Create a contact. It requires a first name or an email address. With --organization auto, the ' +
      'contact joins the organization that has the domain of its first email address; the organization ' +
      'is created if it does not exist.',
    writes: true,
    adds: true,
    options: {
      firstName,
      lastName,
      email,
      phone,
      organization: text('Organization; auto matches the domain of the first email address', 'ID|auto|NAME'),
      field: fieldOption,
      data: dataOption,
    },
    examples: [
      'contacts create --first-name Ada --last-name Lovelace --email ada@analytical.example --organization auto',
      'contacts create --first-name 지우 --phone "+82 10-5550-9876" --dry-run',
    ],
    async run(session, { firstName, lastName, email, phone, organization, field, data }) {
      const body = await bodyOf(session, data, {
        first_name: firstName,
        last_name: lastName,
        emails: email,
        phone_numbers: phone,
        organization_id:
          organization === undefined || organization === 'auto'
            ? organization
            : await organizationId(await session.client(), organization),
        custom_fields: await customValues(session.client, 'contact', field),
      });
      return written(session, routes.create, {}, body, views.contacts);
    },
  }),
  command({
    name: 'update',
    summary: routes.update.summary,
    description:
      'Update a contact. Only the given fields are sent. Email addresses are added to the existing ones (remove them ' +
      'with `kith contacts remove-emails`); phone numbers replace the existing ones. --field replaces all values of ' +
      'a field; --add-field and --remove-field change one value of a field with several.',
    writes: true,
    args: { id },
    options: {
      firstName: clearable(firstName),
      lastName: clearable(lastName),
      email,
      phone,
      organization: clearable(organization),
      ...fieldChangeOptions,
      data: dataOption,
    },
    examples: [
      'contacts update 0rlnky --email jiwoo@hanbit-cold.example',
      "contacts update 0rlnky --organization '' --dry-run",
      'contacts update 0rlnky --add-field "Met by=rui@tidewater.example"',
    ],
    async run(session, { id, firstName, lastName, email, phone, organization, data, ...given }) {
      const body = await changeOf(session, data, {
        first_name: firstName,
        last_name: lastName,
        emails: email,
        phone_numbers: phone,
        organization_id: organization && (await organizationId(await session.client(), organization)),
        custom_fields: await changedValues(session, given, {
          definitions: async () => definedFields(await session.client(), 'contact'),
          values: async () => (await (await session.client()).contacts.get({ contact_id: id })).custom_fields,
        }),
      });
      return written(session, routes.update, { contact_id: id }, body, views.contacts);
    },
  }),
  command({
    name: 'remove-emails',
    summary: routes.removeEmails.summary,
    writes: true,
    args: { id, email: { summary: 'Email address to remove', several: true } },
    examples: ['contacts remove-emails 0rlnky jiwoo@hanbit-cold.example'],
    run: (session, { id, email }) =>
      written(session, routes.removeEmails, { contact_id: id }, { emails: email }, views.contacts),
  }),
  command({
    name: 'delete',
    summary: 'Delete contacts and their entries',
    writes: true,
    attended: asksToDelete,
    args: { id: { ...id, several: true } },
    examples: ['contacts delete 0rlnky', 'contacts delete 0rlnky --yes --json'],
    run: (session, { id }) =>
      deleted(session, {
        what: 'contact',
        ids: id,
        route: routes.delete,
        params: (contact_id) => ({ contact_id }),
        named: async (contact_id) => {
          const contact = fieldsOf(await (await session.client()).contacts.get({ contact_id }));
          const name = fullName(contact.first_name, contact.last_name);
          return namedRecord(contact_id, name || readTexts(contact.emails)[0]);
        },
      }),
  }),
  contactsImport,
];
