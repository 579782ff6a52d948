import { calendarEvents } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import type { Received } from '../../contract/received.ts';
import type { EventRecording } from '../../contract/recordings.ts';
import { isDate, readDays, readLocalTime } from '../../values/dates.ts';
import { foldName } from '../../values/names.ts';
import type { Session } from '../command/context.ts';
import { parseDays } from '../flags/moment.ts';
import { type Candidate, toMeeting } from './reference-kinds.ts';

/** Whether a word stands for the latest meeting. */
export const isLatest = (text: string) => foldName(text) === 'latest';

const isNext = (text: string) => foldName(text) === 'next';

/** Whether a word names days, or the latest or next meeting, so that it is not sent as an id. */
export const isDayName = (text: string) =>
  isLatest(text) || isNext(text) || readDays(text, '2026-01-01') !== undefined;

/** The last time of a date, in milliseconds. */
const maxTime = 8.64e15;

/** The list is sorted by start, latest first. Most searches end on the first page. */
const paging = { size: 25, concurrency: 1 };

/**
 * Finds the meetings that start on the days that a text names, or the latest or next one; undefined if the text names
 * no day. Also undefined if no meeting starts on a day such as `monday`, because the text may be a title.
 * @throws {Failure} not_found if no meeting starts on a date, or none has started
 */
export async function findMeetingsByDay(
  session: Session,
  text: string,
  zone: string | undefined,
): Promise<readonly Candidate[] | undefined> {
  if (isLatest(text)) return [await findLatestMeeting(session)];
  if (isNext(text)) return [await findNextMeeting(session)];
  const days = readDayRange(text, session.runtime.now(), zone);
  if (!days) return undefined;
  const [from, to] = [days.first, days.end].map((day) => readLocalTime(`${day}T00:00`, zone));
  const meetings = await listMeetings(session, from, to);
  if (meetings.length > 0) return meetings;
  if (!isDate(text)) return undefined;
  throw new Failure('not_found', `No meeting starts on ${text}.`, { hint: 'kith meetings list' });
}

/** Returns the days that a text names, or the day of its point in time. */
function readDayRange(text: string, now: Date, zone: string | undefined) {
  try {
    return parseDays(text)({ now, zone });
  } catch (error) {
    if (error instanceof Failure && error.code === 'usage') return undefined;
    throw error;
  }
}

/** Lists the meetings that start in a range of milliseconds. A service may ignore the filters. */
async function listMeetings(session: Session, from = 0, to = 0): Promise<Candidate[]> {
  const client = await session.client();
  const range = { starts_after: from / 1000, starts_before: to / 1000 };
  const meetings: Candidate[] = [];
  for await (const { value } of client.records(calendarEvents.list, range, paging)) {
    const start = Date.parse(value.start_at);
    if (start < from) break;
    if (start < to) meetings.push({ id: value.id, ...toMeeting(value) });
  }
  return meetings;
}

/** Finds the latest meeting that has started. @throws {Failure} not_found */
export async function findLatestMeeting(
  session: Session,
  { isDone = false }: { /** Whether it must have a finished recording. */ readonly isDone?: boolean } = {},
): Promise<Candidate> {
  const client = await session.client();
  const now = session.runtime.now().getTime();
  const before = { starts_before: Math.floor(now / 1000) + 1 };
  for await (const { value } of client.records(calendarEvents.list, before, paging)) {
    const isWanted = !isDone || value.recordings.some(isFinished);
    if (isWanted && Date.parse(value.start_at) <= now) return { id: value.id, ...toMeeting(value) };
  }
  const problem = isDone
    ? 'No meeting that has started has a finished recording.'
    : 'No recorded meeting has started yet.';
  throw new Failure('not_found', problem, { hint: 'kith meetings list' });
}

/** Finds the next meeting that has not started. @throws {Failure} not_found */
async function findNextMeeting(session: Session): Promise<Candidate> {
  const now = session.runtime.now().getTime();
  const next = (await listMeetings(session, now - (now % 1000), maxTime)).at(-1);
  if (next) return next;
  throw new Failure('not_found', 'There is no upcoming meeting.', { hint: 'kith meetings show latest' });
}

/** Whether a recording has a summary and a transcript (specification, 3.2). */
export const isFinished = ({ status }: Pick<Received<EventRecording>, 'status'>) => status === 'done';
