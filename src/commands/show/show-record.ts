import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import type { Moment } from '../../cli/flags/moment.ts';
import { toEntryKind } from '../../cli/flags/references.ts';
import { createNameLoader } from '../../cli/print/format-table.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import type { Client } from '../../client/client.ts';
import { contacts } from '../../contract/contacts.ts';
import { entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { organizations } from '../../contract/organizations.ts';
import { type PartyNoun, pluralNouns } from '../../contract/singular-nouns.ts';
import { collectReferences } from '../../render/collect-references.ts';
import { createTimeFormatter, type Display, plainDisplay } from '../../render/display.ts';
import type { Relationship } from '../../render/screens/relationship.ts';
import { renderRelationship } from '../../render/screens/relationship-screen.ts';
import { toDocument } from './document.ts';
import { readRelationship } from './read-relationship.ts';
import type { Subject } from './read-sections.ts';

interface ShowFlags {
  readonly since: Moment | undefined;
  readonly tz: string | undefined;
}

export async function showSubject(
  session: Session,
  kind: PartyNoun,
  id: string,
  flags: ShowFlags,
): Promise<CommandResult> {
  const subject = await readSubject(await session.client(), kind, id);
  // `id` may be a name, with which the first request was not found.
  const subjectId = session.references.pathIds.getId(pluralNouns[kind], id);
  return showRelationship(session, { ...subject, id: subjectId }, flags);
}

async function readSubject(client: Client, kind: PartyNoun, id: string): Promise<Subject> {
  return kind === 'contact'
    ? { kind, id, record: await client.record(contacts.get, { contact_id: id }) }
    : { kind, id, record: await client.record(organizations.get, { organization_id: id }) };
}

/** Shows an entry with the contact or organization that it is about, even if that cannot be read. */
export async function showEntry(
  session: Session,
  list_id: string,
  id: string,
  flags: ShowFlags,
): Promise<CommandResult> {
  const client = await session.client();
  const [record, list] = await Promise.all([
    client.record(entries.get, { list_id, id }),
    client.record(lists.get, { list_id }),
  ]);
  const entry = { entry: record, list };
  const { entryable_type, entryable_id: memberId } = record.value;
  const kind = toEntryKind(entryable_type);
  const subject = await readSubject(client, kind, memberId).catch((error: unknown): Subject => {
    if (session.signal.aborted || !(error instanceof Failure)) throw error;
    return { kind, id: memberId, record: error };
  });
  return showRelationship(session, { ...subject, entry }, flags);
}

/** Maximum number of notes and meetings, which are long, if --limit is omitted. */
const maxRecent = 5;

async function showRelationship(
  session: Session,
  subject: Subject,
  { since, tz }: ShowFlags,
): Promise<CommandResult> {
  const client = await session.client();
  const now = session.runtime.now();
  const { limit } = await session.preferences();
  const relationship = await withProgress(session, (update) => {
    let count = 0;
    update('Reading records');
    return readRelationship(subject, {
      client,
      signal: session.signal,
      now,
      limit,
      recentLimit: session.globals.limit ?? Math.min(limit, maxRecent),
      since: since?.({ now, zone: tz }),
      onRead(records) {
        count += records;
        update(`Reading records: ${count}`);
      },
    });
  });
  return {
    kind: 'text',
    text: async (style) => {
      const { loadNames, getName } = createNameLoader(session);
      const render = (display: Display) => renderRelationship(relationship, { ...style, display });
      await loadNames(collectReferences((getName) => render({ ...plainDisplay, getName })));
      return render({ getName, formatTime: createTimeFormatter(now, tz, true), isFull: true });
    },
    json: toDocument(relationship),
    failure: describeFailures(relationship),
  };
}

/** Returns a partial failure that names the parts that could not be read; undefined if every part was read. */
function describeFailures({ contact, organization, people, entries, notes, meetings }: Relationship) {
  const parts = { contact, organization, people, entries, notes, meetings };
  const failures = Object.entries(parts).flatMap(([name, part]) =>
    part instanceof Failure ? [`${name} (${part.message})`] : [],
  );
  const meetingRecords = meetings instanceof Failure ? [] : meetings.records;
  for (const { event, failure } of meetingRecords)
    if (failure) failures.push(`summary of "${event.value.title}" (${failure.message})`);
  return failures.length === 0 ? undefined : new Failure('partial', `Not shown: ${failures.join('; ')}`);
}
