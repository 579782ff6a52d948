import {
  readAssigneeEmail,
  replaceValues,
  type StoredRecord,
  toBody,
  type Values,
} from '../changes/values.ts';
import type { List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { type Conflict, combineFields, isEmpty, replaceMentions } from './combine-fields.ts';
import { Copies } from './copies.ts';
import { type MergedIds, mergeNouns } from './merge-nouns.ts';
import type { MergeStep, StoredMerge } from './stored-merge.ts';

/** A list with the entries that concern a merge. */
export interface MergedList {
  readonly list: Received<List>;
  readonly entries: readonly StoredRecord[];
}

/** What happens to an entry of the other record. */
export interface EntryOutcome {
  /** Its key, or its id if it has none. */
  readonly entry: string;
  readonly list: string;
  /** The existing entry that gets the values; undefined if the merge creates a new entry. */
  readonly into?: string;
  /** The properties that a new entry cannot have. */
  readonly lostProperties: readonly string[];
  readonly conflicts: readonly Conflict[];
}

/** An entry of the other record. `into`: the entry that gets its values; undefined if the merge has yet to create it. */
export interface ReplacedEntry {
  readonly entry: StoredRecord;
  readonly into: StoredRecord | undefined;
}

/** Whether an entry names the contact in `contact_id` or in a field of the list. */
const isMention = (entry: StoredRecord, ids: MergedIds) =>
  Object.keys(readMentionChanges(entry, ids)).length > 0;

/** Whether an entry belongs to one of the records of a merge. */
export const isEntryOf = ({ entryable_type, entryable_id }: StoredRecord, id: string, { noun }: MergedIds) =>
  (entryable_type === 'Organization') === (noun === 'organization') && entryable_id === id;

/** Whether a merge changes, copies or compares an entry. */
export const concernsEntry = (entry: StoredRecord, ids: MergedIds): boolean =>
  isEntryOf(entry, ids.keep, ids) || isEntryOf(entry, ids.other, ids) || isMention(entry, ids);

/** The changes of existing entries. */
class EntryChanges {
  readonly #bodies = new Map<string, Values>();
  readonly #current: Map<string, StoredRecord>;

  constructor(entries: readonly StoredRecord[]) {
    this.#current = new Map(entries.map((entry) => [entry.id, entry]));
  }

  get count(): number {
    return this.#bodies.size;
  }

  get(id: string): StoredRecord | undefined {
    return this.#current.get(id);
  }

  add(id: string, body: Values): void {
    if (Object.keys(body).length === 0) return;
    this.#bodies.set(id, { ...this.#bodies.get(id), ...body });
    this.#current.set(id, replaceValues(this.#current.get(id), body));
  }

  toSteps(list_id: string): MergeStep[] {
    return Array.from(this.#bodies, ([id, body]) => ({
      noun: 'entry',
      list_id,
      action: 'update',
      id,
      body: toBody(body),
    }));
  }
}

/** Plans the entries of one list. */
class EntryPlanner {
  readonly outcomes: EntryOutcome[] = [];
  readonly replaced: ReplacedEntry[] = [];
  readonly creates: { record: StoredRecord; copies: StoredRecord[] }[] = [];
  readonly changes: EntryChanges;
  readonly #list: MergedList['list'];
  readonly #ids: MergedIds;
  /** Whether the list allows only one entry for each record. */
  readonly #isDistinct: boolean;
  /** The entry of the record to keep, in a list that allows only one. */
  readonly #target: StoredRecord | undefined;

  constructor({ list, entries }: MergedList, ids: MergedIds, ownEntries: readonly StoredRecord[]) {
    this.changes = new EntryChanges(entries);
    this.#list = list;
    this.#ids = ids;
    this.#isDistinct = !(list.process && list.duplicates_allowed);
    this.#target = this.#isDistinct ? ownEntries[0] : undefined;
  }

