import { isDeepStrictEqual } from 'node:util';
import {
  readAssigneeEmail,
  replaceValues,
  type StoredRecord,
  toBody,
  type Values,
} from '../changes/values.ts';
import type { List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { type Conflict, combineFields, isEmpty, type MergedIds, replaceMentions } from './combine-fields.ts';
import type { MergeStep } from './stored-merge.ts';

/** A list with those of its entries that concern the contacts of a merge. */
export interface MergedList {
  readonly list: Received<List>;
  readonly entries: readonly StoredRecord[];
}

/** What happens to an entry of the other contact. */
export interface EntryOutcome {
  /** Its key, or its id if it has none. */
  readonly entry: string;
  readonly list: string;
  /** The entry that gets its values; undefined: a new one does, with a new id, key and time of creation. */
  readonly into?: string;
  readonly conflicts: readonly Conflict[];
}

/** Whether an entry names the contact in `contact_id` or in a field of the list. */
const isMention = (entry: StoredRecord, ids: MergedIds) =>
  entry.contact_id === ids.other || Object.keys(replaceMentions(entry.list_fields, ids)).length > 0;

const isEntryOf = ({ entryable_type, entryable_id }: StoredRecord, id: string) =>
  entryable_type !== 'Organization' && entryable_id === id;

/** Whether a merge changes, copies or compares an entry. */
export const concernsEntry = (entry: StoredRecord, ids: MergedIds): boolean =>
  isEntryOf(entry, ids.keep) || isEntryOf(entry, ids.other) || isMention(entry, ids);

/**
 * Plans the entries of one list. `earlier`: the entries of the contact to keep before the merge. A newer entry with the
 * same values is a copy by an interrupted run.
 */
export function planEntries({ list, entries }: MergedList, ids: MergedIds, earlier: ReadonlySet<string>) {
  const { id: list_id } = list;
  const place = { noun: 'entry', list_id } as const;
  const changes = new Map<string, Record<string, unknown>>();
  const current = new Map(entries.map((entry) => [entry.id, entry]));
  const changeEntry = (id: string, body: Values) => {
    if (Object.keys(body).length === 0) return;
    changes.set(id, { ...changes.get(id), ...body });
    current.set(id, replaceValues(current.get(id), body));
  };
  const ownEntries = entries.filter((entry) => isEntryOf(entry, ids.keep));
  const otherEntries = entries.filter((entry) => isEntryOf(entry, ids.other));
  for (const entry of entries)
    if (!otherEntries.includes(entry)) changeEntry(entry.id, readMentionChanges(entry, ids));
  const mentions = changes.size;
  const isSole = !(list.process && list.duplicates_allowed);
  const copies = new Set(ownEntries.filter(({ id }) => !earlier.has(id)));
  const outcomes: EntryOutcome[] = [];
  const creates: StoredRecord[] = [];
  const target = isSole ? (ownEntries[0]?.id ?? undefined) : undefined;
  for (const entry of otherEntries) {
    const copy = findCopy(copies, entry, ids);
    if (copy) copies.delete(copy);
    const into = target ?? copy?.id ?? undefined;
    // A process may have several entries of a record from a time when it allowed duplicates.
    const [created] = isSole && into === undefined ? creates : [];
    const keptEntry = target === undefined ? created : current.get(target);
    const combined = keptEntry && combineEntries(keptEntry, entry, ids);
    if (combined && target !== undefined) changeEntry(target, combined.changes);
    if (combined && created) creates[0] = replaceValues(created, combined.changes);
    if (into === undefined && !created) creates.push(entry);
    outcomes.push({
      entry: entry.key ?? entry.id,
      list: list.name || list_id,
      ...(into !== undefined && { into: current.get(into)?.key ?? into }),
      conflicts: combined?.conflicts ?? [],
    });
  }
  const contact = { entryable_id: ids.keep, entryable_type: 'Contact' };
  const created = creates.map(
    (entry): MergeStep => ({
      ...place,
      action: 'create',
      body: toBody({ ...contact, ...readEntryBody(entry, ids) }),
    }),
  );
  const updates = Array.from(
    changes,
    ([id, body]): MergeStep => ({ ...place, action: 'update', id, body: toBody(body) }),
  );
  const deletes = otherEntries.map(({ id }): MergeStep => ({ ...place, action: 'delete', id, body: {} }));
  return { outcomes, mentions, copies: [...created, ...updates], deletes };
}

/** Returns an interrupted run's copy of an entry. */
function findCopy(copies: ReadonlySet<StoredRecord>, entry: StoredRecord, ids: MergedIds) {
  const body = readEntryBody(entry, ids);
  return [...copies].find((copy) => isDeepStrictEqual(readEntryBody(copy, ids), body));
}

/** Returns the values that refer to the other contact, with the id of the contact to keep. */
function readMentionChanges(entry: StoredRecord, ids: MergedIds): Values {
  const fields = replaceMentions(entry.list_fields, ids);
  return {
    ...(entry.contact_id === ids.other && { contact_id: ids.keep }),
    ...(Object.keys(fields).length > 0 && { list_fields: fields }),
  };
}

/** Returns the values of an entry with which a new one is created. */
function readEntryBody(entry: StoredRecord, ids: MergedIds): Values {
  const { changes } = combineFields({}, entry.list_fields, ids);
  const values: Values = {
    status: entry.status,
    assignee_email: readAssigneeEmail(entry),
    one_time_value_cents: entry.one_time_value_cents,
    recurring_value_cents: entry.recurring_value_cents,
    recurring_value_period: entry.recurring_value_period,
    contact_id: entry.contact_id === ids.other ? ids.keep : entry.contact_id,
    list_fields: Object.keys(changes).length > 0 ? changes : undefined,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

/** Combines the entries of both contacts on a list without duplicates. */
function combineEntries(target: StoredRecord, entry: StoredRecord, ids: MergedIds) {
  const ownBody = readEntryBody(target, ids);
  const fields = combineFields(target.list_fields, entry.list_fields, ids);
  const changes: Record<string, unknown> = {};
  const conflicts: Conflict[] = [];
  for (const [name, value] of Object.entries(readEntryBody(entry, ids))) {
    // The period belongs to its value.
    if (name === 'list_fields' || name === 'recurring_value_period' || value === 0) continue;
    if (isEmpty(ownBody[name]) || ownBody[name] === 0) {
      changes[name] = value;
      if (name === 'recurring_value_cents') changes.recurring_value_period = entry.recurring_value_period;
    } else if (ownBody[name] !== value) conflicts.push({ field: name, kept: ownBody[name], dropped: value });
  }
  if (Object.keys(fields.changes).length > 0) changes.list_fields = fields.changes;
  return { changes, conflicts: [...conflicts, ...fields.conflicts] };
}
