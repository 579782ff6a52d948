import type { Archive } from '../../archive/archive.ts';
import { type CommandResult, toRecordsResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { isWritableNoun } from '../../contract/singular-nouns.ts';
import { hashContent } from '../../export/folder.ts';
import { createPlainColumn, type View } from '../../render/columns.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import { checkDeletionCount } from './deletions.ts';
import { findLocalChanges, type LocalChanges } from './local-changes.ts';
import { isEdited, LocalFiles } from './local-files.ts';
import type { EditedRecord } from './push/read-edited.ts';
import { type ReadChanges, readChanges } from './read-changes.ts';
import { withCurrentArchive, withLastArchive } from './read-service.ts';
import {
  type Definitions,
  type FindPlace,
  isUnread,
  type RecordFile,
  readDefinitions,
} from './record-files.ts';
import { readReferenceWords } from './reference-words.ts';
import { toKey } from './state-format.ts';
import { listFileRows, listServiceChanges, type StatusRow, toEditedRow, toRow } from './status-rows.ts';
import { listNouns, renderRecords } from './update-folder.ts';
import { type WorkingCopy, withWorkingCopy } from './working-copy.ts';

const view: View = () => ['state', 'noun', 'id', 'file', 'fields'].map((name) => createPlainColumn(name));

/** Lists the differences between a working copy and the service; `isLocal`: only the changes in the files. */
export function readStatus(session: Session, path: string, isLocal: boolean): Promise<CommandResult> {
  const work = `is reading the status of ${path}`;
  return withWorkingCopy(session, { path, work }, async (copy) => {
    const files = await LocalFiles.scan(copy.folder, copy.state, session.signal);
    const local = await findLocalChanges(copy, files, session.signal);
    const read = async (archive: Archive | undefined) => {
      const definitions = archive ? readDefinitions(archive) : { customFields: [], lists: new Map() };
      const changes = await readChanges(session, copy, local, definitions, isLocal);
      for (const { file, line, message } of changes.errors)
        await session.messages.warn(`${file}:${line}: ${message}`);
      return { ...changes, copy, files, local };
    };
    const readLocal = async () => {
      const { edited, errors } = await withLastArchive(copy, read);
      const rows = edited.map((record) => toEditedRow(record, copy.state.read(record.entry).record));
      return [...listFileRows(local, errors), ...rows];
    };
    const rows = isLocal
      ? await readLocal()
      : await withCurrentArchive(session, copy, async (archive) =>
          compareWithService(await read(archive), archive, session.signal),
        );
    const deleted = new Set(rows.filter(({ state }) => state === 'deleted').map(({ file }) => file));
    const refusal = checkDeletionCount(
      local.deleted.filter(({ entry }) => deleted.has(entry.file)),
      copy,
    );
    if (refusal) await session.messages.note(refusal.message);
    return toRecordsResult(
      rows.toSorted((left, right) => String(left.file).localeCompare(String(right.file))),
      view,
      'No file was changed.',
    );
  });
}

interface Comparison extends ReadChanges {
  readonly copy: WorkingCopy;
  readonly files: LocalFiles;
  readonly local: LocalChanges;
}

/** Compares a working copy with the records that the service has now. */
async function compareWithService(
  comparison: Comparison,
  archive: Archive,
  signal: AbortSignal,
): Promise<StatusRow[]> {
  const { copy, files, local, edited, errors } = comparison;
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
    ) {
      const { noun, id } = entry;
      const { file, hash } = files.locate(entry);
      if (hash !== undefined)
        rows.push(toRow(isEdited(entry, { file, hash }) ? 'conflict' : 'removed', { noun, id, file }));
    }
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
