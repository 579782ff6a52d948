import { type Noun, orderedNouns } from '../contract/singular-nouns.ts';
import { yieldToSignals } from '../values/concurrency.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import { parseJson } from '../values/raw-json.ts';
import type { Archive } from './archive.ts';
import { toRecordFile } from './archive-nouns.ts';

/** A problem of an archive. `id`: the record that has it. */
export interface ArchiveProblem {
  readonly noun: Noun;
  readonly id?: string;
  readonly problem: string;
}

interface VerifyOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (noun: Noun, done: number, total: number) => void;
}

/** Lines between two checks for a signal. */
const batchSize = 1000;

/**
 * Checks the files of an archive: their sizes, sums and counts, that each line is a record in UTF-8, that no record is repeated,
 * that the records which others refer to are in the archive, and that the backup could read all records. Ids stay in memory.
 */
export async function verifyArchive(archive: Archive, options: VerifyOptions): Promise<ArchiveProblem[]> {
  const ids = new Map(orderedNouns.map((noun) => [noun, new Set<string>()]));
  // A record may refer to a later one, so missing records are known only at the end.
  const missing = new Map<string, RecordReference & { target: Noun; targetId: string }>();
  const problems: ArchiveProblem[] = [];
  for (const noun of orderedNouns) {
    const known = ids.get(noun) ?? new Set();
    const onRecord = (record: JsonObject, id: string) => {
      for (const { noun: target, id: targetId, field } of listReferences(noun, record)) {
        const key = `${target} ${targetId}`;
        if (!ids.get(target)?.has(targetId) && !missing.has(key))
          missing.set(key, { noun, id, field, target, targetId });
      }
    };
    problems.push(...(await verifyFile(archive, noun, known, onRecord, options)));
  }
  for (const { noun, id, field, target, targetId } of missing.values())
    if (!ids.get(target)?.has(targetId))
      problems.push({ noun, id, problem: `its ${field} ${targetId} is not in ${toRecordFile(target)}` });
  return [...problems, ...listUnread(archive)];
}

/** Returns the records that the backup could not read. The archive lacks them, or has the state of an earlier backup. */
function listUnread({ manifest: { unread } }: Archive): ArchiveProblem[] {
  const { nouns = [], lists = [], recordings = [] } = unread ?? {};
  const problem = 'the service did not return';
  return [
    ...orderedNouns
      .filter((noun) => nouns.includes(noun))
      .map((noun) => ({ noun, problem: `${problem} the records` })),
    ...lists.map((id) => ({ noun: 'entries' as const, problem: `${problem} the entries of the list ${id}` })),
    ...recordings.map((id) => ({ noun: 'recordings' as const, id, problem: `${problem} the record` })),
  ];
}

/** Checks a file, and passes each of its records to `onRecord`. Adds their ids to `ids`. */
async function verifyFile(
  archive: Archive,
  noun: Noun,
  ids: Set<string>,
  onRecord: (record: JsonObject, id: string) => void,
  { signal, onProgress }: VerifyOptions,
): Promise<ArchiveProblem[]> {
  const { records, bytes } = archive.manifest.files[noun];
  const file = archive.getFile(noun);
  const problems: ArchiveProblem[] = [];
  const keys = new Set<string>();
  let lines = 0;
  for (const { text, start, next } of file.readLines()) {
    lines += 1;
    // Invalid bytes are read as U+FFFD, which a text may also contain.
    if (text.includes('\ufffd') && !file.isUtf8(start, next))
      problems.push({ noun, problem: `line ${lines} is not UTF-8` });
    const record = tryParse(text);
    if (record) {
      const { id, list_id, key: entryKey } = record;
      ids.add(String(id));
      // A note names its deal by the id or the key.
      if (noun === 'entries' && typeof entryKey === 'string') ids.add(entryKey);
      // Entries of two lists may have the same id.
      const key = noun === 'entries' ? JSON.stringify([list_id, id]) : String(id);
      if (keys.has(key)) problems.push({ noun, id: String(id), problem: 'the record is repeated' });
      keys.add(key);
      onRecord(record, String(id));
    } else problems.push({ noun, problem: `line ${lines} is not a record` });
    if (lines % batchSize > 0) continue;
    onProgress?.(noun, lines, records);
    await yieldToSignals(signal);
  }
  if (file.size !== bytes)
    problems.push({ noun, problem: `the file has ${file.size} bytes instead of ${bytes}` });
  else if (!archive.isIntact(noun)) problems.push({ noun, problem: 'the file has another SHA-256 sum' });
  if (lines !== records)
    problems.push({ noun, problem: `the file has ${lines} records instead of ${records}` });
  await yieldToSignals(signal);
  return problems;
}

/** Parses a line; undefined if it is not a record. */
function tryParse(text: string): JsonObject | undefined {
  try {
    const record = parseJson(text);
    return isObject(record) && record.id !== undefined && record.id !== null ? record : undefined;
  } catch {
    return undefined;
  }
}

interface RecordReference {
  readonly noun: Noun;
  readonly id: string;
  /** The field of the reference. */
  readonly field: string;
}

const referenceFields: Readonly<Partial<Record<Noun, Readonly<Record<string, Noun>>>>> = {
  contacts: { organization_id: 'organizations' },
  notes: { organization_id: 'organizations', deal_id: 'entries' },
  entries: { list_id: 'lists', contact_id: 'contacts' },
  recordings: { calendar_event_id: 'events' },
};

function listReferences(noun: Noun, record: JsonObject): RecordReference[] {
  const references = Object.entries(referenceFields[noun] ?? {}).flatMap(([field, target]) =>
    toReferences(target, record[field], field),
  );
  if (noun === 'entries') {
    const target = record.entryable_type === 'Organization' ? 'organizations' : 'contacts';
    references.push(...toReferences(target, record.entryable_id, 'entryable_id'));
  }
  if (noun === 'events' && Array.isArray(record.recordings))
    for (const recording of record.recordings)
      references.push(...toReferences('recordings', readObject(recording).id, 'recordings'));
  for (const container of [record.custom_fields, record.list_fields])
    for (const [name, field] of Object.entries(readObject(container)))
      if (isObject(field) && field.data_type === 'contact')
        references.push(...toReferences('contacts', field.value, String(field.name ?? name)));
  return references;
}

/** Returns references to one id or several. */
function toReferences(noun: Noun, value: unknown, field: string): RecordReference[] {
  return [value].flat().flatMap((id) => {
    const isId = (typeof id === 'string' && id !== '') || typeof id === 'number';
    return isId ? [{ noun, id: String(id), field }] : [];
  });
}
