import fc from 'fast-check';
import sql from 'sql-template-tag';
import { expect } from 'vitest';
import type { CalendarEvent } from '../../../src/contract/calendar-events.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { RecordingStatus } from '../../../src/contract/recordings.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { ids } from '../../../src/service/db/ids.ts';
import { countRuns, test } from '../engines.ts';
import { openTestWorkspace, type TestWorkspace } from '../service.ts';

/** An event; times in seconds. */
interface TestEvent {
  title: string;
  start: number;
  updated: number;
  recordings: RecordingStatus[];
  attendees: string[];
}

/** The contacts and their addresses. The second one has two, and may attend an event with both. */
const contacts = [['a@x.example'], ['b@x.example', 'c@x.example']] as const;

const day = 86_400;
const mayStart = Date.UTC(2026, 4, 4) / 1000;
/** Times close together and far apart, some equal, some before 1970, some at the edge of a tally block. */
const moment = fc.oneof(
  fc.integer({ min: mayStart - 3 * day, max: mayStart + 3 * day }),
  fc.constantFrom(
    mayStart,
    mayStart + 1,
    mayStart + day,
    0,
    -1,
    -40_000 * day,
    2 ** 23 * 211,
    2 ** 23 * 211 - 1,
  ),
  fc.integer({ min: -20_000 * day, max: 40_000 * day }),
);
const eventArbitrary = fc.record({
  start: moment,
  updated: fc.integer({ min: mayStart, max: mayStart + 5 }),
  recordings: fc.array(fc.constantFrom('done', 'done', 'processing', 'failed'), { maxLength: 3 }),
  attendees: fc.array(fc.constantFrom(...contacts.flat(), 'd@x.example'), { maxLength: 4 }),
});

/** Opens a workspace with the contacts. */
async function openEventWorkspace() {
  const workspace = await openTestWorkspace();
  for (const emails of contacts) await workspace.sendOk('POST /v1/contacts', { emails });
  return workspace;
}

async function insert(
  db: Database,
  { title, start, updated, recordings, attendees }: TestEvent,
): Promise<void> {
  const event = await db.first<{ id: number }>(
    sql`insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)
      values (${title}, '', '', ${start * 1000}, 0, ${updated * 1000}) returning id`,
  );
  const id = event?.id ?? 0;
  // The first attendee is stored before the event is shown, the others after it.
  await insertAttendees(db, id, attendees.slice(0, 1));
  for (const status of recordings) await insertRecording(db, id, status);
  await insertAttendees(db, id, attendees.slice(1));
}

async function insertAttendees(db: Database, event: number, emails: readonly string[]): Promise<void> {
  for (const email of emails) {
    await db.run(sql`insert into calendar_event_attendee (calendar_event_id, position, email, folded)
      select ${event}, count(*), ${email}, ${email} from calendar_event_attendee where calendar_event_id = ${event}`);
  }
}

async function insertRecording(db: Database, event: number, status: RecordingStatus): Promise<void> {
  await db.run(sql`insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
    values (${event}, ${status}, 0, 0, 0)`);
}

/** `contact_id`: a row of `contacts`, from 1, or one that does not exist. */
type Filters = Partial<
  Record<
    'first' | 'after' | 'starts_after' | 'starts_before' | 'updated_after' | 'contact_id',
    number | undefined
  >
>;
const filters: fc.Arbitrary<Filters> = fc.record(
  {
    first: fc.integer({ min: 1, max: 8 }),
    after: fc.nat(12),
    starts_after: moment,
    starts_before: moment,
    updated_after: fc.integer({ min: mayStart - 1, max: mayStart + 6 }),
    contact_id: fc.integer({ min: 1, max: contacts.length + 1 }),
  },
  { requiredKeys: [] },
);

/** Builds the expected page by filtering all events (specification, 4.7). */
function buildExpectedPage(events: readonly (TestEvent | undefined)[], filters: Filters) {
  const { first = 25, after = 0, starts_after, starts_before, updated_after, contact_id } = filters;
  const addresses: readonly string[] = contacts[(contact_id ?? 0) - 1] ?? [];
  const matches = events.filter(
    (event) =>
      event?.recordings.includes('done') &&
      (starts_after === undefined || event.start >= starts_after) &&
      (starts_before === undefined || event.start < starts_before) &&
      (updated_after === undefined || event.updated > updated_after) &&
      (contact_id === undefined || event.attendees.some((address) => addresses.includes(address))),
  ) as TestEvent[];
  const titles = matches.sort((one, other) => other.start - one.start).map(({ title }) => title);
  const page = titles.slice(after, after + first);
  const end_cursor = after + page.length;
  return {
    titles: page,
    pagination: { end_cursor, has_next_page: end_cursor < titles.length, total_count: titles.length },
  };
}

