import type { Client } from '../client/client.ts';
import { type CalendarEvent, calendarEvents } from '../contract/calendar-events.ts';
import type { Input } from '../contract/grammar.ts';
import type { Received } from '../contract/received.ts';
import type { RawJson } from '../values/raw-json.ts';
import type { ExportFilter } from './ledger-format.ts';

export type ReceivedEvent = Received<CalendarEvent>;

/** Few pages at once, because recordings are fetched at the same time. */
const paging = { concurrency: 2 };

/** Reads the calendar events of a run and collects their ids, count and latest update. Times are in seconds since 1970. */
export class EventList {
  readonly ids = new Set<string>();
  /** The number of events, if the service sends it. */
  total: number | undefined;
  /** The arrival time of the first page, by the service's clock if it sends the time. */
  listedAt = 0;
  /** The newest `updated_at` received. */
  latestUpdate = 0;
  /** Whether the list has no gaps so far. A list that changes while it is read may have gaps. */
  isComplete = true;
  readonly #client: Client;
  readonly #now: Date;

  constructor(client: Client, now: Date) {
    this.#client = client;
    this.#now = now;
  }

  /** Yields each event that was updated after a time or started in the last `recent` seconds, once. */
  async *read(
    filter: ExportFilter,
    updatedAfter: number | undefined,
    recent: number | undefined,
  ): AsyncGenerator<RawJson<ReceivedEvent>> {
    yield* this.#readPages({ ...filter, updated_after: updatedAfter });
    if (recent !== undefined) yield* this.#readPages({ ...filter, starts_after: this.listedAt - recent });
  }

  async *#readPages(filters: Input<typeof calendarEvents.list>): AsyncGenerator<RawJson<ReceivedEvent>> {
    const totals = new Set<number | undefined>();
    let count = 0;
    for await (const { at, total, records } of this.#client.pages(calendarEvents.list, filters, paging)) {
      this.listedAt ||= toSeconds(at ?? this.#now);
      totals.add(total);
      this.total = total === undefined ? undefined : Math.max(total, this.ids.size);
      count += records.length;
      for (const event of records) {
        const { id, updated_at } = event.value;
        // An invalid time is NaN, which the comparison ignores.
        const updateTime = toSeconds(new Date(updated_at));
        if (updateTime > this.latestUpdate) this.latestUpdate = updateTime;
        const isNew = !this.ids.has(id);
        this.ids.add(id);
        if (isNew) yield event;
      }
    }
    this.isComplete &&= totals.size === 1 && count >= ([...totals][0] ?? 0);
  }
}

/** Returns the recordings of an event as the service lists them. */
export function listRecordings({ recordings }: ReceivedEvent): { id: string; status: string }[] {
  return recordings.map(({ id, status }) => ({ id, status: status ?? '' }));
}

const toSeconds = (time: Date) => Math.floor(time.getTime() / 1000);
