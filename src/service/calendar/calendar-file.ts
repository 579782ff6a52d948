import type ICAL from 'ical.js';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { SkippedEvents, TextFile } from '../../contract/workspace.ts';
import { loadTimeZone } from '../../values/dates.ts';
import { createFileFailure, normalizeText, truncate } from '../recordings/text-file.ts';
import { buildMeetings, type CalendarMeeting, groupSeries } from './calendar-meetings.ts';
import type { Ical } from './occurrences.ts';

/** The content of an iCalendar file. */
export interface CalendarFile {
  /** Latest first. */
  readonly meetings: readonly CalendarMeeting[];
  readonly skipped: Readonly<SkippedEvents>;
}

/** The current time, and the IANA time zone for times without one. */
export interface CalendarContext {
  readonly now: Date;
  readonly timeZone: string;
}

/** The properties of an event that hold times. */
const timeProperties = ['dtstart', 'dtend', 'recurrence-id', 'exdate', 'rdate'] as const;

/**
 * Reads the meetings of an iCalendar file (RFC 5545): timed events that are not cancelled, and each past occurrence of
 * a recurring event.
 * @throws {Failure} `usage` if the file cannot be read, with the line number if it is known.
 */
export async function readCalendar(
  file: TextFile,
  { now, timeZone }: CalendarContext,
): Promise<CalendarFile> {
  const library = (await import('ical.js')).default;
  const lines = readContentLines(file);
  const skipped: SkippedEvents = { all_day: 0, cancelled: 0, older: 0 };
  try {
    const calendars = parseCalendars(library, lines.map(({ text }) => text).join('\n'));
    const meetings = calendars.flatMap((calendar) => {
      const findZone = createZoneLookup(library, calendar, timeZone);
      return groupSeries(calendar).flatMap((series) => {
        for (const event of series) setZones(library, event, findZone);
        return buildMeetings(library, series, now, skipped);
      });
    });
    meetings.sort((one, other) => Date.parse(other.start_at) - Date.parse(one.start_at));
    return { meetings, skipped };
  } catch (error) {
    if (error instanceof Failure) throw createFileFailure(file, error.message);
    // The library does not say where it failed, so the lines are parsed one by one.
    const line = lines.find(({ text }) => findLineError(library, text) !== undefined);
    const reason = line ? findLineError(library, line.text) : String(error);
    throw createFileFailure(file, `Cannot read the calendar: ${reason}.`, line?.number, error);
  }
}

/** A line of an iCalendar file, joined with its continuation lines (RFC 5545, 3.1). */
interface ContentLine {
  readonly text: string;
  /** The number of its first line in the file, from 1. */
  readonly number: number;
}

/** @throws {Failure} `usage` if a component does not end, or ends without a beginning. */
function readContentLines(file: TextFile): ContentLine[] {
  const lines: { text: string; number: number }[] = [];
  for (const [index, text] of normalizeText(file).split('\n').entries()) {
    const last = lines.at(-1);
    if (/^[ \t]/.test(text) && last) last.text += text.slice(1);
    else if (text.trim() !== '') lines.push({ text, number: index + 1 });
  }
  checkNesting(file, lines);
  return lines;
}

function checkNesting(file: TextFile, lines: readonly ContentLine[]): void {
  const notCalendar = 'Not an iCalendar file: it must begin with BEGIN:VCALENDAR.';
  const open: string[] = [];
  for (const { text, number } of lines) {
    const [, verb, name] = /^(BEGIN|END):\s*(\S+)\s*$/.exec(text.toUpperCase()) ?? [];
    if (verb === 'BEGIN' && name) open.push(name);
    else if (open.length === 0) throw createFileFailure(file, notCalendar, number);
    else if (!/^[\w.-]+[;:]/.test(text))
      throw createFileFailure(
        file,
        `Expected a property such as SUMMARY:Title, not "${truncate(text)}".`,
        number,
      );
    else if (verb === 'END') {
      const expected = open.pop();
      if (name !== expected)
        throw createFileFailure(file, `Expected END:${expected}, not END:${name}.`, number);
    }
  }
  const [unclosed] = open;
  if (unclosed) throw createFileFailure(file, `The file is truncated: END:${unclosed} is missing.`);
  if (!lines.some(({ text }) => /^BEGIN:\s*VCALENDAR\s*$/i.test(text)))
    throw createFileFailure(file, notCalendar);
}

