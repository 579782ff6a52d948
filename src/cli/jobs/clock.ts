import { Failure } from '../../contract/errors.ts';
import { type Option, whole } from '../flags/options.ts';
import { type ScheduleTime, weekdays } from './scheduler-entries.ts';

const daily: Option<ScheduleTime | undefined> = {
  summary: 'Every day, at this time',
  value: 'HH:MM',
  read(given) {
    const time = parseTime(given);
    if (time) return time;
    throw new Failure('usage', `"${given}" is not a time of day.`, {
      hint: 'Type it as 07:30, from 00:00 to 23:59.',
    });
  },
};

const weekly: Option<ScheduleTime | undefined> = {
  summary: 'Every week, on a day at a time: "mon 07:30"',
  value: 'DAY HH:MM',
  read(given) {
    const [day = '', clock = '', ...more] = given.trim().toLowerCase().split(/\s+/);
    const weekday = weekdays.indexOf(day);
    const time = parseTime(clock);
    if (time && weekday >= 0 && more.length === 0) return { ...time, weekday };
    throw new Failure('usage', `"${given}" is not a day of the week and a time.`, {
      hint: `Type it as "mon 07:30"; a day is one of ${weekdays.join(', ')}.`,
    });
  },
};

/** The flags of which one says when something runs. */
export const timeOptions = {
  hourly: whole('Every hour, at this minute', 'MINUTE', { min: 0, max: 59 }),
  daily,
  weekly,
};

function parseTime(given: string): ScheduleTime | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(given) ?? [];
  return hour === undefined ? undefined : { hour: Number(hour), minute: Number(minute) };
}
