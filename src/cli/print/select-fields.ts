import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import {
  type KnownFields,
  listAvailableFields,
  resolveField,
  selectPath,
} from '../../render/field-selection.ts';
import { type Path, parsePaths } from '../../render/select.ts';
import type { Column, View } from '../../render/views.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import type { Session } from '../command/context.ts';

/** The columns and paths that --fields selects. */
export interface FieldSelection {
  readonly columns: readonly Column[];
  readonly paths: readonly Path[];
  /** Describes the fields that no record can have; undefined if every field exists. */
  readonly problem: string | undefined;
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
  let knownFields: KnownFields = { columns: view(records), records, fields: [], customFields: [] };
  const isResolved = () => paths.every((path) => resolveField(path, knownFields));
  // Each step takes longer than the previous one, and most fields need only the first.
  if (!isResolved()) knownFields = { ...knownFields, fields: await readContractFields(view) };
  if (!isResolved())
    knownFields = { ...knownFields, customFields: await readCustomFields(session, view, records) };
  const unknownFields = paths
    .filter((path) => !resolveField(path, knownFields))
    .map((path) => `"${path.join('.')}"`);
  const selectedFields = paths.map((path) => resolveField(path, knownFields) ?? selectPath(path));
  const noun = unknownFields.length === 1 ? 'field' : 'fields';
  const available = listAvailableFields(knownFields).join(', ');
  return {
    columns: selectedFields.map(({ column }) => column),
    paths: selectedFields.flatMap((field) => field.paths),
    problem:
      unknownFields.length === 0
        ? undefined
        : `Unknown ${noun} ${unknownFields.join(', ')}. Available fields: ${available}.`,
  };
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
