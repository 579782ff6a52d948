import type { Client } from '../../client/client.ts';
import type { Batch, PagingOptions } from '../../client/pagination.ts';
import type { RecordField } from '../../contract/field-table.ts';
import { lists } from '../../contract/lists.ts';
import type { Field } from '../../filter/filter.ts';
import {
  type FieldSource,
  type FilteredNoun,
  listFilterFields,
  toFilterField,
} from '../../filter/noun-fields.ts';
import { once } from '../../values/concurrency.ts';
import type { CommandInput } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { requireProcess } from '../command/records.ts';
import { readDefinedFields, toListFields } from '../flags/field-values.ts';
import { createEntryOrganizationField, createListField } from './related-fields.ts';
import { selectRecords } from './select-records.ts';

/** Returns the records of a noun that the flags select, from a list with the path parameters `path`. */
export async function selectNounRecords(
  session: Session,
  { noun, path }: { readonly noun: FilteredNoun; readonly path: Readonly<Record<string, string>> },
  input: CommandInput,
  readPages: (paging: Partial<PagingOptions>) => AsyncIterable<Batch>,
): Promise<AsyncIterable<Batch>> {
  const source = createFieldSource(session, await session.client(), noun, path.list_id);
  return selectRecords(session, { ...source, readPages }, input);
}

function createFieldSource(
  session: Session,
  client: Client,
  noun: FilteredNoun,
  listId: string | undefined,
): FieldSource {
  const fields = listFilterFields(noun);
  if (noun === 'entries' && listId !== undefined) return createEntrySource(client, fields, listId);
  if (noun !== 'contacts' && noun !== 'organizations') return { fields };
  return {
    fields: [...fields, createListField(client, noun === 'contacts' ? 'Contact' : 'Organization')],
    container: 'custom_fields',
    readDefined: once(async () => toFilterFields(await readDefinedFields(session, noun))),
  };
}

/** Creates the fields of entries. The statuses and the list fields are read when an expression uses them. */
function createEntrySource(client: Client, fields: readonly Field[], list_id: string): FieldSource {
  const readList = once(() => client.read(lists.get, { list_id }));
  const complete = (field: Field): Field => {
    if (field.name === 'organization') return createEntryOrganizationField(client);
    if (field.name !== 'status') return field;
    const define = async (): Promise<Field> => {
      const list = await readList();
      requireProcess(list);
      const options = (list.statuses ?? []).map(({ name }) => name);
      return options.length === 0 ? field : { ...field, options };
    };
    return { ...field, define };
  };
  return {
    fields: fields.map(complete),
    container: 'list_fields',
    readDefined: async () => toFilterFields(toListFields(await readList())),
  };
}

const toFilterFields = (fields: readonly RecordField[]) => fields.map((field) => toFilterField(field));
