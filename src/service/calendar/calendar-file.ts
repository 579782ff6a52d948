import ICAL from 'ical.js';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { findWindowsZone } from '../../contract/windows-zones.ts';
import type { SkippedEvents, TextFile } from '../../contract/workspace.ts';
import { loadTimeZone } from '../../values/dates.ts';
import { createFileFailure, normalizeText, truncate } from '../recordings/text-file.ts';
import { buildMeetings, groupSeries, readTitle } from './calendar-meetings.ts';
import type { CalendarMeeting } from './store-meetings.ts';

/** The current time, and the IANA time zone for times without a zone. */
export interface CalendarContext {
  readonly now: Date;
  readonly timeZone: string;
}

const timeProperties = ['dtstart', 'dtend', 'recurrence-id', 'exdate', 'rdate'] as const;

/**
 * Reads the meetings of an iCalendar file (RFC 5545), latest first: timed events that are not cancelled, and each past
 * occurrence of a recurring event. `problems`: the events that cannot be read, with all changes to their occurrences.
 * @throws {Failure} `usage` if no event can be read, with the line number if it is known.
 */
export async function readCalendar(file: TextFile, { now, timeZone }: CalendarContext) {
  const invalidEvents = new Map<ICAL.Component, Failure>();
  const skippedEvents: SkippedEvents = { all_day: 0, cancelled: 0, older: 0 };
  const meetings: CalendarMeeting[] = [];
  const failures: { readonly title: string; readonly message: string }[] = [];
  for (const calendar of parseCalendars(file, invalidEvents)) {
    const findZone = createZoneLookup(calendar, timeZone);
    for (const series of groupSeries(calendar, (event) => invalidEvents.has(event))) {
      const invalid = series.find((event) => invalidEvents.has(event));
      try {
        if (invalid) throw invalidEvents.get(invalid);
        for (const event of series) {
          const missing = ['UID', 'DTSTART'].find((name) => !event.getFirstPropertyValue(name.toLowerCase()));
          if (missing) throw new Failure('usage', `The event "${readTitle(event)}" has no ${missing}.`);
          setZones(event, findZone);
        }
        meetings.push(...buildMeetings(series, now, skippedEvents));
      } catch (error) {
        const reason = error instanceof Failure ? error.message : `Cannot read the calendar: ${error}.`;
        const message = invalid ? reason : createFileFailure(file, reason).message;
        failures.push({ title: readTitle(invalid ?? series[0]), message });
      }
    }
  }
  if (meetings.length === 0 && failures.length > 0)
    throw new Failure('usage', failures.map(({ message }) => message).join(' '));
  meetings.sort((left, right) => Date.parse(right.start_at) - Date.parse(left.start_at));
  const problems = failures.map(
    ({ title, message }) => `the event "${title}" (${message.replace(/\.$/, '')})`,
  );
  return { meetings, skipped: skippedEvents, problems };
}

const notCalendar = 'Not an iCalendar file: it must begin with BEGIN:VCALENDAR.';

/**
 * Parses the calendars of a file line by line, because the library does not say in which line it fails. A line that
 * cannot be read concerns only its event, and is added to `invalidEvents`.
 */
function parseCalendars(file: TextFile, invalidEvents: Map<ICAL.Component, Failure>): ICAL.Component[] {
  const roots: ICAL.Component[] = [];
  const open: ICAL.Component[] = [];
  for (const { text, number } of unfoldLines(normalizeText(file))) {
    const createFailure = (message: string) => createFileFailure(file, message, number);
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
    } else {
      const problem = addProperty(current, text);
      if (problem === undefined) continue;
      const [calendar, part] = open;
      if (part === undefined) throw createFailure(problem);
      // Its times would be wrong. An IANA or Windows zone may have the same name.
      if (part.name === 'vtimezone') calendar?.removeSubcomponent(part);
      // Alarms, tasks and other parts are not used.
      if (current.name === 'vevent' && !invalidEvents.has(current))
        invalidEvents.set(current, createFailure(problem));
    }
  }
  const [unclosedName] = open.map(({ name }) => name.toUpperCase());
  if (unclosedName) throw createFileFailure(file, `The file is truncated: END:${unclosedName} is missing.`);
  const calendars = roots.filter(({ name }) => name === 'vcalendar');
  if (calendars.length === 0) throw createFileFailure(file, notCalendar);
  return calendars;
}

/** Adds the property in a line to a component. Returns why this is not possible, if so. */
function addProperty(component: ICAL.Component, line: string): string | undefined {
  // PostgreSQL cannot store it, and SQLite would truncate the text.
  if (line.includes('\0')) return 'The file contains a NUL character. Save it as UTF-8.';
  if (!/^[\w.-]+[;:]/.test(line))
    return `Expected a property such as SUMMARY:Title, not "${truncate(line)}".`;
  try {
    const property = component.addProperty(ICAL.Property.fromString(line));
    const isTime = timeProperties.some((name) => name === property.name);
    // The times of other components are not used.
    if (isTime && component.name === 'vevent') readTimes(property); // checks them
    return undefined;
  } catch (error) {
    return `Cannot read the calendar: ${getErrorMessage(error)}.`;
  }
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
  const utcOffset = loadTimeZone(findWindowsZone(name) ?? name);
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
    // The library adds a Z to times with the TZID UTC or GMT.
    if (!(time instanceof ICAL.Time) || `${source}`.replace(/Z$/, '') !== time.toString().replace(/Z$/, ''))
      throw new Error(`"${source}" is not a valid time`);
    return time;
  });
}
