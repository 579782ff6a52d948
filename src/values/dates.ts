const day = 86_400_000;

/** Whether a text is an existing date, `YYYY-MM-DD`. */
export function isDate(text: string | undefined): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text ?? '')) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text ?? '');
}

/** Whether a text is the date that programs write for an empty one: `0/0/00`, `0000-00-00`. */
export const isEmptyDate = (text: string) =>
  /^\s*(0?0[/.-]0?0[/.-](00)?00|0000[/.-]0?0[/.-]0?0)([T ][0:]*)?\s*$/.test(text);

/** Whether a text is a point in time as ISO 8601, with `Z` or a numeric offset. */
export function isDateTime(text: string | undefined): boolean {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text ?? '') ?? [];
  return isDate(date) && !Number.isNaN(Date.parse(text ?? ''));
}

/** Returns the date some days later; a negative count is earlier. */
export function shiftDay(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day).toISOString().slice(0, 10);
}

const namedDays: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const shifts: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const periodMonths: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** Which day a weekday alone means, unless it is today: the upcoming one or the most recent one. */
export type WeekdayDirection = 'coming' | 'latest';

/** Whether a text is a weekday alone: `friday`. */
export const isWeekday = (text: string) => weekdays.includes(joinWords(text));

/** Days from the first to the last one, and the day after it. */
interface DayRange {
  readonly first: string;
  readonly last: string;
  readonly end: string;
  /** Set for the end of a period, such as `end of month`. A time on this day is before the end. */
  readonly isEnd?: true;
}

/**
 * Returns the days that a text names: `2026-05-01`, `today`, `friday` (of this week), `last monday`, `next week`,
 * `this month`, `end of month`, `beginning of next week`; undefined for any other text. A week begins on Monday.
 * `direction`: which day a weekday alone means, if not that of this week.
 */
export function readDays(text: string, today: string, direction?: WeekdayDirection): DayRange | undefined {
  if (isDate(text)) return createDayRange(text, shiftDay(text, 1));
  const name = joinWords(text);
  const [, edge, part = ''] = /^(?:the )?(end|start|beginning) of (?:the )?(.+)$/.exec(name) ?? [];
  if (edge !== undefined) {
    const days = readDays(part, today, direction) ?? readDays(`this ${part}`, today);
    if (!days) return undefined;
    const { first, last, end } = days;
    return edge === 'end'
      ? { first: last, last, end, isEnd: true }
      : createDayRange(first, shiftDay(first, 1));
  }
  const offset = Object.hasOwn(namedDays, name) ? namedDays[name] : undefined;
  if (offset !== undefined) return createDayRange(shiftDay(today, offset), shiftDay(today, offset + 1));
  const [, position, unit = ''] = /^(?:(last|this|next) )?([a-z]+)$/.exec(name) ?? [];
  if (isWeekday(name) && direction) {
    const days = readPeriod(name, 0, today);
    const isWrongWeek = direction === 'coming' ? (days?.first ?? '') < today : (days?.first ?? '') > today;
    return isWrongWeek ? readPeriod(name, direction === 'coming' ? 1 : -1, today) : days;
  }
  const isClear = position !== undefined || weekdays.includes(unit); // `month` alone is ambiguous
  return isClear ? readPeriod(unit, shifts[position ?? 'this'] ?? 0, today) : undefined;
}

/** Returns the days of a weekday or period, `shift` weeks or periods after the current one. */
function readPeriod(unit: string, shift: number, today: string): DayRange | undefined {
  if (unit === 'day') return createDayRange(shiftDay(today, shift), shiftDay(today, shift + 1));
  const monday = shiftDay(today, 7 * shift - ((new Date(today).getUTCDay() + 6) % 7));
  const weekday = weekdays.indexOf(unit);
  if (weekday >= 0) return createDayRange(shiftDay(monday, weekday), shiftDay(monday, weekday + 1));
  if (unit === 'week') return createDayRange(monday, shiftDay(monday, 7));
  const months = Object.hasOwn(periodMonths, unit) ? (periodMonths[unit] ?? 1) : undefined;
  if (months === undefined) return undefined;
  const [year = 0, month = 1] = today.split('-').map(Number);
  const toDate = (month: number) => new Date(Date.UTC(year, month)).toISOString().slice(0, 10);
  const first = month - 1 - ((month - 1) % months) + months * shift;
  return createDayRange(toDate(first), toDate(first + months));
}

