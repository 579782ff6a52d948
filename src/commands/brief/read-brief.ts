import type { Session } from '../../cli/command/context.ts';
import { calendarEvents } from '../../contract/calendar-events.ts';
import { contacts } from '../../contract/contacts.ts';
import type { Result } from '../../contract/documents/results.ts';
import { entries } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import { notes } from '../../contract/notes.ts';
import { organizations } from '../../contract/organizations.ts';
import { recordings } from '../../contract/recordings.ts';
import { getLabel } from '../../records/label.ts';
import { formatCell } from '../../render/cells.ts';
import { createTimeFormat } from '../../render/screens/day-screen.ts';
import { formatContactName } from '../../render/screens/relationship.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import { truncate } from '../../render/text/width.ts';
import { readIndexedMeeting } from '../../search/action-items.ts';
import type { IndexFile } from '../../search/index/index-file.ts';
import {
  findAttendees,
  listOwners,
  listRelated,
  listRelatedContacts,
  type Relation,
} from '../../search/relations.ts';
import { compileDealWords, findPassages } from '../../transcripts/commitments.ts';
import { formatClock, parseTranscript } from '../../transcripts/transcript.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import { isEmpty, listDefinedValues } from '../../values/field-values.ts';
import { loadActionLedger, resolveLedgerFile } from '../actions/ledger-file.ts';
import { listItems } from '../actions/read-items.ts';
import { isOpen } from '../show/read-sections.ts';
import type { Subject } from './find-subject.ts';
import { readDeals, readExisting, readStatusTimes, toDeal } from './read-deals.ts';

type Brief = Result<'brief'>;

interface BriefOptions {
  readonly index: IndexFile;
  readonly isOwn: (address: string) => boolean;
  readonly ledger: string | undefined;
  readonly tz: string | undefined;
}

const kinds = {
  organizations: 'organization',
  contacts: 'contact',
  entries: 'deal',
  meetings: 'meeting',
} as const;

/** Maximum number of records of each section. */
const limits = { people: 3, deals: 3, passages: 4, actions: 3, changes: 3, unclear: 3 };

/** Maximum number of organizations and recorded meetings, of related records, of fields, and of attendees' addresses. */
const [maxMeetings, maxRelated, maxFields, maxAddresses] = [3, 20, 6, 500];

/** Maximum number of columns of a note. */
const maxNote = 200;

/** Maximum number of requests at once. */
const maxRequests = 8;

/**
 * Finds the records of a subject in the index, then reads only the records that the brief shows.
 * @throws {Failure} not_found if the subject was deleted since the index was updated
 */
