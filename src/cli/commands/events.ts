import { calendarEvents as routes } from '../../contract/calendar-events.ts';
import { views } from '../../output/views.ts';
import { command } from '../command.ts';
import { listed, shown } from '../listing.ts';
import { type Moment, moment, zoneOption } from '../moment.ts';
import { text } from '../options.ts';
import { eventsExport } from './events-export.ts';

export const events = [
  command({
    name: 'list',
    summary: routes.list.summary,
    paged: true,
    options: {
      updatedAfter: moment('Only meetings updated after this time'),
      startsAfter: moment('Only meetings that start at or after this time'),
      startsBefore: moment('Only meetings that start before this time'),
      contact: text('Only meetings with this contact as an attendee', 'ID'),
      organization: text('Only meetings with an attendee from this organization', 'ID'),
      tz: zoneOption,
    },
    examples: [
      'events list --limit 5',
      'events list --starts-after 2026-10-01 --starts-before 2026-11-01 --tz Asia/Seoul',
      'events list --updated-after 7d --json --jq length',
    ],
    run: (session, { updatedAfter, startsAfter, startsBefore, contact, organization, tz }) => {
      const at = (moment: Moment | undefined) => moment?.({ now: session.now(), zone: tz });
      const filters = {
        updated_after: at(updatedAfter),
        starts_after: at(startsAfter),
        starts_before: at(startsBefore),
        contact_id: contact,
        organization_id: organization,
      };
      return listed(session, routes.list, filters, views.events);
    },
  }),
  command({
    name: 'get',
    summary: routes.get.summary,
    args: { id: 'The id of a meeting' },
    examples: ['events get MEETING', 'events get MEETING --jq ".recordings[].id"'],
    run: (session, { id }) => shown(session, routes.get, { id }, views.events),
  }),
  ...eventsExport,
];
