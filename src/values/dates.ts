const day = 86_400_000;

/** Whether a text is an existing date, `YYYY-MM-DD`. */
export function isDate(text: string | undefined): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text ?? '')) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text ?? '');
}

/** Whether a text is a point in time as ISO 8601, with `Z` or a numeric offset. */
export function isDateTime(text: string | undefined): boolean {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.exec(text ?? '') ?? [];
  return isDate(date) && !Number.isNaN(Date.parse(text ?? ''));
}

/** Returns the date some days later; a negative count is earlier. */
function shiftDay(date: string, days: number): string {
  return new Date(Date.parse(date) + days * day).toISOString().slice(0, 10);
}

const namedDays: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const namedWeeks: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Days from the first to the last one, and the day after it. */
interface DayRange {
  readonly first: string;
  readonly last: string;
  readonly end: string;
}

/**
 * Returns the days that a text names: `2026-05-01`, `today`, `friday` (of this week), `last monday`, `next week`, `this
 * month`; undefined for any other text. A week begins on Monday.
 */
export function readDays(text: string, today: string): DayRange | undefined {
  if (isDate(text)) return createDayRange(text, shiftDay(text, 1));
  const name = text.trim().toLowerCase();
  const offset = Object.hasOwn(namedDays, name) ? namedDays[name] : undefined;
  if (offset !== undefined) return createDayRange(shiftDay(today, offset), shiftDay(today, offset + 1));
  const [, position = 'this', unit = ''] = /^(?:(last|this|next)[ -])?([a-z]+)$/.exec(name) ?? [];
  const shift = namedWeeks[position] ?? 0;
  const monday = shiftDay(today, 7 * shift - ((new Date(today).getUTCDay() + 6) % 7));
  const weekday = weekdays.indexOf(unit);
  if (weekday >= 0) return createDayRange(shiftDay(monday, weekday), shiftDay(monday, weekday + 1));
  if (unit === name) return undefined; // a unit needs its first word
  if (unit === 'week') return createDayRange(monday, shiftDay(monday, 7));
  const [year = 0, month = 0] = today.split('-').map(Number);
  const toDate = (month: number) => new Date(Date.UTC(year, month)).toISOString().slice(0, 10);
  if (unit === 'month') return createDayRange(toDate(month - 1 + shift), toDate(month + shift));
  if (unit === 'year') return createDayRange(toDate(12 * shift), toDate(12 * shift + 12));
  return undefined;
}

const createDayRange = (first: string, end: string): DayRange => ({ first, last: shiftDay(end, -1), end });

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
