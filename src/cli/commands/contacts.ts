import { contacts as routes } from '../../contract/contacts.ts';
import { Failure } from '../../contract/errors.ts';
import { fieldsOf } from '../../render/fields.ts';
import { formatFullName, views } from '../../render/views.ts';
import { readTexts } from '../../values/field-values.ts';
import { defineCommand, toBatches } from '../command.ts';
import { resolveOrganizationId } from '../connect/resolve.ts';
import { buildBody, buildUpdateBody, dataOption } from '../flags/body.ts';
import { fieldChangeOptions, resolveFieldChanges } from '../flags/field-changes.ts';
import { fieldOption, listCustomFields, parseCustomFields } from '../flags/field-values.ts';
import { clearable, repeated, text } from '../flags/options.ts';
import { exactlyOne } from '../flags/rules.ts';
import { listRecords, showRecord } from '../listing.ts';
import { deleteRecords, describeDeletePrompt, describeRecord, writeRecord } from '../writing.ts';
import { contactsImport } from './contacts-import.ts';

const id = { summary: 'Contact ID' } as const;
const firstName = text('First name', 'NAME');
const lastName = text('Last name', 'NAME');
const email = repeated(text('Email address', 'ADDRESS'));
const phone = repeated(text('Phone number, in any common format', 'NUMBER'));
const organization = text('Organization', 'ID|NAME');

export const contacts = [
  defineCommand({
    name: 'list',
    summary: 'List contacts',
    paging: 'list',
    examples: ['contacts list', 'contacts list --all --json --jq length'],
    run: (session) => listRecords(session, routes.list, {}, views.contacts, 'contact'),
  }),
  defineCommand({
    name: 'get',
    summary: routes.get.summary,
    args: { id },
    examples: ['contacts get 0rlnky', 'contacts get 0rlnky --json'],
    run: (session, { id }) => showRecord(session, routes.get, { contact_id: id }, views.contacts, 'contact'),
  }),
  defineCommand({
    name: 'find',
    summary: 'Find a contact by email or phone number',
    description:
      'Find a contact by email or phone number. Phone numbers are accepted in any common format, with or ' +
      'without a country code. Exits with code 3 if nothing matches, or 1 if the service ignores the filter.',
    paging: 'search',
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
      const matches = await (await client()).findContacts(lookup, globals.pageSize);
      if (matches.length === 0) {
        const field = email === undefined ? 'phone number' : 'email address';
        throw new Failure('not_found', `No contact has the ${field} "${email ?? phone}".`);
      }
      return { kind: 'records', batches: toBatches(matches), view: views.contacts, importModel: 'contact' };
    },
  }),
  defineCommand({
    name: 'create',
    summary: routes.create.summary,
    description:
      'Create a contact. It requires a first name or an email address. With --organization auto, the ' +
      'contact joins the organization that has the domain of its first email address; the organization ' +
      'is created if it does not exist.',
    isWrite: true,
    isCreateOnly: true,
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
      const body = await buildBody(session, data, {
        first_name: firstName,
        last_name: lastName,
        emails: email,
        phone_numbers: phone,
        organization_id:
          organization === undefined || organization === 'auto'
            ? organization
            : await resolveOrganizationId(await session.client(), organization),
        custom_fields: await parseCustomFields(session.client, 'contact', field),
      });
      return writeRecord(session, routes.create, {}, body, views.contacts);
    },
  }),
  defineCommand({
    name: 'update',
    summary: routes.update.summary,
    description:
      'Update a contact. Only the given fields are sent. Email addresses are added to the existing ones (remove them ' +
      'with `kith contacts remove-emails`); phone numbers replace the existing ones. --field replaces all values of ' +
      'a field; --add-field and --remove-field change one value of a field with several.',
    isWrite: true,
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
    async run(session, { id, firstName, lastName, email, phone, organization, data, ...flags }) {
      const body = await buildUpdateBody(session, data, {
        first_name: firstName,
        last_name: lastName,
        emails: email,
        phone_numbers: phone,
        organization_id: organization && (await resolveOrganizationId(await session.client(), organization)),
        custom_fields: await resolveFieldChanges(session, flags, {
          definitions: async () => listCustomFields(await session.client(), 'contact'),
          values: async () =>
            (await (await session.client()).read(routes.get, { contact_id: id })).custom_fields,
        }),
      });
      return writeRecord(session, routes.update, { contact_id: id }, body, views.contacts);
    },
  }),
  defineCommand({
    name: 'remove-emails',
    summary: routes.removeEmails.summary,
    isWrite: true,
    args: { id, email: { summary: 'Email address to remove', isRepeatable: true } },
    examples: ['contacts remove-emails 0rlnky jiwoo@hanbit-cold.example'],
    run: (session, { id, email }) =>
      writeRecord(session, routes.removeEmails, { contact_id: id }, { emails: email }, views.contacts),
  }),
  defineCommand({
    name: 'delete',
    summary: 'Delete contacts and their entries',
    isWrite: true,
    describeInteraction: describeDeletePrompt,
    args: { id: { ...id, isRepeatable: true } },
    examples: ['contacts delete 0rlnky', 'contacts delete 0rlnky --yes --json'],
    run: (session, { id }) =>
      deleteRecords(session, {
        what: 'contact',
        ids: id,
        route: routes.delete,
        params: (contact_id) => ({ contact_id }),
        named: async (contact_id) => {
          const contact = fieldsOf(await (await session.client()).read(routes.get, { contact_id }));
          const name = formatFullName(contact.first_name, contact.last_name);
          return describeRecord(contact_id, name || readTexts(contact.emails)[0]);
        },
      }),
  }),
  contactsImport,
];