  /** Moves the values of an entry to the entry of the record to keep, to its copy, or else to a new entry. */
  add(entry: StoredRecord, copy: StoredRecord | undefined): void {
    const target = this.#target;
    const into = target ?? copy;
    // A process may have several entries of a record from a time when it allowed duplicates.
    const [created] = this.#isDistinct && !into ? this.creates : [];
    const keptEntry = target ? this.changes.get(target.id) : created?.record;
    const combined = keptEntry && combineEntries(keptEntry, entry, this.#ids);
    if (combined && target) this.changes.add(target.id, combined.changes);
    if (combined && created) {
      created.record = replaceValues(created.record, combined.changes);
      created.copies.push(entry);
    }
    if (!into && !created) this.creates.push({ record: entry, copies: [entry] });
    this.replaced.push({ entry, into });
    this.outcomes.push({
      entry: entry.key ?? entry.id,
      list: this.#list.name || this.#list.id,
      lostProperties: listLostProperties(entry),
      ...(into && { into: into.key ?? into.id }),
      conflicts: combined?.conflicts ?? [],
    });
  }

  /** Adds the replacement of an entry that an interrupted run has deleted. */
  addDeleted(entry: StoredRecord, copy: StoredRecord | undefined): void {
    const into = this.#target ?? copy;
    if (into) this.replaced.push({ entry, into });
  }

  /** Restores the values of an entry whose copy was deleted. */
  restore(entry: StoredRecord): void {
    const target = this.#target && this.changes.get(this.#target.id);
    if (!target) this.add(entry, undefined);
    else this.changes.add(target.id, combineEntries(target, entry, this.#ids).changes);
  }
}

/** Plans the entries of one list. `interrupted`: the merge of a run that did not finish, with the copies that it made. */
export function planEntries(mergedList: MergedList, ids: MergedIds, interrupted: StoredMerge | undefined) {
  const { list, entries } = mergedList;
  const ownEntries = entries.filter((entry) => isEntryOf(entry, ids.keep, ids));
  const otherEntries = entries.filter((entry) => isEntryOf(entry, ids.other, ids));
  const planner = new EntryPlanner(mergedList, ids, ownEntries);
  const { changes, creates, outcomes, replaced } = planner;
  for (const entry of entries)
    if (!otherEntries.includes(entry)) changes.add(entry.id, readMentionChanges(entry, ids));
  const mentions = changes.count;
  const copies = new Copies({
    noun: 'entry',
    ownRecords: ownEntries,
    otherRecords: otherEntries,
    interrupted,
    toBody: (entry) => toCopyBody(entry, ids),
  });
  for (const entry of otherEntries) planner.add(entry, copies.take(entry));
  const deletedEntries = (interrupted?.deleted.entry ?? []).filter(
    ({ id, list_id }) => list_id === list.id && !otherEntries.some((entry) => entry.id === id),
  );
  for (const entry of deletedEntries) planner.addDeleted(entry, copies.findLogged(entry));
  for (const entry of copies.findLost(deletedEntries)) planner.restore(entry);
  const place = { noun: 'entry', list_id: list.id } as const;
  const createSteps = creates.map(({ record, copies }): MergeStep => {
    return { ...place, action: 'create', body: toCopyBody(record, ids), copies };
  });
  const deletes = otherEntries.map(({ id }): MergeStep => ({ ...place, action: 'delete', id, body: {} }));
  return { outcomes, replaced, mentions, copies: [...createSteps, ...changes.toSteps(list.id)], deletes };
}

/** Returns the body that creates an entry of the record to keep with the values of another entry. */
const toCopyBody = (entry: StoredRecord, ids: MergedIds): Values =>
  toBody({
    entryable_id: ids.keep,
    entryable_type: mergeNouns[ids.noun].entryType,
    ...readEntryBody(entry, ids),
  });

/** Returns the names of an entry's properties that a new entry cannot have. */
function listLostProperties({ key, closed_at }: StoredRecord): string[] {
  return ['id', ...(key ? ['key'] : []), 'creation time', ...(closed_at ? ['closing time'] : [])];
}

const isMentioned = (id: unknown, { noun, other }: MergedIds) => noun === 'contact' && id === other;

/** Returns the values that refer to the other contact, with the id of the contact to keep. */
function readMentionChanges(entry: StoredRecord, ids: MergedIds): Values {
  const fields = replaceMentions(entry.list_fields, ids);
  return {
    ...(isMentioned(entry.contact_id, ids) && { contact_id: ids.keep }),
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
    contact_id: isMentioned(entry.contact_id, ids) ? ids.keep : entry.contact_id,
    list_fields: Object.keys(changes).length > 0 ? changes : undefined,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));
}

/** Combines the entries of both records on a list without duplicates. */
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
