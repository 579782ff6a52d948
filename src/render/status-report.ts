import { recurringPeriods } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type Fields, fieldsOf, itemsOf } from './fields.ts';

/** One status of a process with what its entries come to. */
export interface StatusReport {
  readonly status: string;
  /** `active`, `won` or `lost`; null for a status that entries hold and the process does not have. */
  readonly type: string | null;
  readonly entries: number;
  /** Of all entries, in percent with one decimal. */
  readonly share: number;
  readonly one_time_value_cents: number | string;
  readonly recurring_monthly_value_cents: number | string;
  readonly recurring_annual_value_cents: number | string;
  readonly recurring_one_time_value_cents: number | string;
}

/** What the entries of a status come to, in cents; recurring values by their period. */
interface Sums {
  entries: number;
  value: bigint;
  readonly recurring: Record<(typeof recurringPeriods)[number], bigint>;
}

/** A process by status, in the order of its pipeline; nothing is kept of an entry but its sums. */
export async function buildStatusReport(
  statuses: unknown,
  entries: AsyncIterable<RawJson>,
): Promise<StatusReport[]> {
  const pipeline = itemsOf(statuses);
  const sums = new Map(pipeline.map(({ name }) => [String(name), nothing()]));
  for await (const { value } of entries) add(sums, value);
  const total = [...sums.values()].reduce((sum, { entries }) => sum + entries, 0);
  return Array.from(sums, ([status, { entries, value, recurring }]) => ({
    status,
    type: typeOf(status, pipeline),
    entries,
    share: total === 0 ? 0 : Math.round((entries * 1000) / total) / 10,
    one_time_value_cents: exact(value),
    recurring_monthly_value_cents: exact(recurring.monthly),
    recurring_annual_value_cents: exact(recurring.annual),
    recurring_one_time_value_cents: exact(recurring.one_time),
  }));
}

const nothing = (): Sums => ({ entries: 0, value: 0n, recurring: { monthly: 0n, annual: 0n, one_time: 0n } });

function add(sums: Map<string, Sums>, value: unknown): void {
  const entry = fieldsOf(value);
  const status = String(entry.status ?? '');
  const sum = sums.get(status) ?? nothing();
  sums.set(status, sum);
  sum.entries += 1;
  sum.value += cents(entry.one_time_value_cents);
  const period = recurringPeriods.find((known) => known === entry.recurring_value_period);
  if (period) sum.recurring[period] += cents(entry.recurring_value_cents);
}

/** Whole cents; one that a double cannot hold comes as the text of its digits. Throws `failed` for anything else. */
function cents(value: unknown): bigint {
  if (value === null || value === undefined) return 0n;
  if (/^-?\d+$/.test(String(value))) return BigInt(String(value));
  throw new Failure('failed', `An entry has "${String(value)}" for a value, which is no number of cents.`);
}

/** A sum as a number, or as the text of its digits where a double cannot hold it. */
function exact(sum: bigint): number | string {
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
}

function typeOf(status: string, pipeline: readonly Fields[]): string | null {
  const type = pipeline.find(({ name }) => name === status)?.type;
  return typeof type === 'string' ? type : null;
}
