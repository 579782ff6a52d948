import { dirname } from 'node:path/posix';
import type { Archive } from '../../archive/archive.ts';
import type { Result } from '../../contract/documents/results.ts';
import { isWritableNoun, type Noun } from '../../contract/singular-nouns.ts';
import { type ExportFolder, hashContent } from '../../export/folder.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import { mapInOrder } from '../../values/in-order.ts';
import { readObject } from '../../values/json-object.ts';
import { isSameJson } from '../../writes/values.ts';
import type { FindWord } from './documents.ts';
import { isEdited, isStatusMove, type LocalFiles } from './local-files.ts';
import type { TopFolder } from './places.ts';
import { Places } from './places.ts';
import type { EditedRecord } from './push/read-edited.ts';
import {
  type Definitions,
  type FindPlace,
  isUnread,
  type RecordFile,
  renderMeetingFiles,
  renderRecordFile,
} from './record-files.ts';
import type { ReferenceWords } from './reference-words.ts';
import type { CheckoutState } from './state.ts';
import { type TrackedFile, toKey } from './state-format.ts';
import { listServiceChanges, toEditedRow } from './status-rows.ts';

/** The action of a checkout on the file of a record. `edited` and `deleted`: the checkout did not write the file. */
type FileOutcome = Exclude<keyof Result<'checkout-result'>, 'files'>;

export interface UpdateResult {
  readonly counts: Record<FileOutcome, number>;
  /** The files that were not brought up to date, in order. */
  readonly edited: string[];
  readonly deleted: string[];
  readonly conflicts: string[];
}

export interface UpdateOptions {
  readonly archive: Archive;
  readonly folder: ExportFolder;
  readonly state: CheckoutState;
  readonly files: LocalFiles;
  /** The changes in the edited files, by `toKey`. */
  readonly edited: ReadonlyMap<string, EditedRecord>;
  readonly definitions: Definitions;
  readonly words: ReferenceWords;
  readonly only: readonly TopFolder[];
  /** Whether to replace edited files, and to restore deleted ones. */
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

/** The nouns whose files are in a folder. Each comes after the nouns that decide its path. */
const folderNouns: Readonly<Record<TopFolder, readonly Noun[]>> = {
  'custom-fields': ['customFields'],
  organizations: ['organizations', 'notes'],
  contacts: ['contacts'],
  lists: ['lists', 'entries'],
  meetings: ['events'],
};

/** A record with the text that the service sent; without it, the file cannot be edited. */
interface RenderedRecord {
  readonly file: RecordFile;
  readonly record: string;
}

/** Returns the nouns whose files are in folders. Each comes after the nouns that decide its path. */
export const listNouns = (only: readonly TopFolder[]): readonly Noun[] =>
  only.flatMap((folder) => folderNouns[folder]);

interface RenderSource extends Pick<UpdateOptions, 'archive' | 'definitions' | 'words'> {
  readonly findPlace: FindPlace;
}

/** Renders the files of the records of a noun in an archive. */
export function* renderRecords(
  noun: Noun,
  { archive, definitions, words, findPlace }: RenderSource,
): Generator<RenderedRecord> {
  if (noun === 'events') {
    for (const { value } of archive.records('events'))
      for (const file of renderMeetingFiles(archive, value)) yield { file, record: '' };
    return;
  }
  const findWord: FindWord = (kind, id) => words.find(kind, id);
  for (const { value, text } of archive.records(noun)) {
    const file = renderRecordFile(noun, readObject(value), definitions, findWord, findPlace);
    if (file) yield { file, record: text };
  }
}

/** Maximum number of files written at once. Each write waits for the disk. */
const concurrency = 8;

/** Brings the files of a working copy up to date with an archive. */
export class FolderUpdate {
  readonly result: UpdateResult = {
    counts: { new: 0, updated: 0, moved: 0, removed: 0, unchanged: 0, edited: 0, deleted: 0, conflict: 0 },
    edited: [],
    deleted: [],
    conflicts: [],
  };
  readonly #options: UpdateOptions;
  readonly #places: Places;
  readonly #seenKeys = new Set<string>();

  constructor(options: UpdateOptions) {
    this.#options = options;
    this.#places = new Places(options.files.isForeign);
    for (const [key, { place }] of options.state.entries) this.#places.reserve(key, place);
  }

