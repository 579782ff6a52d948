import type { Batch } from '../client/pagination.ts';
import { type CalendarEvent, calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import type { Received } from '../contract/received.ts';

type ReceivedEvent = Received<CalendarEvent>;

/** The range of requested start times, in seconds since 1970. */
interface StartTimes {
  readonly starts_after?: number | undefined;
  readonly starts_before?: number | undefined;
}

/**
 * Yields the batches of a list of meetings. Does not check `updated_at`: the specification does not say what updates it.
 * @throws {Failure} unverified if a meeting starts outside the requested range, because the service ignored the filter
 */
export async function* verifyStartTimes(
  batches: AsyncIterable<Batch<ReceivedEvent>>,
  { starts_after, starts_before }: StartTimes,
): AsyncGenerator<Batch<ReceivedEvent>> {
  const isFiltered = starts_after !== undefined || starts_before !== undefined;
  for await (const batch of batches) {
    for (const { value } of isFiltered ? batch.records : []) {
      // A time with a fraction of a second is within the requested second.
      const start = Math.floor(Date.parse(value.start_at ?? '') / 1000);
      if (starts_after !== undefined && start < starts_after) throw ignoredFilter('starts_after', value);
      if (starts_before !== undefined && start > starts_before) throw ignoredFilter('starts_before', value);
    }
    yield batch;
  }
}

function ignoredFilter(filter: keyof StartTimes, { id, start_at }: ReceivedEvent): Failure {
  return new Failure(
    'unverified',
    `The service ignored the filter ${filter}: it returned meeting "${id}", which starts at ${start_at}.`,
    { method: 'GET', path: calendarEvents.list.path, hint: 'Check the base URL with kith auth status.' },
  );
}
