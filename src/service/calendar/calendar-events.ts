import type { CalendarEvent } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import { quote } from '../../values/text.ts';
import { fillPage } from '../db/page.ts';
import * as member from '../db/record-members.ts';
import { createRecordReader } from '../db/record-reader.ts';
import type { Deps, Handlers } from '../deps.ts';
import { readEventRecordings } from '../recordings/recordings.ts';
import { readEventPage } from './event-pages.ts';

/** Returns the handlers of calendar events (specification, 2.8 and 4.7). */
export function calendarEventHandlers({ db }: Deps): Handlers<'calendarEvents'> {
  return {
    list: (input) =>
      db.snapshot(async (db) => {
        const { total, rows } = await readEventPage(db, input);
        return fillPage<CalendarEvent>(input.after ?? 0, total, eventReader.readIds(db, rows));
      }),
    get: ({ id }) =>
      db.snapshot(async (db) => {
        const [event] = await eventReader.readById(db, id);
        if (!event) throw new Failure('not_found', `No calendar event has the id ${quote(id)}.`);
        return event;
      }),
  };
}

type RecordingLookup = Awaited<ReturnType<typeof readEventRecordings>>;

export const eventReader = createRecordReader<CalendarEvent, undefined, RecordingLookup>({
  table: 'calendar_event',
  resource: 'calendarEvent',
  members: {
    id: member.id('calendarEvent'),
    title: member.value('title'),
    start_at: member.value('start_at'),
    end_at: member.value('end_at'),
    conference_link: member.value('conference_link', '""'),
    conference_type: member.value('conference_type', '""'),
    attendees: member.list(
      { table: 'calendar_event_attendee', owner: 'calendar_event_id', order: 'position' },
      ({ quote }) => `concat('{"email":', ${quote('email')}, '}')`,
    ),
    recordings: {
      select: () => 'cast(page.id as text)',
      render: (row, { ids, related }) => JSON.stringify(related(Number(row), ids)),
    },
    ...member.stamps,
  },
  condition: 'shown',
  readRelated: readEventRecordings,
})(undefined);
