import { type Dirent, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { dirname } from 'node:path/posix';
import { Failure, type FieldError } from '../../contract/errors.ts';
import { isWritableNoun } from '../../contract/singular-nouns.ts';
import type { ExportFolder } from '../../export/folder.ts';
import { temporarySuffix } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import { toFileKey } from '../../values/file-names.ts';
import { formatCount } from '../../values/text.ts';
import { readDocumentId } from './documents.ts';
import { type FilePlace, readPlace, topFolders } from './places.ts';
import { type CheckoutState, createLinkFailure, type FileEntry, stateFolder } from './state.ts';
import { toKey } from './state-format.ts';

/** An error in a file of a working copy. */
export interface FileError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Returns an error that concerns a whole file or folder. */
export const toFileError = (file: string, message: string): FileError => ({ file, line: 1, message });

/** Returns the failure that names all errors with their files and lines. `nothing`: what the command did not do. */
export function createFileFailure(errors: readonly FileError[], nothing = 'Nothing was sent'): Failure {
  const describe = ({ file, line, message }: FileError): FieldError => ({
    pointer: sanitizeLine(`${file}:${line}`),
    code: 'value',
    message: sanitizeLine(message),
  });
  const fieldErrors = errors.map(describe);
  const [only, ...others] = fieldErrors;
  if (only && others.length === 0)
    return new Failure('usage', `${only.pointer}: ${only.message} ${nothing}.`, { fieldErrors });
  const files = new Set(errors.map(({ file }) => file)).size;
  return new Failure(
    'usage',
    `${nothing}: there are ${formatCount(errors.length, 'error')} in ${formatCount(files, 'file')}.`,
    { fieldErrors },
  );
}

/** A file that kith did not write. */
export interface ForeignFile {
  readonly file: string;
  /** Undefined if a record cannot have a file with this path. */
  readonly place: FilePlace | undefined;
  /** The id in the file. */
  readonly id: string | undefined;
}

/** The current path of a record's file, and its hash: undefined if the file is missing. */
export interface LocatedFile {
  readonly file: string;
  readonly hash: string | undefined;
}

/** The files in a working copy, compared with its state. */
export class LocalFiles {
  /** Files with no id that the state knows. */
  readonly foreign: ForeignFile[] = [];
  /** Files with the id of a record that has another file. */
  readonly copies: { readonly file: string; readonly other: string; readonly id: string }[] = [];
  readonly #folder: ExportFolder;
  readonly #state: CheckoutState;
  readonly #renamed = new Map<string, string>();
  readonly #foreignKeys = new Set<string>();
  readonly #foreignIds = new Map<string, string>();
  /** The paths of all files, as the folders list them. */
  readonly #listed = new Set<string>();
  readonly #scanned: ScannedFolders = { folders: new Map(), links: new Set() };

  private constructor(folder: ExportFolder, state: CheckoutState) {
    this.#folder = folder;
    this.#state = state;
  }

  /** @throws {Failure} usage if a link is in place of a folder */
  static async scan(folder: ExportFolder, state: CheckoutState, signal: AbortSignal): Promise<LocalFiles> {
    const files = new LocalFiles(folder, state);
    let count = 0;
    for (const file of scanFiles(folder, files.#scanned)) {
      if (++count % 500 === 0) await yieldToSignals(signal);
      files.#listed.add(file);
    }
    const { links } = files.#scanned;
    const folders = links.size > 0 ? Array.from(state.entries.values(), ({ file }) => listFolders(file)) : [];
    const link = folders.flat().find((path) => links.has(path));
    if (link !== undefined) throw createLinkFailure(folder.resolve(link));
    for (const file of files.#listed) {
      if (++count % 500 === 0) await yieldToSignals(signal);
      if (!state.findByFile(file)) files.#add(file);
    }
    return files;
  }

  #add(file: string): void {
    const place = readPlace(file);
    const noun = place?.noun;
    if (noun === 'events') return; // a person's own file next to the meetings
    const id = noun && isWritableNoun(noun) ? readDocumentId(noun, this.#folder.read(file) ?? '') : undefined;
    const key = noun === undefined || id === undefined ? undefined : toKey({ noun, id });
    const entry = key === undefined ? undefined : this.#state.get(key);
    if (key !== undefined && id !== undefined) {
      const other = this.#renamed.get(key) ?? this.#foreignIds.get(key);
      if (other !== undefined || (entry && this.#listed.has(entry.file))) {
        this.copies.push({ file, other: other ?? entry?.file ?? '', id });
        return;
      }
    }
    if (entry) {
      this.#renamed.set(toKey(entry), file);
      return;
    }
    if (key !== undefined) this.#foreignIds.set(key, file);
    this.#foreignKeys.add(toFileKey(file));
    this.foreign.push({ file, place, id });
  }

  /** Whether there is a file that kith did not write at a path. */
  isForeign = (path: string): boolean => this.#foreignKeys.has(toFileKey(path));

  /** Returns the file with the id of a record that has no file in the state. */
  findForeign = (key: string): string | undefined => this.#foreignIds.get(key);

  /** Returns the highest folder of a path that does not exist, or is not a folder. */
  findMissingFolder = (file: string): string | undefined =>
    listFolders(file).find((path) => !this.#scanned.folders.has(path));

  isEmptyFolder = (path: string): boolean => this.#scanned.folders.get(path) === 0;

  locate(entry: FileEntry): LocatedFile {
    const file = this.#renamed.get(toKey(entry)) ?? entry.file;
    return { file, hash: this.#state.hashFile(entry, file) };
  }
}

/** Returns the folders of a path, the highest first. */
const listFolders = (file: string): string[] =>
  Array.from(file.matchAll(/\//g), ({ index }) => file.slice(0, index));

/** Whether a person moved the file of an entry to the folder of another status. */
export const isStatusMove = ({ noun, file }: FileEntry, located: LocatedFile): boolean =>
  noun === 'entries' && dirname(located.file) !== dirname(file);

/** Whether a person changed the file of a record: its content, or the status that its folder stands for. */
export const isEdited = (entry: FileEntry, located: LocatedFile): boolean =>
  located.hash !== undefined && (located.hash !== entry.hash || isStatusMove(entry, located));

/** The deepest folder that can contain a file of a working copy: `organizations/NAME/notes`. */
const maxDepth = 3;

const isRecordFile = (entry: Dirent) =>
  entry.isFile() && /\.(ya?ml|md)$/i.test(entry.name) && !entry.name.endsWith(temporarySuffix);

/** The folders that could be read, with the number of their files, and the links in place of folders or files. */
interface ScannedFolders {
  readonly folders: Map<string, number>;
  readonly links: Set<string>;
}

/**
 * Yields the paths of the files in the folders of a working copy, in NFC. Ignores hidden files, links, and files that are
 * neither YAML nor Markdown, such as the backup of an editor. Adds names that differ on the disk to `folder`.
 */
function* scanFiles(folder: ExportFolder, scanned: ScannedFolders, path = '', depth = 0): Generator<string> {
  const isOwn = (name: string) =>
    path === '' ? topFolders.some((top) => top === name) : !name.startsWith('.');
  const entries = readEntries(folder.resolve(path)).filter(({ name }) => isOwn(name));
  const names = new Set(entries.map(({ name }) => name));
  scanned.folders.set(path, entries.filter(isRecordFile).length);
  for (const entry of entries) {
    const normalized = entry.name.normalize('NFC');
    // Both names may exist if the file system distinguishes the two Unicode forms.
    const isKnown = names.has(normalized);
    const name = posix.join(path, isKnown ? entry.name : normalized);
    if (!isKnown) folder.diskNames.set(name, entry.name);
    if (entry.isSymbolicLink()) scanned.links.add(name);
    else if (isRecordFile(entry)) yield name;
    else if (entry.isDirectory() && depth <= maxDepth) yield* scanFiles(folder, scanned, name, depth + 1);
  }
}

/** Yields the paths of all YAML and Markdown files in and next to the folders of a working copy, with their names on the disk. */
export function* scanEverywhere(root: string, prefix = ''): Generator<string> {
  for (const entry of readEntries(join(root, prefix))) {
    if (isRecordFile(entry)) yield prefix + entry.name;
    else if (entry.isDirectory() && ![stateFolder, '.git'].includes(entry.name))
      yield* scanEverywhere(root, `${prefix}${entry.name}/`);
  }
}

const readEntries = (path: string): Dirent[] =>
  accessFile('read', path, () => readdirSync(path, { withFileTypes: true }));
