import type { Archive } from '../../../archive/archive.ts';
import type { FileEntry } from '../../../checkout/state.ts';
import { toKey } from '../../../checkout/state-format.ts';
import { isWritableNoun } from '../../../contract/singular-nouns.ts';
import { hashContent } from '../../../export/folder.ts';
import { yieldToSignals } from '../../../values/concurrency.ts';
import type { Session } from '../../command/context.ts';
import type { LocalChanges } from './local-changes.ts';
import { isEdited, type LocalFiles } from './local-files.ts';
import type { EditedRecord } from './push/read-edited.ts';
import type { ReadChanges } from './read-changes.ts';
import {
  type Definitions,
  type FindPlace,
  isUnread,
  type RecordFile,
  readDefinitions,
} from './record-files.ts';
import { readReferenceWords } from './reference-words.ts';
import { listFileRows, listServiceChanges, type StatusRow, toEditedRow, toRow } from './status-rows.ts';
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
  readonly #edited: ReadonlyMap<string, EditedRecord>;
  readonly #definitions: Definitions;
  readonly #deleted: ReadonlySet<FileEntry>;

  constructor(
    session: Session,
    copy: WorkingCopy,
    files: LocalFiles,
    archive: Archive,
    { local, edited, errors }: ReadChanges & { readonly local: LocalChanges },
  ) {
    this.#session = session;
    this.#copy = copy;
    this.#files = files;
    this.#archive = archive;
    this.#definitions = readDefinitions(archive);
    this.#rows = listFileRows({ ...local, deleted: [] }, errors);
    this.#deleted = new Set(local.deleted.map((deleted) => deleted.entry));
    this.#edited = new Map(edited.map((record) => [toKey(record.entry), record]));
  }

  async listRows(): Promise<StatusRow[]> {
    const { signal } = this.#session;
    const { state } = this.#copy;
    const words = await readReferenceWords(this.#archive, signal);
    let count = 0;
    const archive = this.#archive;
    const source = { archive, definitions: this.#definitions, words, findPlace: this.#findPlace };
    for (const noun of listNouns(state.only))
      for (const { file, record } of renderRecords(noun, source)) {
        if (++count % 100 === 0) await yieldToSignals(signal);
        this.#compare(file, record);
      }
    for (const [key, entry] of state.entries)
      if (
        !this.#seenKeys.has(key) &&
        !isUnread(archive, entry) &&
        state.only.some((folder) => entry.place.startsWith(`${folder}/`))
      )
        this.#addRemoved(entry);
    return this.#rows;
  }

  /** Returns the path of another record's file, or any path for a record that has no file yet. */
  readonly #findPlace: FindPlace = (noun, id) =>
    this.#copy.state.get(toKey({ noun, id }))?.place ?? `${noun}/${noun}/list.yaml`;

  #compare(rendered: RecordFile, record: string): void {
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
    const fields =
      entry.hash === hash ? [] : listServiceChanges(state.read(entry), record, this.#definitions);
    if (located.hash === undefined && isWritableNoun(noun)) {
      if (this.#deleted.has(entry))
        this.#rows.push(toRow(fields.length > 0 ? 'conflict' : 'deleted', { noun, id, file: entry.file }));
      return;
    }
    const edited = this.#edited.get(key);
    if (edited) {
      const row = toEditedRow(edited, record);
      const isSame = located.hash === hash && row.state === 'edited' && row.fields.length === 0;
      if (!isSame) this.#rows.push(row);
      if (row.state === 'conflict') return;
    }
    if (entry.hash !== hash && located.hash !== hash)
      this.#rows.push(toRow('changed', { noun, id, file: located.file }, fields));
  }

  #addRemoved(entry: FileEntry): void {
    const { noun, id } = entry;
    const located = this.#files.locate(entry);
    if (located.hash === undefined) return;
    const state = isEdited(entry, located) ? 'conflict' : 'removed';
    this.#rows.push(toRow(state, { noun, id, file: located.file }));
  }
}
