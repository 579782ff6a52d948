import type { Archive } from '../../archive/archive.ts';
import { getRecordName } from '../../archive/record-name.ts';
import type { Result } from '../../contract/documents/results.ts';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';

/** The kinds of changes of an entry, in the order of the report. `value`: only the value of the entry changed. */
export const dealChanges = ['won', 'lost', 'reopened', 'moved', 'value', 'new', 'removed'] as const;

type DealChange = DealRow['change'];

/** A changed entry as it is printed. `from` and `before` are its earlier status and values. */
export type DealRow = Result<'report-change'>;

/** Compares the entries of a list with the entries that an archive has of it. Entries are matched by id. */
export class DealComparison {
  readonly #archive: Archive;
  readonly #listId: string;
  readonly #types: ReadonlyMap<string, string | null>;
  readonly #earlierTypes: ReadonlyMap<string, string | null>;
  /** The ids of the earlier entries that were not compared yet. */
  readonly #missingIds = new Set<string>();

  /** @throws {Failure} not_found if the archive does not have the list */
  constructor(archive: Archive, list: Received<List>) {
    this.#archive = archive;
    this.#listId = list.id;
    this.#types = toTypes(list);
    const earlier = archive.find('lists', list.id)?.value;
    if (!earlier)
      throw new Failure('not_found', `The archive does not contain the list "${list.name}".`, {
        hint: 'Use an archive of this workspace. Lists are matched by id.',
      });
    this.#earlierTypes = toTypes(earlier);
    for (const { value } of archive.records('entries'))
      if (value.list_id === list.id) this.#missingIds.add(value.id);
  }

  /** Returns the change of an entry; undefined if its status and values are the same. */
  compare(entry: Received<Entry>): DealRow | undefined {
    this.#missingIds.delete(entry.id);
    const earlier = this.#archive.find('entries', entry.id, this.#listId)?.value;
    const change = earlier ? this.#findChange(earlier, entry) : 'new';
    return change && this.#toRow(change, earlier, entry);
  }

  /** Yields the earlier entries that were not compared. */
  *listRemoved(): Generator<DealRow> {
    for (const id of this.#missingIds) {
      const earlier = this.#archive.find('entries', id, this.#listId)?.value;
      if (earlier) yield this.#toRow('removed', earlier, undefined);
    }
  }

  #findChange(earlier: Received<Entry>, entry: Received<Entry>): DealChange | undefined {
    if (earlier.status !== entry.status) {
      const type = this.#types.get(String(entry.status));
      const earlierType = this.#earlierTypes.get(String(earlier.status));
      if (type === 'won' || type === 'lost') return type === earlierType ? 'moved' : type;
      return earlierType === 'won' || earlierType === 'lost' ? 'reopened' : 'moved';
    }
    const values = valueFields.map((name) => [earlier[name], entry[name]] as const);
    return values.some(([before, after]) => (before ?? null) !== (after ?? null)) ? 'value' : undefined;
  }

  /** One of the two states is defined. The name comes from the archive if the record is in it. */
  #toRow(
    change: DealChange,
    earlier: Received<Entry> | undefined,
    entry: Received<Entry> | undefined,
  ): DealRow {
    const record = (entry ?? earlier) as Received<Entry>;
    const name = getRecordName(this.#archive, 'entries', { ...record, key: null });
    return {
      change,
      ...{ id: record.id, key: record.key ?? null, name },
      ...{ entryable_id: record.entryable_id, entryable_type: record.entryable_type },
      ...{ from: earlier?.status ?? null, to: entry?.status ?? null },
      ...readValues(record),
      before: earlier ? readValues(earlier) : null,
    };
  }
}

const valueFields = ['one_time_value_cents', 'recurring_value_cents', 'recurring_value_period'] as const;

const readValues = (entry: Received<Entry>) => ({
  one_time_value_cents: entry.one_time_value_cents ?? null,
  recurring_value_cents: entry.recurring_value_cents ?? null,
  recurring_value_period: entry.recurring_value_period ?? null,
});

const toTypes = ({ statuses = [] }: Received<List>) =>
  new Map((statuses ?? []).map(({ name, type }) => [name, type]));
