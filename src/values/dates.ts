/** Whether a text is a day that exists, `YYYY-MM-DD`. */
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

/** A moment as a clock on the wall shows it: the fields of an `ICAL.Time`. */
export interface WallTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const day = 86_400_000;

/**
 * The offset of an IANA time zone at a time on its wall, in seconds east of UTC; undefined: there is no such
 * zone. A time that a change skips has the offset before it, one that occurs twice is the first (RFC 5545, 3.3.5).
 */
export function loadTimeZone(name: string): ((time: WallTime) => number) | undefined {
  const format = offsetFormat(name);
  if (!format) return undefined;
  const offsetAt = (instant: number): number => {
    const part = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
    const [, sign, hours, minutes, seconds] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(part?.value ?? '') ?? [];
    const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
    return sign === '-' ? -size : size;
  };
  return (time) => {
    const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
    const before = offsetAt(wall - day);
    const after = offsetAt(wall + day);
    const holds = (offset: number) => offsetAt(wall - offset * 1000) === offset;
    return before !== after && !holds(before) && holds(after) ? after : before;
  };
}

/** Some programs put a path before the name: `/mozilla.org/20070129_1/Europe/Berlin`. */
function offsetFormat(name: string): Intl.DateTimeFormat | undefined {
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

/** A moment (milliseconds since 1970) as ISO 8601 with milliseconds and an offset, given in seconds. */
export function formatIsoTime(moment: number, offset: number): string {
  const minutes = Math.round(offset / 60);
  const two = (part: number) => String(part).padStart(2, '0');
  const size = Math.abs(minutes);
  const numeric = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return new Date(moment + minutes * 60_000).toISOString().replace('Z', numeric);
}
