import type { TrackedFile } from '../../../checkout/state-format.ts';
import { isWritableNoun, toTypedNoun } from '../../../contract/singular-nouns.ts';
import { type JsonObject, readObject } from '../../../values/json-object.ts';
import { EditError } from '../../edit/edit-values.ts';
import { compareDocuments } from './compare-documents.ts';
import { type DocumentField, listDifferences, listDocumentFields } from './document-fields.ts';
import { findFormErrors, writeDocument } from './documents.ts';
import type { EditedFile, LocalChanges } from './local-changes.ts';
import { readMove } from './push/read-edited.ts';
import { type Definitions, getContext } from './record-files.ts';
import type { WorkingCopy } from './working-copy.ts';

/** The kind of a difference; see the description of `kith workspace status`. */
export type FileState =
  | ('edited' | 'new' | 'deleted' | 'invalid')
  | ('changed' | 'added' | 'removed')
  | 'conflict';

/** A difference between a working copy and the service. */
export interface StatusRow {
  readonly state: FileState;
  readonly noun: string | null;
  readonly id: string | null;
  readonly file: string | null;
  readonly fields: readonly string[];
}

/** Returns the rows of new, deleted and invalid files. */
export function listFileRows({ created, deleted, errors }: LocalChanges): StatusRow[] {
  return [
    ...created.map(({ noun, file }) => toRow('new', { noun, id: null, file })),
    ...deleted.map(({ entry: { noun, id, file } }) => toRow('deleted', { noun, id, file })),
    ...errors.map(({ file }) => toRow('invalid', { noun: undefined, id: null, file })),
  ];
}

interface RowSubject {
  readonly noun: TrackedFile['noun'] | undefined;
  readonly id: string | null;
  readonly file: string | null;
}

export const toRow = (
  state: FileState,
  { noun, id, file }: RowSubject,
  fields: readonly string[] = [],
): StatusRow => ({ state, noun: noun ? toTypedNoun(noun) : null, id, file, fields });

export const toStatusRow = ({ state, noun, id, file, fields }: StatusRow): StatusRow => ({
  ...{ state, noun, id, file, fields },
});

/** The file that kith would write for a record now, and the record on the service. */
interface CurrentFile {
  readonly text: string;
  readonly record: string;
}

/** Returns the row of an edited file; `error` if the file is invalid. `current`: omitted to compare only the files. */
export function readEditedRow(
  { folder, state }: Pick<WorkingCopy, 'folder' | 'state'>,
  { entry, file }: EditedFile,
  definitions: Definitions,
  current?: CurrentFile,
): StatusRow & { readonly error?: string } {
  const { noun, id, list_id } = entry;
  if (!isWritableNoun(noun)) return toRow('edited', { noun, id, file });
  const text = folder.read(file) ?? '';
  const tracked = state.read(entry);
  const context = getContext(definitions, noun, list_id);
  const before = listDocumentFields(noun, readObject(JSON.parse(tracked.record)), context);
  const after = current && listDocumentFields(noun, readObject(JSON.parse(current.record)), context);
  const moved = noun === 'entries' ? readMove({ entry, file }, text, before, [], context) : [];
  const [problem] = moved instanceof EditError ? [moved] : findFormErrors(noun, text);
  if (problem || moved instanceof EditError)
    return {
      ...toRow('invalid', { noun, id, file }),
      error: `${file}:${problem?.line}: ${problem?.message}`,
    };
  const base = renderBase(tracked, definitions);
  const { own, same } = compareDocuments(noun, base, text, current?.text ?? base);
  const [move] = own.includes('status') ? [] : moved;
  const isSameMove = move && after?.some(({ key, value }) => key === 'status' && value === move.after);
  const fields = move && !isSameMove ? ['status', ...own] : own;
  const known = new Set([...same, ...(isSameMove ? ['status'] : [])]);
  const others = listDifferences(before, after ?? before)
    .map(({ field }) => toFieldName(field))
    .filter((name) => !known.has(name));
  return fields.length > 0 && others.length > 0
    ? toRow('conflict', { noun, id, file }, [...new Set([...fields, ...others])])
    : toRow('edited', { noun, id, file }, fields);
}

/** Returns the name of a field as `status` shows it: with that of its container. */
const toFieldName = ({ name, container }: DocumentField) =>
  container === undefined ? name : `${container}.${name}`;

/** Whether the fields of a record differ on the service. `record`: its text there. */
export function hasServiceChange(tracked: TrackedFile, record: string, definitions: Definitions): boolean {
  const { noun, list_id } = tracked;
  if (!isWritableNoun(noun)) return false;
  const context = getContext(definitions, noun, list_id);
  const list = (text: string) => listDocumentFields(noun, readObject(JSON.parse(text)), context);
  return listDifferences(list(tracked.record), list(record)).length > 0;
}

/** Returns the content that kith wrote to a file. */
export function renderBase(tracked: TrackedFile, definitions: Definitions): string {
  const { noun, list_id, words } = tracked;
  if (!isWritableNoun(noun)) return '';
  const record: JsonObject = readObject(JSON.parse(tracked.record));
  const fields = listDocumentFields(noun, record, getContext(definitions, noun, list_id));
  return writeDocument(noun, fields, (_, id) => ({ word: words[id] ?? id, name: id })).text;
}
