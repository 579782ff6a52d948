import type ICAL from 'ical.js';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import type { SkippedEvents, TextFile } from '../../contract/workspace.ts';
import { formatIsoTime, loadTimeZone } from '../../values/dates.ts';
import { fileFailure } from '../recordings/text-file.ts';
import { findConference } from './conference.ts';
import { readContentLines } from './content-lines.ts';
import { expandOccurrences } from './occurrences.ts';
import type { Meeting } from './store-meetings.ts';

/** A meeting that is found again by what its calendar calls it. */
export type CalendarMeeting = Meeting & { readonly source: string };

/** What an iCalendar file holds. */
export interface CalendarFile {
  /** Latest first. */
  readonly meetings: readonly CalendarMeeting[];
  readonly skipped: Readonly<SkippedEvents>;
}

/** What a file does not say: the time, and the IANA name of this machine's zone. */
export interface CalendarContext {
  readonly now: Date;
  readonly timeZone: string;
}

/** The properties of an event that are times. */
const timeProperties = ['dtstart', 'dtend', 'recurrence-id', 'exdate', 'rdate'] as const;

/** Where the link of a conference may stand, the surest first. */
const linkProperties = [
  'x-google-conference',
  'x-microsoft-skypeteamsmeetingurl',
  'url',
  'location',
  'description',
] as const;

/**
 * The meetings of an iCalendar file (RFC 5545): events with a time that are not cancelled; of an event that
 * repeats, each time up to now. Throws `usage` for a file that cannot be read, with its line where one is at fault.
 */
export async function readCalendar(file: TextFile, here: CalendarContext): Promise<CalendarFile> {
  const library = await loadIcal();
  const lines = readContentLines(file);
  const skipped: SkippedEvents = { all_day: 0, cancelled: 0, older: 0 };
  try {
    const meetings = parseCalendars(library, lines.map(({ text }) => text).join('\n')).flatMap((calendar) => {
      const zones = createZoneLookup(library, calendar, here.timeZone);
      return groupSeries(calendar).flatMap((series) => {
        for (const event of series) setZones(library, event, zones);
        return buildMeetings(library, series, here.now, skipped);
      });
    });
    meetings.sort((one, other) => Date.parse(other.start_at) - Date.parse(one.start_at));
    return { meetings, skipped };
  } catch (error) {
    if (error instanceof Failure) throw fileFailure(file, error.message);
    const line = lines.find(({ text }) => findLineError(library, text) !== undefined);
    const reason = line ? findLineError(library, line.text) : String(error);
    throw fileFailure(file, `Cannot be read: ${reason}.`, line?.number, error);
  }
}

function parseCalendars(library: Ical, text: string): ICAL.Component[] {
  const found = library.parse(text) as unknown[]; // one calendar, or an array of several
  const calendars = typeof found[0] === 'string' ? [found] : (found as unknown[][]);
  return calendars
    .map((calendar) => new library.Component(calendar))
    .filter(({ name }) => name === 'vcalendar');
}

/** What the library says against a line; undefined: nothing. */
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

/** The events of a calendar with those that change one of their occurrences; the event itself comes first. */
function groupSeries(calendar: ICAL.Component): ICAL.Component[][] {
  const series = new Map<unknown, ICAL.Component[]>();
  for (const event of calendar.getAllSubcomponents('vevent')) {
    const uid = event.getFirstPropertyValue('uid');
    if (!uid) throw new Failure('usage', `The event "${readTitle(event)}" has no UID.`);
    if (!event.hasProperty('dtstart'))
      throw new Failure('usage', `The event "${readTitle(event)}" has no DTSTART.`);
    if (calendar.getFirstPropertyValue('method') === 'CANCEL')
      event.updatePropertyWithValue('status', 'CANCELLED');
    const known = series.get(uid) ?? [];
    series.set(
      uid,
      event.hasProperty('recurrence-id') ? [...known, event] : replaceOlderVersion(known, event),
    );
  }
  return [...series.values()];
}

/** An event in its place, where the file has it twice in its higher version (RFC 5545, 3.8.7.4). */
function replaceOlderVersion(known: readonly ICAL.Component[], event: ICAL.Component): ICAL.Component[] {
  const version = (one: ICAL.Component) => Number(one.getFirstPropertyValue('sequence') ?? 0);
  const before = known.find((one) => !one.hasProperty('recurrence-id'));
  const overrides = known.filter((one) => one !== before);
  return [before && version(before) > version(event) ? before : event, ...overrides];
}

/** Gives the zone of a name; without one, that of this machine. Throws `usage` for a zone that nobody knows. */
function createZoneLookup(library: Ical, calendar: ICAL.Component, here: string) {
  const known = new Map<string, ICAL.Timezone>();
  return (name: string = here): ICAL.Timezone => {
    let zone = known.get(name);
    if (zone) return zone;
    const defined = calendar.getTimeZoneByID(name);
    zone = defined?.component.getFirstSubcomponent() ? defined : createIanaZone(library, name);
    known.set(name, zone);
    return zone;
  };
}

