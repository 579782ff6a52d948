import { formatCents } from '../values/money.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { safeLine } from './sanitize.ts';
import { cut, type Drawing } from './table.ts';
import { widthOf } from './width.ts';

const gap = '  ';
const longest = 40;
const shortest = 8;

/** The parts of a whole cell that a bar can end with, in eighths. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A process as a bar chart: a line for each status, and one for all of them. */
export function processChart(
  process: Fields,
  rows: readonly unknown[],
  { width = 100, paint }: Drawing,
): string {
  const statuses = rows.map(fieldsOf);
  const all = statuses.reduce<Fields>(summed, { status: 'All' });
  const most = Math.max(1, ...statuses.map(({ entries }) => Number(entries)));
  const cells = [...statuses, all].map((row) => [
    safeLine(String(row.status)),
    String(row.entries ?? 0),
    row === all ? '' : `${Number(row.share).toFixed(1)} %`,
    amount(row.one_time_value_cents),
    recurring(row),
  ]);
  const titles = [
    safeLine(String(process.status_label ?? 'Status')),
    'Entries',
    'Share',
    'One-time',
    'Recurring',
  ];
  const widths = titles.map((title, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  const [name = 0, ...measured] = widths;
  const others = fittingIn(width - 2 * shortest - gap.length, measured);
  const left = measured.length - others.length;
  const room = width - taken(others, left) - gap.length;
  const bar = Math.max(shortest, Math.min(longest, room - name));
  const nameWidth = Math.max(shortest, Math.min(name, room - bar));
  const line = (row: readonly string[], drawn: string) =>
    [
      filled(cut(row[0] ?? '', nameWidth), nameWidth),
      filled(drawn, bar),
      ...others.map((wide, index) => filled(row[index + 1] ?? '', wide, 'right')),
      ...(left > 0 && row === titles ? [`+${left}`] : []),
    ]
      .join(gap)
      .trimEnd();
  const lines = statuses.map((row, index) =>
    line(cells[index] ?? [], paintedBar(row, (Number(row.entries) / most) * bar, paint)),
  );
  const title = paint.bold(cut(safeLine(String(process.name ?? '')), width));
  const last = line(cells.at(-1) ?? [], '');
  return `${[title, '', paint.dim(line(titles, '')), ...lines, last].join('\n')}\n`;
}

/** The columns that have room beside the bars; those at the end give way first, as their number says. */
function fittingIn(room: number, widths: readonly number[]): readonly number[] {
  const counts = widths.map((_, index) => widths.length - index);
  const count = counts.find((count) => taken(widths.slice(0, count), widths.length - count) <= room);
  return widths.slice(0, count ?? 1);
}

/** What columns take with the gaps before them, and with the number of those that are left out. */
function taken(widths: readonly number[], left: number): number {
  const columns = left > 0 ? [...widths, `+${left}`.length] : widths;
  return columns.reduce((sum, one) => sum + one + gap.length, 0);
}

function summed(sum: Fields, row: Fields): Fields {
  const added = Object.entries(row).filter(([, value]) => typeof value === 'number');
  return {
    ...sum,
    ...Object.fromEntries(added.map(([key, value]) => [key, Number(sum[key] ?? 0) + Number(value)])),
  };
}

function amount(cents: unknown): string {
  return grouped(String(formatCents(Number(cents ?? 0))));
}

/** What recurs, by its period: `1,200.00/month + 99.00/year`. */
function recurring(row: Fields): string {
  const parts = [
    [row.recurring_monthly_value_cents, '/month'],
    [row.recurring_annual_value_cents, '/year'],
    [row.recurring_one_time_value_cents, ' once'],
  ].filter(([cents]) => Number(cents ?? 0) > 0);
  return parts.map(([cents, period]) => `${amount(cents)}${period}`).join(' + ') || '-';
}

const grouped = (decimal: string) => decimal.replace(/\B(?=(\d{3})+(?=\.))/g, ',');

function paintedBar({ type }: Fields, length: number, paint: Drawing['paint']): string {
  const bar = '█'.repeat(Math.floor(length)) + (eighths[Math.floor((length % 1) * 8)] ?? '');
  return type === 'lost' ? paint.dim(bar) : type === 'won' ? paint.green(bar) : bar;
}

function filled(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + space : space + text;
}
