import * as v from 'valibot';
import { createRoutes, described, Id, Timestamp } from './grammar.ts';
import { EventRecording } from './recordings.ts';

/** A meeting that was recorded (specification, 2.8). */
export const CalendarEvent = v.object({
  id: Id,
  title: v.string(),
  start_at: described(v.string(), 'ISO 8601 with a numeric UTC offset'),
  end_at: described(v.string(), 'ISO 8601 with a numeric UTC offset'),
  conference_link: described(v.string(), 'URL; empty if the meeting has none'),
  conference_type: described(v.string(), 'Name of the conferencing tool; empty if it is not known'),
  attendees: v.array(v.object({ email: v.string() })),
  recordings: v.array(EventRecording),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type CalendarEvent = v.InferOutput<typeof CalendarEvent>;

/** Seconds since 1970. */
const unix = (description: string) => v.optional(v.pipe(v.number(), v.integer(), v.description(description)));

const routes = createRoutes('/v1/calendar_events', 'id', CalendarEvent);

/** Specification, 4.7. */
export const calendarEvents = {
  list: routes.list('List recorded meetings, latest first', {
    updated_after: unix('Only meetings updated after this Unix timestamp'),
    starts_after: unix('Only meetings that start at or after this Unix timestamp'),
    starts_before: unix('Only meetings that start before this Unix timestamp'),
    contact_id: v.optional(described(v.string(), 'Only meetings with this contact as an attendee')),
    organization_id: v.optional(
      described(v.string(), 'Only meetings with an attendee from this organization'),
    ),
  }),
  get: routes.get('Get one meeting with its recordings'),
};
