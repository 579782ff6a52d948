import type { Noun } from '../../../contract/singular-nouns.ts';
import { hashContent } from '../../../export/folder.ts';
import type { JsonObject } from '../../../values/json-object.ts';
import { readObject } from '../../../values/json-object.ts';
import type { DeletedFile } from '../deletions.ts';
import type { NewFile } from '../local-changes.ts';
import { Places } from '../places.ts';
import { type Definitions, renderRecordFile } from '../record-files.ts';
import type { ReferenceWords } from '../reference-words.ts';
import type { FileEntry } from '../state.ts';
import { toKey } from '../state-format.ts';
import type { WorkingCopy } from '../working-copy.ts';
import type { EditedRecord } from './read-edited.ts';
import type { NewRecord } from './read-new.ts';

/** Brings the files of a push up to date with the records that the service returned. */
export class PushedFiles {
  readonly #copy: WorkingCopy;
  readonly #definitions: Definitions;
  readonly #words: ReferenceWords;
  readonly #places: Places;
  readonly #rowsByFile: Map<string, number>;
  #nextRow: number;
  /** The file whose path is chosen. */
  #ownFile = '';

  constructor(copy: WorkingCopy, definitions: Definitions, words: ReferenceWords) {
    this.#copy = copy;
    this.#definitions = definitions;
    this.#words = words;
    this.#places = new Places((path) => path !== this.#ownFile && copy.folder.has(path));
    for (const [key, { place }] of copy.state.entries) this.#places.reserve(key, place);
    this.#rowsByFile = new Map(Array.from(copy.state.rows, ([row, file]) => [file, row]));
    this.#nextRow = Math.max(0, ...copy.state.rows.keys()) + 1;
  }

  /** Returns the row of a create in the change log, by which the next run finds its file after an interruption. */
  addRow(file: string): number {
    const known = this.#rowsByFile.get(file);
    if (known !== undefined) return known;
    const row = this.#nextRow++;
    this.#copy.state.addRow(row, file);
    this.#rowsByFile.set(file, row);
    return row;
  }

  /** Writes a created record into its file, which keeps its name. */
  async adopt(
    { noun, file, hash }: Pick<NewRecord, 'noun' | 'file' | 'hash'>,
    record: JsonObject,
  ): Promise<void> {
    this.#words.addRecord(noun, record);
    await this.#write(noun, file, hash, record, undefined);
  }

  /** Adopts a record that an interrupted push created. The file may have changed since, so that it stays as it is. */
  async adoptInterrupted({ noun, file }: NewFile, record: JsonObject): Promise<void> {
    this.#words.addRecord(noun, record);
    await this.#write(noun, file, '', record, undefined);
  }

  /** Writes an updated record into its file. Returns the path of the file, which may have a new name. */
  update(noun: Noun, { entry, file, hash }: EditedRecord, record: JsonObject): Promise<string> {
    return this.#write(noun, file, hash, record, entry);
  }

  /** Forgets a record that was deleted with its file, and the records that were deleted with it. */
  forget({ entry, dependents }: DeletedFile): void {
    for (const deleted of [...dependents, entry]) this.#copy.state.forget(deleted);
  }

  /** `hash`: the hash of the content that was sent. A file that changed meanwhile keeps its content. */
  async #write(
    noun: Noun,
    file: string,
    hash: string,
    record: JsonObject,
    entry: FileEntry | undefined,
  ): Promise<string> {
    const { folder, state } = this.#copy;
    const rendered = renderRecordFile(
      noun,
      readObject(record),
      this.#definitions,
      (kind, id) => this.#words.find(kind, id),
      (other, id) => state.get(toKey({ noun: other, id }))?.place,
    );
    if (!rendered) return file;
    const { id, list_id, words, text } = rendered;
    this.#ownFile = file;
    const place = this.#places.choose(toKey(rendered), rendered, entry?.place);
    const isOwnName = entry !== undefined && file === entry.place;
    const isUnchanged = folder.hash(file) === hash;
    const target = isOwnName && isUnchanged ? place : file;
    await state.write(
      {
        ...{ noun, id, file: target, place, words, hash: hashContent(text), record: JSON.stringify(record) },
        ...(list_id !== undefined && { list_id }),
      },
      isUnchanged ? text : undefined,
    );
    return target;
  }
}
