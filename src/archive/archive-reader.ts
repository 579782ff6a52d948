import type { Batch } from '../client/pagination.ts';
import { Failure } from '../contract/errors.ts';
import type { WorkspaceRecords } from '../contract/workspace.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { Archive } from './archive.ts';
import type { EntryBatch, WorkspaceReader } from './read-workspace.ts';

/** Records per batch. Meetings have recordings, which are in memory until they are written. */
const batchSize = 500;
const meetingBatchSize = 50;

/** Returns the reader of an archive. It sends no requests. */
export function createArchiveReader(archive: Archive): WorkspaceReader {
  const { files, unread, started_at } = archive.manifest;
  return {
    canListUpdates: false,
    pages: (noun) => toBatches(archive.records(noun), batchSize, files[noun].records),
    async *entries(onUnread) {
      for (const id of unread?.lists ?? []) onUnread(id);
      yield* readEntryBatches(archive);
    },
    async *meetings() {
      const at = new Date(started_at);
      for await (const batch of toBatches(archive.records('events'), meetingBatchSize, files.events.records))
        yield { ...batch, at };
    },
    recording: async (id) => {
      const recording = archive.find('recordings', id);
      if (recording) return recording;
      throw new Failure('not_found', `The archive ${archive.folder} has no recording ${id}.`);
    },
  };
}

async function* toBatches<T>(
  records: Iterable<RawJson<T>>,
  size: number,
  total: number,
): AsyncGenerator<Batch<T>> {
  let done = 0;
  let batch: RawJson<T>[] = [];
  for (const record of records) {
    batch.push(record);
    done += 1;
    if (batch.length < size && done < total) continue;
    yield { records: batch, total, hasMore: done < total };
    batch = [];
  }
  if (batch.length > 0) yield { records: batch, total, hasMore: false };
}

/** Yields the entries of the lists. Entries of one list are next to each other. */
async function* readEntryBatches(archive: Archive): AsyncGenerator<EntryBatch> {
  const lists = new Map<string, WorkspaceRecords['lists']>();
  for (const { value } of archive.records('lists')) lists.set(value.id, value);
  let batch: RawJson<WorkspaceRecords['entries']>[] = [];
  let list: WorkspaceRecords['lists'] | undefined;
  const total = archive.manifest.files.entries.records;
  for (const entry of archive.records('entries')) {
    const entryList = lists.get(entry.value.list_id);
    if (batch.length > 0 && list && (entryList !== list || batch.length >= batchSize)) {
      yield { records: batch, total, hasMore: true, list };
      batch = [];
    }
    list = entryList;
    if (list) batch.push(entry);
  }
  if (batch.length > 0 && list) yield { records: batch, total, hasMore: false, list };
}
