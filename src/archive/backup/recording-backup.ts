import { yieldToSignals } from '../../values/concurrency.ts';
import { mapInOrder } from '../../values/in-order.ts';
import type { Archive } from '../archive.ts';
import { createServiceReader, readRecording } from '../read-workspace.ts';
import type { NounBackupOptions } from './noun-backup.ts';
import { RecordWriter } from './record-writer.ts';

/** Recordings that are fetched at once, and those that wait in memory for each of them: a transcript may be long. */
const concurrency = 8;
const lookahead = 2;

interface ListedRecording {
  readonly id: string;
  /** Whether the archive has the meeting as it is now. */
  readonly isUnchanged: boolean;
}

/** Statuses of recordings that do not change until their meeting changes. */
const finalStatuses: readonly unknown[] = ['done', 'failed'];

/**
 * Writes the recordings of the meetings in a draft. Requests the recordings of new and changed meetings, and the
 * recordings that were not done in the archive. Continues the file of a killed backup.
 */
export async function backUpRecordings(options: NounBackupOptions): Promise<void> {
  const { draft, base, signal, onProgress } = options;
  const { writer, ids } = RecordWriter.continue(draft.getPath('recordings'), 'recordings');
  for (const [id, state] of draft.recordings)
    if (state === 'pending' && !ids.has(id)) draft.recordings.delete(id);
  let total = 0;
  for (const { value } of draft.records('events')) total += value.recordings.length;
  let requested = 0;
  const recordings = listRecordings(options, ids);
  const read = createRecordingReader(options);
  try {
    const results = mapInOrder(recordings, concurrency, () => [], read, lookahead);
    for await (const { id, text, state, isRequested } of results) {
      if (isRequested) requested += 1;
      if (state && draft.recordings.get(id) !== state) draft.setRecordingState(id, state);
      if (text !== undefined) writer.write([text]);
      onProgress?.('recordings', writer.records, total);
      await yieldToSignals(signal);
    }
  } catch (error) {
    writer.close();
    throw error;
  }
  const file = await writer.finish();
  const is_same = file.sha256 === base?.manifest.files.recordings.sha256;
  draft.complete({ noun: 'recordings', file, is_same, requested, reused: writer.records - requested });
}

/** The record of a recording, and the state to remember. */
interface RecordingResult {
  readonly id: string;
  readonly text: string | undefined;
  readonly state?: 'unread' | 'pending';
  readonly isRequested: boolean;
}

/** Returns the function that reads a recording from the archive or the service. */
function createRecordingReader({ client, draft, base }: NounBackupOptions) {
  const reader = createServiceReader(client);
  const { pending = [], unread } = base?.manifest ?? {};
  const incomplete = new Set([...pending, ...(unread?.recordings ?? [])]);
  const copy = (archive: Archive | undefined, id: string) => archive?.find('recordings', id)?.text;
  return async ({ id, isUnchanged }: ListedRecording): Promise<RecordingResult> => {
    if (draft.recordings.get(id) === 'unread') return { id, text: copy(base, id), isRequested: false };
    const known = isUnchanged && !incomplete.has(id) ? copy(base, id) : undefined;
    if (known !== undefined) return { id, text: known, isRequested: false };
    const recording = await readRecording(reader, id);
    if (!recording) return { id, text: copy(base, id), state: 'unread', isRequested: false };
    const { text, value } = recording;
    const isFinal = finalStatuses.includes(value.status);
    return { id, text, isRequested: true, ...(!isFinal && { state: 'pending' }) };
  };
}

/** Yields the recordings of the meetings in order, except those in `writtenIds`. */
function* listRecordings(
  { draft, base }: NounBackupOptions,
  writtenIds: ReadonlySet<string>,
): Generator<ListedRecording> {
  const ids = new Set(writtenIds);
  for (const record of draft.records('events')) {
    const { id: meeting, recordings } = record.value;
    const missing = recordings.filter(({ id }) => !ids.has(id));
    if (missing.length === 0) continue;
    const isUnchanged = base?.find('events', meeting)?.text === record.text;
    for (const { id } of missing) {
      if (ids.has(id)) continue;
      ids.add(id);
      yield { id, isUnchanged };
    }
  }
}
