import ICAL from 'ical.js';
import { Failure } from '../../contract/errors.ts';
import type { SkippedEvents } from '../../contract/workspace.ts';
import { formatIsoTime } from '../../values/dates.ts';
import { parseUrl } from '../../values/domain.ts';
import type { CalendarMeeting } from './store-meetings.ts';

/** The properties that may hold the link of a conference, the most reliable first. */
const linkProperties = [
  'x-google-conference',
  'x-microsoft-skypeteamsmeetingurl',
  'url',
  'location',
  'description',
] as const;

/** Conferencing tools, recognized by the host and path of a meeting's link. */
const conferenceTools: readonly { type: string; host: RegExp; path: RegExp }[] = [
  { type: 'Zoom', host: /(^|\.)(zoom\.us|zoom\.com|zoomgov\.com)$/, path: /^\/(j|my|w|s|wc)\/./ },
  { type: 'Google Meet', host: /^meet\.google\.com$/, path: /^\/./ },
  {
    type: 'Microsoft Teams',
    host: /^teams\.(microsoft\.com|live\.com|microsoft\.us)$/,
    path: /^\/(l\/meetup-join|meet|_#\/l\/meetup-join)\/./,
  },
  { type: 'Whereby', host: /(^|\.)whereby\.com$/, path: /^\/./ },
];

/**
 * Groups the events of a calendar by UID. Each group contains an event, and then the changes to its single occurrences
 * and its invalid versions.
 */
export function groupSeries(
  calendar: ICAL.Component,
  isInvalid: (event: ICAL.Component) => boolean,
): ICAL.Component[][] {
  const isCancellation = calendar.getFirstPropertyValue('method') === 'CANCEL';
  const groups = new Map<unknown, ICAL.Component[]>();
  for (const event of calendar.getAllSubcomponents('vevent')) {
    const key = event.getFirstPropertyValue('uid') || event;
    if (isCancellation) event.updatePropertyWithValue('status', 'CANCELLED');
    const series = groups.get(key) ?? [];
    const isAdded = isOverride(event) || isInvalid(event);
    groups.set(key, isAdded ? [...series, event] : replaceOlderVersion(series, event));
  }
  return [...groups.values()];
}

/** Puts an event first in its series. Keeps the higher of two versions (RFC 5545, 3.8.7.4). */
function replaceOlderVersion(series: readonly ICAL.Component[], event: ICAL.Component): ICAL.Component[] {
  const readVersion = (component: ICAL.Component) => Number(component.getFirstPropertyValue('sequence') ?? 0);
  const present = series.find((component) => !isOverride(component));
  const isOlder = present && readVersion(present) > readVersion(event);
  return [isOlder ? present : event, ...series.filter(isOverride)];
}

/**
 * Builds the meetings of a series, and counts the skipped events.
 * @throws {Failure} `usage` if an event cannot be read
 */
export function buildMeetings(series: readonly ICAL.Component[], now: Date, skippedEvents: SkippedEvents) {
  if (series[0] && !isOverride(series[0]) && isCancelled(series[0])) {
    skippedEvents.cancelled += 1;
    return [];
  }
  const timedEvents = series.filter((event) => event.getFirstProperty('dtstart')?.type !== 'date');
  skippedEvents.all_day += series.length - timedEvents.length;
  const { occurrences, older } = expandOccurrences(timedEvents, now);
  skippedEvents.older += older;
  const takingPlace = occurrences.filter(({ item }) => !isCancelled(item.component));
  skippedEvents.cancelled += occurrences.length - takingPlace.length;
  return takingPlace.map(buildMeeting);
}

function isCancelled(event: ICAL.Component): boolean {
  return String(event.getFirstPropertyValue('status')).toUpperCase() === 'CANCELLED';
}

function buildMeeting({ item, start, recurrence }: Occurrence): CalendarMeeting {
  const { component, uid, endDate } = item;
  const startsAt = start.toUnixTime() * 1000;
  const endsAt = findEnd(item, start) * 1000;
  if (endsAt < startsAt)
    throw new Failure('usage', `The event "${readTitle(component)}" ends before it starts.`);
  // The offset at the end depends on the local time, which depends on the offset.
  const zone = endDate.isDate ? start.zone : endDate.zone;
  const toLocalTime = (offset: number) => ICAL.Time.fromJSDate(new Date(endsAt + offset * 1000), true);
  const endOffset = zone.utcOffset(toLocalTime(zone.utcOffset(toLocalTime(start.utcOffset()))));
  return {
    source: recurrence ? `${uid} ${formatIsoTime(recurrence.toUnixTime() * 1000, 0)}` : uid,
    title: readTitle(component),
    start_at: formatIsoTime(startsAt, start.utcOffset()),
    end_at: formatIsoTime(endsAt, endOffset),
    ...findConference(component),
    attendees: readAttendees(component),
  };
}

/**
 * Returns the end of an occurrence in seconds since 1970. In a duration, weeks and days are local days, and hours,
 * minutes and seconds are exact, even if the clocks change (RFC 5545, 3.3.6).
 */
function findEnd({ component, startDate, endDate }: ICAL.Event, start: ICAL.Time): number {
  const duration = component.getFirstPropertyValue('duration');
  if (!(duration instanceof ICAL.Duration) || component.hasProperty('dtend'))
    return start.toUnixTime() + endDate.toUnixTime() - startDate.toUnixTime();
  const { weeks, days, hours, minutes, seconds, isNegative } = duration;
  const sign = isNegative ? -1 : 1;
  const day = start.clone();
  day.adjust(sign * (weeks * 7 + days), 0, 0, 0);
  return day.toUnixTime() + sign * (hours * 3600 + minutes * 60 + seconds);
}

export function readTitle(event: ICAL.Component | undefined): string {
  const title = String(event?.getFirstPropertyValue('summary') ?? '').trim();
  return title.replace(/\s+/g, ' ') || 'Untitled meeting';
}

/** Returns the email addresses of the participants without duplicates, the organizer first. */
function readAttendees(event: ICAL.Component): string[] {
  const addresses = new Map<string, string>();
  const absent = new Set<string>();
  for (const property of [...event.getAllProperties('organizer'), ...event.getAllProperties('attendee')]) {
    const address = readAddress(property);
    if (address === undefined) continue;
    const folded = address.toLowerCase();
    if (isRoom(property) || hasDeclined(property)) absent.add(folded);
    else if (!addresses.has(folded)) addresses.set(folded, address);
  }
  return [...addresses].flatMap(([folded, address]) => (absent.has(folded) ? [] : [address]));
}

/** Reads the address of a participant. The EMAIL parameter has precedence (RFC 7986, 6.2): iCloud has only that. */
function readAddress(property: ICAL.Property): string | undefined {
  const values = [property.getFirstParameter('email'), property.getFirstValue()];
  const matches = values.map((value) => /^(?:mailto:)?\s*([^?:\s]+@[^?:\s]+)/i.exec(String(value ?? '')));
  return matches.find((match) => match !== null)?.[1];
}

const isRoom = (property: ICAL.Property) =>
  /^(room|resource)$/i.test(property.getFirstParameter('cutype') ?? '');
const hasDeclined = (property: ICAL.Property) =>
  /^declined$/i.test(property.getFirstParameter('partstat') ?? '');

/** Returns the first link of a known conferencing tool. A property may be a link, prose or HTML (specification, 2.8). */
function findConference(event: ICAL.Component): Pick<CalendarMeeting, 'conference_link' | 'conference_type'> {
  const properties = linkProperties.flatMap((name) => event.getAllProperties(name));
  for (const property of properties) {
    for (const [match] of String(property.getFirstValue()).matchAll(/https?:\/\/[^\s<>"'\\]+/gi)) {
      const conference_link = match.replaceAll('&amp;', '&').replace(/[)\].,;:!]+$/, '');
      const url = parseUrl(conference_link);
      const tool = conferenceTools.find(
        ({ host, path }) => url && host.test(url.hostname) && path.test(url.pathname + url.hash),
      );
      if (tool) return { conference_link, conference_type: tool.type };
    }
  }
  return { conference_link: null, conference_type: null };
}

interface Occurrence {
  /** The event, or the override that changes this occurrence. */
  readonly item: ICAL.Event;
  readonly start: ICAL.Time;
  /** The start according to the rule; undefined for an event that does not repeat. */
  readonly recurrence: ICAL.Time | undefined;
}

/** The maximum number of occurrences of an event to import. The latest ones are imported. */
const maxOccurrences = 1000;

/** The number of past occurrences beyond which a rule is considered a mistake. */
const maxRepetitions = 100_000;

/** Whether a component changes a single occurrence of a recurring event. */
function isOverride(event: ICAL.Component): boolean {
  return event.hasProperty('recurrence-id');
}

/**
 * Returns the occurrences of a series. A recurring event has occurrences up to `now`. `older`: the number of
 * occurrences beyond the limit.
 * @throws {Failure} `usage` if the event repeats too often.
 */
function expandOccurrences(series: readonly ICAL.Component[], now: Date) {
  const overrides = series.filter(isOverride);
  const changed = overrides.map((component): Occurrence => {
    const item = new ICAL.Event(component);
    return { item, start: item.startDate, recurrence: item.recurrenceId };
  });
  const component = series.find((event) => !isOverride(event));
  if (!component) return { occurrences: changed, older: 0 };
  const event = new ICAL.Event(component, { exceptions: overrides });
  if (!event.isRecurring()) {
    const single = { item: event, start: event.startDate, recurrence: undefined };
    return { occurrences: [single, ...changed], older: 0 };
  }
  const isPast = (time: ICAL.Time) => time.toUnixTime() * 1000 <= now.getTime();
  const isExcluded = readExclusions(component);
  const times = new Map<number, ICAL.Time>();
  const add = (time: ICAL.Time) => {
    if (!isExcluded(time) && !times.has(time.toUnixTime())) times.set(time.toUnixTime(), time);
  };
  // Without an RRULE, the library's iterator omits the event's own start.
  if (!component.hasProperty('rrule') && isPast(event.startDate)) add(event.startDate);
  const iterator = event.iterator();
  for (let time = iterator.next(); time && isPast(time); time = iterator.next()) {
    add(time);
    if (times.size > maxRepetitions)
      throw new Failure('usage', `The event "${event.summary}" repeats more than ${maxRepetitions} times.`);
  }
  const recent = [...times.values()].slice(-maxOccurrences);
  const regular = recent.map((recurrence): Occurrence => {
    const { item, startDate } = event.getOccurrenceDetails(recurrence);
    return { item, start: startDate, recurrence };
  });
  const others = changed.filter(({ recurrence }) => !times.has(recurrence?.toUnixTime() ?? 0));
  const pastTimes = [...regular, ...others]
    .filter(({ start }) => isPast(start))
    .sort((left, right) => left.start.compare(right.start));
  const older = times.size - recent.length + Math.max(0, pastTimes.length - maxOccurrences);
  return { occurrences: pastTimes.slice(-maxOccurrences), older };
}

/** Returns a check for excluded occurrences. The library stops at the first EXDATE that excludes nothing. */
function readExclusions(event: ICAL.Component): (time: ICAL.Time) => boolean {
  const moments = new Set<number>();
  const days = new Set<string>();
  for (const value of event.getAllProperties('exdate').flatMap((property) => property.getValues())) {
    if (!(value instanceof ICAL.Time)) continue;
    if (value.isDate) days.add(value.toString());
    else moments.add(value.toUnixTime());
  }
  return (time) => moments.has(time.toUnixTime()) || days.has(time.toString().slice(0, 10));
}
