import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CalendarEvent } from '../../../src/contract/calendar-events.ts';
import type { Page } from '../../../src/contract/grammar.ts';
import type { RecordingStatus } from '../../../src/contract/recordings.ts';
import type { Database } from '../../../src/service/db/database.ts';
import { workspace } from '../service.ts';

/** An event as the test knows it: when it starts and changed, in seconds, and the states of its recordings. */
interface Known {
  title: string;
  starts: number;
  updated: number;
  recordings: RecordingStatus[];
}

const day = 86_400;
const may = Date.UTC(2026, 4, 4) / 1000;
/** Close together and far apart, some at one moment, some before 1970, some where a block of the tally begins. */
const moment = fc.oneof(
  fc.integer({ min: may - 3 * day, max: may + 3 * day }),
  fc.constantFrom(may, may + 1, may + day, 0, -1, -40_000 * day, 2 ** 23 * 211, 2 ** 23 * 211 - 1),
  fc.integer({ min: -20_000 * day, max: 40_000 * day }),
);
const anEvent = fc.record({
  starts: moment,
  updated: fc.integer({ min: may, max: may + 5 }),
  recordings: fc.array(fc.constantFrom('done', 'done', 'processing', 'failed'), { maxLength: 3 }),
});

async function insert(db: Database, { title, starts, updated, recordings }: Known): Promise<void> {
  const { id } = await db
    .insertInto('calendar_event')
    .values({
      ...{ source: null, title, start_at: '', end_at: '', starts_at: starts * 1000 },
      ...{ conference_link: null, conference_type: null, created_at: 0, updated_at: updated * 1000 },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const status of recordings) await record(db, id, status);
}

async function record(db: Database, calendar_event_id: number, status: RecordingStatus): Promise<void> {
  await db
    .insertInto('recording')
    .values({
      ...{ calendar_event_id, status, started_at: 0, ended_at: null, audio_duration: null },
      ...{ created_at: 0, updated_at: 0, summary: null, transcript: null },
    })
    .execute();
}

type Filters = Partial<
  Record<'first' | 'after' | 'starts_after' | 'starts_before' | 'updated_after', number | undefined>
>;
const filters: fc.Arbitrary<Filters> = fc.record(
  {
    first: fc.integer({ min: 1, max: 8 }),
    after: fc.nat(12),
    starts_after: moment,
    starts_before: moment,
    updated_after: fc.integer({ min: may - 1, max: may + 6 }),
  },
  { requiredKeys: [] },
);

/** What the interface says of a page, by looking at every event (specification, 4.7). */
function expected(events: readonly (Known | undefined)[], asked: Filters) {
  const { first = 25, after = 0, starts_after, starts_before, updated_after } = asked;
  const fits = events.filter(
    (event) =>
      event?.recordings.includes('done') &&
      (starts_after === undefined || event.starts >= starts_after) &&
      (starts_before === undefined || event.starts < starts_before) &&
      (updated_after === undefined || event.updated > updated_after),
  ) as Known[];
  const titles = fits.sort((one, other) => other.starts - one.starts).map(({ title }) => title);
  const page = titles.slice(after, after + first);
  const end_cursor = after + page.length;
  return {
    titles: page,
    pagination: { end_cursor, has_next_page: end_cursor < titles.length, total_count: titles.length },
  };
}

async function pageOf(give: ReturnType<typeof workspace>['give'], asked: Filters) {
  const pairs = Object.entries(asked).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  const { data, pagination } = await give<Page<CalendarEvent>>(`GET /v1/calendar_events?${pairs.join('&')}`);
  return { titles: data.map(({ title }) => title), pagination };
}

test('any page of any events is what looking at every event gives', async () => {
  const asking = fc.array(filters, { minLength: 5, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(fc.array(anEvent, { maxLength: 40, size: 'max' }), asking, async (made, asked) => {
      const { db, give } = workspace();
      const events = made.map((event, index) => ({ ...event, title: String(index) }));
      for (const event of events) await insert(db, event);
      for (const one of [{}, ...asked]) expect(await pageOf(give, one)).toEqual(expected(events, one));
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

const change = fc.record({
  what: fc.constantFrom('move', 'delete', 'status', 'add', 'remove', 'carry'),
  which: fc.nat(15),
  starts: moment,
  status: fc.constantFrom('done', 'processing'),
});

test('events are counted right after they move, go, gain, lose and exchange recordings', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anEvent, { minLength: 16, maxLength: 16 }),
      fc.array(change, { maxLength: 30, size: 'max' }),
      async (made, changes) => {
        const { db, give } = workspace();
        const events: (Known | undefined)[] = made.map((event, index) => ({
          ...event,
          title: String(index),
        }));
        for (const event of events) if (event) await insert(db, event);
        for (const { what, which, starts, status } of changes) {
          const event = events[which];
          if (!event) continue;
          const id = which + 1;
          const other = events[(which + 1) % 16];
          if (what === 'move') {
            event.starts = starts;
            await db
              .updateTable('calendar_event')
              .set({ starts_at: starts * 1000 })
              .where('id', '=', id)
              .execute();
          } else if (what === 'delete') {
            events[which] = undefined;
            await db.deleteFrom('calendar_event').where('id', '=', id).execute();
          } else if (what === 'status') {
            event.recordings = event.recordings.map(() => status);
            await db.updateTable('recording').set({ status }).where('calendar_event_id', '=', id).execute();
          } else if (what === 'add') {
            event.recordings.push(status);
            await record(db, id, status);
          } else if (what === 'remove') {
            event.recordings = [];
            await db.deleteFrom('recording').where('calendar_event_id', '=', id).execute();
          } else if (other) {
            other.recordings.push(...event.recordings);
            event.recordings = [];
            const to = ((which + 1) % 16) + 1;
            await db
              .updateTable('recording')
              .set({ calendar_event_id: to })
              .where('calendar_event_id', '=', id)
              .execute();
          }
        }
        for (const asked of [{}, { starts_after: may }, { updated_after: may + 2 }]) {
          expect(await pageOf(give, asked)).toEqual(expected(events, asked));
        }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});