function parseCalendars(library: Ical, text: string): ICAL.Component[] {
  const parsed = library.parse(text) as unknown[]; // one calendar, or an array of several
  const calendars = typeof parsed[0] === 'string' ? [parsed] : (parsed as unknown[][]);
  return calendars
    .map((calendar) => new library.Component(calendar))
    .filter(({ name }) => name === 'vcalendar');
}

/** Returns the library's error message for a line; undefined if the line is valid. */
function findLineError(library: Ical, line: string): string | undefined {
  if (/^(BEGIN|END):/i.test(line)) return undefined;
  try {
    const property = library.Property.fromString(line);
    if (timeProperties.some((name) => name === property.name)) readTimes(library, property);
    return undefined;
  } catch (error) {
    return getErrorMessage(error);
  }
}

type ZoneLookup = (name?: string) => ICAL.Timezone;

/** Returns a function that finds a time zone by name, in the file or among the IANA zones. @throws {Failure} `usage` */
function createZoneLookup(library: Ical, calendar: ICAL.Component, defaultName: string): ZoneLookup {
  const zones = new Map<string, ICAL.Timezone>();
  return (name = defaultName) => {
    let zone = zones.get(name);
    if (zone) return zone;
    const defined = calendar.getTimeZoneByID(name);
    zone = defined?.component.getFirstSubcomponent() ? defined : createIanaZone(library, name);
    zones.set(name, zone);
    return zone;
  };
}

function createIanaZone(library: Ical, name: string): ICAL.Timezone {
  const utcOffset = loadTimeZone(name);
  if (!utcOffset)
    throw new Failure(
      'usage',
      `Unknown time zone "${name}": use an IANA name such as Europe/Paris, or define it in a VTIMEZONE.`,
    );
  return Object.assign(new library.Timezone({ tzid: name }), { utcOffset });
}

/** Sets the time zone of each time of an event. The library knows only the zones that the file defines. */
function setZones(library: Ical, event: ICAL.Component, findZone: ZoneLookup): void {
  const { utcTimezone } = library.Timezone;
  for (const property of timeProperties.flatMap((name) => event.getAllProperties(name))) {
    const times = readTimes(library, property);
    for (const time of times) {
      if (!time.isDate && time.zone !== utcTimezone) time.zone = findZone(property.getFirstParameter('tzid'));
    }
    // An RDATE may hold periods, but the library expands only times.
    if (property.type === 'period') property.setValues(times);
  }
  const { zone } = new library.Event(event, { exceptions: [] }).startDate;
  for (const property of event.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof library.Recur) || !rule.until) continue;
    const { year, month, day, isDate } = rule.until;
    // UNTIL with a date includes that day.
    const endOfDay = { year, month, day, hour: 23, minute: 59, second: 59, isDate: false };
    if (isDate) rule.until = new library.Time(endOfDay, zone);
    else if (rule.until.zone !== utcTimezone) rule.until.zone = zone;
  }
}

/** Returns the times of a property. @throws {Error} if a time does not exist, such as February 30. */
function readTimes(library: Ical, property: ICAL.Property): ICAL.Time[] {
  return property.getValues().map((value: unknown, index) => {
    const time = value instanceof library.Period ? value.start : value;
    const source: unknown = [property.toJSON().slice(3)[index]].flat()[0];
    if (!(time instanceof library.Time) || source !== time.toString())
      throw new Error(`"${source}" is not a valid time`);
    return time;
  });
}
