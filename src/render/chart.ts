import { formatCents } from '../values/money.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { sanitizeLine } from './sanitize.ts';
import { type TableStyle, truncate } from './table.ts';
import { measureWidth } from './width.ts';

const gap = '  ';
const longest = 40;
const shortest = 8;

/** The parts of a whole cell that a bar can end with, in eighths. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A process as a bar chart: a line for each status, and one for all of them. */
export function renderStatusChart(
  process: Fields,
  rows: readonly unknown[],
  { width = 100, paint }: TableStyle,
): string {
  const statuses = rows.map(fieldsOf);
  const all = statuses.reduce<Fields>(addTotals, { status: 'All' });
  const most = Math.max(1, ...statuses.map(({ entries }) => Number(entries)));
  const cells = [...statuses, all].map((row) => [
    sanitizeLine(String(row.status)),
    String(row.entries ?? 0),
    row === all ? '' : `${Number(row.share).toFixed(1)} %`,
    formatAmount(row.one_time_value_cents),
    formatRecurring(row),
  ]);
  const titles = [
    sanitizeLine(String(process.status_label ?? 'Status')),
    'Entries',
    'Share',
    'One-time',
    'Recurring',
  ];
  const widths = titles.map((title, index) =>
    Math.max(measureWidth(title), ...cells.map((row) => measureWidth(row[index] ?? ''))),
  );
  const [name = 0, ...measured] = widths;
  const others = fitColumns(width - 2 * shortest - gap.length, measured);
  const left = measured.length - others.length;
  const room = width - measureColumns(others, left) - gap.length;
  const bar = Math.max(shortest, Math.min(longest, room - name));
  const nameWidth = Math.max(shortest, Math.min(name, room - bar));
  const line = (row: readonly string[], drawn: string) =>
    [
      pad(truncate(row[0] ?? '', nameWidth), nameWidth),
      pad(drawn, bar),
      ...others.map((wide, index) => pad(row[index + 1] ?? '', wide, 'right')),
      ...(left > 0 && row === titles ? [`+${left}`] : []),
    ]
      .join(gap)
      .trimEnd();
  const lines = statuses.map((row, index) =>
    line(cells[index] ?? [], renderBar(row, (Number(row.entries) / most) * bar, paint)),
  );
  const title = paint.bold(truncate(sanitizeLine(String(process.name ?? '')), width));
  const last = line(cells.at(-1) ?? [], '');
  return `${[title, '', paint.dim(line(titles, '')), ...lines, last].join('\n')}\n`;
}

/** The columns that have room beside the bars; those at the end give way first, as their number says. */
function fitColumns(room: number, widths: readonly number[]): readonly number[] {
  const counts = widths.map((_, index) => widths.length - index);
  const count = counts.find((count) => measureColumns(widths.slice(0, count), widths.length - count) <= room);
  return widths.slice(0, count ?? 1);
}

/** What columns take with the gaps before them, and with the number of those that are left out. */
function measureColumns(widths: readonly number[], left: number): number {
  const columns = left > 0 ? [...widths, `+${left}`.length] : widths;
  return columns.reduce((sum, one) => sum + one + gap.length, 0);
}

function addTotals(sum: Fields, row: Fields): Fields {
  const added = Object.entries(row).filter(([, value]) => typeof value === 'number');
  return {
    ...sum,
    ...Object.fromEntries(added.map(([key, value]) => [key, Number(sum[key] ?? 0) + Number(value)])),
  };
}

function formatAmount(cents: unknown): string {
  return groupThousands(String(formatCents(Number(cents ?? 0))));
}

/** What recurs, by its period: `1,200.00/month + 99.00/year`. */
function formatRecurring(row: Fields): string {
  const parts = [
    [row.recurring_monthly_value_cents, '/month'],
    [row.recurring_annual_value_cents, '/year'],
    [row.recurring_one_time_value_cents, ' once'],
  ].filter(([cents]) => Number(cents ?? 0) > 0);
  return parts.map(([cents, period]) => `${formatAmount(cents)}${period}`).join(' + ') || '-';
}

const groupThousands = (decimal: string) => decimal.replace(/\B(?=(\d{3})+(?=\.))/g, ',');

function renderBar({ type }: Fields, length: number, paint: TableStyle['paint']): string {
  const bar = '█'.repeat(Math.floor(length)) + (eighths[Math.floor((length % 1) * 8)] ?? '');
  return type === 'lost' ? paint.dim(bar) : type === 'won' ? paint.green(bar) : bar;
}

function pad(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return side === 'left' ? text + space : space + text;
}
