import * as v from 'valibot';
import { createRoutes, describe } from './grammar.ts';
import { recordFields } from './record-fields.ts';
import { createRecordSchema } from './record-schemas.ts';

export const CalendarEvent = createRecordSchema(recordFields.events);
export type CalendarEvent = v.InferOutput<typeof CalendarEvent>;

/** Seconds since 1970. */
const createUnixTime = (description: string) =>
  v.optional(v.pipe(v.number(), v.integer(), v.description(description)));

const routes = createRoutes('/v1/calendar_events', 'id', CalendarEvent);

/** Specification, 4.7. */
export const calendarEvents = {
  list: routes.list('List recorded meetings, latest first', {
    updated_after: createUnixTime('Only meetings updated after this Unix timestamp'),
    starts_after: createUnixTime('Only meetings that start at or after this Unix timestamp'),
    starts_before: createUnixTime('Only meetings that start before this Unix timestamp'),
    contact_id: v.optional(describe(v.string(), 'Only meetings with this contact as an attendee')),
    organization_id: v.optional(
      describe(v.string(), 'Only meetings with an attendee from this organization'),
    ),
  }),
  get: routes.get('Get one meeting with its recordings'),
};
