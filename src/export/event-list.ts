import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import { TextSet } from '../dense/text-set.ts';
import { fieldsOf, plain } from '../render/fields.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { ExportFilter } from './ledger-format.ts';

/** The recordings are read beside it. */
const paging = { concurrency: 2 };

/** The list of a run, and what is known of it when it was read. */
export interface EventList {
  readonly events: AsyncIterable<RawJson>;
  /** The ids that came. */
  readonly ids: Pick<TextSet, 'has' | 'size'>;
  readonly total: () => number | undefined;
  /** When its first page came, on the service's clock where that tells the time. */
  readonly listedAt: () => Date;
  /** The newest `updated_at` received, in seconds since 1970. */
  readonly newest: () => number | undefined;
  /** Whether all that the service has came. A list that has become another while it was read may have gaps. */
  readonly isComplete: () => boolean;
}

/** Which events a run lists. Times are in seconds since 1970. */
export interface EventQuery {
  readonly filter: ExportFilter;
  /** Only events updated after this time; undefined for all. */
  readonly updatedAfter: number | undefined;
  /** Also all events that started within this many seconds before the service's time, whenever they were updated. */
  readonly recent: number | undefined;
}

/** Reads each event that passes a filter once. */
export function createEventList(
  client: Client,
  { filter, updatedAfter, recent }: EventQuery,
  now: Date,
): EventList {
  const seen = new TextSet();
  let answeredAt: Date | undefined;
  let total: number | undefined;
  let newest: number | undefined;
  let isWhole = true;
  async function* read(times: { updated_after?: number | undefined; starts_after?: number }) {
    const totals = new Set<number | undefined>();
    // There may be a million ids, so the first query shares the set.
    const ids = seen.size === 0 ? seen : new TextSet();
    for await (const page of client.pages(calendarEvents.list, { ...filter, ...times }, paging)) {
      answeredAt ??= page.at ?? now;
      totals.add(page.total);
      total = page.total === undefined ? undefined : Math.max(page.total, seen.size);
      for (const event of page.records) {
        const { id, updated_at } = fieldsOf(event.value);
        newest = latest(newest, updated_at);
        const isNew = seen.add(plain(id));
        if (ids !== seen) ids.add(plain(id));
        if (isNew) yield event;
      }
    }
    isWhole &&= totals.size === 1 && ids.size >= ([...totals][0] ?? 0);
  }
  const events = (async function* () {
    yield* read({ updated_after: updatedAfter });
    if (recent !== undefined) yield* read({ starts_after: toSeconds(answeredAt ?? now) - recent });
  })();
  return {
    events,
    ids: seen,
    total: () => total,
    listedAt: () => answeredAt ?? now,
    newest: () => newest,
    isComplete: () => isWhole && answeredAt !== undefined,
  };
}

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000);

/** Returns the later of a time in seconds and an ISO 8601 time, ignoring an invalid one. */
function latest(seconds: number | undefined, updated_at: unknown): number | undefined {
  const time = new Date(plain(updated_at));
  return Number.isNaN(time.getTime()) ? seconds : Math.max(seconds ?? 0, toSeconds(time));
}