export async function readBrief(
  session: Session,
  subject: Subject,
  { index, isOwn, ledger, tz }: BriefOptions,
): Promise<Brief> {
  const { limit } = session.globals;
  const facts = findFacts(index, subject, session.runtime.now().getTime() / 1000);
  const more: Record<string, number> = {};
  const take = <T>(section: keyof typeof limits, all: readonly T[], unread = 0): T[] => {
    const count = limit ?? limits[section];
    if (all.length + unread > count) more[section] = all.length + unread - count;
    return all.slice(0, count);
  };
  const people = take('people', facts.people);
  const since = facts.meetings[0]?.at ?? 0;
  const newNotes = facts.notes.filter(({ at }, position) => position === 0 || at > since);
  const newPeople = facts.people.slice(people.length).filter(({ at }) => at > since);
  newPeople.sort((left, right) => right.at - left.at);
  const maxChanges = limit ?? limits.changes;
  const newlyClosed = facts.closed.filter(({ id, at }) => at > since && id !== subject.id);
  const [shownNotes, others] = [newNotes.slice(0, maxChanges), newPeople.slice(0, maxChanges)];
  const closed = newlyClosed.slice(0, maxChanges);
  const changeCount = newNotes.length + newPeople.length + newlyClosed.length;
  const unreadChanges = changeCount - shownNotes.length - others.length - closed.length;
  const shown = {
    ...facts,
    people: [...people, ...others],
    notes: shownNotes,
    closed,
    maxDeals: limit ?? limits.deals,
  };
  const { unreadDeals, ...records } = await readRecords(session, subject, shown);
  const deals = take('deals', records.deals, unreadDeals);
  const statusTimes = await readStatusTimes(session, deals);
  return {
    kind: kinds[subject.kind],
    id: subject.id,
    ...describeSubject(subject, records, tz),
    people: records.people.flatMap((contact) => {
      const person = people.find(({ id }) => id === contact.id);
      if (!person) return [];
      const { met_at } = person;
      const last_met_at = met_at === undefined ? null : new Date(met_at * 1000).toISOString();
      const [email = null] = contact.emails;
      return [{ id: contact.id, name: formatContactName(contact), email, last_met_at }];
    }),
    deals: deals.map((deal) => toDeal(deal, statusTimes.get(deal.entry.id))),
    passages: take('passages', listPassages(records)),
    actions: take('actions', await listOpenItems(session, facts, ledger)),
    changes: take('changes', listChanges(records, since * 1000), unreadChanges),
    last_contact: findLastContact(records, facts, isOwn),
    unclear: take('unclear', listUnclear(records, index, isOwn)),
    more,
  };
}

/** Finds the records of a subject, latest first, and the action items and recordings of its last meetings. */
function findFacts(index: IndexFile, subject: Subject, now: number) {
  const { kind, id, deal, organizations, contacts } = subject;
  const people = listRelatedContacts(index, organizations, contacts, now);
  const attendees = kind === 'contacts' ? people.slice(0, 1) : people;
  const addresses = attendees.flatMap(({ emails, met_at }) => (met_at === undefined ? [] : emails));
  const toOwners = (owner: Relation['kind'], ids: readonly string[]) =>
    ids.map((ownerId) => ({ kind: owner, id: ownerId }));
  const organizationOwners = toOwners('organization', organizations);
  const meetings = listRelated(index, 'meetings', toOwners('attendee', addresses.slice(0, maxAddresses)), {
    until: now,
    limit: maxRelated,
  });
  const meetingIds = new Set([...(kind === 'meetings' ? [id] : []), ...meetings.map(({ id }) => id)]);
  const recorded = Array.from(meetingIds, (meeting) => ({
    id: meeting,
    recordings: listOwners(index, 'meetings', meeting).filter((owned) => owned.kind === 'recording'),
  })).filter(({ recordings }) => recordings.length > 0);
  const members = [...organizationOwners, ...toOwners('contact', contacts)];
  const openEntries = listRelated(index, 'entries', members, { limit: maxRelated });
  return {
    people,
    meetings,
    recorded: recorded.slice(0, maxMeetings),
    items: meetings.flatMap((meeting) => readIndexedMeeting(index, meeting.id) ?? []),
    notes: listRelated(index, 'notes', organizationOwners, { limit: maxRelated }),
    closed: listRelated(index, 'entries', toOwners('closed', [...organizations, ...contacts]), {
      limit: maxRelated,
    }),
    entries: [
      ...(deal ? [{ id, list_id: deal.list_id }] : []),
      ...openEntries.filter((entry) => entry.id !== id || entry.list_id !== deal?.list_id),
    ],
  };
}
type Facts = ReturnType<typeof findFacts>;

