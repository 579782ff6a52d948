import { applyStates, isDone } from '../../actions/apply-states.ts';
import { identifyItems } from '../../actions/item-id.ts';
import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { calendarEvents } from '../../contract/calendar-events.ts';
import { Failure } from '../../contract/errors.ts';
import { toAttendeeJson } from '../../render/screens/attendees.ts';
import type { MeetingDetails } from '../../render/screens/meeting-screen.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import { joinElements, joinMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { loadActionLedger, resolveLedgerFile } from '../actions/ledger-file.ts';
import { createPeople } from './people.ts';
import { readSummaries } from './read-meetings.ts';
import { readPart } from './read-sections.ts';

/** Maximum number of recordings that are read at once. */
const maxRequests = 4;

/** Shows a meeting with its attendees, summaries and action items. */
export async function showMeeting(
  session: Session,
  id: string,
  { tz }: { readonly tz: string | undefined },
): Promise<CommandResult> {
  const client = await session.client();
  const event = await client.record(calendarEvents.get, { id });
  const addresses = event.value.attendees.map(({ email }) => email).filter(Boolean);
  const people = createPeople(session);
  const [meeting, attendees] = await Promise.all([
    readSummaries({ client, signal: session.signal, run: createSemaphore(maxRequests) }, event),
    readPart(session.signal, async () => {
      await people.load(addresses);
      return addresses.map(people.get);
    }),
  ]);
  const doneItems = await readPart(session.signal, () =>
    readDoneItems(session, event.value.id, meeting.actionItems),
  );
  const details: MeetingDetails = { ...meeting, attendees, doneItems };
  const { renderMeeting } = await import('../../render/screens/meeting-screen.ts');
  return {
    kind: 'text',
    text: (style) => renderMeeting(details, { ...style, zone: tz }),
    json: toMeetingDocument(details),
    failure: describeFailures(details),
  };
}

/** Returns whether each action item of a meeting is done, from the ledger on this machine. */
async function readDoneItems(
  session: Session,
  meeting: string,
  texts: readonly string[],
): Promise<readonly boolean[]> {
  if (texts.length === 0) return [];
  const ledger = await loadActionLedger(session, await resolveLedgerFile(session, undefined));
  const items = identifyItems(meeting, texts.map(collapseWhitespace), []);
  return applyStates(items, ledger.listStates(meeting)).items.map(isDone);
}

/**
 * Returns a meeting as one JSON object: the meeting as the service sent it, null for a part that could not be read, and
 * the recordings with the texts of their summaries.
 */
function toMeetingDocument({ event, attendees, summary, summaries, actionItems }: MeetingDetails): RawJson {
  const { recordings } = event.value;
  return joinMembers([
    ['event', event],
    ['attendees', toRawJson(attendees instanceof Failure ? null : attendees.map(toAttendeeJson))],
    ['summary', toRawJson(summary ?? null)],
    ['action_items', toRawJson(actionItems)],
    [
      'recordings',
      joinElements(
        recordings.map(({ id, status, started_at, ended_at }) => {
          const { text, actionItems } = summaries.find(({ recordingId }) => recordingId === id) ?? {};
          const times = { started_at, ended_at };
          return toRawJson({ id, status, ...times, summary: text ?? null, action_items: actionItems ?? [] });
        }),
      ),
    ],
  ]);
}

/** Returns a partial failure that names the parts that could not be read; undefined if every part was read. */
function describeFailures({ event, attendees, doneItems, failure }: MeetingDetails): Failure | undefined {
  const failures = [
    ...(attendees instanceof Failure ? [`attendees (${attendees.message})`] : []),
    ...(doneItems instanceof Failure ? [`states of action items (${doneItems.message})`] : []),
    ...(failure ? [`summary of "${event.value.title}" (${failure.message})`] : []),
  ];
  return failures.length === 0 ? undefined : new Failure('partial', `Not shown: ${failures.join('; ')}`);
}