const createDayRange = (first: string, end: string): DayRange => ({ first, last: shiftDay(end, -1), end });

/** Returns a text in lower case with single spaces instead of hyphens and blanks: `end of month`. */
const joinWords = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=\w)[\s-]+(?=\w)/g, ' ');

/** A distance from now: seconds, days or months. A negative count is in the past. */
export interface TimeOffset {
  readonly count: number;
  readonly unit: 'second' | 'day' | 'month';
}

/** The units by name. `unitLetters` has the units with a letter. */
const units: Readonly<Record<string, readonly [size: number, unit: TimeOffset['unit']]>> = {
  second: [1, 'second'],
  minute: [60, 'second'],
  hour: [3600, 'second'],
  day: [1, 'day'],
  week: [7, 'day'],
  month: [1, 'month'],
  year: [12, 'month'],
};
const unitLetters: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
};

const offsetPattern =
  /^(\+|in )?(?:(\d{1,6})([smhdw])|(\d{1,6}|an?) (second|minute|hour|day|week|month|year)s?)( ago)?$/;

/** Parses `7d` and `7 days ago`, and `+7d` and `in 7 days`; undefined for any other text. */
export function parseTimeOffset(text: string): TimeOffset | undefined {
  const match = offsetPattern.exec(joinWords(text));
  if (!match) return undefined;
  const [, sign, shortCount, letter = '', longCount = 'a', word = '', ago] = match;
  // `7d` is an age. `7 days` says neither past nor future.
  const isPast = sign === undefined && (letter !== '' || ago !== undefined);
  const isFuture = sign !== undefined && ago === undefined;
  if (!isPast && !isFuture) return undefined;
  const [size, unit] = units[unitLetters[letter] ?? word] ?? [0, 'second'];
  const count = size * Number((shortCount ?? longCount).replace(/^an?$/, '1'));
  return { count: isPast ? -count : count, unit };
}

/** The earliest and the latest time that `shiftTime` returns: a distance of millennia means "ever" or "never". */
const earliest = Date.parse('0001-01-01');
const latest = Date.parse('9999-12-31');

/**
 * Returns a local time, in milliseconds as if it were UTC, some days or months later. January 31 plus a month is the
 * last day of February.
 */
function shiftLocalTime(local: number, { count, unit }: TimeOffset): number {
  if (unit === 'day') return local + count * day;
  const time = new Date(local);
  const date = time.getUTCDate();
  time.setUTCMonth(time.getUTCMonth() + count + 1, 0);
  const shifted = time.setUTCDate(Math.min(date, time.getUTCDate()));
  if (!Number.isNaN(shifted)) return shifted;
  return count < 0 ? earliest : latest; // the year is beyond the range of dates
}

/**
 * Returns the time at a distance from another time, in milliseconds. Days and months are counted in a zone: the local
 * time stays the same when the clocks change.
 */
export function shiftTime(time: number, offset: TimeOffset, zone: string | undefined): number {
  if (offset.unit === 'second') return time + offset.count * 1000;
  const local = shiftLocalTime(Date.parse(`${createLocalFormat(zone)(time)}Z`), offset);
  const limited = Math.min(Math.max(local, earliest), latest);
  return readLocalTime(new Date(limited).toISOString().slice(0, 19), zone);
}

/** Returns the name of a zone, or of this machine's. With an invalid TZ, Node uses UTC and returns no name. */
export function getZoneName(zone?: string): string {
  const name: string | undefined = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions()
    .timeZone;
  return name ?? 'UTC';
}