/** Reads the records that a brief shows, except those deleted since the index was updated. */
async function readRecords(session: Session, subject: Subject, facts: Facts & { readonly maxDeals: number }) {
  const client = await session.client();
  const run = createSemaphore(maxRequests);
  const last = [...facts.meetings.slice(0, 1), ...facts.recorded].map(({ id }) => id);
  const eventIds = new Set([...(subject.kind === 'meetings' ? [subject.id] : []), ...last]);
  const recordingIds = facts.recorded.flatMap((meeting) => meeting.recordings);
  const [companies, people, events, recordingList, noteList, closed, { deals, unread }] = await Promise.all([
    readExisting(run, subject.organizations.slice(0, maxMeetings), (organization_id) =>
      client.read(organizations.get, { organization_id }),
    ),
    readExisting(run, facts.people, ({ id }) => client.read(contacts.get, { contact_id: id })),
    readExisting(run, [...eventIds], (id) => client.read(calendarEvents.get, { id })),
    readExisting(run, recordingIds, ({ id }) => client.read(recordings.get, { id })),
    readExisting(run, facts.notes, ({ id }) => client.read(notes.get, { note_id: id })),
    // An entry always has a list.
    readExisting(run, facts.closed, ({ id, list_id }) =>
      client.read(entries.get, { list_id: list_id ?? '', id }),
    ),
    readDeals(client, run, facts.entries, subject, facts.maxDeals),
  ]);
  const records = {
    organizations: companies,
    people,
    events,
    recordings: recordingList,
    notes: noteList,
    closed,
    deals,
  };
  const ids = Object.values(records).flatMap((found) =>
    found.map((record) => ('entry' in record ? record.entry : record).id),
  );
  if (ids.includes(subject.id)) return { ...records, unreadDeals: unread };
  throw new Failure('not_found', `The ${kinds[subject.kind]} ${subject.id} no longer exists.`, {
    hint: 'kith index update',
  });
}
type Records = Omit<Awaited<ReturnType<typeof readRecords>>, 'unreadDeals'>;

/** Returns the name of the subject, the start of a meeting, and the domains and fields that say who they are. */
function describeSubject(
  { kind, id }: Subject,
  { organizations, people, events, deals }: Records,
  zone: string | undefined,
) {
  const [company] = organizations;
  const person = people.find((contact) => contact.id === id) ?? (company ? undefined : people[0]);
  const party = person ? getLabel('contacts', person) : company && getLabel('organizations', company);
  const meeting = kind === 'meetings' ? events.find((event) => event.id === id) : undefined;
  const key = deals.find(({ entry }) => entry.id === id)?.entry.key;
  const name = [key, meeting ? meeting.title : party].filter(Boolean).join(': ') || id;
  const about = [
    ...(meeting ? [createTimeFormat(zone).toMinute(meeting.start_at)] : []),
    ...listFields(person?.custom_fields),
    ...organizations.flatMap((record) => [getLabel('organizations', record), ...record.domains]),
    ...organizations.flatMap(({ custom_fields }) => listFields(custom_fields).slice(0, maxFields)),
  ];
  return { name, about: about.filter((text) => text !== name) };
}

const omittedTypes: readonly unknown[] = ['textarea', 'url', 'contact', 'user'];

/** Formats the values of custom fields that say who somebody is. */
const listFields = (fields: unknown) =>
  listDefinedValues(fields)
    .filter(({ value, dataType }) => !isEmpty(value) && !omittedTypes.includes(dataType))
    .map(({ name, value }) => collapseWhitespace(`${name}: ${formatCell(value, ', ')}`));

const textTypes: readonly unknown[] = ['text', 'textarea'];

/** Lists the passages of the recordings: the highest score first, and for equal scores the latest meeting. */
function listPassages({ organizations, people, events, recordings, deals }: Records): Brief['passages'] {
  const fields = deals.flatMap(({ entry }) => listDefinedValues(entry.list_fields));
  const texts = fields
    .filter(({ dataType }) => textTypes.includes(dataType))
    .map(({ value }) => String(value));
  const names = [
    ...organizations.map((company) => getLabel('organizations', company)),
    ...people.map((person) => getLabel('contacts', person)),
  ];
  const dealWords = compileDealWords(texts, names);
  const passages = recordings.flatMap(({ id: recording_id, transcript }) => {
    const event = events.find((meeting) => meeting.recordings.some(({ id }) => id === recording_id));
    if (!event) return [];
    const { id: event_id, title, start_at } = event;
    return findPassages(parseTranscript(transcript), dealWords).map((passage) => {
      const time = passage.start === null ? null : formatClock(passage.start);
      return { ...passage, time, event_id, title, start_at, recording_id };
    });
  });
  return passages.sort((left, right) => right.score - left.score);
}

