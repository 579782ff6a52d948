import type { ValueReader } from '../../../cli/references/field-input.ts';
import { isWritableNoun, type WritableNoun } from '../../../contract/singular-nouns.ts';
import { hashContent } from '../../../export/folder.ts';
import { slugify } from '../../../values/file-names.ts';
import { type JsonObject, readObject } from '../../../values/json-object.ts';
import { findName } from '../../../values/names.ts';
import type { FieldChange } from '../../edit/edit-document.ts';
import type { EditContext } from '../../edit/edit-nouns.ts';
import { EditError } from '../../edit/edit-values.ts';
import { type DocumentField, listDocumentFields } from '../document-fields.ts';
import { findLine, readDocument, readTypedMapping, writeDocument } from '../documents.ts';
import type { EditedFile } from '../local-changes.ts';
import { type FileError, toFileError } from '../local-files.ts';
import { entriesFolder, nameStatusFolders } from '../places.ts';
import { type Definitions, getContext } from '../record-files.ts';
import type { WorkingCopy } from '../working-copy.ts';

/** The changes in an edited file. */
export interface EditedRecord extends EditedFile {
  readonly noun: WritableNoun;
  readonly base: JsonObject;
  readonly changes: readonly FieldChange[];
  readonly context: EditContext;
  /** The hash of the file as it was read. */
  readonly hash: string;
}

/** Reads the changes in an edited file, or its errors. */
export async function readEdited(
  read: ValueReader,
  { folder, state }: WorkingCopy,
  edited: EditedFile,
  definitions: Definitions,
): Promise<EditedRecord | readonly FileError[]> {
  const { entry, file } = edited;
  const { noun } = entry;
  const toError = ({ line, message }: EditError): FileError => ({ file, line, message });
  if (!isWritableNoun(noun))
    return [
      toFileError(
        file,
        'A meeting cannot be changed. To restore this file, remove it and run `kith workspace checkout` again.',
      ),
    ];
  const text = folder.read(file) ?? '';
  const hash = hashContent(text);
  if (folder.hash(file) !== hash) return [toError(createEncodingError())];
  const tracked = state.read(entry);
  const base = readObject(JSON.parse(tracked.record));
  const context = getContext(definitions, noun, entry.list_id);
  const fields = listDocumentFields(noun, base, context);
  const { text: original } = writeDocument(noun, fields, (_, id) => ({
    word: tracked.words[id] ?? id,
    name: id,
  }));
  const { changes, errors } = await readDocument(read, noun, text, original, fields);
  if (errors.length > 0) return errors.map(toError);
  const moved = noun === 'entries' ? readMove(edited, text, fields, changes, context) : changes;
  if (moved instanceof EditError) return [toError(moved)];
  return { ...edited, noun, base, changes: moved, context, hash };
}

/** Returns the error of a file whose text would change when it is sent. */
export const createEncodingError = () => new EditError(1, 'The file is not UTF-8.');

/** Adds the change of status that a move to another folder stands for. */
function readMove(
  { entry, file }: EditedFile,
  text: string,
  fields: readonly DocumentField[],
  changes: readonly FieldChange[],
  { list }: EditContext,
): readonly FieldChange[] | EditError {
  const [, listFolder, folder = ''] = file.split('/');
  const [, earlierList, earlierFolder] = entry.file.split('/');
  if (listFolder !== earlierList)
    return new EditError(1, 'An entry cannot move to another list. Move the file back.');
  return folder === earlierFolder || !list ? changes : setStatus(folder, fields, changes, list, text);
}

/** Adds the change to the status that an entry's folder stands for. `text`: the file of the entry. */
export function setStatus(
  folder: string,
  fields: readonly DocumentField[],
  changes: readonly FieldChange[],
  list: NonNullable<EditContext['list']>,
  text: string,
): readonly FieldChange[] | EditError {
  const field = fields.find(({ key, container }) => key === 'status' && container === undefined);
  if (!field) return changes;
  const folders = nameStatusFolders(list.statuses?.map(({ name }) => name ?? '') ?? []);
  const names = [...folders.values()];
  const name = names.find((candidate) => candidate === slugify(folder)) ?? findName(names, folder);
  const status = [...folders].find(([, candidate]) => candidate === name)?.[0];
  if (status === undefined) {
    const available = names.length > 0 ? names.join(', ') : entriesFolder;
    return new EditError(1, `"${folder}" is not the folder of a status. Available folders: ${available}.`);
  }
  const change = changes.find((candidate) => candidate.field === field);
  if (change && change.after !== status)
    return new EditError(
      findLine(readTypedMapping('entries', text), 'status'),
      `status: The folder stands for "${status}", but this line says "${String(change.after)}". Change the line, or move the file.`,
    );
  return change || field.value === status ? changes : [...changes, { field, after: status }];
}
