import { calendarEvents } from '../../contract/calendar-events.ts';
import type { WorkspaceRecords } from '../../contract/workspace.ts';
import type { RawJson } from '../../values/raw-json.ts';
import type { Archive } from '../archive.ts';
import { type Pages, updateOverlap, type WorkspaceReader } from '../read-workspace.ts';
import type { NounBackupOptions } from './noun-backup.ts';

type Meeting = RawJson<WorkspaceRecords['events']>;

/** The most changed meetings that are merged in memory. If more have changed, all meetings are listed. */
const maxChanges = 5000;

const batchSize = 50;

/**
 * Lists the meetings of a service. Requests the meetings that were updated since the archive was written, and takes the
 * others from the archive. Lists all meetings if their number shows that some were deleted. `finish` returns the facts
 * about the list.
 */
export function listMeetings(
  reader: WorkspaceReader,
  { client, base, now }: NounBackupOptions,
): {
  readonly batches: Pages<'events'>;
  readonly finish: () => { meetings_until?: number; reused: number };
} {
  let listedAt: Date | undefined;
  let reused = 0;
  const onListed = (at: Date | undefined) => {
    listedAt ??= at ?? now();
  };
  async function* readBatches(): Pages<'events'> {
    const changes = base && (await readChanges(base, reader, onListed));
    if (base && changes) {
      const { total } = await client.page(calendarEvents.list, { first: 1 }); // undefined if the service does not send it
      const expected = countUnion(base, changes);
      if (total === expected) {
        reused = expected - changes.size;
        return yield* mergeMeetings(base, changes);
      }
    }
    listedAt = undefined;
    for await (const batch of reader.meetings()) {
      onListed(batch.at);
      yield batch;
    }
    onListed(undefined);
  }
  const toSeconds = (at: Date) => Math.floor(at.getTime() / 1000) - updateOverlap;
  return {
    batches: readBatches(),
    finish: () => ({ ...(listedAt && { meetings_until: toSeconds(listedAt) }), reused }),
  };
}

/** Returns the meetings that were updated since the archive was written; undefined if they are unknown or too many. */
async function readChanges(
  { manifest }: Archive,
  reader: WorkspaceReader,
  onListed: (at: Date | undefined) => void,
): Promise<ReadonlyMap<string, Meeting> | undefined> {
  const { meetings_until, unread } = manifest;
  if (meetings_until === undefined || unread?.nouns.includes('events')) return undefined;
  const changes = new Map<string, Meeting>();
  for await (const { at, records, total = 0 } of reader.meetings(meetings_until)) {
    onListed(at);
    for (const record of records) changes.set(record.value.id, record);
    if (Math.max(changes.size, total) > maxChanges) return undefined;
  }
  return changes;
}

function countUnion(base: Archive, changes: ReadonlyMap<string, Meeting>): number {
  const offsets = base.getOffsets('events');
  return offsets.size + [...changes.keys()].filter((id) => !offsets.has(id)).length;
}

/** Merges the meetings of an archive with changed ones, the latest start first. */
async function* mergeMeetings(base: Archive, changes: ReadonlyMap<string, Meeting>): Pages<'events'> {
  const changedMeetings = [...changes.values()].sort((a, b) => readStart(b) - readStart(a));
  let batch: Meeting[] = [];
  for (const meeting of base.records('events')) {
    if (changes.has(meeting.value.id)) continue;
    const start = readStart(meeting);
    for (let next = changedMeetings[0]; next && readStart(next) > start; next = changedMeetings[0]) {
      batch.push(next);
      changedMeetings.shift();
    }
    batch.push(meeting);
    if (batch.length < batchSize) continue;
    yield { records: batch, total: undefined, hasMore: true };
    batch = [];
  }
  yield { records: [...batch, ...changedMeetings], total: undefined, hasMore: false };
}

/** Returns the start of a meeting in milliseconds since 1970; 0 if it is invalid. */
const readStart = ({ value }: Meeting) => Date.parse(value.start_at) || 0;