async function readPage(sendOk: TestWorkspace['sendOk'], filters: Filters) {
  const pairs = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${name === 'contact_id' ? ids.contact.encode(value) : value}`],
  );
  const { data, pagination } = await sendOk<Page<CalendarEvent>>(
    `GET /v1/calendar_events?${pairs.join('&')}`,
  );
  return { titles: data.map(({ title }) => title), pagination };
}

test('returns the page that filtering all events gives, for any events and filters', async () => {
  const queries = fc.array(filters, { minLength: 5, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(eventArbitrary, { maxLength: 40, size: 'max' }),
      queries,
      async (generated, filters) => {
        const { db, sendOk } = await openEventWorkspace();
        const events = generated.map((event, index) => ({ ...event, title: String(index) }));
        for (const event of events) await insert(db, event);
        for (const one of [{}, ...filters])
          expect(await readPage(sendOk, one)).toEqual(buildExpectedPage(events, one));
      },
    ),
    { numRuns: countRuns(60), endOnFailure: true },
  );
});

const change = fc.record({
  what: fc.constantFrom('move', 'update', 'delete', 'status', 'add', 'remove', 'attend', 'leave', 'carry'),
  which: fc.nat(15),
  start: moment,
  status: fc.constantFrom('done', 'processing'),
});

test('counts events correctly after they move, are deleted, or gain, lose and exchange recordings and attendees', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(eventArbitrary, { minLength: 16, maxLength: 16 }),
      fc.array(change, { maxLength: 30, size: 'max' }),
      async (generated, changes) => {
        const { db, sendOk } = await openEventWorkspace();
        const events: (TestEvent | undefined)[] = generated.map((event, index) => ({
          ...event,
          title: String(index),
        }));
        for (const event of events) if (event) await insert(db, event);
        for (const { what, which, start, status } of changes) {
          const event = events[which];
          if (!event) continue;
          const id = which + 1;
          const other = events[(which + 1) % 16];
          if (what === 'move') {
            event.start = start;
            await db.run(sql`update calendar_event set starts_at = ${start * 1000} where id = ${id}`);
          } else if (what === 'update') {
            event.updated = mayStart + which;
            await db.run(
              sql`update calendar_event set updated_at = ${event.updated * 1000} where id = ${id}`,
            );
          } else if (what === 'attend') {
            const address = contacts.flat()[which % 3] ?? '';
            event.attendees.push(address);
            await insertAttendees(db, id, [address]);
          } else if (what === 'leave') {
            event.attendees.pop();
            const number = event.attendees.length;
            await db.run(
              sql`delete from calendar_event_attendee where calendar_event_id = ${id} and position >= ${number}`,
            );
          } else if (what === 'delete') {
            events[which] = undefined;
            await db.run(sql`delete from calendar_event where id = ${id}`);
          } else if (what === 'status') {
            event.recordings = event.recordings.map(() => status);
            await db.run(sql`update recording set status = ${status} where calendar_event_id = ${id}`);
          } else if (what === 'add') {
            event.recordings.push(status);
            await insertRecording(db, id, status);
          } else if (what === 'remove') {
            event.recordings = [];
            await db.run(sql`delete from recording where calendar_event_id = ${id}`);
          } else if (other) {
            other.recordings.push(...event.recordings);
            event.recordings = [];
            const newStatus = ((which + 1) % 16) + 1;
            await db.run(
              sql`update recording set calendar_event_id = ${newStatus} where calendar_event_id = ${id}`,
            );
          }
        }
        for (const query of [
          {},
          { starts_after: mayStart },
          { updated_after: mayStart + 2 },
          { contact_id: 1 },
          { contact_id: 2, after: 2 },
        ]) {
          expect(await readPage(sendOk, query)).toEqual(buildExpectedPage(events, query));
        }
      },
    ),
    { numRuns: countRuns(60), endOnFailure: true },
  );
});
