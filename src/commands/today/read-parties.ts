import type { Session } from '../../cli/command/context.ts';
import { toEntryKind } from '../../cli/flags/references.ts';
import { readIndexedContacts } from '../../cli/references/index-lookups.ts';
import { calendarEvents } from '../../contract/calendar-events.ts';
import { notes } from '../../contract/notes.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import { type DatedText, horizon, type OpenDeal, type PartyFacts } from '../../followup/rank.ts';
import { pickAll } from '../../records/read-all.ts';
import { readValues } from '../../render/report/totals.ts';
import { createDayFormat, readLocalTime, shiftDay } from '../../values/dates.ts';
import { normalizeEmail } from '../../values/domain.ts';
import { type ActionItem, readActionItems } from '../actions/read-items.ts';
import { type UnnamedDeal, visitOpenDeals } from './read-deals.ts';

interface PartyQuery {
  /** The user whose promises, deals and meetings count; undefined for those of everyone. */
  readonly user: string | undefined;
  readonly ledger: string | undefined;
  readonly zone: string | undefined;
}

/** Days of meetings, notes and action items that count. An older relationship has no rhythm. */
const maxAge = 365;

/** Records per request. */
const size = 500;

interface CollectedFacts extends PartyFacts {
  contactId: string | undefined;
  readonly promises: DatedText[];
  readonly deals: OpenDeal[];
  readonly notes: DatedText[];
  readonly contactDays: string[];
}

/** Reads the facts about all organizations, and about contacts without an organization. */
export async function readParties(session: Session, query: PartyQuery): Promise<readonly PartyFacts[]> {
  const toDay = createDayFormat(query.zone);
  const today = toDay(session.runtime.now().getTime());
  const since = readLocalTime(`${shiftDay(today, -maxAge)}T00:00`, query.zone);
  // Updates the index, from which the contacts are read.
  const items = await readItems(session, query, since);
  const [meetings, deals, latestNotes] = await Promise.all([
    readMeetings(session, query, since),
    readOpenDeals(session, query),
    readNotes(session, since),
  ]);
  const attendees = meetings.flatMap(({ emails }) => emails);
  const contacts = await readIndexedContacts(session, 'email', new Set(attendees));
  const dealContacts = deals.flatMap(({ entry }) => (isOfContact(entry) ? entry.entryable_id : []));
  const owners = await readIndexedContacts(session, 'id', new Set(dealContacts));
  const parties = new Parties();
  const partiesByMeeting = new Map<string, ReadonlySet<CollectedFacts>>();
  for (const { id, start, emails } of meetings) {
    const attending = new Set(
      emails
        .flatMap((email) => contacts.get(email) ?? [])
        .map((contact) => parties.findOf(contact, contact.id)),
    );
    for (const party of attending) party.contactDays.push(toDay(start));
    partiesByMeeting.set(id, attending);
  }
  for (const { id, text, person, event_id, start_at } of items) {
    // Without a user, everyone who is not a contact is one of us.
    const isOurs = query.user === undefined ? person && !contacts.has(person) : person === query.user;
    const promise = { id, text, day: toDay(Date.parse(start_at ?? '')) };
    for (const party of (isOurs && partiesByMeeting.get(event_id)) || []) party.promises.push(promise);
  }
  for (const { entry, list, due } of deals) {
    const { id, key, entryable_id, contact_id } = entry;
    const party = isOfContact(entry)
      ? parties.findOf(owners.get(entryable_id), entryable_id)
      : parties.find('organization', entryable_id, contact_id);
    const cents = Number(readValues(entry).first_year_value_cents ?? 0n);
    party.deals.push({ id, list_id: list.id, label: key || id, due: toDueDay(due[0], toDay), cents });
  }
  for (const { id, text, organizationId, time } of latestNotes) {
    // A note has no author. It concerns a user if the organization does.
    if (query.user !== undefined && !parties.has(organizationId)) continue;
    const party = parties.find('organization', organizationId);
    party.contactDays.push(toDay(time));
    party.notes.push({ id, text, day: toDay(time) });
  }
  return parties.list();
}

/** The facts by contact or organization. */
class Parties {
  readonly #facts = new Map<string, CollectedFacts>();

  has(organizationId: string): boolean {
    return this.#facts.has(`organization ${organizationId}`);
  }

  /** Returns the facts that are collected so far. `contactId`: the contact to speak to, unless one is known. */
  find(kind: PartyNoun, id: string, contactId?: string | null): CollectedFacts {
    const lists = { promises: [], deals: [], notes: [], contactDays: [] };
    const facts = this.#facts.get(`${kind} ${id}`) ?? { kind, id, contactId: undefined, ...lists };
    facts.contactId ??= contactId ?? undefined;
    this.#facts.set(`${kind} ${id}`, facts);
    return facts;
  }

  /** Returns the facts about the organization of a contact, or about the contact. */
  findOf(contact: { readonly organizationId: string | undefined } | undefined, id: string): CollectedFacts {
    const { organizationId } = contact ?? {};
    return organizationId === undefined
      ? this.find('contact', id, id)
      : this.find('organization', organizationId, id);
  }

  list(): readonly PartyFacts[] {
    return [...this.#facts.values()];
  }
}

const isOfContact = ({ entryable_type }: UnnamedDeal['entry']) => toEntryKind(entryable_type) === 'contact';

const toDueDay = (due: UnnamedDeal['due'][number] | undefined, toDay: (time: number) => string) =>
  due && { field: due.name, day: due.value.includes('T') ? toDay(Date.parse(due.value)) : due.value };

async function readItems(session: Session, { ledger }: PartyQuery, since: number) {
  const filters = { state: 'open', ledger, since: Math.floor(since / 1000) } as const;
  const items: ActionItem[] = [];
  for await (const page of readActionItems(session, filters)) items.push(...page);
  return items;
}

/** Reads the meetings, the latest first. */
async function readMeetings(session: Session, { user }: PartyQuery, since: number) {
  const input = { starts_after: Math.floor(since / 1000) };
  const meetings = await pickAll(
    await session.client(),
    calendarEvents.list,
    input,
    ({ id, start_at, attendees }) => {
      const emails = attendees.map(({ email }) => normalizeEmail(email));
      const start = Date.parse(start_at);
      return start >= since && (user === undefined || emails.includes(user)) ? [{ id, start, emails }] : [];
    },
    { size },
  );
  return meetings.sort((left, right) => right.start - left.start);
}

async function readOpenDeals(session: Session, { user, zone }: PartyQuery): Promise<UnnamedDeal[]> {
  const now = session.runtime.now().getTime();
  const date = createDayFormat(zone)(now);
  const end = readLocalTime(`${shiftDay(date, horizon + 1)}T00:00`, zone);
  const deals: UnnamedDeal[] = [];
  const range = { date, start: now, end, overdueBefore: now };
  await visitOpenDeals(session, { user, range, zone, includesUndated: true }, (deal) => deals.push(deal));
  return deals;
}

async function readNotes(session: Session, since: number) {
  return pickAll(
    await session.client(),
    notes.list,
    {},
    ({ id, body, organization_id: organizationId, created_at }) => {
      const time = Date.parse(created_at);
      return organizationId && time >= since ? [{ id, text: body, organizationId, time }] : [];
    },
    { size },
  );
}
