import type { RestoreSource, WorkspaceRecords } from '../../contract/workspace.ts';
import { type RawJson, toRawJson } from '../../values/raw-json.ts';
import { readId } from './plan-ids.ts';

/** Adds the recordings that a source has only in its meetings, without summary and transcript. */
export const completeSource = (source: RestoreSource): RestoreSource => ({
  ...source,
  read: ((noun) =>
    noun === 'recordings' ? readRecordings(source) : source.read(noun)) as RestoreSource['read'], // by the noun
});

function* readRecordings(source: RestoreSource): Generator<RawJson<WorkspaceRecords['recordings']>> {
  const known = new Set<string>();
  for (const record of source.read('recordings')) {
    known.add(readId(record));
    yield record;
  }
  for (const { value } of source.read('events')) {
    const { id: calendar_event_id, recordings, created_at, updated_at } = value;
    for (const { id, ...recording } of recordings) {
      if (known.has(id)) continue;
      const missing = { calendar_event_id, ...recording, summary: null, transcript: null };
      yield toRawJson({ id, ...missing, created_at, updated_at });
    }
  }
}
