import { existsSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, getErrorCode } from '../../contract/errors.ts';
import type { ExportFolder } from '../../export/folder.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { FormatFailure, parseLine, readHeader } from '../../files/durable-file.ts';
import { Journal } from '../../files/journal.ts';
import type { StoredWorkspace } from '../../files/workspace-identity.ts';
import { toFileKey } from '../../values/file-names.ts';
import type { TopFolder } from './places.ts';
import { parseFileLine, StateLine, stateFormat, type TrackedFile, toKey } from './state-format.ts';

/** The folder in a working copy with its state, which is not committed to Git. */
export const stateFolder = '.kith';
const stateName = 'files.ndjson';

/** The position of a file's line in the journal, and the facts by which a change is noticed without reading the file. */
export interface FileEntry extends Pick<TrackedFile, 'noun' | 'id' | 'list_id' | 'file' | 'place' | 'hash'> {
  readonly start: number;
  readonly size: number;
  readonly changed: number;
}

/**
 * Milliseconds between the time of a file and that of the journal within which the file may have changed again without
 * another time.
 */
const clockGrain = 20;

/**
 * The state of a working copy: a journal with a line for each file and the record that it was written from. Only the
 * positions of lines are in memory.
 */
export class CheckoutState {
  readonly owner: StoredWorkspace;
  only: readonly TopFolder[] = [];
  /** The file of each create in the change log, by its row. */
  readonly rows = new Map<number, string>();
  readonly #folder: ExportFolder;
  readonly #path: string;
  readonly #journal: Journal;
  readonly #entries = new Map<string, FileEntry>();
  readonly #keysByFile = new Map<string, string>();
  /** The lines of files that were about to be written. */
  readonly #pending = new Map<string, FileEntry>();
  readonly #checkedBefore: number;
  readonly #checkedFolders = new Set<string>();
  #lineCount = 0;

