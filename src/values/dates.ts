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

const day = 86_400_000;

/**
 * Returns a function from the local time of an IANA time zone to its offset, in seconds east of UTC; undefined if the
 * zone does not exist. A skipped local time has the offset before the change, and of two equal local times the first
 * one counts (RFC 5545, 3.3.5).
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
  const two = (part: number) => String(part).padStart(2, '0');
  const size = Math.abs(minutes);
  const numeric = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return new Date(time + minutes * 60_000).toISOString().replace('Z', numeric);
}
