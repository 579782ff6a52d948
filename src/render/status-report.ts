import { recurringPeriods } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import { formatCents } from '../values/money.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type Fields, fieldsOf, itemsOf } from './fields.ts';
import type { Paint, TableStyle } from './paint.ts';
import { sanitizeLine } from './sanitize.ts';
import { measureWidth, pad, truncate } from './width.ts';

/** A status of a process with the totals of its entries. A total that a double cannot hold is a text of digits. */
export interface StatusReport {
  readonly status: string;
  /** `active`, `won` or `lost`; null if entries have a status that the process does not define. */
  readonly type: string | null;
  readonly entries: number;
  /** Percentage of all entries, with one decimal. */
  readonly share: number;
  readonly one_time_value_cents: number | string;
  readonly recurring_monthly_value_cents: number | string;
  readonly recurring_annual_value_cents: number | string;
  readonly recurring_one_time_value_cents: number | string;
}

/** The totals of a status in cents; recurring values by their period. */
interface Totals {
  entries: number;
  value: bigint;
  readonly recurring: Record<(typeof recurringPeriods)[number], bigint>;
}

/** Totals the entries of a process by status, in the order of the process. Reads the entries as a stream. */
export async function buildStatusReport(
  statuses: unknown,
  entries: AsyncIterable<RawJson>,
): Promise<StatusReport[]> {
  const defined = itemsOf(statuses);
  const totals = new Map(defined.map(({ name }) => [String(name), createTotals()]));
  for await (const { value } of entries) addEntry(totals, fieldsOf(value));
  const count = [...totals.values()].reduce((sum, { entries }) => sum + entries, 0);
  return Array.from(totals, ([status, { entries, value, recurring }]) => ({
    status,
    type: findType(status, defined),
    entries,
    share: count === 0 ? 0 : Math.round((entries * 1000) / count) / 10,
    one_time_value_cents: toExactNumber(value),
    recurring_monthly_value_cents: toExactNumber(recurring.monthly),
    recurring_annual_value_cents: toExactNumber(recurring.annual),
    recurring_one_time_value_cents: toExactNumber(recurring.one_time),
  }));
}

const createTotals = (): Totals => ({
  entries: 0,
  value: 0n,
  recurring: { monthly: 0n, annual: 0n, one_time: 0n },
});

function addEntry(totals: Map<string, Totals>, entry: Fields): void {
  const status = String(entry.status ?? '');
  const total = totals.get(status) ?? createTotals();
  totals.set(status, total);
  total.entries += 1;
  total.value += parseCents(entry.one_time_value_cents);
  const period = recurringPeriods.find((known) => known === entry.recurring_value_period);
  if (period) total.recurring[period] += parseCents(entry.recurring_value_cents);
}

/** Parses whole cents, a number or a text of digits. @throws {Failure} failed for anything else. */
function parseCents(value: unknown): bigint {
  if (value === null || value === undefined) return 0n;
  if (/^-?\d+$/.test(String(value))) return BigInt(String(value));
  throw new Failure('failed', `An entry has the invalid value "${String(value)}": expected whole cents.`);
}

/** Returns a number, or a text of digits if a double cannot hold it. */
function toExactNumber(sum: bigint): number | string {
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
}

function findType(status: string, defined: readonly Fields[]): string | null {
  const type = defined.find(({ name }) => name === status)?.type;
  return typeof type === 'string' ? type : null;
}

const gap = '  ';
const maxBarWidth = 40;
const minBarWidth = 8;

