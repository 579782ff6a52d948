import type { Result } from '../../contract/documents/results.ts';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import { recurringPeriods } from '../../contract/record-fields.ts';

const amounts = [
  'one_time_value_cents',
  'recurring_monthly_value_cents',
  'recurring_annual_value_cents',
  'recurring_one_time_value_cents',
  'first_year_value_cents',
] as const;
type Amounts<T> = Record<(typeof amounts)[number], T>;

/** The totals of a group of entries. A total that a double cannot hold is a text of digits. */
export type GroupTotals = Omit<Result<'report-group'>, 'group' | 'id' | 'currency'>;

/** A group of a report. */
export interface ReportGroup extends GroupTotals {
  /** The name of the group, for people. */
  readonly label: string;
  readonly tone?: 'won' | 'lost' | 'none' | undefined;
}

/** The entries of a list in groups. */
export interface Report {
  /** The name of the list. */
  readonly name: string;
  /** The heading of the groups: `Status`, `Expected close`. */
  readonly heading: string;
  readonly groups: readonly ReportGroup[];
  /** Counts each entry once, even if it is in several groups. */
  readonly total: GroupTotals;
  /** Whether the entries can have values. Only the entries of a process can. */
  readonly hasValues: boolean;
  /** Whether an entry is in several groups. */
  readonly isOverlapping: boolean;
  readonly currency: string | undefined;
  /** The entries with the largest values in the first year, largest first. */
  readonly largest: readonly ValuedEntry[];
}

interface ValuedEntry {
  readonly entry: Received<Entry>;
  readonly first_year_value_cents: number | string;
}

/** The maximum number of entries that a page lists. */
const maxLargest = 200;

/** Explains the value by which entries and groups are compared. */
export const firstYearFormula = 'one-time + 12 × per month + per year';

const mapAmounts = <T>(getAmount: (name: keyof Amounts<T>) => T) =>
  Object.fromEntries(amounts.map((name) => [name, getAmount(name)])) as Amounts<T>; // fromEntries() loses the names

/** The totals of a group in cents. */
type Sums = Amounts<bigint> & { entries: number };

const createSums = (): Sums => ({ entries: 0, ...mapAmounts(() => 0n) });

/** Adds up entries by the keys of their groups. `keys`: the groups that exist without entries, in order. */
export function createGroupTotals(keys: Iterable<string>) {
  const groups = new Map(Array.from(keys, (key) => [key, createSums()]));
  const all = createSums();
  let largest: { readonly entry: Received<Entry>; readonly value: bigint }[] = [];
  const dropSmaller = () => {
    largest = largest.toSorted((left, right) => Number(right.value - left.value)).slice(0, maxLargest);
  };
  const toTotals = (sums: Sums): GroupTotals => ({
    entries: sums.entries,
    share: all.entries === 0 ? 0 : Math.round((sums.entries * 1000) / all.entries) / 10,
    ...mapAmounts((name) => toExactNumber(sums[name])),
  });
  return {
    /** Adds an entry to its groups. @throws {Failure} failed if a value is not in whole cents */
    add(entry: Received<Entry>, keys: ReadonlySet<string>): void {
      const values = readValues(entry);
      addValues(all, values);
      largest.push({ entry, value: values.first_year_value_cents ?? 0n });
      if (largest.length === 2 * maxLargest) dropSmaller();
      for (const key of keys) {
        const sums = groups.get(key) ?? createSums();
        groups.set(key, sums);
        addValues(sums, values);
      }
    },
    /** Returns the keys in the order in which they were added. */
    listKeys: (): string[] => [...groups.keys()],
    get: (key: string): GroupTotals => toTotals(groups.get(key) ?? createSums()),
    getTotal: (): GroupTotals => toTotals(all),
    listLargest: (): ValuedEntry[] => {
      dropSmaller();
      return largest.map(({ entry, value }) => ({ entry, first_year_value_cents: toExactNumber(value) }));
    },
  };
}

export type AllTotals = ReturnType<typeof createGroupTotals>;

type Values = Partial<Amounts<bigint>>;

/** Returns the values of an entry in cents. */
export function readValues(entry: Received<Entry>): Values {
  const period = recurringPeriods.find((known) => known === entry.recurring_value_period);
  const once = parseCents(entry.one_time_value_cents);
  const recurring = parseCents(entry.recurring_value_cents);
  if (!period) return { one_time_value_cents: once, first_year_value_cents: once };
  return {
    one_time_value_cents: once,
    [`recurring_${period}_value_cents`]: recurring,
    first_year_value_cents: once + (period === 'monthly' ? 12n : 1n) * recurring,
  };
}

function addValues(sums: Sums, values: Values): void {
  sums.entries += 1;
  for (const name of amounts) sums[name] += values[name] ?? 0n;
}

/** Parses whole cents, a number or a text of digits. @throws {Failure} failed for anything else. */
function parseCents(value: number | string | null | undefined): bigint {
  if (value === null || value === undefined) return 0n;
  if (/^-?\d+$/.test(String(value))) return BigInt(String(value));
  throw new Failure('failed', `An entry has the invalid value "${value}": expected whole cents.`);
}

/** Returns a number, or a text of digits if a double cannot hold it. */
function toExactNumber(sum: bigint): number | string {
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
}
