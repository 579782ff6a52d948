import { calendarEvents as routes } from '../../contract/calendar-events.ts';
import { views } from '../../render/views.ts';
import { verifyStartTimes } from '../../search/start-times.ts';
import { defineCommand } from '../command.ts';
import { meetingOptions, readMeetingFilters } from '../flags/meeting-filters.ts';
import { moment } from '../flags/moment.ts';
import { readPaging, showRecord } from '../listing.ts';
import { eventsExport } from './events-export.ts';
import { eventsGrep } from './events-grep.ts';

export const events = [
  defineCommand({
    name: 'list',
    summary: routes.list.summary,
    paging: 'list',
    options: { updatedAfter: moment('Only meetings updated after this time'), ...meetingOptions },
    examples: [
      'events list --limit 5',
      'events list --starts-after 2026-10-01 --starts-before 2026-11-01 --tz Asia/Seoul',
      'events list --updated-after 7d --json --jq length',
    ],
    async run(session, { updatedAfter, ...where }) {
      const now = session.now();
      const filters = {
        updated_after: updatedAfter?.({ now, zone: where.tz }),
        ...readMeetingFilters(where, now),
      };
      const pages = (await session.client()).pages(routes.list, filters, await readPaging(session));
      return { kind: 'records', batches: verifyStartTimes(pages, filters), view: views.events };
    },
  }),
  defineCommand({
    name: 'get',
    summary: routes.get.summary,
    args: { id: 'Meeting id' },
    examples: ['events get MEETING', 'events get MEETING --jq ".recordings[].id"'],
    run: (session, { id }) => showRecord(session, routes.get, { id }, views.events),
  }),
  eventsGrep,
  ...eventsExport,
];
