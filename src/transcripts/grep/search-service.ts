import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { type CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { Failure, isRecordFailure } from '../../contract/errors.ts';
import type { Input } from '../../contract/grammar.ts';
import type { Received } from '../../contract/received.ts';
import { recordings } from '../../contract/recordings.ts';
import { parseTranscript } from '../transcript.ts';
import { type Meeting, type MeetingHit, type SearchOptions, searchRecording } from './grep.ts';

type MeetingFilters = Omit<Input<typeof calendarEvents.list>, 'first' | 'after'>;

export interface ServiceSearchOptions extends SearchOptions {
  readonly client: Client;
  readonly filters: MeetingFilters;
  /** Drops meetings that a service returns in spite of a filter. */
  readonly select?: (pages: AsyncIterable<MeetingPage>) => AsyncIterable<MeetingPage>;
}

type MeetingPage = Batch<Received<CalendarEvent>>;

/** Recordings that are fetched and held in memory at once. */
const maxRecordings = 4;

/** Searches the finished recordings of a service in the order of the meetings. Yields the hits of each recording together. */
export async function* searchService(options: ServiceSearchOptions): AsyncGenerator<MeetingHit[]> {
  const { client, filters, select = (pages) => pages, onProgress } = options;
  const pendingSearches: Promise<MeetingHit[]>[] = [];
  async function* takeHits(left: number) {
    while (pendingSearches.length > left) {
      const hits = await pendingSearches.shift();
      if (hits && hits.length > 0) yield hits;
    }
  }
  let done = 0;
  const pages = client.pages(calendarEvents.list, filters, { size: 50, concurrency: 1 });
  for await (const { records, total } of select(verifyStartTimes(pages, filters))) {
    for (const { value } of records) {
      const { id, title, start_at, recordings } = value;
      const meeting = { event_id: id, title, start_at };
      for (const recording of recordings) {
        if (recording.status !== 'done') continue;
        const hits = search(options, meeting, recording.id);
        hits.catch(() => {}); // thrown when it is awaited
        pendingSearches.push(hits);
        yield* takeHits(maxRecordings - 1);
      }
      done += 1;
      onProgress(done, total);
    }
  }
  yield* takeHits(0);
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

/**
 * Yields the batches of a list of meetings. Does not check `updated_at`: the specification does not say what updates it.
 * @throws {Failure} unverified if a meeting starts outside the requested range, because the service ignored the filter
 */
export async function* verifyStartTimes(
  batches: AsyncIterable<MeetingPage>,
  { starts_after = Number.NEGATIVE_INFINITY, starts_before = Number.POSITIVE_INFINITY }: MeetingFilters,
): AsyncGenerator<MeetingPage> {
  for await (const batch of batches) {
    for (const { value } of batch.records) {
      // A time with a fraction of a second is within the requested second.
      const start = Math.floor(Date.parse(value.start_at) / 1000);
      const isEarly = start < starts_after;
      if (!isEarly && !(start > starts_before)) continue;
      const filter = isEarly ? 'starts_after' : 'starts_before';
      throw new Failure(
        'unverified',
        `The service ignored the filter ${filter}: it returned meeting "${value.id}", which starts at ${value.start_at}.`,
        { method: 'GET', path: calendarEvents.list.path, hint: 'Check the base URL with kith auth status.' },
      );
    }
    yield batch;
  }
}