/** The last character of a bar, in eighths of a character. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Renders a process as a bar chart: a line for each status, and one for the total. */
export function renderStatusChart(
  process: Fields,
  rows: readonly unknown[],
  { width = 100, paint }: TableStyle,
): string {
  const statuses = rows.map(fieldsOf);
  const total = statuses.reduce<Fields>(addTotals, { status: 'All' });
  const most = Math.max(1, ...statuses.map(({ entries }) => Number(entries)));
  const titles = [
    sanitizeLine(String(process.status_label ?? 'Status')),
    'Entries',
    'Share',
    'One-time',
    'Recurring',
  ];
  const cells = [...statuses, total].map((row) => formatCells(row, row === total));
  const [nameColumn = 0, ...numberColumns] = titles.map((title, index) =>
    Math.max(measureWidth(title), ...cells.map((row) => measureWidth(row[index] ?? ''))),
  );
  const fitting = fitColumns(width - 2 * minBarWidth - gap.length, numberColumns);
  const dropped = numberColumns.length - fitting.length;
  const room = width - sumWidths(fitting, dropped) - gap.length;
  const barWidth = Math.max(minBarWidth, Math.min(maxBarWidth, room - nameColumn));
  const nameWidth = Math.max(minBarWidth, Math.min(nameColumn, room - barWidth));
  const formatLine = (row: readonly string[], bar: string) =>
    [
      pad(truncate(row[0] ?? '', nameWidth), nameWidth),
      pad(bar, barWidth),
      ...fitting.map((columnWidth, index) => pad(row[index + 1] ?? '', columnWidth, 'right')),
      ...(dropped > 0 && row === titles ? [`+${dropped}`] : []),
    ]
      .join(gap)
      .trimEnd();
  const lines = statuses.map((row, index) =>
    formatLine(cells[index] ?? [], renderBar(row, (Number(row.entries) / most) * barWidth, paint)),
  );
  const name = paint.bold(truncate(sanitizeLine(String(process.name ?? '')), width));
  const lastLine = formatLine(cells.at(-1) ?? [], '');
  return `${[name, '', paint.dim(formatLine(titles, '')), ...lines, lastLine].join('\n')}\n`;
}

function formatCells(row: Fields, isTotal: boolean): string[] {
  return [
    sanitizeLine(String(row.status)),
    String(row.entries ?? 0),
    isTotal ? '' : `${Number(row.share).toFixed(1)} %`,
    formatAmount(row.one_time_value_cents),
    formatRecurring(row),
  ];
}

/** Returns the columns that fit beside the bars. Drops columns from the end; their number is printed instead. */
function fitColumns(room: number, widths: readonly number[]): readonly number[] {
  const counts = widths.map((_, index) => widths.length - index);
  const fitting = counts.find((count) => sumWidths(widths.slice(0, count), widths.length - count) <= room);
  return widths.slice(0, fitting ?? 1);
}

/** Sums the widths of columns with the gaps before them, and of the number of dropped columns. */
function sumWidths(widths: readonly number[], dropped: number): number {
  const columns = dropped > 0 ? [...widths, `+${dropped}`.length] : widths;
  return columns.reduce((sum, width) => sum + width + gap.length, 0);
}

function addTotals(sum: Fields, row: Fields): Fields {
  const numbers = Object.entries(row).filter(([, value]) => typeof value === 'number');
  return {
    ...sum,
    ...Object.fromEntries(numbers.map(([key, value]) => [key, Number(sum[key] ?? 0) + Number(value)])),
  };
}

/** Formats cents with a comma between thousands: `1,200.00`. */
function formatAmount(cents: unknown): string {
  return String(formatCents(Number(cents ?? 0))).replace(/\B(?=(\d{3})+(?=\.))/g, ',');
}

/** Formats recurring values by their period: `1,200.00/month + 99.00/year`. */
function formatRecurring(row: Fields): string {
  const parts = [
    [row.recurring_monthly_value_cents, '/month'],
    [row.recurring_annual_value_cents, '/year'],
    [row.recurring_one_time_value_cents, ' once'],
  ].filter(([cents]) => Number(cents ?? 0) > 0);
  return parts.map(([cents, period]) => `${formatAmount(cents)}${period}`).join(' + ') || '-';
}

function renderBar({ type }: Fields, length: number, paint: Paint): string {
  const bar = '█'.repeat(Math.floor(length)) + (eighths[Math.floor((length % 1) * 8)] ?? '');
  return type === 'lost' ? paint.dim(bar) : type === 'won' ? paint.green(bar) : bar;
}
