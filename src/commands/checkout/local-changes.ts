import { dirname } from 'node:path/posix';
import { isWritableNoun, type Noun, type WritableNoun } from '../../contract/singular-nouns.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import { type DeletedFile, findDeletions } from './deletions.ts';
import { type FileError, isEdited, type LocalFiles, toFileError } from './local-files.ts';
import { type FilePlace, toStem } from './places.ts';
import type { CheckoutState, FileEntry } from './state.ts';
import type { WorkingCopy } from './working-copy.ts';

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
  readonly deleted: readonly DeletedFile[];
  /** Files without a record, and files of the same record as another file. */
  readonly errors: readonly FileError[];
  /** The errors for folders that are missing with their files. */
  readonly missingFolders: readonly FileError[];
}

/** Compares the files of a working copy with its state. */
export async function findLocalChanges(
  copy: WorkingCopy,
  files: LocalFiles,
  signal: AbortSignal,
): Promise<LocalChanges> {
  const edited: EditedFile[] = [];
  const missing: FileEntry[] = [];
  const errors: FileError[] = [];
  let count = 0;
  for (const entry of copy.state.entries.values()) {
    if (++count % 500 === 0) await yieldToSignals(signal);
    const located = files.locate(entry);
    if (located.hash !== undefined && isMovedNote(copy.state, entry, located.file))
      errors.push(
        toFileError(located.file, 'A note cannot move to another organization. Move the file back.'),
      );
    else if (located.hash !== undefined && isEdited(entry, located))
      edited.push({ entry, file: located.file });
    // The next checkout writes a meeting again.
    else if (located.hash === undefined && isWritableNoun(entry.noun)) missing.push(entry);
  }
  const created: NewFile[] = [];
  const removeCopy = 'Remove the id from one of the files to create a record, or remove one of the files.';
  for (const { file, other, id } of files.copies)
    errors.push(toFileError(file, `${other} has the same id, ${id}. ${removeCopy}`));
  for (const { file, place, id } of files.foreign) {
    const noun: Noun | undefined = place?.noun;
    if (place && noun && isWritableNoun(noun) && id === undefined) created.push({ file, place, noun });
    else if (!/(^|\/)readme\.md$/i.test(file))
      errors.push(
        toFileError(
          file,
          id === undefined
            ? 'A record cannot have a file with this path. Move, rename or remove the file.'
            : `No record with the id ${id} was checked out. Run \`kith workspace checkout\` again, or remove the id to create a record.`,
        ),
      );
  }
  const { deleted, missingFolders, errors: deletionErrors } = findDeletions(missing, copy, files);
  errors.push(...deletionErrors);
  return { edited, created, deleted, errors, missingFolders };
}

/** Returns the organization whose notes are in a folder, by the name of its file. */
export function findOrganization(state: CheckoutState, folder: string): string | undefined {
  for (const { noun, id, file, place } of state.entries.values())
    if (noun === 'organizations' && (toStem(file) === folder || toStem(place) === folder)) return id;
  return undefined;
}

/** Whether a note is in the folder of another organization than its own. */
function isMovedNote(state: CheckoutState, entry: FileEntry, file: string): boolean {
  if (entry.noun !== 'notes' || dirname(file) === dirname(entry.place)) return false;
  const owner = findOrganization(state, file.split('/')[1] ?? '');
  return owner !== undefined && owner !== JSON.parse(state.read(entry).record).organization_id;
}
