import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { View } from '../../render/columns.ts';
import type { AllTotals, ReportGroup } from '../../render/report/totals.ts';
import { views } from '../../render/views.ts';
import type { JsonObject } from '../../values/json-object.ts';

/** How a report groups entries. A group has a key; `noValue` is the key of the entries without a value. */
export interface Grouping {
  readonly heading: string;
  readonly view: View;
  /** The keys of groups that are shown even if they have no entries, in order. */
  readonly keys: readonly string[];
  /** Loads the data that `readKeys` needs for some entries. */
  readonly load?: (entries: readonly JsonObject[]) => Promise<void>;
  /** Returns the keys of an entry's groups; empty if it has no value. */
  readonly readKeys: (entry: JsonObject) => readonly string[];
  /** Returns the groups to show, in order, other than `noValue`. */
  readonly arrange: (
    keys: readonly string[],
    totals: AllTotals,
  ) => Promise<readonly string[]> | readonly string[];
  readonly describe: (key: string) => GroupDescription;
}

interface GroupDescription extends Pick<ReportGroup, 'label' | 'tone'> {
  /** The fields that JSON has before the totals. */
  readonly fields: JsonObject;
}

export const noValue = '';

/** Groups the entries of a process by status, in the order of the process. */
export function groupByStatus({ statuses = [], status_label }: Received<List>): Grouping {
  const types = new Map(statuses.map(({ name, type }) => [name, type]));
  return {
    heading: status_label ?? 'Status',
    view: views.report,
    keys: [...types.keys()],
    readKeys: ({ status }) => [String(status ?? '')],
    arrange: (keys) => keys,
    describe(status) {
      const type = types.get(status) ?? null;
      const tone = type === 'won' || type === 'lost' ? type : undefined;
      return { label: status, tone, fields: { status, type } };
    },
  };
}
