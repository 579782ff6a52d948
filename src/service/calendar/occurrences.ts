import { Failure } from '../../contract/errors.ts';
import type { ICAL, Ical } from './calendar-file.ts';

/** One time that an event takes place. */
export interface Occurrence {
  /** The event, or what changes it this time. */
  readonly item: ICAL.Event;
  readonly start: ICAL.Time;
  /** When it would start by the rule; undefined for an event that does not repeat. */
  readonly recurrence: ICAL.Time | undefined;
}

/** Occurrences of one event that are kept, the latest. */
const maxOccurrences = 1000;

/** Occurrences that a rule may have until now before it is taken for a mistake. */
const maxRepetitions = 100_000;

/**
 * When an event takes place: once, or each time up to `now`. `series` is the event, if the file has it, and
 * what changes single occurrences of it. `older` says how many are left out. Throws `usage` for endless rules.
 */
export function expandOccurrences(
  { Event, Time }: Pick<Ical, 'Event' | 'Time'>,
  series: readonly ICAL.Component[],
  now: Date,
): { occurrences: Occurrence[]; older: number } {
  const overrides = series.filter((event) => event.hasProperty('recurrence-id'));
  const changed = overrides.map((component): Occurrence => {
    const item = new Event(component);
    return { item, start: item.startDate, recurrence: item.recurrenceId };
  });
  const [component] = series.filter((event) => !event.hasProperty('recurrence-id'));
  if (!component) return { occurrences: changed, older: 0 };
  const event = new Event(component, { exceptions: overrides });
  if (!event.isRecurring()) {
    const once = { item: event, start: event.startDate, recurrence: undefined };
    return { occurrences: [once, ...changed], older: 0 };
  }

  const isPast = (time: ICAL.Time) => time.toUnixTime() * 1000 <= now.getTime();
  const isExcluded = readExclusions(component, Time);
  const kept: ICAL.Time[] = [];
  const met = new Set<number>();
  const keep = (time: ICAL.Time) => {
    if (isExcluded(time) || met.has(time.toUnixTime())) return;
    met.add(time.toUnixTime());
    kept.push(time);
    if (kept.length > maxOccurrences) kept.shift();
  };
  // By further dates alone the library passes over the first one.
  if (!component.hasProperty('rrule') && isPast(event.startDate)) keep(event.startDate);
  const iterator = event.iterator();
  for (let time = iterator.next(); time && isPast(time); time = iterator.next()) {
    keep(time);
    if (met.size > maxRepetitions) {
      throw new Failure('usage', `The event "${event.summary}" repeats more than ${maxRepetitions} times.`);
    }
  }
  const regular = kept.map((recurrence): Occurrence => {
    const { item, startDate } = event.getOccurrenceDetails(recurrence);
    return { item, start: startDate, recurrence };
  });
  const others = changed.filter(({ recurrence }) => !met.has(recurrence?.toUnixTime() ?? 0));
  const past = [...regular, ...others]
    .filter(({ start }) => isPast(start))
    .sort((one, other) => one.start.compare(other.start));
  return {
    occurrences: past.slice(-maxOccurrences),
    older: met.size - kept.length + Math.max(0, past.length - maxOccurrences),
  };
}

/** The library passes over an exclusion that follows one which excludes nothing, so they are looked at here. */
function readExclusions(event: ICAL.Component, Time: Ical['Time']): (time: ICAL.Time) => boolean {
  const moments = new Set<number>();
  const days = new Set<string>();
  for (const value of event.getAllProperties('exdate').flatMap((property) => property.getValues())) {
    if (!(value instanceof Time)) continue;
    if (value.isDate) days.add(value.toString());
    else moments.add(value.toUnixTime());
  }
  return (time) => moments.has(time.toUnixTime()) || days.has(time.toString().slice(0, 10));
}
