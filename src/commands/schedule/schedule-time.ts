import { createIntegerOption, type Option } from '../../cli/command/options.ts';
import { Failure } from '../../contract/errors.ts';
import { createDayFormat, createLocalFormat, readLocalTime, shiftDay } from '../../values/dates.ts';

/** The times of a schedule: all combinations of its fields. An omitted field means every minute, hour or day. */
export interface ScheduleTime {
  readonly minutes?: readonly number[];
  readonly hours?: readonly number[];
  /** 0 is Sunday, in all three schedulers. */
  readonly weekdays?: readonly number[];
  /** Days of the month. All three schedulers skip a day in months that do not have it. */
  readonly days?: readonly number[];
}

/** Weekdays in the order of `ScheduleTime.weekdays`. */
export const weekdayNames: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const parseWith =
  (parse: (value: string) => ScheduleTime | undefined, problem: string, hint: string) => (value: string) => {
    const time = parse(value);
    if (time) return time;
    throw new Failure('usage', `"${value}" is not ${problem}.`, { hint });
  };

const every: Option<ScheduleTime | undefined> = {
  summary: 'Run at this interval, starting at midnight: 1m to 30m, or 1h to 12h',
  placeholder: 'INTERVAL',
  parse: parseWith(
    parseInterval,
    'an interval that divides an hour or a day',
    'Use minutes (1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m) or hours (1h, 2h, 3h, 4h, 6h, 8h, 12h).',
  ),
};

const hourly = createIntegerOption('Run every hour at this minute', 'MINUTE', 0, 59);

const daily: Option<ScheduleTime | undefined> = {
  summary: 'Run every day at this time',
  placeholder: 'HH:MM',
  parse: parseWith(parseClock, 'a time of day', 'Use HH:MM, from 00:00 to 23:59.'),
};

const weekly: Option<ScheduleTime | undefined> = {
  summary:
    'Run every week on these days at this time, such as "mon 07:30", "mon,thu 07:30" or "mon-fri 07:30"',
  placeholder: 'DAYS HH:MM',
  parse: parseWith(
    parseDaysAndClock,
    'a weekday and a time',
    `Use weekdays (${weekdayNames.join(', ')}) and a time, such as "mon 07:30" or "mon-fri 07:30".`,
  ),
};

const monthly: Option<ScheduleTime | undefined> = {
  summary:
    'Run every month on these days at this time, such as "1 03:00" or "1,15 03:00"; a day is skipped in months that do not have it',
  placeholder: 'DAYS HH:MM',
  parse: parseWith(
    parseMonthDaysAndClock,
    'a day of the month and a time',
    'Use days from 1 to 31 and a time, such as "1 03:00" or "1,15 03:00".',
  ),
};

/** The flags for the time of a schedule; exactly one is required. */
export const timeOptions = { every, hourly, daily, weekly, monthly };

/** Returns the time that one of the flags sets. */
export function readTimeFlags(flags: {
  readonly every: ScheduleTime | undefined;
  readonly hourly: number | undefined;
  readonly daily: ScheduleTime | undefined;
  readonly weekly: ScheduleTime | undefined;
  readonly monthly: ScheduleTime | undefined;
}): ScheduleTime {
  const { every, hourly, daily, weekly, monthly } = flags;
  return every ?? daily ?? weekly ?? monthly ?? { minutes: [hourly ?? 0] }; // the rule requires one
}

function parseClock(value: string): ScheduleTime | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(value) ?? [];
  return hour === undefined ? undefined : { minutes: [Number(minute)], hours: [Number(hour)] };
}

function parseDaysAndClock(value: string): ScheduleTime | undefined {
  const { days: weekdays, ...time } = parseListAndClock(value, parseDayRange) ?? {};
  return weekdays && { ...time, weekdays };
}

function parseMonthDaysAndClock(value: string): ScheduleTime | undefined {
  return parseListAndClock(value, (text) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 31 ? [Number(text)] : undefined,
  );
}

/** Parses `DAY,DAY HH:MM`. Sorts the days. */
function parseListAndClock(
  value: string,
  parseDays: (text: string) => number[] | undefined,
): ScheduleTime | undefined {
  const [list = '', clock = '', ...more] = value.trim().toLowerCase().split(/\s+/);
  const time = parseClock(clock);
  const days = list.split(',').flatMap((part) => parseDays(part) ?? Number.NaN);
  if (!time || more.length > 0 || days.some(Number.isNaN)) return undefined;
  return { ...time, days: [...new Set(days)].sort((a, b) => a - b) };
}

/** Returns the weekdays of `mon` or `mon-fri`; undefined for any other text. */
function parseDayRange(text: string): number[] | undefined {
  const [first = -1, last = first, ...more] = text.split('-').map((name) => weekdayNames.indexOf(name));
  if (first < 0 || last < 0 || more.length > 0) return undefined;
  const count = ((last - first + 7) % 7) + 1;
  return Array.from({ length: count }, (_, index) => (first + index) % 7);
}

function parseInterval(value: string): ScheduleTime | undefined {
  const [, digits, unit] = /^(\d{1,2})([mh])$/.exec(value.trim().toLowerCase()) ?? [];
  const count = Number(digits);
  if (unit === 'm' && count === 1) return {};
  if (unit === 'm' && count < 60 && 60 % count === 0) return { minutes: createSteps(count, 60) };
  if (unit === 'h' && count === 1) return { minutes: [0] };
  if (unit === 'h' && count < 24 && 24 % count === 0) return { minutes: [0], hours: createSteps(count, 24) };
  return undefined;
}

const createSteps = (step: number, end: number) => Array.from({ length: end / step }, (_, i) => i * step);

export const padNumber = (number: number) => String(number).padStart(2, '0');

/** Formats a time: `every 15 minutes`, `every hour at :05`, `mon,thu at 07:30`, `day 1,15 of every month at 03:00`. */
export function describeTime({ minutes, hours, weekdays, days }: ScheduleTime): string {
  const [minute = 0] = minutes ?? [];
  if (!hours) {
    if (!minutes) return 'every minute';
    return minutes.length > 1
      ? `every ${60 / minutes.length} minutes`
      : `every hour at :${padNumber(minute)}`;
  }
  const clocks = hours.map((hour) => `${padNumber(hour)}:${padNumber(minute)}`).join(', ');
  const monthDays = days ? `day ${days.join(',')} of every month` : 'every day';
  return `${weekdays ? weekdays.map((day) => weekdayNames[day]).join(',') : monthDays} at ${clocks}`;
}

/** Returns the first time after `now` (milliseconds since 1970) in a zone. */
export function findNextRun(time: ScheduleTime, zone: string, now: number): number | undefined {
  const localNow = createLocalFormat(zone)(now).slice(0, 16);
  const today = createDayFormat(zone)(now);
  const hours = time.hours ?? createSteps(1, 24);
  const minutes = time.minutes ?? createSteps(1, 60);
  // January 30 is followed by March 30, because February has no such day.
  for (let offset = 0; offset <= 62; offset += 1) {
    const day = shiftDay(today, offset);
    if (time.days && !time.days.includes(Number(day.slice(8)))) continue;
    const weekday = new Date(`${day}T00:00Z`).getUTCDay();
    if (time.weekdays && !time.weekdays.includes(weekday)) continue;
    for (const hour of hours)
      for (const minute of minutes) {
        const local = `${day}T${padNumber(hour)}:${padNumber(minute)}`;
        if (local <= localNow) continue; // a conversion takes much longer than this comparison
        const candidate = readLocalTime(local, zone);
        if (candidate > now) return candidate;
      }
  }
  return undefined;
}
