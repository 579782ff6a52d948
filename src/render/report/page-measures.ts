import { createAmountFormat } from '../../values/money.ts';
import { formatInteger } from '../../values/text.ts';
import type { GroupTotals, Report } from './totals.ts';

/** A number of each group that a page shows as a column with bars. */
export interface Measure {
  readonly title: string;
  readonly read: (totals: GroupTotals) => number;
  readonly format: (totals: GroupTotals) => string;
}

const entries: Measure = {
  title: 'Entries',
  read: (totals) => totals.entries,
  format: (totals) => formatInteger(totals.entries),
};

const firstYear = 'first_year_value_cents';

const amounts = {
  [firstYear]: 'First-year value',
  one_time_value_cents: 'One-time value',
  recurring_monthly_value_cents: 'Value per month',
  recurring_annual_value_cents: 'Value per year',
  recurring_one_time_value_cents: 'Recurring value, once',
} as const;

/** Returns the number of entries, and the amounts that any entry has. Amounts of only one kind are not compared. */
export function listMeasures({ total, currency }: Report): readonly Measure[] {
  const format = createAmountFormat(currency);
  const names = (Object.keys(amounts) as (keyof typeof amounts)[]).filter(
    (name) => Number(total[name]) !== 0,
  );
  const isSame = names.length === 2 && total[names[1] ?? firstYear] === total[firstYear];
  return [
    entries,
    ...names.slice(isSame ? 1 : 0).map((name) => ({
      title: amounts[name],
      read: (totals: GroupTotals) => Number(totals[name]),
      format: (totals: GroupTotals) => format(totals[name]),
    })),
  ];
}