async function listOpenItems(session: Session, { items }: Facts, file: string | undefined) {
  const ledger = await loadActionLedger(session, await resolveLedgerFile(session, file));
  const all = items.flatMap((meeting) => listItems(meeting, ledger.listStates(meeting.id)));
  return all.flatMap(({ state, id, text, person, event_id, title, start_at }) =>
    state === 'open' ? [{ id, text, person, event_id, title, start_at }] : [],
  );
}

/** Returns the beginning of a note, in one line. */
const shorten = (text: string) => truncate(collapseWhitespace(text), maxNote);

/** Lists the notes, deals and people that are new or have changed since a time in milliseconds, latest first. */
function listChanges({ notes, deals, closed, people }: Records, since: number): Brief['changes'] {
  const all = [
    ...notes.map((note) => ['note', note, shorten(note.body)] as const),
    ...[...deals.map(({ entry }) => entry), ...closed].map(
      (entry) => ['deal', entry, [entry.key, entry.status].filter(Boolean).join(': ')] as const,
    ),
    ...people.map((contact) => ['contact', contact, formatContactName(contact)] as const),
  ];
  return all
    .map(([kind, { id, created_at, updated_at }, text]) => {
      return { kind, id, at: updated_at || created_at, text, is_new: Date.parse(created_at) > since };
    })
    .filter(({ at }) => Date.parse(at) > since)
    .sort(compareTimes);
}

const compareTimes = (left: { readonly at: string }, right: { readonly at: string }) =>
  Date.parse(right.at) - Date.parse(left.at);

/** Finds the last meeting with them, and our last contact: the last note, or this meeting if one of us attended it. */
function findLastContact(
  { notes, events }: Records,
  { meetings: [last] }: Facts,
  isOwn: BriefOptions['isOwn'],
): Brief['last_contact'] {
  const event = events.find(({ id }) => id === last?.id);
  const them = event && ({ kind: 'meeting', id: event.id, at: event.start_at, text: event.title } as const);
  const ours = event?.attendees.some(({ email }) => isOwn(email)) ? them : undefined;
  const written = notes.map(
    ({ id, created_at: at, body }) => ({ kind: 'note', id, at, text: shorten(body) }) as const,
  );
  const us = [...written, ...(ours ? [ours] : [])].sort(compareTimes);
  return { us: us[0] ?? null, them: them ?? null };
}

/** Lists points to check: attendees who are not contacts, and several open deals in one process. */
function listUnclear({ events, deals }: Records, index: IndexFile, isOwn: BriefOptions['isOwn']): string[] {
  const attended = events.flatMap(({ title, attendees }) =>
    attendees.map(({ email }) => [email, title] as const),
  );
  const titles = new Map(attended.filter(([email]) => email !== '' && !isOwn(email)));
  const people = findAttendees(index, [...titles.keys()]);
  const strangers = [...titles].filter((_, position) => people[position]?.contact_id === null);
  const keys = new Map<string, string[]>();
  for (const { entry, list } of deals.filter((deal) => isOpen(deal.entry, deal.list))) {
    const name = `${list.id} ${entry.entryable_id}`;
    keys.set(name, [...(keys.get(name) ?? []), entry.key ?? entry.id]);
  }
  const groups = [...keys.values()].filter(({ length }) => length > 1);
  return [
    ...strangers.map(([email, title]) => `${email} is an attendee of "${title}", but not a contact.`),
    ...groups.map((group) => `Several open deals in one process: ${group.join(', ')}.`),
  ];
}