/** Whether a text is the name of a time zone. The parser of time zones also accepts vendor prefixes and offsets. */
export function isTimeZone(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return /^[A-Za-z]/.test(name) && timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * Returns the name of the zone that a value of TZ means: a path below `zoneinfo`, an offset such as `+09:00`, or a POSIX
 * form without daylight saving time, such as `KST-9`. Returns undefined for any other value.
 */
export function resolveZone(text: string): string | undefined {
  const name = text.replace(/^:?(.*\/zoneinfo\/(?:posix\/|right\/)?)?/, '');
  if (isTimeZone(name)) return name;
  const [, abbreviation, sign, hours, minutes = '0'] =
    /^([A-Za-z]{3,}|<[\w+-]{3,}>)?([+-]?)(\d\d?):?(\d\d)?$/.exec(name) ?? [];
  if (hours === undefined || (sign === '' && abbreviation === undefined)) return undefined;
  // In a POSIX form, a positive offset is west of UTC.
  const isEast = (sign === '-') === (abbreviation !== undefined);
  return findFixedZone((isEast ? 1 : -1) * (Number(hours) * 60 + Number(minutes)));
}

/** Returns a zone that always has the same offset, in minutes east of UTC; undefined if there is none. */
export function findFixedZone(offset: number): string | undefined {
  if (offset === 0) return 'UTC';
  if (Math.abs(offset) > 14 * 60) return undefined;
  const name = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset) / 60}`;
  if (isTimeZone(name)) return name;
  const months = [1, 4, 7, 10];
  return Intl.supportedValuesOf('timeZone').find((zone) => {
    const getOffset = loadTimeZone(zone);
    return months.every((month) => getOffset?.({ ...startOfYear, month }) === offset * 60);
  });
}

const startOfYear = { year: 2026, month: 1, day: 1, hour: 0, minute: 0, second: 0 };

/** Returns a function from a time (milliseconds since 1970) to its local time in a zone: `2026-05-01T09:30:00`. */
export function createLocalFormat(zone: string | undefined): (time: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (time) => format.format(time).replace(' ', 'T');
}

/** Returns the time of a local time such as `2026-05-01T09:30` in a zone, or on this machine, in milliseconds. */
export function readLocalTime(local: string, zone: string | undefined): number {
  const offsetAt = zone === undefined ? undefined : loadTimeZone(zone);
  if (!offsetAt) return Date.parse(local);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = local.split(/[-T:.]/).map(Number);
  return Date.parse(`${local}Z`) - offsetAt({ year, month, day, hour, minute, second }) * 1000;
}

/**
 * Returns a function that converts a time (milliseconds since 1970) to its date in a zone. If the zone is omitted, uses
 * the time zone of this machine.
 */
export function createDayFormat(zone: string | undefined): (time: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }); // Swedish dates are ISO 8601
  return (time) => format.format(time);
}

/** A local time: the fields of an `ICAL.Time`. */
export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/**
 * Returns a function that converts a local time of an IANA time zone to its offset, in seconds east of UTC; undefined
 * if the zone does not exist. A skipped local time has the offset before the change. A repeated local time has the
 * offset of its first occurrence (RFC 5545, 3.3.5).
 */
export function loadTimeZone(name: string): ((time: WallTime) => number) | undefined {
  const format = createOffsetFormat(name);
  if (!format) return undefined;
  const getOffset = (instant: number): number => {
    const part = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
    const [, sign, hours, minutes, seconds] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(part?.value ?? '') ?? [];
    const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    return sign === '-' ? -size : size;
  };
  return (time) => {
    const local = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
    const before = getOffset(local - day);
    const after = getOffset(local + day);
    const isValid = (offset: number) => getOffset(local - offset * 1000) === offset;
    return before !== after && !isValid(before) && isValid(after) ? after : before;
  };
}

/** Some programs put a path before the name: `/mozilla.org/20070129_1/Europe/Berlin`. */
function createOffsetFormat(name: string): Intl.DateTimeFormat | undefined {
  const parts = name.split('/').filter(Boolean);
  for (const count of [parts.length, 3, 2]) {
    try {
      return new Intl.DateTimeFormat('en-US', {
        timeZone: parts.slice(-count).join('/'),
        timeZoneName: 'longOffset',
      });
    } catch {}
  }
  return undefined;
}

/** Formats a time (milliseconds since 1970) as ISO 8601 with milliseconds and an offset in seconds. */
export function formatIsoTime(time: number, offset: number): string {
  const minutes = Math.round(offset / 60);
  const padNumber = (part: number) => String(part).padStart(2, '0');
  const size = Math.abs(minutes);
  const numeric = `${minutes < 0 ? '-' : '+'}${padNumber(Math.floor(size / 60))}:${padNumber(size % 60)}`;
  return new Date(time + minutes * 60_000).toISOString().replace('Z', numeric);
}
