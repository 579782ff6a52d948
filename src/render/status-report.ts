import type { Entry } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import type { List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { recurringPeriods } from '../contract/record-fields.ts';
import { formatAmount } from '../values/money.ts';
import type { RawJson } from '../values/raw-json.ts';
import { type ColumnSize, fitColumns, formatRow } from './text/columns.ts';
import type { Paint, TableStyle } from './text/paint.ts';
import { wrapParagraph } from './text/paragraph.ts';
import { sanitizeLine } from './text/sanitize.ts';
import { measureWidth, wrap } from './text/width.ts';

const amounts = [
  'one_time_value_cents',
  'recurring_monthly_value_cents',
  'recurring_annual_value_cents',
  'recurring_one_time_value_cents',
] as const;
type Amounts<T> = Record<(typeof amounts)[number], T>;

/** A status of a process with the totals of its entries. A total that a double cannot hold is a text of digits. */
export interface StatusReport extends Readonly<Amounts<number | string>> {
  readonly status: string;
  /** `active`, `won` or `lost`; null if entries have a status that the process does not define. */
  readonly type: string | null;
  readonly entries: number;
  /** Percentage of all entries, with one decimal. */
  readonly share: number;
}

const mapAmounts = <T>(getAmount: (name: keyof Amounts<T>) => T) =>
  Object.fromEntries(amounts.map((name) => [name, getAmount(name)])) as Amounts<T>; // fromEntries() loses the names

/** The totals of a status in cents. */
type Totals = Amounts<bigint> & { entries: number };

const createTotals = (): Totals => ({ entries: 0, ...mapAmounts(() => 0n) });

/** Totals the entries of a process by status, in the order of the process. Reads the entries as a stream. */
export async function buildStatusReport(
  { statuses = [] }: Received<List>,
  entries: AsyncIterable<RawJson<Received<Entry>>>,
): Promise<StatusReport[]> {
  const types = new Map(statuses.map(({ name, type }) => [name, type]));
  const totals = new Map(Array.from(types.keys(), (name) => [name, createTotals()]));
  for await (const { value } of entries) {
    const status = value.status ?? '';
    const total = totals.get(status) ?? createTotals();
    totals.set(status, total);
    total.entries += 1;
    total.one_time_value_cents += parseCents(value.one_time_value_cents);
    const period = recurringPeriods.find((known) => known === value.recurring_value_period);
    if (period) total[`recurring_${period}_value_cents`] += parseCents(value.recurring_value_cents);
  }
  const count = [...totals.values()].reduce((sum, { entries }) => sum + entries, 0);
  return Array.from(totals, ([status, total]) => ({
    status,
    type: types.get(status) ?? null,
    entries: total.entries,
    share: count === 0 ? 0 : Math.round((total.entries * 1000) / count) / 10,
    ...mapAmounts((name) => toExactNumber(total[name])),
  }));
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

const indent = 2;
const maxBarWidth = 40;
const minBarWidth = 5;

/** The last character of a bar, in eighths of a character. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Renders a process as a bar chart, with a line for each status and a line for the total. */
export function renderStatusChart(
  process: Received<List>,
  rows: readonly unknown[],
  { width = 100, paint }: TableStyle,
): string {
  const statuses = rows as readonly StatusReport[]; // from buildStatusReport
  const total = sumStatuses(statuses);
  const most = Math.max(1, ...statuses.map(({ entries }) => entries));
  const label = sanitizeLine(process.status_label ?? 'Status');
  const titles = [label, 'Entries', 'Share', 'One-time', 'Recurring'];
  const cells = [...statuses, total].map((row) => formatCells(row, row === total));
  const [nameSize, entriesSize, ...moreSizes] = titles.map((title, index): ColumnSize => {
    const texts = [title, ...cells.map((row) => row[index] ?? '')];
    return { width: Math.max(...texts.map(measureWidth)), shrink: 0 };
  });
  const sizes: ColumnSize[] = [
    { width: 1, ...nameSize, shrink: 1, presence: 'kept' },
    { width: maxBarWidth, minimum: minBarWidth, shrink: 3, presence: 'kept' },
    { width: 1, ...entriesSize, shrink: 0, presence: 'kept' },
    ...moreSizes,
  ];
  const [nameWidth = 1, barWidth = minBarWidth, ...numberWidths] = fitColumns(sizes, width);
  const formatLines = (row: readonly string[], bar: string): string[] => {
    const [name = '', ...nameLines] = wrap(row[0] ?? '', nameWidth);
    const numbers = row.slice(1).map((text) => ({ text, isRightAligned: true }));
    // The numbers that do not fit next to the bars are printed below them.
    const below = titles
      .slice(1)
      .map((title, index) => `${title}: ${row[index + 1]}`)
      .filter((_, index) => numberWidths[index] === undefined && row !== titles && row[index + 1] !== '-');
    return [
      formatRow([{ text: name }, { text: bar }, ...numbers], [nameWidth, barWidth, ...numberWidths]),
      ...nameLines,
      ...below.map((text) => ' '.repeat(indent) + wrapParagraph(text, width - indent, 2 * indent)),
    ];
  };
  const lines = statuses.flatMap((row, index) =>
    formatLines(cells[index] ?? [], renderBar(row, (row.entries / most) * barWidth, paint)),
  );
  const name = wrap(sanitizeLine(process.name), width).map((line) => paint.bold(line));
  const head = formatLines(titles, '').map((line) => paint.dim(line));
  return `${[...name, '', ...head, ...lines, ...formatLines(cells.at(-1) ?? [], '')].join('\n')}\n`;
}

function formatCells(row: StatusReport, isTotal: boolean): string[] {
  return [
    sanitizeLine(row.status),
    String(row.entries),
    isTotal ? '' : `${row.share.toFixed(1)}%`,
    formatAmount(row.one_time_value_cents),
    formatRecurring(row),
  ];
}

/** Sums the statuses for the line of the total, which has no share. */
function sumStatuses(statuses: readonly StatusReport[]): StatusReport {
  const sum = (name: keyof StatusReport) => statuses.reduce((total, row) => total + Number(row[name]), 0);
  return { status: 'All', type: null, entries: sum('entries'), share: 100, ...mapAmounts(sum) };
}

/** Formats recurring values by their period: `1,200.00/month + 99.00/year`. */
function formatRecurring(row: StatusReport): string {
  const periods = { monthly: '/month', annual: '/year', one_time: ' once' };
  const parts = recurringPeriods.flatMap((period) => {
    const cents = row[`recurring_${period}_value_cents`];
    return Number(cents) > 0 ? [`${formatAmount(cents)}${periods[period]}`] : [];
  });
  return parts.join(' + ') || '-';
}

function renderBar({ type }: StatusReport, length: number, paint: Paint): string {
  const bar = '█'.repeat(Math.floor(length)) + (eighths[Math.floor((length % 1) * 8)] ?? '');
  return type === 'lost' ? paint.dim(bar) : type === 'won' ? paint.green(bar) : bar;
}
