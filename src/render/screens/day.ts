import type { CalendarEvent } from '../../contract/calendar-events.ts';
import type { Result } from '../../contract/documents/results.ts';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { type Attendee, toAttendeeJson } from './attendees.ts';
import type { Part, Section } from './relationship.ts';

export interface DayMeeting {
  readonly event: Received<CalendarEvent>;
  readonly attendees: readonly Attendee[];
}

/** An open entry of a process. */
export interface DayDeal {
  readonly entry: Received<Entry>;
  readonly list: Received<List>;
  /** The name of the contact or organization that the entry is about. */
  readonly name: string;
  /** The fields that make the entry due, the earliest first. */
  readonly due: readonly DueField[];
}

export interface DueField {
  readonly name: string;
  /** A date, or a point in time. */
  readonly value: string;
  readonly isOverdue: boolean;
}

/** An open action item of a meeting. */
export type DayAction = NonNullable<Result<'day'>['actions']>[number];

/** The user's action items, then the action items of other people. */
export interface DayActions extends Section<DayAction> {
  readonly more: number;
  /** The number of the user's items, including items that were not read. */
  readonly ownCount: number;
}

/** The meetings, deals and action items of a day. */
export interface Day {
  /** The day, such as `2026-05-01`. */
  readonly date: string;
  /** The address of the person; undefined for everyone. */
  readonly user: string | undefined;
  readonly meetings: Part<Section<DayMeeting>>;
  readonly deals: Part<Section<DayDeal>>;
  readonly actions: Part<DayActions>;
  /** Deals that were not updated for some days; undefined if they are not requested. */
  readonly stale: Part<Section<DayDeal>> | undefined;
  readonly staleDays: number | undefined;
  /** Whom to contact first; undefined unless the day is today. */
  readonly followUps: Part<Section<Result<'follow-up'>>> | undefined;
}

/** The sections of a day by the names of the document. */
const listSections = ({ meetings, deals, actions, stale, followUps }: Day) => ({
  meetings,
  deals,
  actions,
  ...(stale && { stale }),
  ...(followUps && { followups: followUps }),
});

/** Returns a day as a document, with null for a section that could not be read. `more` counts the omitted records. */
export function toDayDocument(day: Day): Result<'day'> {
  const { date, user, meetings, deals, actions, stale, followUps } = day;
  const list = <T, R>(section: Part<Section<T>>, convert: (record: T) => R) =>
    section instanceof Failure ? null : section.records.map(convert);
  const more = Object.entries(listSections(day)).flatMap(([name, section]) =>
    section instanceof Failure || section.more === 0 ? [] : [[name, section.more]],
  );
  return {
    date,
    user: user ?? null,
    meetings: list(meetings, ({ event: { id, title, start_at, end_at }, attendees }) => ({
      ...{ id, title, start_at, end_at },
      attendees: attendees.map(toAttendeeJson),
    })),
    deals: list(deals, ({ due, ...deal }) => ({
      ...toDealJson(deal),
      due: due.map(({ name, value, isOverdue }) => ({ field: name, value, is_overdue: isOverdue })),
    })),
    actions: list(actions, (action) => action),
    ...(stale && {
      stale: list(stale, (deal) => ({ ...toDealJson(deal), updated_at: deal.entry.updated_at })),
    }),
    ...(followUps && { followups: list(followUps, (line) => line) }),
    more: Object.fromEntries(more),
  };
}

const toDealJson = ({ entry, list, name }: Omit<DayDeal, 'due'>) => ({
  id: entry.id,
  key: entry.key ?? null,
  list_id: list.id,
  list_name: list.name,
  status: entry.status ?? null,
  entryable_id: entry.entryable_id,
  entryable_type: entry.entryable_type,
  name,
  one_time_value_cents: entry.one_time_value_cents ?? null,
});

/** Returns a day as rows of a table, with the kind of each record, such as `meeting`. */
export function toDayRows({ meetings, deals, actions, stale, followUps }: Day): readonly object[] {
  const list = <T>(section: Part<Section<T>> | undefined, toRow: (record: T) => object) =>
    section === undefined || section instanceof Failure ? [] : section.records.map(toRow);
  return [
    ...list(meetings, ({ event: { id, start_at, title }, attendees }) => ({
      ...emptyRow,
      ...{ kind: 'meeting', id, date: start_at, title },
      people: attendees.map(({ name, email }) => name ?? email),
      organization: [...new Set(attendees.flatMap(({ organization }) => organization ?? []))],
    })),
    ...list(deals, (deal) => {
      const [first] = deal.due;
      const state = first?.isOverdue ? 'overdue' : 'due';
      return { ...toDealRow('deal', deal), date: first?.value, field: first?.name, state };
    }),
    ...list(actions, ({ id, text, person, title, start_at }) => ({
      ...emptyRow,
      ...{ kind: 'action', id, date: start_at, title: text, people: person === null ? [] : [person] },
      ...{ state: 'open', list: title },
    })),
    ...list(stale, (deal) => ({
      ...toDealRow('stale', deal),
      date: deal.entry.updated_at,
      field: 'updated_at',
    })),
    ...list(followUps, ({ kind, id, name, contact, reasons: [first] }) => ({
      ...emptyRow,
      ...{ kind: 'followup', id, title: first?.text },
      people: kind === 'contact' ? [name] : [contact].filter(Boolean),
      organization: kind === 'organization' ? [name] : [],
    })),
  ];
}

/** All members of a row, so that each row of NDJSON has them. */
const emptyRow = {
  kind: '',
  date: null,
  id: '',
  title: '',
  people: [],
  organization: [],
  state: null,
  field: null,
  status: null,
  list: null,
  one_time_value_cents: null,
};

const toDealRow = (kind: string, { entry, list, name }: DayDeal) => ({
  ...emptyRow,
  ...{ kind, id: entry.id, title: entry.key || name, status: entry.status ?? null, list: list.name },
  people: entry.entryable_type === 'Contact' ? [name] : [],
  organization: entry.entryable_type === 'Contact' ? [] : [name],
  one_time_value_cents: entry.one_time_value_cents ?? null,
});

/**
 * Returns a partial failure that names the sections that could not be read; undefined if all were read. If all sections
 * failed for the same reason, returns the failure of the first one.
 */
export function describeMissingSections(day: Day): Failure | undefined {
  const sections = Object.entries(listSections(day));
  const failures = sections.flatMap(([name, section]) =>
    section instanceof Failure ? [{ name, section }] : [],
  );
  const [first] = failures;
  const isCommon = failures.every(({ section }) => section.code === first?.section.code);
  if (!first || (isCommon && failures.length === sections.length)) return first?.section;
  const names = failures.map(({ name, section }) => `${name} (${section.message})`);
  return new Failure('partial', `Not shown: ${names.join('; ')}`);
}
