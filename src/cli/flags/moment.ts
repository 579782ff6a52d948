import { Failure } from '../../contract/errors.ts';
import {
  createDayFormat,
  isDate,
  isDateTime,
  isTimeZone,
  isWeekday,
  parseTimeOffset,
  readDays,
  readLocalTime,
  shiftTime,
  type WeekdayDirection,
} from '../../values/dates.ts';
import type { CommandInput } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { type Option, type OptionValues, toFlagName } from '../command/options.ts';
import { createReferenceOption } from './references.ts';

/** Resolves a typed point in time to a Unix timestamp; the zone decides where days begin. */
export interface Moment {
  (where: { readonly now: Date; readonly zone: string | undefined }): number;
  /** The typed weekday, which the flag's direction resolves. */
  readonly weekday?: string;
}

/**
 * Creates a flag for a point in time: ISO 8601, a local day or its name, a Unix timestamp, an age such as `7d`, or a
 * distance from now such as `+7d`. `direction`: which day a weekday alone means, if not that of this week.
 */
export function moment(summary: string, direction?: WeekdayDirection): Option<Moment | undefined> {
  return { summary, placeholder: 'WHEN', parse: (text) => parseMoment(text, direction) };
}

/** Says in a terminal which days the weekdays in the input of a command mean. */
export async function noteWeekdays({ messages, runtime }: Session, input: CommandInput): Promise<void> {
  const where = { now: runtime.now(), zone: typeof input.tz === 'string' ? input.tz : undefined };
  for (const [name, value] of Object.entries(input)) {
    if (typeof value !== 'function' || !('weekday' in value)) continue;
    const day = createDayFormat(where.zone)((value as Moment)(where) * 1000); // the only functions with a weekday
    await messages.note(`${toFlagName(name)}: ${value.weekday} is ${day}.`);
  }
}

/** The flag for a time zone by its IANA name, such as `Asia/Seoul`. */
export const timeZoneOption: Option<string | undefined> = {
  summary: "Time zone for dates and times without one (default: this machine's)",
  placeholder: 'ZONE',
  parse(text) {
    if (!isTimeZone(text)) {
      throw new Failure('usage', `"${text}" is not a time zone.`, {
        hint: 'Use an IANA name such as Asia/Seoul, Europe/Berlin or UTC.',
      });
    }
    return text;
  },
};

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

/** A date or a time, and its offset. A year below 100 is a typo. */
const timePattern =
  /^((?!00)\d{4}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?)?)(Z|[+-]\d\d:\d\d)?$/;

/** The flag for the age at which the search index is updated, in seconds. */
export const maxAgeOption: Option<number | undefined> = {
  summary: 'Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)',
  placeholder: 'AGE',
  parse(text) {
    if (text === '0') return 0;
    const offset = /^\d+[a-z]$/.test(text) ? parseTimeOffset(text) : undefined;
    if (offset) return -offset.count * (offset.unit === 'day' ? 86_400 : 1);
    throw new Failure('usage', `"${text}" is not an age.`, {
      hint: 'Use an age such as 30m, 24h or 7d, or 0.',
    });
  },
};

const timeHint =
  'Use 2026-05-01, 2026-05-01T09:30, 2026-05-01T09:30:00+09:00, today, monday, "last week", "end of month", ' +
  '"in 3 days", +7d, a Unix timestamp, or an age: 30m, 24h, 7d, 4w.';

/** Parses a point in time. @throws {Failure} usage if the text is not a time */
export function parseMoment(text: string, direction?: WeekdayDirection): Moment {
  if (text.toLowerCase() === 'now') return ({ now }) => toSeconds(now.getTime());
  const offset = parseTimeOffset(text);
  if (offset) return ({ now, zone }) => toSeconds(shiftTime(now.getTime(), offset, zone));
  if (/^\d{9,11}$/.test(text)) return () => Number(text);
  if (!isDate(text) && readDays(text, '2026-01-01')) {
    const resolve: Moment = ({ now, zone }) => {
      const days = readDays(text, createDayFormat(zone)(now.getTime()), direction);
      // A week or a month begins with its first day.
      return toTimestamp(`${days?.isEnd ? days.end : days?.first}T00:00`, zone);
    };
    return isWeekday(text) ? Object.assign(resolve, { weekday: text }) : resolve;
  }
  const [, wall = '', numeric] = timePattern.exec(text) ?? [];
  const isDay = !text.includes('T');
  if (isDay ? !isDate(wall) || numeric : !isDateTime(`${wall}${numeric ?? 'Z'}`))
    throw new Failure('usage', `"${text}" is not a time.`, { hint: timeHint });
  if (numeric) return () => toSeconds(Date.parse(text));
  return ({ zone }) => toTimestamp(isDay ? `${text}T00:00` : wall, zone);
}

/**
 * Parses the days that a text names, or the day of a point in time. The days are undefined if the text names none.
 * `direction`: which day a weekday alone means, if not that of this week.
 * @throws {Failure} usage if the text is not a time
 */
export function parseDays(
  text: string,
  direction?: WeekdayDirection,
): (where: Parameters<Moment>[0]) => ReturnType<typeof readDays> {
  const moment = readDays(text, '2026-01-01') ? undefined : parseMoment(text);
  return ({ now, zone }) => {
    const toDay = createDayFormat(zone);
    const name = moment ? toDay(moment({ now, zone }) * 1000) : text;
    return readDays(name, toDay(now.getTime()), direction);
  };
}

const toSeconds = (time: number) => Math.floor(time / 1000);

/** Converts a local time of a zone, or of this machine, to a Unix timestamp. */
const toTimestamp = (local: string, zone: string | undefined) => toSeconds(readLocalTime(local, zone));
