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
import type { Part, Relationship, Section } from '../../render/screens/relationship.ts';
import { renderRelationship } from '../../render/screens/relationship-screen.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { joinElements, joinMembers, listRawMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { readMeetings } from './read-meetings.ts';
import {
  getOrganizationId,
  type Reader,
  readEntries,
  readNotes,
  readPart,
  readPeople,
  type Subject,
} from './read-sections.ts';

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

/** Maximum number of parts that are read at once. */
const maxTasks = 4;

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
      run: createSemaphore(maxTasks),
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

/** Reads all parts of a relationship concurrently. A part that cannot be read becomes a failure. */
async function readRelationship(subject: Subject, reader: Reader): Promise<Relationship> {
  const { client, run, signal } = reader;
  const { kind, id, record, entry } = subject;
  const read = <T>(load: () => Promise<T>) => readPart(signal, load);
  const readOrganization = async (organization_id: string) =>
    organization_id ? run(() => client.record(organizations.get, { organization_id })) : undefined;
  const readContact = async (contact_id: string) =>
    contact_id ? run(() => client.record(contacts.get, { contact_id })) : undefined;
  const organizationId = getOrganizationId(subject) ?? '';
  const people = kind === 'organization' ? read(() => readPeople(reader, id)) : undefined;
  /** Returns the addresses that attend the meetings; undefined if they are unknown. */
  const readAddresses = async () => {
    if (kind === 'contact') return record instanceof Failure ? undefined : record.value.emails;
    const section = await people;
    return section instanceof Failure ? undefined : section?.addresses;
  };
  const filter = kind === 'contact' ? { contact_id: id } : { organization_id: id };
  const [contact, organization, peopleSection, entrySection, noteSection, meetingSections] =
    await Promise.all([
      kind === 'contact' ? record : read(() => readContact(entry?.entry.value.contact_id ?? '')),
      kind === 'contact' ? read(() => readOrganization(organizationId)) : record,
      people,
      read(() => readEntries(reader, subject)),
      read(() => readNotes(reader, organizationId)),
      read(() => readMeetings(reader, filter, readAddresses)),
    ]);
  return {
    subject: entry ? 'entry' : kind,
    entry,
    contact,
    organization,
    people: peopleSection,
    entries: entrySection,
    notes: noteSection,
    upcoming: meetingSections instanceof Failure ? { records: [], more: 0 } : meetingSections.upcoming,
    meetings: meetingSections instanceof Failure ? meetingSections : meetingSections.past,
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

/**
 * Returns a relationship as one JSON object: the records as the service sent them, null for a part that could not be
 * read, and in `more` the number of records that are left out.
 */
function toDocument(relationship: Relationship): RawJson {
  const { subject, entry, contact, organization, people, entries, notes, upcoming, meetings } = relationship;
  const record = (part: Part<RawJson | undefined>) =>
    part === undefined || part instanceof Failure ? toRawJson(null) : part;
  const records = <T>(section: Part<Section<T>>, convert: (record: T) => RawJson) =>
    section instanceof Failure ? toRawJson(null) : joinElements(section.records.map(convert));
  const keep = (record: RawJson) => record;
  const sections = { contacts: people, entries, notes, upcoming, meetings };
  const more = Object.entries(sections).flatMap(([name, section]) =>
    section === undefined || section instanceof Failure || section.more === 0 ? [] : [[name, section.more]],
  );
  const owners: [string, RawJson][] = [
    ['contact', record(contact)],
    ['organization', record(organization)],
  ];
  return joinMembers([
    ...(entry ? [['entry', entry.entry] as const, ['list', entry.list] as const] : []),
    ...(subject === 'organization' ? owners.slice(1) : owners),
    ...(people ? [['contacts', records(people, keep)] as const] : []),
    ['entries', records(entries, ({ entry, list }) => addMembers(entry, { list_name: list.value.name }))],
    ['notes', records(notes, keep)],
    ['upcoming', records(upcoming, keep)],
    [
      'meetings',
      records(meetings, ({ event, summary, actionItems }) =>
        addMembers(event, { summary: summary ?? null, action_items: actionItems }),
      ),
    ],
    ['more', toRawJson(Object.fromEntries(more))],
  ]);
}

const addMembers = (record: RawJson, members: JsonObject): RawJson =>
  joinMembers([
    ...listRawMembers(record),
    ...Object.entries(members).map(([name, value]) => [name, toRawJson(value)] as const),
  ]);
