import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { listRelatedRecords } from '../../contract/list-fields.ts';
import { lists } from '../../contract/lists.ts';
import type { Column, View } from '../../render/columns.ts';
import {
  type KnownFields,
  listAvailableFields,
  resolveField,
  selectPath,
} from '../../render/field-selection.ts';
import { type Path, parsePaths } from '../../render/select.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { Session } from '../command/context.ts';
import type { Relation } from '../selection/related-names.ts';

/** The columns and paths that --fields selects. */
export interface FieldSelection {
  readonly columns: readonly Column[];
  readonly paths: readonly Path[];
  /** Describes the fields that no record can have; undefined if every field exists. */
  readonly problem: string | undefined;
  /** Adds the names of related records; undefined if no field selects a name, such as `organization.name`. */
  readonly addNames: ((batches: AsyncIterable<Batch>) => AsyncIterable<Batch>) | undefined;
}

/** Resolves the fields of --fields by the first batch of records. */
export async function resolveFieldSelection(
  session: Session,
  text: string,
  view: View,
  batch: readonly unknown[],
): Promise<FieldSelection> {
  const paths = parsePaths(text);
  const records = batch.map(readObject);
  const relations: Relation[] = [];
  let knownFields: KnownFields = { columns: view(records), records, fields: [], customFields: [] };
  const listUnresolved = () =>
    paths.filter(
      (path) =>
        !resolveField(path, knownFields) && !relations.some(({ member }) => member === getNamedMember(path)),
    );
  // Each step takes longer than the previous one, and most fields need only the first.
  if (listUnresolved().length > 0) knownFields = { ...knownFields, fields: await readContractFields(view) };
  relations.push(...(await findOwnRelations(session, view, listUnresolved())));
  if (listUnresolved().length > 0)
    knownFields = { ...knownFields, customFields: await readCustomFields(session, view, records) };
  relations.push(...findCustomRelations(listUnresolved(), knownFields));
  const unknownFields = listUnresolved().map((path) => `"${path.join('.')}"`);
  const selectedFields = paths.map((path) => resolveField(path, knownFields) ?? selectPath(path));
  const noun = unknownFields.length === 1 ? 'field' : 'fields';
  const relatedNames = view.noun ? listRelatedRecords(view.noun).map((name) => `${name}.name`) : [];
  const available = [...listAvailableFields(knownFields), ...relatedNames].join(', ');
  return {
    columns: selectedFields.map(({ column }) => column),
    paths: selectedFields.flatMap((field) => field.paths),
    problem:
      unknownFields.length === 0
        ? undefined
        : `Unknown ${noun} ${unknownFields.join(', ')}. Available fields: ${available}.`,
    addNames: await createNameAdder(session, relations),
  };
}

/** Returns the member before `.name`; undefined for another path. */
const getNamedMember = ([member, name, ...rest]: Path): string | undefined =>
  name === 'name' && rest.length === 0 ? member : undefined;

const listNamedMembers = (paths: readonly Path[]) =>
  new Set(paths.map(getNamedMember).filter((member) => member !== undefined));

/** Finds the built-in fields whose names are selected, such as `organization.name`. */
async function findOwnRelations(
  session: Session,
  { noun }: View,
  paths: readonly Path[],
): Promise<readonly Relation[]> {
  const members = listNamedMembers(paths);
  if (noun === undefined || members.size === 0) return [];
  const { findRelation } = await import('../selection/related-names.ts');
  const relations = await Promise.all(Array.from(members, (member) => findRelation(session, noun, member)));
  return relations.filter((relation) => relation !== undefined);
}

/** Finds the custom fields and list fields whose names are selected, such as `Champion.name`. */
function findCustomRelations(paths: readonly Path[], knownFields: KnownFields): readonly Relation[] {
  return Array.from(listNamedMembers(paths)).flatMap((member) => {
    const column = resolveField([member], knownFields)?.column;
    return column?.reference ? [{ member, column }] : [];
  });
}

async function createNameAdder(
  session: Session,
  relations: readonly Relation[],
): Promise<FieldSelection['addNames']> {
  if (relations.length === 0) return undefined;
  const { addNames } = await import('../selection/related-names.ts');
  return (batches) => addNames(session, batches, relations);
}

async function readContractFields({ recordType }: View): Promise<readonly string[]> {
  if (recordType === undefined) return [];
  const { records } = await import('../../contract/index.ts');
  return Object.keys(records[recordType].entries);
}

/** Reads the names of the custom fields that records may have; undefined if they are not known. */
async function readCustomFields(
  session: Session,
  { recordType }: View,
  [record]: readonly JsonObject[],
): Promise<readonly string[] | undefined> {
  const isUnknown = record === undefined && (recordType === undefined || recordType === 'Entry');
  if (isUnknown) return undefined;
  try {
    const client = await session.client();
    if (recordType === 'Contact' || recordType === 'Organization') {
      const { listCustomFields } = await import('../flags/field-values.ts');
      const fields = await listCustomFields(session, recordType === 'Contact' ? 'contact' : 'organization');
      return fields.map(({ name }) => name);
    }
    if (recordType !== 'Entry') return [];
    const { fields = [] } = await client.read(lists.get, { list_id: String(record?.list_id) });
    return fields.map(({ name }) => name);
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return undefined;
  }
}
