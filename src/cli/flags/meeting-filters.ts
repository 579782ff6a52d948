import { type Moment, moment, timeZoneOption } from './moment.ts';
import { type OptionValues, text } from './options.ts';

/** Flags that select meetings. */
export const meetingOptions = {
  startsAfter: moment('Only meetings that start at or after this time'),
  startsBefore: moment('Only meetings that start before this time'),
  contact: text('Only meetings with this contact as an attendee', 'ID'),
  organization: text('Only meetings with an attendee from this organization', 'ID'),
  tz: timeZoneOption,
};

/** Converts the flags to query parameters (specification, 4.7), with times as Unix timestamps. */
export function readMeetingFilters(
  { startsAfter, startsBefore, contact, organization, tz }: OptionValues<typeof meetingOptions>,
  now: Date,
) {
  const resolve = (moment: Moment | undefined) => moment?.({ now, zone: tz });
  return {
    starts_after: resolve(startsAfter),
    starts_before: resolve(startsBefore),
    contact_id: contact,
    organization_id: organization,
  };
}