function createIanaZone(library: Ical, name: string): ICAL.Timezone {
  const offset = loadTimeZone(name);
  if (!offset)
    throw new Failure('usage', `The time zone "${name}" is neither defined in the file nor known here.`);
  const zone = new library.Timezone({ tzid: name });
  zone.utcOffset = offset;
  return zone;
}

/** Puts every time of an event into its zone: the library itself knows only those that the file defines. */
function setZones(library: Ical, event: ICAL.Component, zoneNamed: (name?: string) => ICAL.Timezone): void {
  for (const property of timeProperties.flatMap((name) => event.getAllProperties(name))) {
    const times = readTimes(library, property);
    for (const time of times) {
      if (!time.isDate && time.zone !== library.Timezone.utcTimezone)
        time.zone = zoneNamed(property.getFirstParameter('tzid'));
    }
    // A further date may be a period; the library repeats an event by its times alone.
    if (property.type === 'period') property.setValues(times);
  }
  const { zone } = new library.Event(event, { exceptions: [] }).startDate;
  for (const property of event.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof library.Recur) || !rule.until) continue;
    const { year, month, day, isDate } = rule.until;
    // A day as the end of what has times is meant with that day.
    if (isDate)
      rule.until = new library.Time(
        { year, month, day, hour: 23, minute: 59, second: 59, isDate: false },
        zone,
      );
    else if (rule.until.zone !== library.Timezone.utcTimezone) rule.until.zone = zone;
  }
}

/** The times of a property. Throws where one is no time that exists, such as the 30th of February. */
function readTimes(library: Ical, property: ICAL.Property): ICAL.Time[] {
  return property.getValues().map((value: unknown, index) => {
    const time = value instanceof library.Period ? value.start : value;
    const written: unknown = [property.toJSON().slice(3)[index]].flat()[0];
    if (!(time instanceof library.Time) || written !== time.toString())
      throw new Error(`"${written}" is no time`);
    return time;
  });
}

function buildMeetings(
  library: Ical,
  series: readonly ICAL.Component[],
  now: Date,
  skipped: SkippedEvents,
): CalendarMeeting[] {
  if (series[0] && !series[0].hasProperty('recurrence-id') && isCancelled(series[0])) {
    skipped.cancelled += 1;
    return [];
  }
  const timed = series.filter((event) => {
    const isDay = event.getFirstProperty('dtstart')?.type === 'date';
    if (isDay) skipped.all_day += 1;
    return !isDay;
  });
  const { occurrences, older } = expandOccurrences(library, timed, now);
  skipped.older += older;
  return occurrences.flatMap(({ item, start, recurrence }) => {
    if (!isCancelled(item.component)) return [buildMeeting(library, item, start, recurrence)];
    skipped.cancelled += 1;
    return [];
  });
}

function isCancelled(event: ICAL.Component): boolean {
  return String(event.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED';
}

function buildMeeting(
  library: Ical,
  item: ICAL.Event,
  start: ICAL.Time,
  recurrence: ICAL.Time | undefined,
): CalendarMeeting {
  const { component, uid, startDate, endDate } = item;
  const starts = start.toUnixTime() * 1000;
  const ends = starts + (endDate.toUnixTime() - startDate.toUnixTime()) * 1000;
  if (ends < starts) throw new Failure('usage', `The event "${readTitle(component)}" ends before it starts.`);
  const wall = (shift: number) => library.Time.fromJSDate(new Date(ends + shift * 1000), true);
  const zone = endDate.isDate ? start.zone : endDate.zone;
  const offset = zone.utcOffset(wall(zone.utcOffset(wall(start.utcOffset()))));
  return {
    source: recurrence ? `${uid} ${formatIsoTime(recurrence.toUnixTime() * 1000, 0)}` : uid,
    title: readTitle(component),
    start_at: formatIsoTime(starts, start.utcOffset()),
    end_at: formatIsoTime(ends, offset),
    ...findConference(
      linkProperties.flatMap((name) =>
        component.getAllProperties(name).map((found) => String(found.getFirstValue())),
      ),
    ),
    attendees: readAttendees(component),
  };
}

function readTitle(event: ICAL.Component): string {
  const title = String(event.getFirstPropertyValue('summary') ?? '').trim();
  return title.replace(/\s+/g, ' ') || 'Untitled meeting';
}

/** The addresses of those who take part, the organizer first, each once. */
function readAttendees(event: ICAL.Component): string[] {
  const addresses = new Map<string, string>();
  for (const property of [...event.getAllProperties('organizer'), ...event.getAllProperties('attendee')]) {
    const [, address] = /^mailto:\s*([^?\s]+@[^?\s]+)/i.exec(String(property.getFirstValue())) ?? [];
    if (address !== undefined && !addresses.has(address.toLowerCase()))
      addresses.set(address.toLowerCase(), address);
  }
  return [...addresses.values()];
}

/** The library for iCalendar; its classes are types here, and values once it is loaded. */
export type { ICAL };

/** The library as a value. */
export type Ical = typeof ICAL;

/** Loads the library: only an import of calendars needs it. */
export async function loadIcal(): Promise<Ical> {
  return (await import('ical.js')).default;
}
