import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { isRecordFailure } from '../contract/errors.ts';
import type { Input } from '../contract/grammar.ts';
import { recordings } from '../contract/recordings.ts';
import { parseTranscript } from '../transcripts/transcript.ts';
import { type Meeting, type MeetingHit, type SearchOptions, searchRecording } from './search.ts';
import { verifyStartTimes } from './start-times.ts';

export interface ServiceSearchOptions extends SearchOptions {
  readonly client: Client;
  readonly filters: Omit<Input<typeof calendarEvents.list>, 'first' | 'after'>;
}

/** Meetings per request. */
const pageSize = 50;

/** Recordings that are fetched and held in memory at once. */
const maxRecordings = 4;

/** Searches the finished recordings of a service in the order of the meetings. Yields the hits of each recording together. */
export async function* searchService(options: ServiceSearchOptions): AsyncGenerator<MeetingHit[]> {
  const pending: Promise<MeetingHit[]>[] = [];
  const next = async function* () {
    const hits = await pending.shift();
    if (hits && hits.length > 0) yield hits;
  };
  for await (const { meeting, id } of listRecordings(options)) {
    const hits = search(options, meeting, id);
    hits.catch(() => {}); // thrown when it is awaited
    pending.push(hits);
    if (pending.length >= maxRecordings) yield* next();
  }
  while (pending.length > 0) yield* next();
}

async function* listRecordings({
  client,
  filters,
  onProgress,
}: ServiceSearchOptions): AsyncGenerator<{ meeting: Meeting; id: string }> {
  const paging = { size: pageSize, concurrency: 1 };
  let done = 0;
  const pages = client.pages(calendarEvents.list, filters, paging);
  for await (const { records, total } of verifyStartTimes(pages, filters)) {
    for (const { value } of records) {
      const { id, title, start_at } = value;
      const meeting = { event_id: id ?? '', title: title ?? '', start_at: start_at ?? '' };
      for (const recording of value.recordings ?? []) {
        if (recording.status === 'done') yield { meeting, id: recording.id ?? '' };
      }
      done += 1;
      onProgress(done, total);
    }
  }
}

async function search(options: ServiceSearchOptions, meeting: Meeting, id: string): Promise<MeetingHit[]> {
  try {
    const { transcript } = await options.client.read(recordings.get, { id });
    return await searchRecording(meeting, id, parseTranscript(transcript), options);
  } catch (error) {
    if (!isRecordFailure(error)) throw error;
    options.onSkipped({ name: `${id} "${meeting.title}"`, reason: error.message });
    return [];
  }
}
