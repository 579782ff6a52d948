import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { entries } from '../../contract/entries.ts';
import type { RecordField } from '../../contract/field-table.ts';
import { type List, lists } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { ListedNoun } from '../../contract/singular-nouns.ts';
import type { Field } from '../../filter/filter.ts';
import { type FieldSource, listFilterFields, toFilterField } from '../../filter/noun-fields.ts';
import { once } from '../../values/concurrency.ts';
import type { CommandInput, CommandResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { requireProcess } from '../command/records.ts';
import { readDefinedFields, toListFields } from '../flags/field-values.ts';
import { createEntryOrganizationField, createListField, createNoteContactField } from './related-fields.ts';
import { type SelectableList, selectRecords } from './select-records.ts';

/** The records of a noun. `listId`: the list or process of entries. */
interface NounList extends Pick<SelectableList, 'readPages' | 'isUnlimited'> {
  readonly noun: ListedNoun;
  readonly listId?: string | undefined;
}

export async function selectNounRecords(
  session: Session,
  list: NounList,
  input: CommandInput,
): Promise<AsyncIterable<Batch>> {
  return selectRecords(session, await toSelectableList(session, list), input);
}

/** Counts or sums the records of a noun that the flags select. */
export async function readNounFigures(
  session: Session,
  list: NounList,
  input: CommandInput,
): Promise<CommandResult> {
  const { readFigures } = await import('./figures.ts');
  return readFigures(session, await toSelectableList(session, list), input);
}

const toSelectableList = async (
  session: Session,
  { noun, listId, ...list }: NounList,
): Promise<SelectableList> => ({
  ...list,
  ...createSource(session, await session.client(), noun, listId),
});

/** Returns all entries of a list that has been read, with their fields. */
export const toEntryList = (session: Session, client: Client, list: Received<List>): SelectableList => ({
  isUnlimited: true,
  readPages: (paging) => client.pages(entries.list, { list_id: list.id }, paging),
  ...createListSource(session, list),
});

/** The fields of a noun, and for entries the function that reads their list. */
type NounSource = FieldSource & Pick<SelectableList, 'readList'>;

function createSource(
  session: Session,
  client: Client,
  noun: ListedNoun,
  listId: string | undefined,
): NounSource {
  if (noun === 'entries' && listId !== undefined)
    return createEntrySource(
      session,
      once(() => client.read(lists.get, { list_id: listId })),
    );
  const fields = listFilterFields(noun);
  if (noun === 'notes') return { fields: [...fields, createNoteContactField(client)] };
  if (noun !== 'contacts' && noun !== 'organizations') return { fields };
  return {
    fields: [...fields, createListField(client, noun === 'contacts' ? 'Contact' : 'Organization')],
    container: 'custom_fields',
    readDefined: once(async () => toFilterFields(await readDefinedFields(session, noun))),
  };
}

/** Returns the fields of the entries of a list that has been read. */
export const createListSource = (session: Session, list: Received<List>): NounSource =>
  createEntrySource(session, async () => list);

/** Creates the fields of entries. The statuses and the list fields are read when an expression uses them. */
function createEntrySource(session: Session, readList: () => Promise<Received<List>>): NounSource {
  const complete = (field: Field): Field => {
    if (field.name === 'organization') return createEntryOrganizationField(session);
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
    fields: listFilterFields('entries').map(complete),
    container: 'list_fields',
    readList,
    readDefined: async () => toFilterFields(toListFields(await readList())),
  };
}

const toFilterFields = (fields: readonly RecordField[]) => fields.map((field) => toFilterField(field));
