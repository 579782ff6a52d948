import type { Sent } from '../contract/json-text.ts';
import { fieldsOf } from './columns.ts';

/** One status of a process with what its entries come to. */
export interface StatusReport {
  readonly status: string;
  /** `active`, `won` or `lost`; null for a status that entries hold and the process does not have. */
  readonly type: string | null;
  readonly entries: number;
  /** Of all entries, in percent with one decimal. */
  readonly share: number;
  readonly one_time_value_cents: number;
  readonly recurring_monthly_value_cents: number;
  readonly recurring_annual_value_cents: number;
  readonly recurring_one_time_value_cents: number;
}

type Sums = Record<'entries' | 'oneTime' | 'monthly' | 'annual' | 'one_time', bigint>;

/** A process by status, in the order of its pipeline; nothing is kept of an entry but its sums. */
export async function processReport(
  statuses: unknown,
  entries: AsyncIterable<Sent>,
): Promise<StatusReport[]> {
  const pipeline = Array.isArray(statuses) ? statuses.map(fieldsOf) : [];
  const sums = new Map(pipeline.map(({ name }) => [String(name), nothing()]));
  for await (const { value } of entries) add(sums, value);
  const total = [...sums.values()].reduce((sum, { entries }) => sum + Number(entries), 0);
  return Array.from(sums, ([status, sum]) => ({
    status,
    type: typeOf(status, pipeline),
    entries: Number(sum.entries),
    share: total === 0 ? 0 : Math.round((Number(sum.entries) * 1000) / total) / 10,
    one_time_value_cents: Number(sum.oneTime),
    recurring_monthly_value_cents: Number(sum.monthly),
    recurring_annual_value_cents: Number(sum.annual),
    recurring_one_time_value_cents: Number(sum.one_time),
  }));
}

const nothing = (): Sums => ({ entries: 0n, oneTime: 0n, monthly: 0n, annual: 0n, one_time: 0n });

function add(sums: Map<string, Sums>, value: unknown): void {
  const entry = fieldsOf(value);
  const status = String(entry.status ?? '');
  const sum = sums.get(status) ?? nothing();
  sums.set(status, sum);
  sum.entries += 1n;
  sum.oneTime += cents(entry.one_time_value_cents);
  const period = entry.recurring_value_period;
  if (period === 'monthly' || period === 'annual' || period === 'one_time') {
    sum[period] += cents(entry.recurring_value_cents);
  }
}

function cents(value: unknown): bigint {
  return Number.isSafeInteger(value) ? BigInt(Number(value)) : 0n;
}

function typeOf(status: string, pipeline: readonly Readonly<Record<string, unknown>>[]): string | null {
  const type = pipeline.find(({ name }) => name === status)?.type;
  return typeof type === 'string' ? type : null;
}
