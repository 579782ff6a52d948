import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { type Contact, contacts } from '../../contract/contacts.ts';
import type { CustomField } from '../../contract/custom-fields.ts';
import { readDataType } from '../../contract/field-types.ts';
import { listWritable } from '../../contract/list-fields.ts';
import { type Organization, organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import { listIndexKeys, listNameKeys, toMatchKey } from '../../records/match.ts';
import { type Column, createPlainColumn, describeType } from '../../render/columns.ts';
import { formatFieldHeader } from '../../render/field-headers.ts';
import { once } from '../../values/concurrency.ts';
import { readTexts } from '../../values/field-values.ts';
import { type RawJson, toRawJson } from '../../values/raw-json.ts';
import type { CommandResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { listCustomFields } from '../flags/field-values.ts';

type ImportableRecord = Pick<Received<Contact>, 'custom_fields'>;

/**
 * Returns records with every column that an import reads, including all custom fields of the workspace. `isForPeople`:
 * keeps the ids of related records, because names replace them later.
 */
export async function toImportTable(
  session: Session,
  model: PartyNoun,
  batches: AsyncIterable<Batch>,
  isForPeople: boolean,
): Promise<CommandResult> {
  const client = await session.client();
  const fields = await listCustomFields(session, model);
  const columns = createImportColumns(model, fields);
  const namedBatches = model === 'contact' ? mapRecords(batches, createOrganizationAdder(client)) : batches;
  const hasContacts = !isForPeople && fields.some(({ data_type }) => data_type === 'contact');
  return {
    kind: 'records',
    view: () => columns,
    batches: hasContacts ? mapRecords(namedBatches, createContactReplacer(client)) : namedBatches,
  };
}

type RecordChange = (record: RawJson) => Promise<RawJson>;

async function* mapRecords(batches: AsyncIterable<Batch>, change: RecordChange): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    const records: RawJson[] = [];
    for (const record of batch.records) records.push(await change(record));
    yield { ...batch, records };
  }
}

/** Replaces the ids in contact fields by email addresses, which are valid in other workspaces too. */
function createContactReplacer(client: Client): RecordChange {
  const readEmails = once(() => readContactEmails(client));
  return async (record) => {
    const value = record.value as ImportableRecord; // as in CommandResult.importModel
    const fields = Object.entries(value.custom_fields ?? {});
    if (!fields.some(([, field]) => field?.data_type === 'contact' && field.value !== null)) return record;
    const emails = await readEmails();
    const toEmail = (id: unknown) => emails.get(String(id)) ?? id;
    const custom_fields = fields.map(([id, field]) => {
      if (field?.data_type !== 'contact') return [id, field];
      const email = Array.isArray(field.value) ? field.value.map(toEmail) : toEmail(field.value);
      return [id, { ...field, value: email }];
    });
    return toRawJson({ ...value, custom_fields: Object.fromEntries(custom_fields) });
  };
}

/** Maps the id of each contact with an email address to its first address. */
async function readContactEmails(client: Client): Promise<ReadonlyMap<string, string>> {
  const emails = new Map<string, string>();
  for await (const { value } of client.records(contacts.list, {})) {
    const [email] = readTexts(value.emails);
    if (email) emails.set(value.id, email);
  }
  return emails;
}

/** Adds `organization` as text. Organizations are read when the first contact has one. */
function createOrganizationAdder(client: Client): RecordChange {
  const readNames = once(() => nameOrganizations(client.records(organizations.list, {})));
  return async ({ value }) => {
    const contact = value as Received<Contact>; // as in CommandResult.importModel
    const { organization_id: id } = contact;
    return toRawJson({ ...contact, organization: id && ((await readNames()).get(id) ?? id) });
  };
}

/** Returns the columns of a model that an import reads. */
export function createImportColumns(
  model: PartyNoun,
  customFields: readonly Received<CustomField>[],
): Column[] {
  const fields = listWritable(`${model}s`, 'update');
  return [
    ...['id', ...fields.map(({ key, name = key }) => name)].map((name) => createPlainColumn(name)), // `organization` is a name or domain
    ...customFields.map(createFieldColumn),
    createPlainColumn('created_at'),
    createPlainColumn('updated_at'),
  ];
}

function createFieldColumn(definition: Received<CustomField>): Column<ImportableRecord> {
  const { id, name } = definition;
  return {
    name: formatFieldHeader(definition),
    title: name,
    ...describeType(readDataType(definition.data_type)),
    cell: ({ custom_fields }) => {
      const fields = custom_fields ?? {};
      // kith's own service uses the id of the field; the specification says only "a field identifier".
      const field =
        id && Object.hasOwn(fields, id)
          ? fields[id]
          : Object.values(fields).find((member) => member?.name === name);
      return field?.value;
    },
  };
}

/** Maps each organization id to an unambiguous text for an import: its name, or else a domain or the id. */
export async function nameOrganizations(
  organizations: AsyncIterable<RawJson<Received<Organization>>>,
): Promise<ReadonlyMap<string, string>> {
  /** The id of the organization with a key; null if several have it. */
  const owners = new Map<string, string | null>();
  const hasOtherOwner = (key: string, id: string) => owners.has(key) && owners.get(key) !== id;
  const textsById = new Map<string, readonly string[]>();
  for await (const { value } of organizations) {
    const { id } = value;
    for (const key of [toMatchKey('key', id), ...listIndexKeys('organizations', value)])
      owners.set(key, hasOtherOwner(key, id) ? null : id);
    textsById.set(id, [value.name, ...readTexts(value.domains)].filter(isText));
  }
  // An import trims texts.
  const isUnambiguous = (text: string, id: string) =>
    text === text.trim() &&
    ![toMatchKey('key', text), ...listNameKeys('organizations', text)].some((key) => hasOtherOwner(key, id));
  return new Map(
    Array.from(textsById, ([id, texts]) => [id, texts.find((text) => isUnambiguous(text, id)) ?? id]),
  );
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
