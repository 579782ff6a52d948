import type { Archive } from '../../../archive/archive.ts';
import type { FileEntry } from '../../../checkout/state.ts';
import { toKey } from '../../../checkout/state-format.ts';
import { isWritableNoun } from '../../../contract/singular-nouns.ts';
import { hashContent } from '../../../export/folder.ts';
import { yieldToSignals } from '../../../values/concurrency.ts';
import type { Session } from '../../command/context.ts';
import { compareDocuments } from './compare-documents.ts';
import type { EditedFile, LocalChanges } from './local-changes.ts';
import { isEdited, type LocalFiles } from './local-files.ts';
import { type FindPlace, isUnread, type RecordFile, readDefinitions } from './record-files.ts';
import { readReferenceWords } from './reference-words.ts';
import {
  hasServiceChange,
  listFileRows,
  readEditedRow,
  renderBase,
  type StatusRow,
  toRow,
  toStatusRow,
} from './status-rows.ts';
import { listNouns, renderRecords } from './update-folder.ts';
import type { WorkingCopy } from './working-copy.ts';

/** Compares a working copy with the records that the service has now. */
export class ServiceComparison {
  readonly #session: Session;
  readonly #copy: WorkingCopy;
  readonly #files: LocalFiles;
  readonly #archive: Archive;
  readonly #rows: StatusRow[];
  readonly #seenKeys = new Set<string>();
  readonly #edited: ReadonlyMap<string, EditedFile>;
  readonly #deleted: ReadonlySet<FileEntry>;

  constructor(session: Session, copy: WorkingCopy, files: LocalFiles, local: LocalChanges, archive: Archive) {
    this.#session = session;
    this.#copy = copy;
    this.#files = files;
    this.#archive = archive;
    this.#rows = listFileRows({ ...local, deleted: [] });
    this.#deleted = new Set(local.deleted.map((deleted) => deleted.entry));
    this.#edited = new Map(local.edited.map((edited) => [toKey(edited.entry), edited]));
  }

  async listRows(): Promise<StatusRow[]> {
    const { signal } = this.#session;
    const { state } = this.#copy;
    const words = await readReferenceWords(this.#archive, signal);
    const definitions = readDefinitions(this.#archive);
    let count = 0;
    const archive = this.#archive;
    const source = { archive, definitions, words, findPlace: this.#findPlace };
    for (const noun of listNouns(state.only))
      for (const { file, record } of renderRecords(noun, source)) {
        if (++count % 100 === 0) await yieldToSignals(signal);
        await this.#compare(file, record, definitions);
      }
    for (const [key, entry] of state.entries)
      if (
        !this.#seenKeys.has(key) &&
        !isUnread(archive, entry) &&
        state.only.some((folder) => entry.place.startsWith(`${folder}/`))
      )
        this.#addRemoved(entry);
    return this.#rows.map(toStatusRow);
  }

  /** Returns the path of another record's file, or any path for a record that has no file yet. */
  readonly #findPlace: FindPlace = (noun, id) =>
    this.#copy.state.get(toKey({ noun, id }))?.place ?? `${noun}/${noun}/list.yaml`;

  async #compare(
    rendered: RecordFile,
    record: string,
    definitions: ReturnType<typeof readDefinitions>,
  ): Promise<void> {
    const { state } = this.#copy;
    const { noun, id } = rendered;
    const key = toKey(rendered);
    this.#seenKeys.add(key);
    const entry = state.get(key);
    if (!entry) {
      if (this.#files.findForeign(key) === undefined)
        this.#rows.push(toRow('added', { noun, id, file: null }));
      return;
    }
    const hash = hashContent(rendered.text);
    const located = this.#files.locate(entry);
    const isChanged = entry.hash !== hash;
    if (located.hash === undefined && isWritableNoun(noun)) {
      if (!this.#deleted.has(entry)) return;
      const isConflict = isChanged && hasServiceChange(this.#copy.state.read(entry), record, definitions);
      this.#rows.push(toRow(isConflict ? 'conflict' : 'deleted', { noun, id, file: entry.file }));
      return;
    }
    const edited = this.#edited.get(key);
    if (edited) {
      const row = readEditedRow(this.#copy, edited, definitions, { text: rendered.text, record });
      if (row.error !== undefined) await this.#session.warn(row.error);
      const isSame = located.hash === hash && row.state === 'edited' && row.fields.length === 0;
      if (!isSame) this.#rows.push(row);
      if (row.state === 'conflict') return;
    }
    if (!isChanged || located.hash === hash) return;
    const fields = isWritableNoun(noun) ? this.#listChangedFields(entry, rendered, definitions) : [];
    this.#rows.push(toRow('changed', { noun, id, file: located.file }, fields));
  }

  #listChangedFields(
    entry: FileEntry,
    { noun, text }: RecordFile,
    definitions: ReturnType<typeof readDefinitions>,
  ): readonly string[] {
    if (!isWritableNoun(noun)) return [];
    const base = renderBase(this.#copy.state.read(entry), definitions);
    return compareDocuments(noun, base, base, text).service;
  }

  #addRemoved(entry: FileEntry): void {
    const { noun, id } = entry;
    const located = this.#files.locate(entry);
    if (located.hash === undefined) return;
    const state = isEdited(entry, located) ? 'conflict' : 'removed';
    if (state === 'conflict') {
      const index = this.#rows.findIndex((row) => row.id === id && row.file === located.file);
      if (index >= 0) this.#rows.splice(index, 1);
    }
    this.#rows.push(toRow(state, { noun, id, file: located.file }));
  }
}