  private constructor(folder: ExportFolder, path: string) {
    this.#folder = folder;
    this.#path = path;
    this.#journal = new Journal(path);
    this.#checkedBefore = statSync(path).mtimeMs - clockGrain;
    this.owner = readHeader(stateFormat, path, this.#journal);
    let end = 0;
    for (const { text, start, next } of this.#journal.readLines()) {
      this.#lineCount += 1;
      const line = start === 0 ? undefined : parseLine(StateLine, text);
      if (line) this.#apply(line, start);
      else if (start > 0)
        // The line may be the row of a pending create. Without it, a push would send the create again.
        throw new FormatFailure('damaged', stateFormat, path, `line ${this.#lineCount} is invalid`);
      end = next;
    }
    if (end < this.#journal.size) this.#journal.truncate(end);
  }

  static exists = (folder: string) => existsSync(join(folder, stateFolder, stateName));

  /** Opens the state of a working copy; creates it for `owner` if it is missing. */
  static async open(folder: ExportFolder, owner?: StoredWorkspace): Promise<CheckoutState> {
    const path = join(folder.path, stateFolder, stateName);
    if (!existsSync(path)) {
      if (!owner)
        throw new Failure('not_found', `${folder.path} is not a working copy of a workspace.`, {
          hint: 'Create one: kith workspace checkout DIR',
        });
      await writeFileAtomically(path, [formatHeader(owner)], 0o600, 0o700);
    }
    const state = new CheckoutState(folder, path);
    state.#settlePending();
    return state;
  }

  get(key: string): FileEntry | undefined {
    return this.#entries.get(key);
  }

  get entries(): ReadonlyMap<string, FileEntry> {
    return this.#entries;
  }

  /** `file`: in NFC. */
  findByFile(file: string): FileEntry | undefined {
    const key = this.#keysByFile.get(file);
    return key === undefined ? undefined : this.#entries.get(key);
  }

  /** Reads the whole line of a file. */
  read({ start }: FileEntry): TrackedFile {
    return parseFileLine(this.#journal.readLine(start));
  }

  /** Returns the hash of a file's content; undefined if the file does not exist. Reads the file only if it changed. */
  hashFile(entry: FileEntry, file = entry.file): string | undefined {
    const path = this.#folder.resolve(file);
    const stats = accessFile('read', path, () => readStats(path));
    if (stats?.isSymbolicLink()) throw createLinkFailure(path);
    // Its record would otherwise count as deleted.
    if (stats?.isDirectory())
      throw new Failure('usage', `${path} is a folder. There was a file with this name.`, {
        hint: 'Rename or remove the folder. `kith workspace checkout DIR --overwrite` then restores the file.',
      });
    if (!stats?.isFile()) return undefined;
    const isUnchanged =
      file === entry.file &&
      stats.size === entry.size &&
      stats.ctimeMs === entry.changed &&
      stats.ctimeMs < this.#checkedBefore;
    return isUnchanged ? entry.hash : this.#folder.hash(file);
  }

  /** Writes a file and records it: `text` is its content, or undefined if the file has it already. */
  async write(file: TrackedFile, text: string | undefined): Promise<void> {
    const earlier = this.#entries.get(toKey(file));
    this.#checkFolders(file.file);
    const start = this.#append({ next: file });
    if (text !== undefined) {
      const isMove = earlier !== undefined && earlier.file !== file.file;
      // A file system may not tell the two names apart.
      const isSameName = isMove && toFileKey(earlier.file) === toFileKey(file.file);
      if (isSameName && this.#folder.has(earlier.file)) this.#folder.move(earlier.file, file.file);
      await this.#folder.write(file.file, text);
      if (isMove && !isSameName) this.removeFile(earlier.file);
    }
    this.#commit(file, start, text !== undefined);
  }

  /** Checks that no folder of a path is a link, through which kith would write outside of the working copy. */
  #checkFolders(file: string): void {
    const parts = file.split('/').slice(0, -1);
    for (let count = 1; count <= parts.length; count += 1) {
      const folder = parts.slice(0, count).join('/');
      if (this.#checkedFolders.has(folder)) continue;
      const path = this.#folder.resolve(folder);
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw createLinkFailure(path);
      this.#checkedFolders.add(folder);
    }
  }

  /** Removes a file's line, after the file was removed. */
  forget(entry: FileEntry): void {
    this.#append({ removed: toKey(entry) });
    this.#delete(toKey(entry));
  }

  /** Removes a file and the folders that it leaves empty. */
  removeFile(file: string): void {
    this.#folder.remove(file);
    const parts = file.split('/').slice(0, -1);
    for (; parts.length > 1; parts.pop()) this.#folder.removeEmptyParent(parts.join('/'));
  }

  setOnly(only: readonly TopFolder[]): void {
    if (only.join() === this.only.join()) return;
    this.#append({ only: [...only] });
    this.only = only;
  }

  /** Records the row of the change log that a new file has. */
  addRow(row: number, file: string): void {
    this.#append({ row, file });
    this.rows.set(row, file);
  }

  /** Records that no create is pending. */
  finishRows(): void {
    if (this.rows.size === 0) return;
    this.#append({ finished: true });
    this.rows.clear();
  }

  /** Rewrites the journal if most of its lines are obsolete. */
  async close(): Promise<void> {
    const needed = this.#entries.size * 2 + this.rows.size + 50;
    if (this.#lineCount > 2 * needed) await writeFileAtomically(this.#path, this.#formatLines(), 0o600);
    this.#journal.close();
  }

  *#formatLines(): Generator<string> {
    yield formatHeader(this.owner);
    yield formatLine({ only: [...this.only] });
    for (const [row, file] of this.rows) yield formatLine({ row, file });
    for (const [key, entry] of this.#entries) {
      yield formatLine({ next: this.read(entry) });
      yield formatLine({ written: key, size: entry.size, changed: entry.changed });
    }
  }

  #append(line: StateLine): number {
    this.#lineCount += 1;
    return this.#journal.append(JSON.stringify(line));
  }

  /** `isWritten`: whether kith has just written the content. Otherwise, a content that differs must be read again. */
  #commit(file: TrackedFile, start: number, isWritten: boolean): void {
    const stats = statSync(this.#folder.resolve(file.file), { throwIfNoEntry: false });
    const { size = 0, ctimeMs = 0 } = stats ?? {};
    const changed = isWritten || this.#folder.hash(file.file) === file.hash ? ctimeMs : 0;
    this.#append({ written: toKey(file), size, changed });
    this.#set({ ...pick(file), start, size, changed });
  }

  #apply(line: StateLine, start: number): void {
    if ('next' in line)
      this.#pending.set(toKey(line.next), { ...pick(line.next), start, size: 0, changed: 0 });
    else if ('written' in line) {
      const pending = this.#pending.get(line.written);
      if (pending) this.#set({ ...pending, size: line.size, changed: line.changed });
      this.#pending.delete(line.written);
    } else if ('removed' in line) this.#delete(line.removed);
    else if ('row' in line) this.rows.set(line.row, line.file);
    else if ('finished' in line) this.rows.clear();
    else if ('only' in line) this.only = line.only;
  }

  /** Decides for each file that a killed run was about to write whether it was written. */
  #settlePending(): void {
    for (const [key, pending] of this.#pending) {
      const isWritten = this.#folder.hash(pending.file) === pending.hash;
      const earlier = this.#entries.get(key);
      if (!isWritten) continue;
      if (earlier && earlier.file !== pending.file && this.#folder.hash(earlier.file) === earlier.hash)
        this.removeFile(earlier.file);
      this.#commit(this.read(pending), pending.start, true);
    }
    this.#pending.clear();
  }

  #set(entry: FileEntry): void {
    const key = toKey(entry);
    this.#delete(key);
    this.#entries.set(key, entry);
    this.#keysByFile.set(entry.file.normalize('NFC'), key);
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key);
    const file = entry?.file.normalize('NFC') ?? '';
    if (this.#keysByFile.get(file) === key) this.#keysByFile.delete(file);
    this.#entries.delete(key);
  }
}

const pick = ({ noun, id, list_id, file, place, hash }: TrackedFile) => ({
  ...{ noun, id, file, place, hash },
  ...(list_id !== undefined && { list_id }),
});

const formatLine = (line: StateLine) => `${JSON.stringify(line)}\n`;

const formatHeader = ({ workspace, identity }: StoredWorkspace) =>
  `${JSON.stringify({ kith_checkout: stateFormat.version, workspace, identity })}\n`;

export const createLinkFailure = (path: string) =>
  new Failure('usage', `${path} is a link. A working copy has only files and folders.`, {
    hint: 'Replace the link with its target, or remove it.',
  });

/** Returns the stats of a file or a link; undefined if it does not exist. */
function readStats(path: string) {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
