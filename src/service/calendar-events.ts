import type { Selectable } from 'kysely';
import type { CalendarEvent, calendarEvents } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import { type Input, pageSize } from '../contract/grammar.ts';
import type { Database } from './database.ts';
import type { Deps, Handlers } from './deps.ts';
import { ids } from './ids.ts';
import { pageAt } from './page.ts';
import { recordingSummary, shownInEvent } from './recordings.ts';
import { grouped, only } from './rows.ts';
import type { Tables } from './tables.ts';
import { timestamp } from './time.ts';

type EventRow = Selectable<Tables['calendar_event']>;

/** Specification, 2.8 and 4.7. */
export function calendarEventHandlers({ db }: Deps): Handlers<'calendarEvents'> {
  return {
    async list(input) {
      const { first = pageSize.default, after = 0 } = input;
      const query = shown(db, input);
      const { total } = await query
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await query
        .selectAll()
        .orderBy('starts_at', 'desc')
        .orderBy('id')
        .limit(first)
        .offset(after)
        .execute();
      return pageAt(after, total, await eventRecords(db, rows));
    },
    async get({ id }) {
      const key = ids.calendarEvent.decode(id) ?? -1;
      const row = await shown(db, {}).selectAll().where('id', '=', key).executeTakeFirst();
      if (!row) throw new Failure('not_found', `No calendar event has the id "${id}".`);
      return only(await eventRecords(db, [row]));
    },
  };
}

/** The events that are shown, those with a completed recording, and pass the filters. */
function shown(db: Database, filters: Input<typeof calendarEvents.list>) {
  const { updated_after, starts_after, starts_before, contact_id, organization_id } = filters;
  let query = db
    .selectFrom('calendar_event')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('recording')
          .select('recording.id')
          .whereRef('recording.calendar_event_id', '=', 'calendar_event.id')
          .where('recording.status', '=', 'done'),
      ),
    );
  if (updated_after !== undefined) query = query.where('updated_at', '>', updated_after * 1000);
  if (starts_after !== undefined) query = query.where('starts_at', '>=', starts_after * 1000);
  if (starts_before !== undefined) query = query.where('starts_at', '<', starts_before * 1000);
  const attended = db
    .selectFrom('calendar_event_attendee')
    .innerJoin('contact_email', 'contact_email.folded', 'calendar_event_attendee.folded')
    .select('calendar_event_attendee.calendar_event_id');
  if (contact_id !== undefined) {
    const contact = ids.contact.decode(contact_id) ?? -1;
    query = query.where('calendar_event.id', 'in', attended.where('contact_email.contact_id', '=', contact));
  }
  if (organization_id !== undefined) {
    const organization = ids.organization.decode(organization_id) ?? -1;
    query = query.where(
      'calendar_event.id',
      'in',
      attended
        .innerJoin('contact', 'contact.id', 'contact_email.contact_id')
        .where('contact.organization_id', '=', organization),
    );
  }
  return query;
}

async function eventRecords(db: Database, rows: readonly EventRow[]): Promise<CalendarEvent[]> {
  if (rows.length === 0) return [];
  const keys = rows.map(({ id }) => id);
  const attendees = grouped(
    await db
      .selectFrom('calendar_event_attendee')
      .selectAll()
      .where('calendar_event_id', 'in', keys)
      .orderBy('position')
      .execute(),
    ({ calendar_event_id }) => calendar_event_id,
  );
  const recordings = grouped(
    await db
      .selectFrom('recording')
      .select(shownInEvent)
      .where('calendar_event_id', 'in', keys)
      .orderBy('started_at')
      .orderBy('id')
      .execute(),
    ({ calendar_event_id }) => calendar_event_id,
  );
  return rows.map((row) => ({
    id: ids.calendarEvent.encode(row.id),
    title: row.title,
    start_at: row.start_at,
    end_at: row.end_at,
    conference_link: row.conference_link,
    conference_type: row.conference_type,
    attendees: (attendees.get(row.id) ?? []).map(({ email }) => ({ email })),
    recordings: (recordings.get(row.id) ?? []).map(recordingSummary),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }));
}
