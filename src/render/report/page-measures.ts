import { formatAmount } from '../../values/money.ts';
import { formatInteger } from '../../values/text.ts';
import type { GroupTotals, Report } from './totals.ts';

/** A number of each group that a page shows as a chart and as a column. */
export interface Measure {
  readonly title: string;
  readonly read: (totals: GroupTotals) => number;
  readonly format: (totals: GroupTotals) => string;
}

const createAmount = (title: string, name: Exclude<keyof GroupTotals, 'entries' | 'share'>): Measure => ({
  title,
  read: (totals) => Number(totals[name]),
  format: (totals) => formatAmount(totals[name]),
});

const entries: Measure = {
  title: 'Entries',
  read: (totals) => totals.entries,
  format: (totals) => formatInteger(totals.entries),
};

const amounts = [
  createAmount('One-time value', 'one_time_value_cents'),
  createAmount('Value per month', 'recurring_monthly_value_cents'),
  createAmount('Value per year', 'recurring_annual_value_cents'),
  createAmount('Recurring value, once', 'recurring_one_time_value_cents'),
];

/** Returns the number of entries, and the amounts that any entry has. */
export const listMeasures = ({ total }: Report): readonly Measure[] => [
  entries,
  ...amounts.filter(({ read }) => read(total) !== 0),
];
