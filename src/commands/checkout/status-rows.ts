import type { Result } from '../../contract/documents/results.ts';
import { isWritableNoun, toTypedNoun } from '../../contract/singular-nouns.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { type FieldChange, listDifferences, mergeChanges } from '../edit/edit-document.ts';
import { listDocumentFields } from './document-fields.ts';
import type { LocalChanges } from './local-changes.ts';
import type { FileError } from './local-files.ts';
import type { EditedRecord } from './push/read-edited.ts';
import { type Definitions, getContext } from './record-files.ts';
import type { TrackedFile } from './state-format.ts';

/** A difference between a working copy and the service. */
export type StatusRow = Result<'file-status'>;

/** Returns the rows of new, deleted and invalid files. */
export function listFileRows(
  { created, deleted, edited }: LocalChanges,
  errors: readonly FileError[],
): StatusRow[] {
  const invalid = new Set(errors.map(({ file }) => file));
  const findSubject = (file: string) => edited.find((candidate) => candidate.file === file)?.entry;
  return [
    ...created.flatMap(({ noun, file }) =>
      invalid.has(file) ? [] : [toRow('new', { noun, id: null, file })],
    ),
    ...deleted.map(({ entry: { noun, id, file } }) => toRow('deleted', { noun, id, file })),
    ...Array.from(invalid, (file) =>
      toRow('invalid', { noun: undefined, id: null, ...findSubject(file), file }),
    ),
  ];
}

interface RowSubject {
  readonly noun: TrackedFile['noun'] | undefined;
  readonly id: string | null;
  readonly file: string | null;
}

export const toRow = (
  state: StatusRow['state'],
  { noun, id, file }: RowSubject,
  fields: readonly string[] = [],
): StatusRow => ({ state, noun: noun ? toTypedNoun(noun) : null, id, file, fields });

/** Returns the row of an edited file. `current`: the text of the record on the service, or as the last checkout read it. */
export function toEditedRow(
  { noun, entry, file, base, context, changes }: EditedRecord,
  current: string,
): StatusRow {
  const list = (record: JsonObject) => listDocumentFields(noun, record, context);
  const merged = mergeChanges(changes, list(base), list(readObject(JSON.parse(current))));
  const own = merged.changes.map(toFieldName);
  const others = merged.serviceChanges.map(toFieldName);
  return own.length > 0 && others.length > 0
    ? toRow('conflict', { noun, id: entry.id, file }, [...new Set([...own, ...others])])
    : toRow('edited', { noun, id: entry.id, file }, own);
}

/** Returns the name of a field as `status` shows it: with that of its container. */
const toFieldName = ({ field: { name, container } }: FieldChange) =>
  container === undefined ? name : `${container}.${name}`;

/** Returns the names of the fields that differ on the service. `record`: its text there. */
export function listServiceChanges(
  tracked: TrackedFile,
  record: string,
  definitions: Definitions,
): readonly string[] {
  const { noun, list_id } = tracked;
  if (!isWritableNoun(noun)) return [];
  const context = getContext(definitions, noun, list_id);
  const list = (text: string) => listDocumentFields(noun, readObject(JSON.parse(text)), context);
  return listDifferences(list(tracked.record), list(record)).map(toFieldName);
}
