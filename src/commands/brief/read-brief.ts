import type { Session } from '../../cli/command/context.ts';
import { type CalendarEvent, calendarEvents } from '../../contract/calendar-events.ts';
import { contacts } from '../../contract/contacts.ts';
import type { Result } from '../../contract/documents/results.ts';
import { type Note, notes } from '../../contract/notes.ts';
import { organizations } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import { getLabel } from '../../records/label.ts';
import { formatCell } from '../../render/cells.ts';
import { collapseWhitespace } from '../../render/text/sanitize.ts';
import { truncate } from '../../render/text/width.ts';
import { readIndexedMeeting } from '../../search/action-items.ts';
import type { IndexFile } from '../../search/index/index-file.ts';
import {
  findAttendees,
  listPassages,
  listRelated,
  listRelatedContacts,
  type MeetingPassage,
  type RelatedContact,
} from '../../search/relations.ts';
import { formatClock } from '../../transcripts/transcript.ts';
import { createSemaphore } from '../../values/concurrency.ts';
import { isEmpty, listDefinedValues } from '../../values/field-values.ts';
import { loadActionLedger, resolveLedgerFile } from '../actions/ledger-file.ts';
import { listItems } from '../actions/read-items.ts';
import type { Subject } from './find-subject.ts';
import { readExisting, readOpenEntries, readStatusTimes, toDeal } from './read-deals.ts';

type Brief = Result<'brief'>;
type Event = Received<CalendarEvent>;

interface BriefOptions {
  readonly index: IndexFile;
  readonly isOwn: (address: string) => boolean;
  /** Maximum number of records of a section; undefined for the limit of each section. */
  readonly limit: number | undefined;
  readonly ledger: string | undefined;
}

const kinds = {
  organizations: 'organization',
  contacts: 'contact',
  entries: 'deal',
  meetings: 'meeting',
} as const;

/** Maximum number of records of each section. */
const limits = { people: 4, deals: 4, passages: 5, actions: 4, changes: 4 };

/** Maximum number of meetings with passages, of related records to consider, of fields, of addresses, and of the columns of a text. */
const [maxMeetings, maxRelated, maxFields, maxAddresses, maxText] = [3, 20, 6, 500, 200];

/** Maximum number of requests at once. */
const maxRequests = 8;

/** Reads what the index knows about a subject, then only the records that the brief shows. */
export async function readBrief(session: Session, subject: Subject, options: BriefOptions): Promise<Brief> {
  const now = session.runtime.now().getTime();
  const facts = findFacts(options.index, subject, now / 1000);
  const more: Record<string, number> = {};
  const take = <T>(section: keyof typeof limits, all: readonly T[]): T[] => {
    const limit = options.limit ?? limits[section];
    if (all.length > limit) more[section] = all.length - limit;
    return all.slice(0, limit);
  };
  const people = take('people', facts.people);
  const since = facts.meetings[0]?.at ?? 0;
  const newNotes = facts.notes.filter(({ at }, position) => position === 0 || at > since);
  const records = await readRecords(session, subject, {
    ...facts,
    people,
    notes: newNotes.slice(0, options.limit ?? limits.changes),
  });
  const past = records.events.filter(({ start_at }) => Date.parse(start_at) <= now);
  const statusTimes = await readStatusTimes(session, records.open);
  const deals = records.open
    .map((entry) => toDeal(entry, statusTimes))
    .sort((left, right) => Number(right.id === subject.id) - Number(left.id === subject.id));
  return {
    kind: kinds[subject.kind],
    id: subject.id,
    ...describeSubject(subject, records),
    people: records.people.map((contact) => {
      const { met_at } = people.find(({ id }) => id === contact.id) ?? {};
      return {
        id: contact.id,
        name: getLabel('contacts', contact) || contact.id,
        email: contact.emails[0] ?? null,
        last_met_at: met_at === undefined ? null : new Date(met_at * 1000).toISOString(),
      };
    }),
    deals: take('deals', deals),
    passages: take('passages', rankPassages(facts.passages, past, deals)),
    actions: take('actions', await listOpenItems(session, facts, options)),
    changes: take('changes', listChanges(records, since * 1000)),
    last_contact: findLastContact(records.bodies, past, facts, options),
    unclear: findDoubts(records, options),
    more,
  };
}

