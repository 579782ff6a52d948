import { type StoredRecord, toBody } from '../records/values.ts';
import { readTexts } from '../values/field-values.ts';
import type { StoredMerge } from './journal.ts';
import { type ContactPlan, planContact } from './plan-contact.ts';
import { type EntryOutcome, planEntries } from './plan-entries.ts';
import type { MergeRecords } from './read-merge.ts';
import type { MergeStep } from './steps.ts';
import { isEmpty, type MergedIds } from './values.ts';

/** The writes of a merge, and what a person should know about them. */
export interface MergePlan extends ContactPlan {
  readonly steps: readonly MergeStep[];
  readonly entries: readonly EntryOutcome[];
  /** The number of other records with a reference to the other contact. */
  readonly mentions: number;
}

/**
 * Plans a merge. Everything of the other contact is copied before it is removed there, except its email addresses: they
 * are unique in a workspace, so the journal has them while they move. `interrupted` is a run that did not finish.
 * @throws {Failure} usage if `takes` names an unknown field
 */
export function planMerge(
  { keep, other: current, lists, mentions }: MergeRecords,
  ids: MergedIds,
  takes: ReadonlySet<string>,
  interrupted: StoredMerge | undefined,
): MergePlan {
  const other = restoreRecord(current, interrupted, ids);
  const contact = planContact(keep, other, takes);
  const own = lists.flatMap(({ entries }) => entries.filter(({ entryable_id }) => entryable_id === ids.keep));
  const earlier = new Set(interrupted?.entries ?? own.map(({ id }) => id ?? ''));
  const planned = lists.map((list) => planEntries(list, ids, earlier));
  const place = { what: 'contact', action: 'update' } as const;
  const hasChanges = Object.keys(contact.changes).length > 0;
  return {
    ...contact,
    entries: planned.flatMap(({ outcomes }) => outcomes),
    mentions: mentions.length + planned.reduce((sum, { mentions }) => sum + mentions, 0),
    steps: [
      ...(hasChanges ? [{ ...place, id: ids.keep, body: toBody(contact.changes) }] : []),
      ...mentions,
      ...planned.flatMap(({ copies }) => copies),
      ...planned.flatMap(({ deletes }) => deletes),
      ...planEmails(keep, current, contact.emails),
      ...(current ? [{ what: 'contact', action: 'delete', id: ids.other, body: {} } as const] : []),
    ],
  };
}

/** Returns the other contact with what an interrupted run has already taken from it. */
function restoreRecord(
  current: StoredRecord | undefined,
  interrupted: StoredMerge | undefined,
  { other: id }: MergedIds,
): StoredRecord {
  if (!interrupted) return current ?? { id };
  const { emails, first_name } = interrupted.other;
  const record = current ?? interrupted.other;
  return {
    ...record,
    first_name:
      isEmpty(first_name) && readTexts(emails).includes(record.first_name ?? '')
        ? null
        : (record.first_name ?? null),
    emails: [...new Set([...readTexts(record.emails), ...readTexts(emails)])],
  };
}

/** Moves addresses. A contact without a first name keeps one address, so it gets its address as its name first. */
function planEmails(
  keep: StoredRecord,
  other: StoredRecord | undefined,
  added: readonly string[],
): MergeStep[] {
  if (added.length === 0) return [];
  const place = { what: 'contact', id: other?.id ?? '' } as const;
  const present = readTexts(other?.emails);
  const [first] = present;
  const move = { what: 'contact', action: 'update', id: keep.id ?? '', body: { emails: added } } as const;
  if (first === undefined) return [move];
  return [
    ...(isEmpty(other?.first_name)
      ? [{ ...place, action: 'update', body: { first_name: first } } as const]
      : []),
    { ...place, action: 'remove', body: { emails: present } },
    { ...move, restore: { ...place, action: 'update', body: { emails: present } } },
  ];
}