  async run(): Promise<UpdateResult> {
    const { archive, definitions, words, only, state, signal, onProgress } = this.#options;
    let done = 0;
    const findPlace: FindPlace = (noun, id) => state.get(toKey({ noun, id }))?.place;
    const work = ({ file, record }: RenderedRecord) => this.#update(file, record);
    for (const noun of listNouns(only)) {
      const records = renderRecords(noun, { archive, definitions, words, findPlace });
      for await (const { outcome, file } of mapInOrder(records, concurrency, () => [], work)) {
        this.#count(outcome, file);
        onProgress(++done);
        if (done % 100 === 0) await yieldToSignals(signal);
      }
    }
    this.#removeDeletedRecords();
    state.setOnly(only);
    return this.result;
  }

  #count(outcome: FileOutcome, file: string): void {
    const { counts, edited, deleted, conflicts } = this.result;
    counts[outcome] += 1;
    const list = { edited, deleted, conflict: conflicts };
    if (outcome === 'edited' || outcome === 'deleted' || outcome === 'conflict') list[outcome].push(file);
  }

  async #update(
    rendered: RecordFile,
    record: string,
  ): Promise<{ readonly outcome: FileOutcome; readonly file: string }> {
    const { state, files, overwrite, definitions } = this.#options;
    const { noun, id, list_id, text, words } = rendered;
    const key = toKey(rendered);
    this.#seenKeys.add(key);
    const entry = state.get(key);
    const place = this.#places.choose(key, rendered, entry?.place);
    const hash = hashContent(text);
    const tracked = { noun, id, place, hash, record, words, ...(list_id !== undefined && { list_id }) };
    if (!entry) return this.#add(tracked, text);
    const located = files.locate(entry);
    const earlier = state.read(entry);
    const target = place === entry.place && located.hash !== undefined ? located.file : place;
    const file = { ...tracked, file: target };
    if (located.hash === undefined) {
      if (isWritableNoun(noun) && !overwrite)
        return {
          outcome: listServiceChanges(earlier, record, definitions).length > 0 ? 'conflict' : 'deleted',
          file: entry.file,
        };
      await state.write(file, text);
      return { outcome: 'new', file: target };
    }
    const isInPlace = !isStatusMove(entry, located) || dirname(located.file) === dirname(place);
    if (located.hash === hash && isInPlace) {
      const isMove = target !== located.file;
      const isKnown = !isMove && entry.hash === hash && entry.file === target && entry.place === place;
      const hasBase = earlier.record === record && isSameJson(earlier.words, words);
      if (!isKnown || !hasBase) await state.write(file, isMove ? text : undefined);
      return { outcome: isMove ? 'moved' : 'unchanged', file: target };
    }
    if (isEdited(entry, located) && !overwrite) {
      const edited = this.#options.edited.get(key);
      const isConflict = edited && toEditedRow(edited, record).state === 'conflict';
      return { outcome: isConflict ? 'conflict' : 'edited', file: located.file };
    }
    await state.write(file, text);
    if (located.file !== entry.file && located.file !== target) state.removeFile(located.file);
    return { outcome: 'updated', file: target };
  }

  /** Writes the file of a record without one, unless a file has the id of the record already. */
  async #add(
    tracked: Omit<TrackedFile, 'file'>,
    text: string,
  ): Promise<{ readonly outcome: FileOutcome; readonly file: string }> {
    const { state, files, folder, overwrite } = this.#options;
    const { noun, place } = tracked;
    // The id in the file of a meeting is not read. A file in its place is that of a clone, or a person's own.
    const own = !isWritableNoun(noun) && folder.has(place) ? place : undefined;
    const found = files.findForeign(toKey(tracked)) ?? own;
    if (found === undefined || overwrite) {
      const file = found ?? tracked.place;
      await state.write({ ...tracked, file }, text);
      return { outcome: 'new', file };
    }
    await state.write({ ...tracked, file: found }, undefined);
    const entry = state.get(toKey(tracked));
    const isUnchanged = entry && state.hashFile(entry) === tracked.hash;
    return { outcome: isUnchanged ? 'unchanged' : 'edited', file: found };
  }

  /** Removes the files of records that the service no longer has. */
  #removeDeletedRecords(): void {
    const { archive, state, files, only, overwrite } = this.#options;
    for (const [key, entry] of [...state.entries]) {
      if (isUnread(archive, entry)) continue;
      const folder = entry.place.split('/')[0];
      if (this.#seenKeys.has(key) || !only.some((name) => name === folder)) continue;
      const located = files.locate(entry);
      if (located.hash !== undefined && isEdited(entry, located) && !overwrite) {
        this.#count('conflict', located.file);
        continue;
      }
      if (located.hash !== undefined) {
        state.removeFile(located.file);
        this.#count('removed', located.file);
      }
      state.forget(entry);
    }
  }
}