/** Reads the records that a brief shows, without those that were deleted since the index was updated. */
async function readRecords(
  session: Session,
  subject: Subject,
  { people: shownPeople, meetings, notes: shownNotes, entries }: Facts,
) {
  const client = await session.client();
  const run = createSemaphore(maxRequests);
  const lastMeetings = meetings.slice(0, maxMeetings).map(({ id }) => id);
  const eventIds = new Set([...lastMeetings, ...(subject.kind === 'meetings' ? [subject.id] : [])]);
  const [companies, people, events, bodies, open] = await Promise.all([
    readExisting(run, subject.organizations.slice(0, maxMeetings), (organization_id) =>
      client.read(organizations.get, { organization_id }),
    ),
    readExisting(run, shownPeople, ({ id }) => client.read(contacts.get, { contact_id: id })),
    readExisting(run, [...eventIds], (id) => client.read(calendarEvents.get, { id })),
    readExisting(run, shownNotes, ({ id }) => client.read(notes.get, { note_id: id })),
    readOpenEntries(client, run, entries),
  ]);
  return { companies, people, events, bodies, open };
}
type Records = Awaited<ReturnType<typeof readRecords>>;

/** Returns the name of the subject, the domains of the organizations, and the fields that say who they are. */
function describeSubject({ kind, id, key }: Subject, { companies, people, events }: Records) {
  const [company] = companies;
  const person = people.find((contact) => contact.id === id) ?? (company ? undefined : people[0]);
  const party = person ? getLabel('contacts', person) : company && getLabel('organizations', company);
  const title = kind === 'meetings' ? events.find((event) => event.id === id)?.title : party;
  const name = [key, title].filter(Boolean).join(': ') || id;
  const about = [
    ...listFields(person?.custom_fields),
    ...companies.flatMap((one) => [getLabel('organizations', one), ...one.domains]),
    ...companies.flatMap(({ custom_fields }) => listFields(custom_fields).slice(0, maxFields)),
  ];
  return { name, about: about.filter((text) => text !== name) };
}

/** Lists the notes, deals and people that are new or have changed since a time in milliseconds, latest first. */
function listChanges({ bodies, open, people }: Records, since: number): Brief['changes'] {
  const create = (kind: 'note' | 'deal' | 'contact', record: Stamps, text: string) => {
    const { id, created_at, updated_at } = record;
    return { kind, id, at: updated_at || created_at, text, is_new: Date.parse(created_at) > since };
  };
  const all = [
    ...bodies.map((note) => create('note', note, shorten(note.body))),
    ...open.map(({ entry }) => create('deal', entry, [entry.key, entry.status].filter(Boolean).join(': '))),
    ...people.map((contact) => create('contact', contact, getLabel('contacts', contact))),
  ];
  return all
    .filter(({ at }) => Date.parse(at) > since)
    .sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
}

interface Stamps {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Finds the records of a subject, latest first, and the passages and action items of its last meetings. */
function findFacts(index: IndexFile, { kind, organizations, contacts }: Subject, now: number) {
  const all = listRelatedContacts(index, organizations, contacts, now);
  const isNamed = (person: RelatedContact) => contacts.includes(person.id);
  const people = [...all.filter(isNamed), ...all.filter((person) => !isNamed(person))];
  const met = people.filter(
    ({ met_at, id }) => met_at !== undefined && (kind !== 'contacts' || id === contacts[0]),
  );
  const addresses = met.flatMap(({ emails }) => emails).slice(0, maxAddresses);
  const attendees = addresses.map((address) => ({ kind: 'attendee', id: address }) as const);
  const companies = organizations.map((company) => ({ kind: 'organization', id: company }) as const);
  const persons = contacts.map((contact) => ({ kind: 'contact', id: contact }) as const);
  const meetings = listRelated(index, 'meetings', attendees, { until: now, limit: maxRelated });
  return {
    people,
    meetings,
    passages: listPassages(index, meetings.slice(0, maxMeetings)),
    items: meetings.flatMap((meeting) => readIndexedMeeting(index, meeting.id) ?? []),
    notes: listRelated(index, 'notes', companies, { limit: maxRelated }),
    entries: listRelated(index, 'entries', [...companies, ...persons], { limit: maxRelated }),
  };
}
type Facts = ReturnType<typeof findFacts>;

async function listOpenItems(session: Session, { items }: Facts, { ledger: file }: BriefOptions) {
  const ledger = await loadActionLedger(session, await resolveLedgerFile(session, file));
  const all = items.flatMap((meeting) => listItems(meeting, ledger.listStates(meeting.id)));
  return all.flatMap(({ state, id, text, person, event_id, title, start_at }) =>
    state === 'open' ? [{ id, text, person, event_id, title, start_at }] : [],
  );
}

/** Returns the beginning of a text, in one line. */
const shorten = (text: string) => truncate(collapseWhitespace(text), maxText);

const omittedTypes: readonly unknown[] = ['textarea', 'url', 'contact', 'user'];

/** Formats the values of custom fields that say who somebody is. */
const listFields = (fields: unknown) =>
  listDefinedValues(fields)
    .filter(({ value, dataType }) => !isEmpty(value) && !omittedTypes.includes(dataType))
    .map(({ name, value }) => collapseWhitespace(`${name}: ${formatCell(value, ', ')}`));

/** The part of the score of a passage with a word of a deal, and the minimum length of such a word. */
const dealWeight = 2;
const minWordLength = 6;

const listWords = (text: string) =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= minWordLength);

