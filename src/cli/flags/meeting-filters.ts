import { type Moment, moment, timeZoneOption } from './moment.ts';
import { type OptionValues, text } from './options.ts';

/** The flags that say which meetings are meant. */
export const meetingOptions = {
  startsAfter: moment('Only meetings that start at or after this time'),
  startsBefore: moment('Only meetings that start before this time'),
  contact: text('Only meetings with this contact as an attendee', 'ID'),
  organization: text('Only meetings with an attendee from this organization', 'ID'),
  tz: timeZoneOption,
};

/** What the flags are called in the query of the interface (specification, 4.7); times as Unix timestamps. */
export function readMeetingFilters(
  { startsAfter, startsBefore, contact, organization, tz }: OptionValues<typeof meetingOptions>,
  now: Date,
) {
  const at = (moment: Moment | undefined) => moment?.({ now, zone: tz });
  return {
    starts_after: at(startsAfter),
    starts_before: at(startsBefore),
    contact_id: contact,
    organization_id: organization,
  };
}
