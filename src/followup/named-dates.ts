import { monthNames, weekdayNames } from '../contract/date-names.ts';
import { isDate, shiftDay } from '../values/dates.ts';
import { foldText } from '../values/fold.ts';

/** Maps the folded names to their position in the year or week. */
const mapNames = (lines: readonly string[]): ReadonlyMap<string, number> =>
  new Map(lines.flatMap((line) => line.split(' ').map((name, index) => [foldText(name), index] as const)));

const months = mapNames(monthNames);
const weekdays = mapNames(weekdayNames);

/** Joins names as the alternatives of a pattern, the longest first. */
const joinNames = (names: ReadonlyMap<string, number>) =>
  [...names.keys()].sort((left, right) => right.length - left.length).join('|');

const isoPattern = /(?<!\d)\d{4}-\d\d-\d\d(?!\d)/;
const dayFirstPattern = new RegExp(
  String.raw`(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|o|\.)? ?(?:de |of )?(?!\d)(${joinNames(months)})(?![a-z])(?:,? (?:de )?(\d{4}))?`,
);
const monthFirstPattern = new RegExp(
  String.raw`(?<![a-z\d])(${joinNames(months)})\.? ?(\d{1,2})(?!\d)(?:(?:st|nd|rd|th)?,? (\d{4}))?`,
);
const weekdayPattern = new RegExp(`(?<![a-z])(${joinNames(weekdays)})(?![a-z])`);

/**
 * Finds the date that a text names: ISO 8601, a day with its month, or a weekday, in the languages of `date-names.ts`. A
 * date without a year is the first such date on or after the day on which the text was written; a weekday, the first
 * after that day.
 */
export function findNamedDate(text: string, written: string): string | undefined {
  const folded = foldText(text);
  const [iso] = isoPattern.exec(folded) ?? [];
  if (isDate(iso)) return iso;
  const monthFirst = monthFirstPattern.exec(folded);
  const [, day = '', name = '', year] =
    dayFirstPattern.exec(folded) ?? (monthFirst ? ['', monthFirst[2], monthFirst[1], monthFirst[3]] : []);
  const month = months.get(name);
  if (month !== undefined) return findDay(`${pad(month + 1)}-${pad(Number(day))}`, year, written);
  const weekday = weekdays.get(weekdayPattern.exec(folded)?.[1] ?? '');
  if (weekday === undefined) return undefined;
  const writtenWeekday = (new Date(written).getUTCDay() + 6) % 7;
  return shiftDay(written, ((weekday - writtenWeekday + 6) % 7) + 1);
}

const pad = (number: number) => String(number).padStart(2, '0');

function findDay(monthAndDay: string, year: string | undefined, written: string): string | undefined {
  const writtenYear = Number(written.slice(0, 4));
  const years = year === undefined ? [writtenYear, writtenYear + 1] : [Number(year)];
  const days = years.map((candidate) => `${candidate}-${monthAndDay}`).filter(isDate);
  return days.find((date) => year !== undefined || date >= written);
}
