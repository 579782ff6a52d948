import { recurringPeriods } from '../../contract/record-fields.ts';
import { createAmountFormat, formatAmount } from '../../values/money.ts';
import { formatInteger } from '../../values/text.ts';
import { type ColumnSize, fitColumns, formatRow } from '../text/fit-columns.ts';
import type { Paint, TableStyle } from '../text/paint.ts';
import { wrapParagraph } from '../text/paragraph.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { measureWidth, wrap } from '../text/width.ts';
import { firstYearFormula, type GroupTotals, type Report, type ReportGroup } from './totals.ts';

const indent = 2;
const maxBarWidth = 40;
const minBarWidth = 5;

/** The last character of a bar, in eighths of a character. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Renders a report as a bar chart, with a line for each group and a line for the total. */
export function renderReportChart(report: Report, { width = 100, paint }: TableStyle): string {
  const { heading, hasValues } = report;
  const most = report.groups.reduce((most, { entries }) => Math.max(most, entries), 1);
  // Only the groups of a process have values.
  const titles = [
    ...[sanitizeLine(heading), 'Entries', 'Share'],
    ...(hasValues ? ['One-time', 'Recurring'] : []),
  ];
  const formatCells = (label: string, totals: GroupTotals, share: string) => [
    ...[sanitizeLine(label), formatInteger(totals.entries), share],
    ...(hasValues ? [formatAmount(totals.one_time_value_cents), formatRecurring(totals)] : []),
  ];
  const cells = [
    ...report.groups.map((group) => formatCells(group.label, group, `${group.share.toFixed(1)}%`)),
    formatCells('All', report.total, ''),
  ];
  const [nameWidth = 1, barWidth = minBarWidth, ...numberWidths] = fitReportColumns(
    [titles, ...cells],
    width,
  );
  const formatLines = (row: readonly string[], bar: string): string[] => {
    const [name = '', ...nameLines] = wrap(row[0] ?? '', nameWidth);
    const numbers = row.slice(1).map((text) => ({ text, isRightAligned: true }));
    // The numbers that do not fit next to the bars are printed below them.
    const below = titles
      .slice(1)
      .map((title, index) => `${title}: ${row[index + 1]}`)
      .filter((_, index) => numberWidths[index] === undefined && row !== titles && hasText(row[index + 1]));
    return [
      formatRow([{ text: name }, { text: bar }, ...numbers], [nameWidth, barWidth, ...numberWidths]),
      ...nameLines,
      ...below.map((text) => ' '.repeat(indent) + wrapParagraph(text, width - indent, 2 * indent)),
    ];
  };
  const lines = report.groups.flatMap((group, index) =>
    formatLines(cells[index] ?? [], renderBar(group, (group.entries / most) * barWidth, paint)),
  );
  const name = wrap(sanitizeLine(report.name), width).map((line) => paint.bold(line));
  const head = formatLines(titles, '').map((line) => paint.dim(line));
  const all = formatLines(cells.at(-1) ?? [], '');
  return `${[...name, '', ...head, ...lines, ...all, ...formatFirstYear(report, width, paint)].join('\n')}\n`;
}

/** Formats the value in the first year, in the currency of all amounts. */
function formatFirstYear({ total, hasValues, currency }: Report, width: number, paint: Paint): string[] {
  if (!hasValues) return [];
  const amount = createAmountFormat(currency)(total.first_year_value_cents);
  return [
    '',
    wrapParagraph(`First-year value: ${amount} ${paint.dim(`(${firstYearFormula})`)}`, width, indent),
  ];
}

/** Formats recurring values by their period: `1,200.00/month + 99.00/year`. */
function formatRecurring(totals: GroupTotals): string {
  const periods = { monthly: '/month', annual: '/year', one_time: ' once' };
  const parts = recurringPeriods.flatMap((period) => {
    const cents = totals[`recurring_${period}_value_cents`];
    return Number(cents) > 0 ? [`${formatAmount(cents)}${periods[period]}`] : [];
  });
  return parts.join(' + ') || '-';
}

const hasText = (text: string | undefined) => text !== '' && text !== '-';

/** Fits the names, the bars and the numbers into a width. */
function fitReportColumns(rows: readonly (readonly string[])[], width: number): (number | undefined)[] {
  const [nameSize, entriesSize, ...moreSizes] = (rows[0] ?? []).map((_, index): ColumnSize => {
    const width = rows.reduce((widest, row) => Math.max(widest, measureWidth(row[index] ?? '')), 0);
    return { width, shrink: 0 };
  });
  const sizes: ColumnSize[] = [
    { width: 1, ...nameSize, shrink: 1, presence: 'kept' },
    { width: maxBarWidth, minimum: minBarWidth, shrink: 3, presence: 'kept' },
    { width: 1, ...entriesSize, shrink: 0, presence: 'kept' },
    ...moreSizes,
  ];
  return fitColumns(sizes, width);
}

function renderBar({ tone }: ReportGroup, length: number, paint: Paint): string {
  const bar = '█'.repeat(Math.floor(length)) + (eighths[Math.floor((length % 1) * 8)] ?? '');
  return tone === 'lost' || tone === 'none' ? paint.dim(bar) : tone === 'won' ? paint.green(bar) : bar;
}
