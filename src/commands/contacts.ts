import { defineCommand, toBatch } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { createFlag, createTextOption } from '../cli/command/options.ts';
import { conflicts, exactlyOne, requires, requiresChange } from '../cli/command/rules.ts';
import type { Body } from '../cli/flags/body.ts';
import { createFieldOptions } from '../cli/flags/field-options.ts';
import { contacts as routes } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import { views } from '../render/views.ts';
import { showsMany } from './bulk/show-many.ts';
import { contactsDuplicates, contactsMerge } from './duplicates/duplicates.ts';
import { contactsImport } from './import/import.ts';
import { createIfAbsentOption, createMatchOption } from './records/match-fields.ts';
import { defineRecordCommands } from './records/record-commands.ts';
import { contactsShow } from './show/show.ts';

const { list, get, create, upsert, update, edit, write, remove } = defineRecordCommands('contacts', routes);

const fullName = createTextOption('Full name, which kith splits into first and last name', 'NAME');
const nameConflict = conflicts('name', 'firstName', 'lastName');

const createOptions = {
  name: fullName,
  ...createFieldOptions('contacts', 'create', {
    organization_id: {
      label: 'Organization; auto matches the domain of the first email address',
      literal: 'auto',
      createFlag: 'createOrganization',
    },
  }),
  createOrganization: createFlag('Create the organization if none matches --organization'),
};
const createRules = [nameConflict, requires('createOrganization', 'organization')];

/** Splits the full name as an import does. A name that cannot be split clears the last name. */
const splitName = async (
  _: Session,
  { name }: { readonly name: string | undefined },
  { fields }: { readonly fields: Body },
): Promise<Body> => {
  if (name === undefined) return fields;
  const { splitFullName } = await import('../values/split-name.ts');
  return { ...fields, last_name: null, ...splitFullName(name) };
};

export const contacts = [
  list({
    shortcuts: ['organization', 'list', 'createdAfter', 'updatedAfter'],
    examples: [
      'contacts list',
      'contacts list --all --json --jq length',
      'contacts list --organization 한빛물류 --sort -created_at',
      'contacts list --list Newsletter --where \'Language in (Korean, Japanese) and "Last visit" > 2026-08-01\'',
    ],
  }),
  get(['contacts get 김지우', 'contacts get jiwoo.kim@hanbit-cold.example --json']),
  showsMany('contacts', contactsShow),
  defineCommand({
    name: 'find',
    output: { records: ['contacts[]'] },
    summary: 'Find a contact by email or phone number',
    description:
      'Find a contact by email or phone number. Phone numbers may have any common format. A match whose phone ' +
      'numbers cannot be compared is printed with a note. Exits with code 3 if nothing matches, or 1 if the ' +
      'service ignores the filter.',
    paging: 'search',
    options: {
      email: createTextOption('Exact email address', 'ADDRESS'),
      phone: createTextOption('Phone number, in any common format', 'NUMBER'),
    },
    rules: [exactlyOne('email', 'phone')],
    examples: [
      'contacts find --phone 010-5550-1234',
      'contacts find --email jiwoo.kim@hanbit-cold.example --json',
    ],
    async run({ messages: { note }, client, globals }, { email, phone }) {
      const lookup = email === undefined ? { phone_number: phone ?? '' } : { email };
      const matches = await (await client()).findContacts(lookup, { size: globals.pageSize, note });
      if (matches.length === 0) {
        const field = email === undefined ? 'phone number' : 'email address';
        throw new Failure('not_found', `No contact has the ${field} "${email ?? phone}".`, {
          isEmptyResult: true,
        });
      }
      return { kind: 'records', batches: toBatch(matches), view: views.contacts, importModel: 'contact' };
    },
  }),
  create({
    description:
      'Create a contact. It requires a first name or an email address. --organization auto finds or creates the ' +
      'organization with the domain of the email. --if-absent email makes it safe to re-run. ' +
      'Without flags, asks in a terminal for the fields.',
    args: { name: { summary: 'Full name', isOptional: true, flag: () => 'name' } },
    options: { ...createOptions, ...createIfAbsentOption('contacts') },
    rules: createRules,
    body: splitName,
    examples: [
      'contacts create "Ada Lovelace" --email ada@analytical.example --organization auto',
      'contacts create "Jane Doe" --organization Acme --create-organization',
      'contacts create --first-name Ada --email ada@analytical.example --if-absent email --json --jq .id',
      'contacts create --first-name 지우 --phone "+82 10-5550-9876" --dry-run',
    ],
  }),
  upsert('contacts', {
    summary: 'Update the contact with an email, phone number or name, or create one',
    description:
      'Update the contact that has one of the email addresses, one of the phone numbers or the full name, or create one. ' +
      'Email addresses and phone numbers are added to the existing ones. Sends only values that differ. The JSON ' +
      'record has a key "created". To match by name, kith reads all contacts.',
    options: { ...createOptions, ...createMatchOption('contacts') },
    rules: [requiresChange, ...createRules],
    body: splitName,
    examples: [
      'contacts upsert --email ada@analytical.example --first-name Ada --last-name Lovelace',
      'contacts upsert --by phone --phone 010-5550-1234 --last-name Kim --dry-run',
    ],
  }),
  update({
    description:
      'Update a contact. Sends only the fields that you pass. Emails are added to the existing ones; see `kith ' +
      'contacts remove-emails`. Phone numbers replace them. --field replaces all values of a field; --add-field ' +
      'and --remove-field change one of them.',
    options: { name: fullName, ...createFieldOptions('contacts', 'update') },
    rules: [nameConflict],
    body: splitName,
    examples: [
      'contacts update 0rlnky --email jiwoo@hanbit-cold.example',
      "contacts update --where 'organization ~ 한빛' --field Language=Korean --yes",
      "contacts update 0rlnky --organization '' --dry-run",
      'contacts update 0rlnky --add-field "Met by=rui@tidewater.example"',
    ],
  }),
  edit(['contacts edit 0rlnky', 'contacts edit 0rlnky --file contact.yaml --dry-run'], {
    removal: routes.removeEmails,
  }),
  write('remove-emails', routes.removeEmails, {
    args: { email: { summary: 'Email address to remove', isRepeatable: true, record: 'emails' } },
    examples: ['contacts remove-emails 0rlnky jiwoo@hanbit-cold.example'],
    body: (_, { email }) => ({ emails: email }),
  }),
  remove({
    summary: 'Delete contacts and their entries',
    examples: [
      'contacts delete 0rlnky',
      'contacts delete 0rlnky --yes --json',
      "contacts delete --where 'updated_at < 2020-01-01' --yes",
    ],
  }),
  contactsImport,
  contactsDuplicates,
  contactsMerge,
];