/** Ranks passages by their score, which a word of a deal increases; among equal scores, the latest meeting first. */
function rankPassages(
  passages: readonly MeetingPassage[],
  events: readonly Event[],
  deals: Brief['deals'],
): Brief['passages'] {
  const words = new Set(deals.flatMap(({ next_step }) => listWords(next_step ?? '')));
  const ranked = passages.flatMap(({ text, start, acceptedBy, reasons, score, ...passage }) => {
    const event = events.find(({ id }) => id === passage.event_id);
    const isAboutDeal = listWords(text).some((word) => words.has(word));
    const all = [...reasons, ...(isAboutDeal ? ['deal'] : [])];
    return event
      ? [{ ...passage, text, start, acceptedBy, event, all, score: score + (isAboutDeal ? dealWeight : 0) }]
      : [];
  });
  return ranked
    .sort((left, right) => right.score - left.score)
    .map(({ text, speaker, event, recording_id, start, all, acceptedBy }) => ({
      quote: text,
      speaker,
      event_id: event.id,
      title: event.title,
      start_at: event.start_at,
      recording_id,
      start: start ?? null,
      time: start === undefined ? null : formatClock(start),
      reason: all[0] ?? '',
      reasons: all,
      accepted_by: acceptedBy ?? null,
    }));
}

/** Finds the last meeting that one of them attended, and the last note, or meeting that one of us attended. */
function findLastContact(
  bodies: readonly Received<Note>[],
  events: readonly Event[],
  { meetings }: Facts,
  { isOwn }: BriefOptions,
): Brief['last_contact'] {
  const toMention = ({ id, start_at, title }: Event) =>
    ({ kind: 'meeting', id, at: start_at, text: title }) as const;
  const written = bodies.map(({ id, created_at, body }) => {
    return { kind: 'note', id, at: created_at, text: shorten(body) } as const;
  });
  const findLast = (all: readonly NonNullable<Brief['last_contact']['us']>[]) =>
    all.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at))[0] ?? null;
  const ours = events.filter(({ attendees }) => attendees.some(({ email }) => isOwn(email)));
  const theirs = events.filter(({ id }) => meetings.some((meeting) => meeting.id === id));
  return { us: findLast([...written, ...ours.map(toMention)]), them: findLast(theirs.map(toMention)) };
}

/** Lists what a person should check: attendees without a contact, and several open deals of one name. */
function findDoubts({ events, open }: Records, { index, isOwn }: BriefOptions): string[] {
  const attended = events.flatMap(({ title, attendees }) =>
    attendees.map(({ email }) => [email, title] as const),
  );
  const titles = new Map(attended.filter(([email]) => email !== '' && !isOwn(email)));
  const people = findAttendees(index, [...titles.keys()]);
  const strangers = [...titles].filter((_, position) => people[position]?.contact_id === null);
  const keys = new Map<string, string[]>();
  for (const { entry, list } of open) {
    const name = `${list.id} ${entry.entryable_id}`;
    keys.set(name, [...(keys.get(name) ?? []), entry.key ?? entry.id]);
  }
  const groups = [...keys.values()].filter(({ length }) => length > 1);
  return [
    ...strangers.map(([email, title]) => `${email} attends "${title}", but is not a contact.`),
    ...groups.map((group) => `Open deals of one name: ${group.join(', ')}.`),
  ];
}
