import type { Client } from '../client/client.ts';
import { type CalendarEvent, calendarEvents } from '../contract/calendar-events.ts';
import type { Received } from '../contract/received.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { ExportFilter } from './ledger-format.ts';

export type ReceivedEvent = Received<CalendarEvent>;

/** Few pages at once, because the recordings are fetched meanwhile. */
const paging = { concurrency: 2 };

/** The calendar events of a run. The other members are known after `events` was read. */
export interface EventList {
  readonly events: AsyncIterable<RawJson<ReceivedEvent>>;
  readonly ids: ReadonlySet<string>;
  readonly total: () => number | undefined;
  /** When the first page arrived, on the service's clock if it sends the time. */
  readonly listedAt: () => Date;
  /** The newest `updated_at` received, in seconds since 1970. */
  readonly newest: () => number | undefined;
  /** Whether every event arrived. A list that changed while it was read may have gaps. */
  readonly isComplete: () => boolean;
}

/** Selects the events of a run. Times are in seconds since 1970. */
export interface EventQuery {
  readonly filter: ExportFilter;
  /** Only events updated after this time; undefined for all. */
  readonly updatedAfter: number | undefined;
  /** Also all events that started within this many seconds before the service's time. */
  readonly recent: number | undefined;
}

/** Lists each event that matches a query once. */
export function createEventList(
  client: Client,
  { filter, updatedAfter, recent }: EventQuery,
  now: Date,
): EventList {
  const ids = new Set<string>();
  let listedAt: Date | undefined;
  let total: number | undefined;
  let newest: number | undefined;
  let isComplete = true;
  async function* read(times: { updated_after?: number | undefined; starts_after?: number }) {
    const totals = new Set<number | undefined>();
    // There may be a million ids, so the first query shares the set.
    const ownIds = ids.size === 0 ? ids : new Set<string>();
    for await (const page of client.pages(calendarEvents.list, { ...filter, ...times }, paging)) {
      listedAt ??= page.at ?? now;
      totals.add(page.total);
      total = page.total === undefined ? undefined : Math.max(page.total, ids.size);
      for (const event of page.records) {
        const id = event.value.id ?? '';
        newest = findLatest(newest, event.value.updated_at ?? '');
        const isNew = !ids.has(id);
        ids.add(id);
        ownIds.add(id);
        if (isNew) yield event;
      }
    }
    isComplete &&= totals.size === 1 && ownIds.size >= ([...totals][0] ?? 0);
  }
  const events = (async function* () {
    yield* read({ updated_after: updatedAfter });
    if (recent !== undefined) yield* read({ starts_after: toSeconds(listedAt ?? now) - recent });
  })();
  return {
    events,
    ids,
    total: () => total,
    listedAt: () => listedAt ?? now,
    newest: () => newest,
    isComplete: () => isComplete && listedAt !== undefined,
  };
}

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000);

/** Returns the later of a time in seconds and an ISO 8601 time, ignoring an invalid one. */
function findLatest(seconds: number | undefined, updated_at: string): number | undefined {
  const time = new Date(updated_at);
  return Number.isNaN(time.getTime()) ? seconds : Math.max(seconds ?? 0, toSeconds(time));
}
