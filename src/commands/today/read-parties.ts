import type { Session } from '../../cli/command/context.ts';
import { readIndex } from '../../cli/connect/search-index.ts';
import { findOwnSetting } from '../../cli/connect/settings.ts';
import { toEntryKind } from '../../cli/flags/references.ts';
import { Failure } from '../../contract/errors.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import {
  type DatedNote,
  horizon,
  minContacts,
  type OpenDeal,
  type OurPromise,
  type PartyFacts,
} from '../../followup/rank.ts';
import { readValues } from '../../render/report/totals.ts';
import { listAttendances, listDatedNotes, listNoteTimes } from '../../search/contact-times.ts';
import type { IndexFile } from '../../search/index/index-file.ts';
import { createOwnCheck, listOwners } from '../../search/relations.ts';
import { createDayFormat, readLocalTime, shiftDay } from '../../values/dates.ts';
import type { ActionItem } from '../actions/read-items.ts';
import { toDueDay, type UnnamedDeal } from './read-deals.ts';

/** Maximum age of meetings, notes and action items, in days. An older relationship has no rhythm. */
const maxAge = 365;

type AssignedItem = OurPromise & { readonly person: string; readonly eventId: string };
type OwnedDeal = OpenDeal &
  Pick<PartyFacts, 'contactId'> & { readonly owner: Pick<PartyFacts, 'kind' | 'id'> };

interface CollectedFacts extends PartyFacts {
  contactId: string | undefined;
  readonly promises: OurPromise[];
  readonly deals: OpenDeal[];
  readonly notes: DatedNote[];
  readonly contactDays: string[];
}

/**
 * Collects the facts about all organizations, and about contacts without an organization, from action items, deals and
 * the search index.
 */
export class PartyCollector {
  readonly today: string;
  /** The time until which deals are due soon, in milliseconds since 1970. */
  readonly end: number;
  /** The time before which meetings, notes and action items are ignored, in milliseconds since 1970. */
  readonly since: number;
  readonly #user: string | undefined;
  readonly #toDay: (time: number) => string;
  readonly #items: AssignedItem[] = [];
  readonly #deals: OwnedDeal[] = [];
  readonly #facts = new Map<string, CollectedFacts>();

  /** `user`: the user whose promises, deals and meetings count, in the form for comparison; undefined for everyone. */
  constructor(now: number, user: string | undefined, zone: string | undefined) {
    this.#user = user;
    this.#toDay = createDayFormat(zone);
    this.today = this.#toDay(now);
    this.end = readLocalTime(`${shiftDay(this.today, horizon + 1)}T00:00`, zone);
    this.since = readLocalTime(`${shiftDay(this.today, -maxAge)}T00:00`, zone);
  }

  readonly addItem = ({ id, text, person, event_id: eventId, start_at }: ActionItem): void => {
    const start = Date.parse(start_at ?? '');
    // An item that names no attendee is nobody's promise.
    if (person === null || !(start >= this.since) || (this.#user ?? person) !== person) return;
    this.#items.push({ id, text, person, eventId, day: this.#toDay(start) });
  };

  readonly addDeal = ({ entry, list, due: [due] }: UnnamedDeal): void => {
    const { id, key, entryable_id, entryable_type, contact_id } = entry;
    const kind = toEntryKind(entryable_type);
    this.#deals.push({
      ...{ id, list_id: list.id, label: key || id, owner: { kind, id: entryable_id } },
      contactId: (kind === 'contact' ? entryable_id : contact_id) ?? undefined,
      due: due && toDueDay(due, this.#toDay),
      cents: Number(readValues(entry).first_year_value_cents ?? 0n),
    });
  };

  /** Adds the facts of the index, which is updated first if it is older than `age` seconds. */
  async read(session: Session, age: number | undefined): Promise<readonly PartyFacts[]> {
    const own = this.#user ?? (await findOwnSetting(session, 'user'));
    for await (const parties of readIndex(session, age, (index) => [this.#combine(index, own)]))
      return parties;
    throw new Failure('internal', 'The search index was not read.');
  }

  #combine(index: IndexFile, own: string | undefined): readonly PartyFacts[] {
    const [facts, user, since] = [this.#facts, this.#user, this.since / 1000];
    facts.clear(); // after a damaged index is rebuilt, reading starts again
    const attendances = listAttendances(index, since, user);
    const addresses = new Set(attendances.map(({ email }) => email));
    for (const { person } of this.#items) addresses.add(person);
    const ours = new Set([...addresses].filter(createOwnCheck(index, own)));
    const partiesByMeeting = new Map<string, CollectedFacts[]>();
    for (const { event_id, at, email, contact_id, organization_id } of attendances) {
      if (ours.has(email)) continue;
      const party = this.#findOf(contact_id, organization_id);
      party.contactDays.push(this.#toDay(at * 1000));
      const parties = partiesByMeeting.get(event_id);
      if (!parties) partiesByMeeting.set(event_id, [party]);
      else if (!parties.includes(party)) parties.push(party);
    }
    for (const { person, eventId, ...promise } of this.#items)
      for (const party of ((user !== undefined || ours.has(person)) && partiesByMeeting.get(eventId)) || [])
        party.promises.push(promise);
    const isOrganization = ({ kind }: { readonly kind: string }) => kind === 'organization';
    for (const { owner, contactId, ...deal } of this.#deals) {
      const { id } = owner;
      const party = isOrganization(owner)
        ? this.#find('organization', id)
        : this.#findOf(id, listOwners(index, 'contacts', id).find(isOrganization)?.id);
      if (party.deals.length === 0) party.contactId = contactId ?? party.contactId;
      party.deals.push(deal);
    }
    const near = listDatedNotes(index, shiftDay(this.today, -horizon), shiftDay(this.today, horizon));
    // A note has no author. It concerns a user if the organization does.
    const isConcerned = (id: string) => user === undefined || facts.has(`organization ${id}`);
    for (const { id, organization_id, at, day: date } of near)
      if (isConcerned(organization_id))
        this.#find('organization', organization_id).notes.push({ id, day: this.#toDay(at * 1000), date });
    const organizations = [...facts.values()]
      .filter(({ kind }) => kind === 'organization')
      .map(({ id }) => id);
    for (const { id, times } of listNoteTimes(index, since, organizations, minContacts))
      if (isConcerned(id))
        this.#find('organization', id).contactDays.push(...times.map((time) => this.#toDay(time * 1000)));
    return [...facts.values()];
  }

  /** Returns the facts collected so far. `contactId`: the contact to speak to if none is known. */
  #find(kind: PartyNoun, id: string, contactId?: string): CollectedFacts {
    const key = `${kind} ${id}`;
    const lists = { promises: [], deals: [], notes: [], contactDays: [] };
    const facts = this.#facts.get(key) ?? { kind, id, contactId: undefined, ...lists };
    facts.contactId ??= contactId;
    this.#facts.set(key, facts);
    return facts;
  }

  /** Returns the facts about the organization of a contact, or about a contact without one. */
  #findOf(contactId: string, organizationId: string | null | undefined): CollectedFacts {
    return organizationId
      ? this.#find('organization', organizationId, contactId)
      : this.#find('contact', contactId, contactId);
  }
}
