import type { TrackedFile } from '../../../checkout/state-format.ts';
import { toTypedNoun } from '../../../contract/singular-nouns.ts';
import { type JsonObject, readObject } from '../../../values/json-object.ts';
import { compareDocuments } from './compare-documents.ts';
import { isEditable, listDocumentFields } from './document-fields.ts';
import { findFormErrors, writeDocument } from './documents.ts';
import type { EditedFile, LocalChanges } from './local-changes.ts';
import { type Definitions, getContext } from './record-files.ts';
import type { WorkingCopy } from './working-copy.ts';

/** How a file differs; see the description of `kith workspace status`. */
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
    ...deleted.map(({ noun, id, file }) => toRow('deleted', { noun, id, file })),
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

/** Returns the row of an edited file; `error` if the file is invalid. */
export function readEditedRow(
  { folder, state }: WorkingCopy,
  { entry, file }: EditedFile,
  definitions: Definitions,
  current?: string,
): StatusRow & { readonly error?: string } {
  const { noun, id } = entry;
  if (!isEditable(noun)) return toRow('edited', { noun, id, file });
  const text = folder.read(file) ?? '';
  const [problem] = findFormErrors(noun, text);
  if (problem)
    return {
      ...toRow('invalid', { noun, id, file }),
      error: `${file}:${problem.line}: ${problem.message}`,
    };
  const base = renderBase(state.read(entry), definitions);
  const { own, conflicts } = compareDocuments(noun, base, text, current ?? base);
  const isMoved = noun === 'entries' && file.split('/')[2] !== entry.file.split('/')[2];
  const fields = isMoved && !own.includes('status') ? ['status', ...own] : own;
  return conflicts.length > 0
    ? toRow('conflict', { noun, id, file }, conflicts)
    : toRow('edited', { noun, id, file }, fields);
}

/** Returns the content that kith wrote to a file. */
export function renderBase(tracked: TrackedFile, definitions: Definitions): string {
  const { noun, list_id, words } = tracked;
  if (!isEditable(noun)) return '';
  const record: JsonObject = readObject(JSON.parse(tracked.record));
  const fields = listDocumentFields(noun, record, getContext(definitions, noun, list_id));
  return writeDocument(noun, fields, (_, id) => ({ word: words[id] ?? id, name: id })).text;
}
