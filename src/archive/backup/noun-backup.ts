import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { type Failure, isBroken, isUnreadable } from '../../contract/errors.ts';
import type { ListedNoun, Noun } from '../../contract/singular-nouns.ts';
import { repeatIfChanged } from '../../records/read-all.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { readRecordId } from '../../values/record-id.ts';
import type { Archive } from '../archive.ts';
import { createServiceReader, readEntries } from '../read-workspace.ts';
import type { BackupDraft, NounResult } from './backup-draft.ts';
import { listMeetings } from './list-meetings.ts';
import { RecordWriter } from './record-writer.ts';
import { backUpRecordings } from './recording-backup.ts';

export interface NounBackupOptions {
  readonly client: Client;
  readonly draft: BackupDraft;
  /** The archive that the backup updates. */
  readonly base: Archive | undefined;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly onProgress?: (noun: Noun, done: number, total: number | undefined) => void;
}

/**
 * The order in which nouns are read. Records come before those that they refer to, so that a record which is created
 * during the backup is never missing in the archive.
 */
const readOrder = [
  ...(['events', 'recordings', 'lists', 'entries'] as const),
  ...(['notes', 'contacts', 'organizations', 'customFields'] as const),
];

const listedNouns = readOrder.filter((noun) => noun !== 'entries' && noun !== 'recordings');

/** Writes the records of each noun to the draft of a backup. Skips nouns that the draft has already. */
export async function backUpNouns(options: NounBackupOptions): Promise<void> {
  const { draft } = options;
  let unreadNounCount = [...draft.results.values()].filter(({ is_unread }) => is_unread).length;
  for (const noun of readOrder) {
    if (draft.results.has(noun)) continue;
    if (noun === 'recordings') {
      await backUpRecordings(options);
      continue;
    }
    const failure = await backUpNoun(noun, options);
    if (failure) unreadNounCount += 1;
    // A key without read access must get an error instead of an empty archive.
    if (failure && unreadNounCount === listedNouns.length) throw failure;
  }
}

type RecordBatch = Batch<{ readonly id: string }> & {
  /** The list of entries. */
  readonly parent?: string;
};

/** The batches of a noun, and the facts about them after the last batch. */
interface NounSource {
  readonly batches: AsyncIterable<RecordBatch>;
  readonly finish: () => Pick<NounResult, 'unread_lists' | 'meetings_until'> & {
    /** The number of records of the archive among the batches. */
    readonly reused?: number;
  };
}

/**
 * Writes the records of a noun. Returns the failure if the service does not list the noun; the draft then gets the records
 * of the archive.
 */
async function backUpNoun(noun: ListedNoun, options: NounBackupOptions): Promise<Failure | undefined> {
  const { draft, base } = options;
  const { writer, source, failure, isShort } = await repeatIfChanged(() => readNoun(noun, options));
  const { reused: copied = 0, ...facts } = source.finish();
  const requested = writer.records - copied;
  if (failure && base) for (const { text } of base.records(noun)) writer.write([text]);
  const file = await writer.finish();
  const is_same = file.sha256 === base?.manifest.files[noun].sha256;
  const counts = { requested, reused: writer.records - requested };
  const states = { ...(failure && { is_unread: true }), ...(isShort && { is_short: true }) };
  draft.complete({ noun, file, is_same, ...counts, ...states, ...facts });
  return failure;
}

/** Reads the records of a noun into the draft. `isShort`: a list has fewer records than announced. */
async function readNoun(noun: ListedNoun, options: NounBackupOptions) {
  const writer = new RecordWriter(options.draft.getPath(noun));
  const reader = createServiceReader(options.client);
  const source: NounSource =
    noun === 'entries'
      ? openEntries(options)
      : noun === 'events'
        ? listMeetings(reader, options)
        : { batches: reader.pages(noun), finish: () => ({}) };
  try {
    return { writer, source, isShort: await writeBatches(writer, noun, source.batches, options) };
  } catch (error) {
    if (isUnreadable(error) && writer.records === 0) return { writer, source, failure: error };
    writer.close();
    throw error;
  }
}

/**
 * Writes the records of batches. A record that the service repeats is written once. Returns whether a list had fewer
 * records than announced.
 */
async function writeBatches(
  writer: RecordWriter,
  noun: ListedNoun,
  batches: NounSource['batches'],
  { signal, onProgress }: NounBackupOptions,
): Promise<boolean> {
  const keys = new Set<string>();
  let list = { parent: '', count: 0 };
  let isShort = false;
  for await (const { records, total, hasMore, parent = '' } of batches) {
    const newRecords = records.filter((record) => {
      const key = `${parent} ${readRecordId(record)}`;
      return !keys.has(key) && keys.add(key);
    });
    list = { parent, count: newRecords.length + (list.parent === parent ? list.count : 0) };
    isShort ||= !hasMore && list.count < (total ?? 0);
    writer.write(newRecords.map(({ text }) => text));
    onProgress?.(noun, writer.records, noun === 'entries' ? undefined : total);
    await yieldToSignals(signal);
  }
  return isShort;
}

/** Reads the entries of the lists in the draft. For a list whose entries cannot be read, yields the entries of the archive. */
function openEntries({ client, draft, base }: NounBackupOptions): NounSource {
  const unread_lists: string[] = [];
  let reused = 0;
  const isSkippable = (error: unknown) => isUnreadable(error) || isBroken(error);
  async function* readBatches(): AsyncGenerator<RecordBatch> {
    const lists = readValues(draft.records('lists'));
    const onUnread = (list: string) => void unread_lists.push(list);
    for await (const batch of readEntries(client, lists, onUnread, isSkippable))
      yield { ...batch, parent: batch.list.id };
    if (!base || unread_lists.length === 0) return;
    for (const record of base.records('entries')) {
      const { list_id: parent } = record.value;
      if (!unread_lists.includes(parent)) continue;
      reused += 1;
      yield { records: [record], total: undefined, hasMore: true, parent };
    }
  }
  return {
    batches: readBatches(),
    finish: () => ({ ...(unread_lists.length > 0 && { unread_lists }), reused }),
  };
}

function* readValues<T>(records: Iterable<RawJson<T>>): Generator<T> {
  for (const { value } of records) yield value;
}
