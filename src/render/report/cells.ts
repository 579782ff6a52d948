import { recurringPeriods } from '../../contract/record-fields.ts';
import { formatAmount } from '../../values/money.ts';
import { formatInteger } from '../../values/text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { GroupTotals, Report } from './totals.ts';

/** The row of a report's group, or of its total, which has no share. */
export interface ReportRow {
  readonly label: string;
  readonly totals: GroupTotals;
  readonly isTotal?: true;
}

/** Returns the rows of a report: its groups, then the total. */
export const listReportRows = ({ groups, total }: Report): readonly ReportRow[] => [
  ...groups.map(({ label, ...totals }) => ({ label, totals })),
  { label: 'All', totals: total, isTotal: true as const },
];

/** Returns the titles of a report's columns. The groups have values only in a process. */
export const listReportTitles = ({ heading, hasValues }: Report): readonly string[] => [
  sanitizeLine(heading),
  'Entries',
  'Share',
  ...(hasValues ? ['One-time', 'Recurring'] : []),
];

/** Formats a row's cells for the columns of `listReportTitles`. */
export function formatReportRow({ label, totals, isTotal }: ReportRow, { hasValues }: Report): string[] {
  return [
    sanitizeLine(label),
    formatInteger(totals.entries),
    isTotal ? '' : `${totals.share.toFixed(1)}%`,
    ...(hasValues ? [formatAmount(totals.one_time_value_cents), formatRecurring(totals)] : []),
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
