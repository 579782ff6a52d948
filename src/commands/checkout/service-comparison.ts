import type { Archive } from '../../archive/archive.ts';
import { isWritableNoun } from '../../contract/singular-nouns.ts';
import { hashContent } from '../../export/folder.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
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
import type { FileEntry } from './state.ts';
import { toKey } from './state-format.ts';
import { listFileRows, listServiceChanges, type StatusRow, toEditedRow, toRow } from './status-rows.ts';
import { listNouns, renderRecords } from './update-folder.ts';
import type { WorkingCopy } from './working-copy.ts';

interface Comparison extends ReadChanges {
  readonly copy: WorkingCopy;
  readonly files: LocalFiles;
  readonly local: LocalChanges;
}

/** Compares a working copy with the records that the service has now. */
export async function compareWithService(
  comparison: Comparison,
  archive: Archive,
  signal: AbortSignal,
): Promise<StatusRow[]> {
  const { copy, local, edited, errors } = comparison;
  const { state } = copy;
  const definitions = readDefinitions(archive);
  const words = await readReferenceWords(archive, signal);
  /** Any path, for a record that has no file yet. */
  const findPlace: FindPlace = (noun, id) =>
    state.get(toKey({ noun, id }))?.place ?? `${noun}/${noun}/list.yaml`;
  const editedRecords = new Map(edited.map((record) => [toKey(record.entry), record]));
  const rows = listFileRows({ ...local, deleted: [] }, errors);
  const seenKeys = new Set<string>();
  for (const noun of listNouns(state.only))
    for (const { file, record } of renderRecords(noun, { archive, definitions, words, findPlace })) {
      const key = toKey(file);
      seenKeys.add(key);
      if (seenKeys.size % 100 === 0) await yieldToSignals(signal);
      rows.push(...compareRecord(comparison, definitions, file, record, editedRecords.get(key)));
    }
  for (const [key, entry] of state.entries)
    if (
      !seenKeys.has(key) &&
      !isUnread(archive, entry) &&
      state.only.some((folder) => entry.place.startsWith(`${folder}/`))
    )
      rows.push(...listRemoved(entry, comparison));
  return rows;
}

function compareRecord(
  { copy: { state }, files, local }: Comparison,
  definitions: Definitions,
  rendered: RecordFile,
  record: string,
  edited: EditedRecord | undefined,
): StatusRow[] {
  const { noun, id } = rendered;
  const key = toKey(rendered);
  const entry = state.get(key);
  if (!entry) return files.findForeign(key) === undefined ? [toRow('added', { noun, id, file: null })] : [];
  const hash = hashContent(rendered.text);
  const located = files.locate(entry);
  const fields = entry.hash === hash ? [] : listServiceChanges(state.read(entry), record, definitions);
  if (located.hash === undefined && isWritableNoun(noun)) {
    if (!local.deleted.some((deleted) => deleted.entry === entry)) return [];
    return [toRow(fields.length > 0 ? 'conflict' : 'deleted', { noun, id, file: entry.file })];
  }
  const row = edited && toEditedRow(edited, record);
  if (row?.state === 'conflict') return [row];
  const isSame = located.hash === hash && row?.fields.length === 0;
  return [
    ...(row && !isSame ? [row] : []),
    ...(entry.hash !== hash && located.hash !== hash
      ? [toRow('changed', { noun, id, file: located.file }, fields)]
      : []),
  ];
}

function listRemoved(entry: FileEntry, { files }: Comparison): StatusRow[] {
  const { noun, id } = entry;
  const { file, hash } = files.locate(entry);
  if (hash === undefined) return [];
  return [toRow(isEdited(entry, { file, hash }) ? 'conflict' : 'removed', { noun, id, file })];
}
