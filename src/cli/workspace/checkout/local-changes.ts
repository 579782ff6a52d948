import type { FilePlace } from '../../../checkout/places.ts';
import type { CheckoutState, FileEntry } from '../../../checkout/state.ts';
import { toKey } from '../../../checkout/state-format.ts';
import { isWritableNoun, type Noun, type WritableNoun } from '../../../contract/singular-nouns.ts';
import { yieldToSignals } from '../../../values/concurrency.ts';
import type { FileError } from './file-errors.ts';
import { isEdited, type LocalFiles } from './local-files.ts';

/** A file that a person changed, and the state of its record. */
export interface EditedFile {
  readonly entry: FileEntry;
  /** The current path. */
  readonly file: string;
}

/** A file without an id. */
export interface NewFile {
  readonly file: string;
  readonly place: FilePlace;
  readonly noun: WritableNoun;
}

/** The differences between the files of a working copy and the content that kith wrote. */
export interface LocalChanges {
  readonly edited: readonly EditedFile[];
  readonly created: readonly NewFile[];
  /** The records whose files were deleted. */
  readonly deleted: readonly FileEntry[];
  /** Files without a record, and files of the same record as another file. */
  readonly errors: readonly FileError[];
}

/** Compares the files of a working copy with its state. */
export async function findLocalChanges(
  state: CheckoutState,
  files: LocalFiles,
  signal: AbortSignal,
): Promise<LocalChanges> {
  const edited: EditedFile[] = [];
  const deleted: FileEntry[] = [];
  const usedLists = new Set<string>();
  let count = 0;
  for (const entry of state.entries.values()) {
    if (++count % 500 === 0) await yieldToSignals(signal);
    const located = files.locate(entry);
    if (entry.list_id !== undefined && located.hash !== undefined) usedLists.add(entry.list_id);
    if (located.hash !== undefined && isEdited(entry, located)) edited.push({ entry, file: located.file });
    // The next checkout writes a meeting again.
    else if (located.hash === undefined && isWritableNoun(entry.noun)) deleted.push(entry);
  }
  const created: NewFile[] = [];
  const errors: FileError[] = files.copies.map(({ file, other, id }) => ({
    file,
    line: 1,
    message: `${other} has the same id, ${id}. Remove the id from one of the files to create a record, or remove one of the files.`,
  }));
  for (const { file, place, id } of files.foreign) {
    const noun: Noun | undefined = place?.noun;
    if (place && noun && isWritableNoun(noun) && id === undefined) created.push({ file, place, noun });
    else if (!/(^|\/)readme\.md$/i.test(file)) errors.push(createForeignError(file, id));
  }
  for (const { noun, id, file } of deleted)
    if (noun === 'lists' && usedLists.has(id))
      errors.push({
        file,
        line: 1,
        message:
          'The file was deleted, but the files of the entries were not. Restore the file, or delete the folder of the list.',
      });
  return { edited, created, deleted: dropDependents(deleted, state), errors };
}

const createForeignError = (file: string, id: string | undefined): FileError =>
  id === undefined
    ? {
        file,
        line: 1,
        message: 'A record cannot have a file with this path. Move, rename or remove the file.',
      }
    : {
        file,
        line: 1,
        message: `No record with the id ${id} was checked out. Run \`kith workspace checkout\` again, or remove the id to create a record.`,
      };

/** Removes the records that the deletion of another record deletes: the entries of a list, and the notes of an organization. */
function dropDependents(deleted: readonly FileEntry[], state: CheckoutState): FileEntry[] {
  const keys = new Set(deleted.map(toKey));
  const organizations = new Set(deleted.filter(({ noun }) => noun === 'organizations').map(({ id }) => id));
  return deleted.filter((entry) => {
    if (entry.noun === 'entries') return !keys.has(toKey({ noun: 'lists', id: entry.list_id ?? '' }));
    if (entry.noun !== 'notes' || organizations.size === 0) return true;
    const { organization_id } = JSON.parse(state.read(entry).record);
    return !organizations.has(String(organization_id));
  });
}
