import { isFinished } from '../../cli/references/meetings-by-day.ts';
import { readAttendees } from '../../cli/selection/related-fields.ts';
import { type CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import type { Input } from '../../contract/grammar.ts';
import type { Received } from '../../contract/received.ts';
import { recordings } from '../../contract/recordings.ts';
import type { Meeting, MeetingSummary, Section } from '../../render/screens/relationship.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import { findSentences } from '../../transcripts/sentences.ts';
import { readActionItems, readSummaryText } from '../../transcripts/summary.ts';
import { normalizeEmail } from '../../values/domain.ts';
import type { RawJson } from '../../values/raw-json.ts';
import type { Reader } from './read-sections.ts';

type Event = RawJson<Received<CalendarEvent>>;

type MeetingFilter = Pick<Input<typeof calendarEvents.list>, 'contact_id' | 'organization_id'>;

/** Reads the addresses that attend; undefined if they are unknown. */
type AddressReader = () => Promise<readonly string[] | undefined>;

/** The options for reading the list in order, until enough meetings are found. */
const paging = { size: 25, concurrency: 1 };

interface Meetings {
  /** Meetings that have not started, the next one first. */
  readonly upcoming: Section<Event>;
  readonly past: Section<Meeting>;
}

/**
 * Reads the meetings of a contact or an organization, latest first, with summaries. Meetings that none of the addresses
 * attends are skipped, because a service may ignore the filter.
 */
export async function readMeetings(
  reader: Reader,
  filter: MeetingFilter,
  readAddresses: AddressReader,
): Promise<Meetings> {
  const { upcoming, past } = await reader.run(() => readEvents(reader, filter, readAddresses));
  const records = await Promise.all(past.records.map((event) => readSummaries(reader, event)));
  return { upcoming, past: { records, more: past.more } };
}

async function readEvents(
  { client, now, since, recentLimit, onRead }: Reader,
  filter: MeetingFilter,
  readAddresses: AddressReader,
) {
  const upcoming: Event[] = [];
  const past: Event[] = [];
  let upcomingCount = 0;
  let hasForeign = false;
  const finish = (more: number | null) => ({
    upcoming: { records: upcoming.toReversed(), more: upcomingCount - upcoming.length },
    past: { records: past, more },
  });
  const filters = { ...filter, starts_after: since };
  for await (const { records, total, hasMore } of client.pages(calendarEvents.list, filters, paging)) {
    onRead(records.length);
    const isAttended = createAttendeeCheck(await readAddresses());
    const countMore = () =>
      hasForeign || total === undefined ? null : Math.max(0, total - upcomingCount - past.length);
    for (const event of records) {
      const start = Date.parse(event.value.start_at) / 1000;
      if (start < (since ?? Number.NEGATIVE_INFINITY)) return finish(0);
      if (!isAttended(event.value)) hasForeign = true;
      else if (start > now.getTime() / 1000) {
        upcomingCount += 1;
        upcoming.push(event);
        if (upcoming.length > recentLimit) upcoming.shift();
      } else if (past.length < recentLimit) past.push(event);
      else return finish(countMore());
    }
    if (past.length === recentLimit && hasMore && !hasForeign) return finish(countMore());
  }
  return finish(0);
}

/** Returns a function that checks whether any of the addresses attends a meeting, as far as they are known. */
function createAttendeeCheck(addresses: readonly string[] | undefined) {
  const addressSet = addresses && new Set(addresses.map(normalizeEmail));
  return (event: Received<CalendarEvent>) => {
    const attendees = readAttendees(event);
    return !addressSet || attendees.length === 0 || attendees.some((address) => addressSet.has(address));
  };
}

/** Reads the recordings of a meeting. Uses the first summary, and the action items of all summaries. */
export async function readSummaries(
  { client, run, signal }: Pick<Reader, 'client' | 'run' | 'signal'>,
  event: Event,
): Promise<Meeting> {
  let failure: Failure | undefined;
  const results = await Promise.all(
    event.value.recordings.filter(isFinished).map(({ id }) =>
      run(() => client.read(recordings.get, { id })).then(
        ({ summary }): MeetingSummary => ({
          recordingId: id,
          text: readSummaryText(summary),
          actionItems: readActionItems(summary),
        }),
        (error: unknown) => {
          if (signal.aborted || !(error instanceof Failure)) throw error;
          failure = error;
          return undefined;
        },
      ),
    ),
  );
  const summaries = results.flatMap((summary) => summary ?? []);
  const summary = summaries.find(({ text }) => text !== undefined)?.text;
  return {
    event,
    summary,
    headline: summary && readFirstSentence(summary),
    actionItems: summaries.flatMap(({ actionItems }) => actionItems),
    summaries,
    failure,
  };
}

function readFirstSentence(text: string): string {
  const line = collapseWhitespace(text);
  const [first] = findSentences(line);
  return line.slice(first?.from, first?.to);
}
