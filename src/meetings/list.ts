import type { Client } from '../client/client.ts';
import { calendarEvents } from '../contract/calendar-events.ts';
import type { Sent } from '../contract/json-text.ts';
import { TextSet } from '../dense/text-set.ts';
import { fieldsOf, plain } from '../output/fields.ts';
import type { Filter } from './ledger-lines.ts';

/** The recordings are read beside it. */
const paging = { sideBySide: 2 };

/** The list of a run, and what is known of it when it was read. */
export interface List {
  readonly events: AsyncIterable<Sent>;
  /** The ids that came. */
  readonly seen: Pick<TextSet, 'has' | 'size'>;
  readonly total: () => number | undefined;
  /** When its first page came, on the service's clock where that tells the time. */
  readonly answeredAt: () => Date;
  /** Whether all that the service has came. A list that has become another while it was read may have gaps. */
  readonly isWhole: () => boolean;
}

/** Reads the events that pass a filter. */
export function listOf(
  client: Client,
  query: Filter & { readonly updated_after: number | undefined },
  now: Date,
): List {
  const seen = new TextSet();
  const totals: (number | undefined)[] = [];
  let answeredAt = now;
  const events = (async function* () {
    for await (const { records, total, at } of client.pages(calendarEvents.list, query, paging)) {
      if (totals.length === 0) answeredAt = at ?? now;
      totals.push(total);
      for (const event of records) {
        const id = plain(fieldsOf(event.value).id);
        if (seen.add(id)) yield event;
      }
    }
  })();
  return {
    events,
    seen,
    total: () => totals.at(-1),
    answeredAt: () => answeredAt,
    isWhole: () => new Set(totals).size === 1 && seen.size >= (totals[0] ?? 0),
  };
}
