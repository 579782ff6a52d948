import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { type Contact, contacts } from '../../contract/contacts.ts';
import type { CustomField } from '../../contract/custom-fields.ts';
import { organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import { formatFieldHeader } from '../../render/field-headers.ts';
import { type Column, fieldColumn } from '../../render/views.ts';
import { readTexts } from '../../values/field-values.ts';
import { type RawJson, toRawJson } from '../../values/raw-json.ts';
import type { CommandResult, ImportModel } from '../command.ts';
import { listCustomFields } from '../flags/field-values.ts';
import { iterateRecords } from '../records.ts';
import { nameOrganizations } from './organization-names.ts';

type ImportableRecord = Pick<Received<Contact>, 'custom_fields'>;

/** Returns records with every column that an import reads, including all custom fields of the workspace. */
export async function toImportTable(
  client: Client,
  model: ImportModel,
  batches: AsyncIterable<Batch>,
): Promise<CommandResult> {
  const fields = await listCustomFields(client, model);
  const columns = (model === 'contact' ? createContactColumns : createOrganizationColumns)(fields);
  const named = model === 'contact' ? addOrganizations(client, batches) : batches;
  const hasContacts = fields.some(({ data_type }) => data_type === 'contact');
  return {
    kind: 'records',
    view: () => columns,
    batches: hasContacts ? replaceContactIds(client, named) : named,
  };
}

/** Replaces the ids in contact fields by email addresses, which are valid in other workspaces too. */
async function* replaceContactIds(client: Client, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  let emails: ReadonlyMap<string, string> | undefined;
  for await (const batch of batches) {
    const records: RawJson[] = [];
    for (const record of batch.records) {
      const value = record.value as ImportableRecord; // as in CommandResult.importModel
      const fields = Object.entries(value.custom_fields ?? {});
      const hasContact = fields.some(([, field]) => field?.data_type === 'contact' && field.value !== null);
      if (hasContact) emails ??= await readContactEmails(client);
      const toEmail = (id: unknown) => emails?.get(String(id)) ?? id;
      const custom_fields = fields.map(([id, field]) => {
        if (field?.data_type !== 'contact') return [id, field];
        const email = Array.isArray(field.value) ? field.value.map(toEmail) : toEmail(field.value);
        return [id, { ...field, value: email }];
      });
      records.push(
        hasContact ? toRawJson({ ...value, custom_fields: Object.fromEntries(custom_fields) }) : record,
      );
    }
    yield { ...batch, records };
  }
}

/** Maps the id of each contact with an email address to its first address. */
async function readContactEmails(client: Client): Promise<ReadonlyMap<string, string>> {
  const emails = new Map<string, string>();
  for await (const { value } of iterateRecords(client, contacts.list, {})) {
    const [email] = readTexts(value.emails);
    if (email) emails.set(value.id ?? '', email);
  }
  return emails;
}

/** Adds `organization` as text. Organizations are read when the first contact has one. */
async function* addOrganizations(client: Client, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  let names: ReadonlyMap<string, string> | undefined;
  for await (const batch of batches) {
    const contacts = batch.records.map(({ value }) => value as Received<Contact>); // as in CommandResult.importModel
    if (names === undefined && contacts.some(({ organization_id }) => organization_id)) {
      names = await nameOrganizations(iterateRecords(client, organizations.list, {}));
    }
    const records = contacts.map((contact) => {
      const { organization_id: id } = contact;
      return toRawJson({ ...contact, organization: names?.get(id ?? '') ?? id });
    });
    yield { ...batch, records };
  }
}

/** Returns the columns of contacts that an import reads. `organization` is a name or domain. */
export function createContactColumns(customFields: readonly Received<CustomField>[]): Column[] {
  return createColumns(['first_name', 'last_name', 'emails', 'phone_numbers', 'organization'], customFields);
}

/** Returns the columns of organizations that an import reads. */
export function createOrganizationColumns(customFields: readonly Received<CustomField>[]): Column[] {
  return createColumns(['name', 'domains'], customFields);
}

function createColumns(own: readonly string[], customFields: readonly Received<CustomField>[]): Column[] {
  return [
    fieldColumn('id'),
    ...own.map((name) => fieldColumn(name)),
    ...customFields.map(createFieldColumn),
    fieldColumn('created_at'),
    fieldColumn('updated_at'),
  ];
}

function createFieldColumn(definition: Received<CustomField>): Column<ImportableRecord> {
  const { id, name } = definition;
  return {
    name: formatFieldHeader(definition),
    cell: ({ custom_fields }) => {
      const fields = custom_fields ?? {};
      // kith's own service uses the id of the field; the specification says only "a field identifier".
      const field = id && Object.hasOwn(fields, id) ? fields[id] : findByName(fields, name ?? '');
      return field?.value;
    },
  };
}

function findByName(fields: NonNullable<ImportableRecord['custom_fields']>, name: string) {
  return Object.values(fields).find((field) => field?.name === name);
}
