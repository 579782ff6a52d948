import type { List } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import type { RecordPath } from '../records/path.ts';
import { isEmpty } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import {
  readAssigneeEmail,
  replaceValues,
  type StoredRecord,
  toBody,
  type Values,
} from '../writes/values.ts';
import { type Conflict, combineFields, replaceIds } from './combine-fields.ts';
import { type MergedIds, type MergeStep, mergeNouns } from './merge-nouns.ts';

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

/** The entries of a list that concern a merge. */
interface MergedEntries {
  readonly list: Received<List>;
  /** The entries of the record to keep, and those of the other record. */
  readonly ownEntries: readonly StoredRecord[];
  readonly otherEntries: readonly StoredRecord[];
  /** The values of entries that name the other contact. */
  readonly mentions: readonly (RecordPath & { readonly body: JsonObject })[];
}

/** Plans the entries of one list. */
export function planEntries({ list, ownEntries, otherEntries, mentions }: MergedEntries, ids: MergedIds) {
  const changes = new EntryChanges(ownEntries);
  for (const { id = '', body } of mentions)
    changes.add(id, {
      ...(body.contact_id !== undefined && { contact_id: ids.keep }),
      ...(body.list_fields !== undefined && { list_fields: replaceIds(body.list_fields, ids) }),
    });
  const mentionCount = changes.count;
  const isDistinct = !(list.process && list.duplicates_allowed);
  const target = isDistinct ? ownEntries[0] : undefined;
  const creates: { record: StoredRecord; readonly copies: StoredRecord[] }[] = [];
  const outcomes = otherEntries.map((entry): EntryOutcome => {
    // A process may have several entries of a record from a time when it allowed duplicates.
    const [created] = isDistinct && !target ? creates : [];
    const keptEntry = target ? changes.get(target.id) : created?.record;
    const combined = keptEntry && combineEntries(keptEntry, entry, ids);
    if (combined && target) changes.add(target.id, combined.changes);
    else if (combined && created) {
      created.record = replaceValues(created.record, combined.changes);
      created.copies.push(entry);
    } else creates.push({ record: entry, copies: [entry] });
    return {
      entry: entry.key ?? entry.id,
      list: list.name || list.id,
      lostProperties: listLostProperties(entry),
      ...(target && { into: target.key ?? target.id }),
      conflicts: combined?.conflicts ?? [],
    };
  });
  const createSteps = creates.map(
    ({ record, copies }): MergeStep => ({
      noun: 'entry',
      list_id: list.id,
      action: 'create',
      body: toBody({
        entryable_id: ids.keep,
        entryable_type: mergeNouns[ids.noun].entryType,
        ...readEntryBody(record, ids),
      }),
      copies,
    }),
  );
  return {
    outcomes,
    replaced: otherEntries.map((entry): ReplacedEntry => ({ entry, into: target })),
    mentions: mentionCount,
    steps: [...createSteps, ...changes.toSteps(list.id)],
  };
}

/** Returns the names of an entry's properties that a new entry cannot have. */
function listLostProperties({ key, closed_at }: StoredRecord): string[] {
  return ['id', ...(key ? ['key'] : []), 'creation time', ...(closed_at ? ['closing time'] : [])];
}

/** Returns the values of an entry with which a new one is created. */
function readEntryBody(entry: StoredRecord, ids: MergedIds): Values {
  const { changes } = combineFields({}, entry.list_fields, ids);
  const isMentioned = ids.noun === 'contact' && entry.contact_id === ids.other;
  const values: Values = {
    status: entry.status,
    assignee_email: readAssigneeEmail(entry),
    one_time_value_cents: entry.one_time_value_cents,
    recurring_value_cents: entry.recurring_value_cents,
    recurring_value_period: entry.recurring_value_period,
    contact_id: isMentioned ? ids.keep : entry.contact_id,
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
