import { Failure } from '../../contract/errors.ts';
import { loadTimeZone, type WallTime } from '../../values/dates.ts';
import type { Option } from './options.ts';

/** A point in time that was typed: as a Unix timestamp, once it is known where its days begin. */
export type Moment = (where: { readonly now: Date; readonly zone: string | undefined }) => number;

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A point in time: ISO 8601, a local day, a Unix timestamp, or an age such as `7d`. */
export function moment(summary: string): Option<Moment | undefined> {
  return { summary, placeholder: 'WHEN', parse: momentOf };
}

/** A time zone by its IANA name, such as `Asia/Seoul`. */
export const timeZoneOption: Option<string | undefined> = {
  summary: 'Time zone of days and times that name none (default: that of this machine)',
  placeholder: 'ZONE',
  parse(given) {
    if (!/^[A-Za-z]/.test(given) || !isZone(given)) {
      throw new Failure('usage', `"${given}" is not a time zone.`, {
        hint: 'Type one such as Asia/Seoul, Europe/Berlin or UTC.',
      });
    }
    return given;
  },
};

/** `ianaZone` also takes what programs put before the name of a zone; a person types the name. */
function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function momentOf(given: string): Moment {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(given) ?? [];
  if (count && unit) {
    const age = Number(count) * (unitSeconds[unit] ?? 0);
    return ({ now }) => Math.floor(now.getTime() / 1000) - age;
  }
  if (/^\d{9,11}$/.test(given)) return () => Number(given);
  const [, wall, offset] =
    /^(\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)(Z|[+-]\d\d:\d\d)?$/.exec(given) ?? [];
  const time = wall === undefined ? undefined : wallTimeOf(wall);
  const isDay = !given.includes('T');
  if (!time || (isDay && offset) || (offset && Number.isNaN(Date.parse(given)))) throw notATime(given);
  if (offset) return () => Math.floor(Date.parse(given) / 1000);
  return ({ zone }) => instantOf(time, zone);
}

/** The time that a clock shows; undefined where none does: the 30th of February, 25 o'clock. */
function wallTimeOf(text: string): WallTime | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/[-T:.]/).map(Number);
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const shown = date.toISOString().slice(0, text.includes('T') ? 16 : 10);
  return shown === text.slice(0, shown.length) && second < 60
    ? { year, month, day, hour, minute, second }
    : undefined;
}

/** Seconds since 1970 at a time on the wall: of a zone, or of this machine. */
function instantOf(time: WallTime, zone: string | undefined): number {
  const { year, month, day, hour, minute, second } = time;
  const offsetAt = zone === undefined ? undefined : loadTimeZone(zone);
  return offsetAt
    ? Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - offsetAt(time)
    : Math.floor(new Date(year, month - 1, day, hour, minute, second).getTime() / 1000);
}

function notATime(given: string): Failure {
  return new Failure('usage', `"${given}" is not a time.`, {
    hint: 'Type 2026-05-01, 2026-05-01T09:30, 2026-05-01T09:30:00+09:00, a Unix timestamp, or an age: 30m, 24h, 7d, 4w.',
  });
}
