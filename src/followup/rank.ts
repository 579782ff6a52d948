import { formatAmount } from '../values/money.ts';
import { formatCount, truncateValue } from '../values/text.ts';
import { findNamedDate } from './named-dates.ts';
import { defaultWeights, type ScorePart, type Weights } from './weights.ts';

/** An open action item of ours. */
export interface OurPromise {
  readonly id: string;
  readonly text: string;
  /** The day of the meeting, such as `2026-05-01`. */
  readonly day: string;
}

/** A note that names a date. */
export interface DatedNote {
  readonly id: string;
  /** The day on which the note was written. */
  readonly day: string;
  readonly date: string;
}

export interface OpenDeal {
  readonly id: string;
  readonly list_id: string;
  /** The key, or else the id. */
  readonly label: string;
  /** The earliest date that makes the deal due soon, with the name of its field. */
  readonly due: { readonly field: string; readonly day: string } | undefined;
  readonly cents: number;
}

/** The facts about a contact or an organization. */
export interface PartyFacts {
  readonly kind: 'contact' | 'organization';
  readonly id: string;
  /** The contact to speak to: of the first deal, or else of the latest meeting. */
  readonly contactId: string | undefined;
  readonly promises: readonly OurPromise[];
  readonly deals: readonly OpenDeal[];
  readonly notes: readonly DatedNote[];
  /** The days of meetings and notes, in any order; also the days of meetings to come. */
  readonly contactDays: readonly string[];
}

/** A part of a score, in words. */
interface Reason {
  readonly part: ScorePart;
  readonly score: number;
  readonly text: string;
  /** The action item, deal or note; null for a reason without one. */
  readonly id: string | null;
}

export interface FollowUp {
  readonly party: PartyFacts;
  /** The sum of the scores of the reasons. */
  readonly score: number;
  /** Highest score first. */
  readonly reasons: readonly Reason[];
}

/** Days before a date when it begins to matter, and days after it when a note's date no longer matters. */
export const horizon = 14;

/** Minimum number of days with a contact for a rhythm. */
export const minContacts = 3;

/** The shortest rhythm, in days. */
const minInterval = 14;

/** A reason with the share of the part's points that it adds, from 0 to 1. */
type Finding = Omit<Reason, 'part' | 'score'> & { readonly share: number };

/** Sorts contacts and organizations by score, and omits those without a reason to contact them. */
export function rankFollowUps(
  parties: readonly PartyFacts[],
  today: string,
  weights: Weights = defaultWeights,
): FollowUp[] {
  const highestValue = parties.reduce((highest, party) => Math.max(highest, sumValue(party)), 0);
  return parties
    .flatMap((party) => {
      const reasons = findReasons(party, today, highestValue)
        .map(([part, { share, text, id }]) => ({ part, score: Math.round(share * weights[part]), text, id }))
        .filter(({ score }) => score > 0)
        .sort((left, right) => right.score - left.score);
      // A value is at risk only if there is another reason.
      if (reasons.every(({ part }) => part === 'value')) return [];
      return [{ party, score: reasons.reduce((sum, { score }) => sum + score, 0), reasons }];
    })
    .sort((left, right) => right.score - left.score);
}

const sumValue = ({ deals }: PartyFacts) => deals.reduce((sum, { cents }) => sum + cents, 0);

/** Returns the most pressing finding of each part. */
function findReasons(
  party: PartyFacts,
  today: string,
  highestValue: number,
): (readonly [ScorePart, Finding])[] {
  const lists = {
    promise: party.promises.map((promise) => describePromise(promise, today)),
    close: party.deals.flatMap((deal) => describeClose(deal, today)),
    rhythm: describeRhythm(party, today),
    date: party.notes.flatMap((note) => describeNote(note, party, today)),
    value: describeValue(party, highestValue),
  };
  return Object.entries(lists).flatMap(([part, findings]) => {
    const [first, ...others] = findings.sort((left, right) => right.share - left.share);
    if (!first) return [];
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    return [[part as ScorePart, { ...first, text: first.text + more }] as const]; // the keys of the lists
  });
}

/** Returns the days from one day to another; negative if `to` is earlier. */
const countDays = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/** Returns the share of the points for a date: 0 a horizon before the day, 1 from the day on. */
const getUrgency = (day: string, today: string) =>
  Math.min(1, Math.max(0, 1 - countDays(today, day) / horizon));

function formatDistance(day: string, today: string): string {
  const days = countDays(today, day);
  if (days === 0) return 'today';
  return days > 0 ? `in ${formatCount(days, 'day')}` : `${formatCount(-days, 'day')} ago`;
}

/** An undated promise becomes as pressing as an overdue one within two horizons. */
function describePromise({ id, text, day }: OurPromise, today: string): Finding {
  const due = findNamedDate(text, day);
  const age = countDays(day, today);
  const words =
    due === undefined
      ? `Promise open since ${day}`
      : `Promise ${due < today ? 'overdue since' : 'due'} ${due} (${formatDistance(due, today)})`;
  const share =
    due === undefined ? Math.min(1, 0.25 + age / (2 * horizon)) : Math.max(0.25, getUrgency(due, today));
  return { id, share, text: `${words}: ${truncateValue(text)}` };
}

function describeClose({ id, label, due }: OpenDeal, today: string): Finding[] {
  if (!due) return [];
  const verb = due.day < today ? 'was' : 'is';
  const text = `${label}: ${due.field} ${verb} ${due.day} (${formatDistance(due.day, today)})`;
  return [{ id, share: getUrgency(due.day, today), text }];
}

/** Compares the time since the last contact with the median interval between contacts. */
function describeRhythm({ contactDays }: PartyFacts, today: string): Finding[] {
  const days = [...new Set(contactDays)].sort();
  const last = days.at(-1);
  const intervals = days.slice(1).map((day, index) => countDays(days[index] ?? day, day));
  const median = intervals.sort((left, right) => left - right)[Math.floor(intervals.length / 2)];
  if (last === undefined || median === undefined || days.length < minContacts) return [];
  const rhythm = Math.max(minInterval, median);
  const age = countDays(last, today);
  if (age <= rhythm) return [];
  const text = `No contact for ${formatCount(age, 'day')} (usually every ${formatCount(median, 'day')})`;
  return [{ id: null, share: Math.min(1, age / (2 * rhythm)), text }];
}

/** A date in a note matters until the next contact on or after it. */
function describeNote({ id, day, date }: DatedNote, { contactDays }: PartyFacts, today: string): Finding[] {
  if (Math.abs(countDays(today, date)) > horizon) return [];
  if (contactDays.some((contact) => contact >= date && contact <= today)) return [];
  const text = `Note of ${day} mentions ${date} (${formatDistance(date, today)})`;
  return [{ id, share: getUrgency(date, today), text }];
}

function describeValue(party: PartyFacts, highestValue: number): Finding[] {
  const cents = sumValue(party);
  if (cents === 0) return [];
  const text = `Open deals worth ${formatAmount(cents)} in the first year`;
  return [{ id: null, share: cents / highestValue, text }];
}
