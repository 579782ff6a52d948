import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { contacts } from '../../contract/contacts.ts';
import { organizations } from '../../contract/organizations.ts';
import { formatFieldHeader } from '../../render/field-headers.ts';
import { type Fields, fieldsOf, plain } from '../../render/fields.ts';
import { type Column, fieldColumn } from '../../render/views.ts';
import { readTexts } from '../../values/field-values.ts';
import { type RawJson, toRawJson } from '../../values/raw-json.ts';
import type { CommandResult } from '../command.ts';
import { listCustomFields } from '../flags/field-values.ts';
import { iterateRecords } from '../records.ts';
import { nameOrganizations } from './organization-names.ts';

/** A kind of record that can be imported. */
export type SheetModel = 'contact' | 'organization';

/** Returns records with every column that an import reads, including all custom fields of the workspace. */
export async function sheetOf(
  client: Client,
  model: SheetModel,
  batches: AsyncIterable<Batch>,
): Promise<CommandResult> {
  const fields = await listCustomFields(client, model);
  const columns = (model === 'contact' ? contactSheet : organizationSheet)(fields);
  const named = model === 'contact' ? withOrganizations(client, batches) : batches;
  const hasContacts = fields.some(({ data_type }) => data_type === 'contact');
  return {
    kind: 'records',
    view: () => columns,
    batches: hasContacts ? withContactEmails(client, named) : named,
  };
}

/** Replaces the ids in contact fields by email addresses, which are valid in other workspaces too. */
async function* withContactEmails(client: Client, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  let emails: ReadonlyMap<string, string> | undefined;
  for await (const batch of batches) {
    const records: RawJson[] = [];
    for (const sent of batch.records) {
      const record = fieldsOf(sent.value);
      const held = Object.entries(fieldsOf(record.custom_fields)).map(
        ([id, one]) => [id, fieldsOf(one)] as const,
      );
      const isNamed = held.some(([, { data_type, value }]) => data_type === 'contact' && value !== null);
      if (isNamed) emails ??= await contactEmails(client);
      const emailOf = (id: unknown) => emails?.get(plain(id)) ?? id;
      const custom_fields = held.map(([id, one]) => {
        if (one.data_type !== 'contact') return [id, one];
        const value = Array.isArray(one.value) ? one.value.map(emailOf) : emailOf(one.value);
        return [id, { ...one, value }];
      });
      records.push(
        isNamed ? toRawJson({ ...record, custom_fields: Object.fromEntries(custom_fields) }) : sent,
      );
    }
    yield { ...batch, records };
  }
}

/** Maps the id of each contact with an email address to its first address. */
async function contactEmails(client: Client): Promise<ReadonlyMap<string, string>> {
  const emails = new Map<string, string>();
  for await (const { value } of iterateRecords(client, contacts.list, {})) {
    const { id, emails: held } = fieldsOf(value);
    const [email] = readTexts(held);
    if (email) emails.set(plain(id), email);
  }
  return emails;
}

/** Adds `organization` as text. Organizations are read when the first contact has one. */
async function* withOrganizations(client: Client, batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  let names: ReadonlyMap<unknown, string> | undefined;
  for await (const batch of batches) {
    const contacts = batch.records.map(({ value }) => fieldsOf(value));
    if (names === undefined && contacts.some(({ organization_id }) => organization_id)) {
      names = await nameOrganizations(iterateRecords(client, organizations.list, {}));
    }
    const records = contacts.map((contact) => {
      const { organization_id: id } = contact;
      return toRawJson({ ...contact, organization: names?.get(id) ?? id });
    });
    yield { ...batch, records };
  }
}

/** Returns the columns of contacts that an import reads. `organization` is a name or domain. */
export function contactSheet(customFields: readonly Fields[]): Column[] {
  return sheet(['first_name', 'last_name', 'emails', 'phone_numbers', 'organization'], customFields);
}

/** Returns the columns of organizations that an import reads. */
export function organizationSheet(customFields: readonly Fields[]): Column[] {
  return sheet(['name', 'domains'], customFields);
}

function sheet(own: readonly string[], customFields: readonly Fields[]): Column[] {
  return [
    fieldColumn('id'),
    ...own.map((name) => fieldColumn(name)),
    ...customFields.map(columnOf),
    fieldColumn('created_at'),
    fieldColumn('updated_at'),
  ];
}

function columnOf(definition: Fields): Column {
  const [id, name] = [String(definition.id), String(definition.name ?? '')];
  return {
    name: formatFieldHeader(definition),
    cell: ({ custom_fields }) => {
      const held = fieldsOf(custom_fields);
      // Our service uses the id of the field; the specification says only "a field identifier".
      const named = () => Object.values(held).find((value) => fieldsOf(value).name === name);
      return fieldsOf(Object.hasOwn(held, id) ? held[id] : named()).value;
    },
  };
}
