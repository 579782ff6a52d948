import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { isRecordFailure } from '../contract/errors.ts';
import type { Input } from '../contract/grammar.ts';
import { recordings } from '../contract/recordings.ts';
import { fieldsOf, itemsOf } from '../render/fields.ts';
import { parseTranscript } from '../transcripts/transcript.ts';
import { type Meeting, type MeetingHit, type SearchOptions, searchRecording } from './search.ts';
import { verifyStartTimes } from './start-times.ts';

/** Which meetings of the service are searched. */
export interface ServiceSearchOptions extends SearchOptions {
  readonly client: Client;
  readonly filters: Omit<Input<typeof calendarEvents.list>, 'first' | 'after'>;
}

/** Meetings to a request. */
const pageSize = 50;

/** Recordings that are asked for, and held, at once. */
const atOnce = 4;

/**
 * Searches the recordings of a service that are done, meetings in the order of their list; gives the hits of a
 * recording together.
 */
export async function* searchService(searching: ServiceSearchOptions): AsyncGenerator<MeetingHit[]> {
  const underWay: Promise<MeetingHit[]>[] = [];
  const next = async function* () {
    const found = await underWay.shift();
    if (found && found.length > 0) yield found;
  };
  for await (const { meeting, id } of recordingsDone(searching)) {
    const found = searched(searching, meeting, id);
    found.catch(() => {}); // told when its turn comes
    underWay.push(found);
    if (underWay.length >= atOnce) yield* next();
  }
  while (underWay.length > 0) yield* next();
}

async function* recordingsDone({
  client,
  filters,
  onProgress,
}: ServiceSearchOptions): AsyncGenerator<{ meeting: Meeting; id: string }> {
  const reading = { size: pageSize, concurrency: 1 };
  let done = 0;
  const pages = client.pages(calendarEvents.list, filters, reading);
  for await (const { records, total } of verifyStartTimes(pages, filters)) {
    for (const { value } of records) {
      const { id, title, start_at, recordings } = fieldsOf(value);
      const meeting = { event_id: String(id), title: String(title ?? ''), start_at: String(start_at ?? '') };
      for (const recording of itemsOf(recordings)) {
        if (recording.status === 'done') yield { meeting, id: String(recording.id) };
      }
      done += 1;
      onProgress(done, total);
    }
  }
}

async function searched(
  searching: ServiceSearchOptions,
  meeting: Meeting,
  id: string,
): Promise<MeetingHit[]> {
  const { client, onNotSearched } = searching;
  try {
    const { transcript } = fieldsOf(await client.read(recordings.get, { id }));
    return await searchRecording(meeting, id, parseTranscript(transcript), searching);
  } catch (error) {
    if (!isRecordFailure(error)) throw error;
    onNotSearched({ name: `${id} "${meeting.title}"`, reason: error.message });
    return [];
  }
}
