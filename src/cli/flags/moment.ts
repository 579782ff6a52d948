import { Failure } from '../../contract/errors.ts';
import { createDayFormat, isDate, isDateTime, loadTimeZone, readDays } from '../../values/dates.ts';
import type { Option, OptionValues } from './options.ts';
import { createReferenceOption } from './references.ts';

/** Resolves a typed point in time to a Unix timestamp; the zone decides where days begin. */
export type Moment = (where: { readonly now: Date; readonly zone: string | undefined }) => number;

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Creates a flag for a point in time: ISO 8601, a local day or its name, a Unix timestamp, or an age such as `7d`. */
export function moment(summary: string): Option<Moment | undefined> {
  return { summary, placeholder: 'WHEN', parse: parseMoment };
}

/** The flag for a time zone by its IANA name, such as `Asia/Seoul`. */
export const timeZoneOption: Option<string | undefined> = {
  summary: "Time zone for dates and times without one (default: this machine's)",
  placeholder: 'ZONE',
  parse(text) {
    if (!/^[A-Za-z]/.test(text) || !isTimeZone(text)) {
      throw new Failure('usage', `"${text}" is not a time zone.`, {
        hint: 'Use an IANA name such as Asia/Seoul, Europe/Berlin or UTC.',
      });
    }
    return text;
  },
};

/** Flags that select meetings. */
export const meetingOptions = {
  startsAfter: moment('Only meetings that start at or after this time'),
  startsBefore: moment('Only meetings that start before this time'),
  contact: createReferenceOption('contact', 'Only meetings with this contact as an attendee'),
  organization: createReferenceOption(
    'organization',
    'Only meetings with an attendee from this organization',
  ),
  tz: timeZoneOption,
};

/** Converts the flags to query parameters (specification, 4.7), with times as Unix timestamps. */
export function readMeetingFilters(
  { startsAfter, startsBefore, contact, organization, tz }: OptionValues<typeof meetingOptions>,
  now: Date,
) {
  const resolve = (moment: Moment | undefined) => moment?.({ now, zone: tz });
  return {
    starts_after: resolve(startsAfter),
    starts_before: resolve(startsBefore),
    contact_id: contact,
    organization_id: organization,
  };
}

/** Whether a name is that of a time zone. The parser of time zones also accepts vendor prefixes. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** A date or a time, and its offset. A year below 100 is a typing error. */
const timePattern =
  /^((?!00)\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?)?)(Z|[+-]\d\d:\d\d)?$/;

/** Parses an age such as `30m` or `7d`, in seconds; undefined if it is not an age. */
export function parseAge(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitSeconds[unit] ?? 0);
}

/** Parses a point in time. @throws {Failure} usage if the text is not a time */
export function parseMoment(text: string): Moment {
  const age = parseAge(text);
  if (age !== undefined) return ({ now }) => Math.floor(now.getTime() / 1000) - age;
  if (/^\d{9,11}$/.test(text)) return () => Number(text);
  if (!isDate(text) && readDays(text, '2026-01-01')) {
    // A week or a month begins with its first day.
    return ({ now, zone }) =>
      toTimestamp(`${readDays(text, createDayFormat(zone)(now.getTime()))?.first}T00:00`, zone);
  }
  const [, wall = '', offset] = timePattern.exec(text) ?? [];
  const isDay = !text.includes('T');
  if (isDay ? !isDate(wall) || offset : !isDateTime(`${wall}${offset ?? 'Z'}`)) {
    throw new Failure('usage', `"${text}" is not a time.`, {
      hint: 'Use 2026-05-01, 2026-05-01T09:30, 2026-05-01T09:30:00+09:00, today, monday, "last week", a Unix timestamp, or an age: 30m, 24h, 7d, 4w.',
    });
  }
  if (offset) return () => Math.floor(Date.parse(text) / 1000);
  return ({ zone }) => toTimestamp(isDay ? `${text}T00:00` : wall, zone);
}

/** Converts a local time of a zone, or of this machine, to a Unix timestamp. */
function toTimestamp(local: string, zone: string | undefined): number {
  const offsetAt = zone === undefined ? undefined : loadTimeZone(zone);
  if (!offsetAt) return Math.floor(Date.parse(local) / 1000);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = local.split(/[-T:.]/).map(Number);
  return Math.floor(Date.parse(`${local}Z`) / 1000) - offsetAt({ year, month, day, hour, minute, second });
}
