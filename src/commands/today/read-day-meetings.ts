import type { Session } from '../../cli/command/context.ts';
import type { CalendarEvent } from '../../contract/calendar-events.ts';
import type { Received } from '../../contract/received.ts';
import type { DayMeeting } from '../../render/screens/day.ts';
import type { Section } from '../../render/screens/relationship.ts';
import { createPeople } from '../show/people.ts';
import { selectMeetings } from '../show/select-meetings.ts';
import type { DayRange } from './read-deals.ts';

/** Reads the meetings of a day in their order, with their attendees. */
export async function readDayMeetings(
  session: Session,
  { start, end }: DayRange,
  zone: string | undefined,
): Promise<Section<DayMeeting>> {
  const times = { starts_after: Math.ceil(start / 1000), starts_before: Math.ceil(end / 1000) };
  const events: Received<CalendarEvent>[] = [];
  let more: number | null = 0;
  for await (const { records, total, hasMore } of await selectMeetings(session, times, { tz: zone })) {
    for (const { value } of records) {
      const event = value as Received<CalendarEvent>; // the client has checked the shape
      // A service may include the end of the range.
      if (Date.parse(event.start_at) < end) events.push(event);
    }
    more = !hasMore ? 0 : total === undefined ? null : Math.max(0, total - events.length);
  }
  const people = createPeople(session);
  const listAddresses = ({ attendees }: Received<CalendarEvent>) =>
    attendees.map(({ email }) => email).filter(Boolean);
  await people.load(events.flatMap(listAddresses));
  const records = events
    .toReversed()
    .map((event) => ({ event, attendees: listAddresses(event).map(people.get) }));
  return { records, more };
}
