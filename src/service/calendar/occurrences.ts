import ICAL from 'ical.js';
import { Failure } from '../../contract/errors.ts';

/** One occurrence of an event. */
export interface Occurrence {
  /** The event, or the override that changes this occurrence. */
  readonly item: ICAL.Event;
  readonly start: ICAL.Time;
  /** The start according to the rule; undefined for an event that does not repeat. */
  readonly recurrence: ICAL.Time | undefined;
}

/** The number of occurrences of one event that are imported, the latest ones. */
const maxOccurrences = 1000;

/** The number of past occurrences beyond which a rule is considered a mistake. */
const maxRepetitions = 100_000;

/** Whether a component changes a single occurrence of a recurring event. */
export function isOverride(event: ICAL.Component): boolean {
  return event.hasProperty('recurrence-id');
}

/**
 * Returns the occurrences of a series: of an event that repeats, those up to `now`. `older` is the number of occurrences
 * beyond the limit.
 * @throws {Failure} `usage` if the event repeats too often.
 */
export function expandOccurrences(series: readonly ICAL.Component[], now: Date) {
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
  const past = [...regular, ...others]
    .filter(({ start }) => isPast(start))
    .sort((one, other) => one.start.compare(other.start));
  const older = times.size - recent.length + Math.max(0, past.length - maxOccurrences);
  return { occurrences: past.slice(-maxOccurrences), older };
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
