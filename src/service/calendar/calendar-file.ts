import ICAL from 'ical.js';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { SkippedEvents, TextFile } from '../../contract/workspace.ts';
import { loadTimeZone } from '../../values/dates.ts';
import { createFileFailure, normalizeText, truncate } from '../recordings/text-file.ts';
import { buildMeetings, groupSeries } from './calendar-meetings.ts';

/** The current time, and the IANA time zone for times without a zone. */
export interface CalendarContext {
  readonly now: Date;
  readonly timeZone: string;
}

const timeProperties = ['dtstart', 'dtend', 'recurrence-id', 'exdate', 'rdate'] as const;

/**
 * Reads the meetings of an iCalendar file (RFC 5545), latest first: timed events that are not cancelled, and each past occurrence of
 * a recurring event.
 * @throws {Failure} `usage` if the file cannot be read, with the line number if it is known.
 */
export async function readCalendar(file: TextFile, { now, timeZone }: CalendarContext) {
  const calendars = parseCalendars(file);
  const skippedEvents: SkippedEvents = { all_day: 0, cancelled: 0, older: 0 };
  try {
    const meetings = calendars.flatMap((calendar) => {
      const findZone = createZoneLookup(calendar, timeZone);
      return groupSeries(calendar).flatMap((series) => {
        for (const event of series) setZones(event, findZone);
        return buildMeetings(series, now, skippedEvents);
      });
    });
    meetings.sort((left, right) => Date.parse(right.start_at) - Date.parse(left.start_at));
    return { meetings, skipped: skippedEvents };
  } catch (error) {
    const message = error instanceof Failure ? error.message : `Cannot read the calendar: ${error}.`;
    throw createFileFailure(file, message, undefined, error);
  }
}

const notCalendar = 'Not an iCalendar file: it must begin with BEGIN:VCALENDAR.';

/** Parses the calendars of a file line by line, because the library does not say in which line it fails. */
function parseCalendars(file: TextFile): ICAL.Component[] {
  const roots: ICAL.Component[] = [];
  const open: ICAL.Component[] = [];
  for (const { text, number } of unfoldLines(normalizeText(file))) {
    const createFailure = (message: string, cause?: unknown) =>
      createFileFailure(file, message, number, cause);
    // PostgreSQL cannot store it, and SQLite would truncate the text.
    if (text.includes('\0')) throw createFailure('The file contains a NUL character. Save it as UTF-8.');
    const [, verb, name = ''] = /^(BEGIN|END):\s*(\S+)\s*$/.exec(text.toUpperCase()) ?? [];
    const current = open.at(-1);
    if (verb === 'BEGIN') {
      const component = new ICAL.Component(name.toLowerCase());
      if (current) current.addSubcomponent(component);
      else roots.push(component);
      open.push(component);
    } else if (!current) throw createFailure(notCalendar);
    else if (verb === 'END') {
      const expected = current.name.toUpperCase();
      if (name !== expected) throw createFailure(`Expected END:${expected}, not END:${name}.`);
      open.pop();
    } else if (!/^[\w.-]+[;:]/.test(text)) {
      throw createFailure(`Expected a property such as SUMMARY:Title, not "${truncate(text)}".`);
    } else {
      try {
        const property = current.addProperty(ICAL.Property.fromString(text));
        const isTime = timeProperties.some((name) => name === property.name);
        // The times of other components are not used.
        if (isTime && current.name === 'vevent') readTimes(property); // checks them
      } catch (error) {
        throw createFailure(`Cannot read the calendar: ${getErrorMessage(error)}.`, error);
      }
    }
  }
  const [unclosedName] = open.map(({ name }) => name.toUpperCase());
  if (unclosedName) throw createFileFailure(file, `The file is truncated: END:${unclosedName} is missing.`);
  const calendars = roots.filter(({ name }) => name === 'vcalendar');
  if (calendars.length === 0) throw createFileFailure(file, notCalendar);
  return calendars;
}

/** Joins lines with their continuation lines (RFC 5545, 3.1). `number`: the number of the first line, from 1. */
function unfoldLines(content: string): { text: string; number: number }[] {
  const lines: { text: string; number: number }[] = [];
  for (const [index, text] of content.split('\n').entries()) {
    const last = lines.at(-1);
    if (/^[ \t]/.test(text) && last) last.text += text.slice(1);
    else if (text.trim() !== '') lines.push({ text, number: index + 1 });
  }
  return lines;
}

/** Returns a function that finds a time zone by name, in the file or among the IANA zones. @throws {Failure} `usage` */
function createZoneLookup(calendar: ICAL.Component, defaultName: string) {
  const zones = new Map<string, ICAL.Timezone>();
  return (name = defaultName) => {
    const zone = zones.get(name) ?? findZone(calendar, name);
    zones.set(name, zone);
    return zone;
  };
}

function findZone(calendar: ICAL.Component, name: string): ICAL.Timezone {
  const defined = calendar.getTimeZoneByID(name);
  if (defined?.component.getFirstSubcomponent()) return defined;
  const utcOffset = loadTimeZone(name);
  if (utcOffset) return Object.assign(new ICAL.Timezone({ tzid: name }), { utcOffset });
  const advice = 'use an IANA name such as Europe/Paris, or define it in a VTIMEZONE';
  throw new Failure('usage', `Unknown time zone "${name}": ${advice}.`);
}

/** Sets the time zone of each time of an event. The library knows only the zones that the file defines. */
function setZones(event: ICAL.Component, findZone: (name?: string) => ICAL.Timezone): void {
  const { utcTimezone } = ICAL.Timezone;
  for (const property of timeProperties.flatMap((name) => event.getAllProperties(name))) {
    const times = readTimes(property);
    for (const time of times) {
      if (!time.isDate && time.zone !== utcTimezone) time.zone = findZone(property.getFirstParameter('tzid'));
    }
    // An RDATE may hold periods, but the library expands only times.
    if (property.type === 'period') property.setValues(times);
  }
  const { zone } = new ICAL.Event(event, { exceptions: [] }).startDate;
  for (const property of event.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof ICAL.Recur) || !rule.until) continue;
    const { year, month, day, isDate } = rule.until;
    // UNTIL with a date includes that day.
    const endOfDay = { year, month, day, hour: 23, minute: 59, second: 59, isDate: false };
    if (isDate) rule.until = new ICAL.Time(endOfDay, zone);
    else if (rule.until.zone !== utcTimezone) rule.until.zone = zone;
  }
}

/** Returns the times of a property. @throws {Error} if a time does not exist, such as February 30. */
function readTimes(property: ICAL.Property): ICAL.Time[] {
  return property.getValues().map((value: unknown, index) => {
    const time = value instanceof ICAL.Period ? value.start : value;
    const source: unknown = [property.toJSON().slice(3)[index]].flat()[0];
    if (!(time instanceof ICAL.Time) || source !== time.toString())
      throw new Error(`"${source}" is not a valid time`);
    return time;
  });
}
