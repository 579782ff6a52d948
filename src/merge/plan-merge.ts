import { type StoredRecord, toBody, type Values } from '../changes/values.ts';
import { Failure } from '../contract/errors.ts';
import { type FieldType, isSameValue } from '../contract/field-types.ts';
import { listWritable } from '../contract/list-fields.ts';
import { isUnknownList } from '../contract/received.ts';
import { listDefinedValues, readTexts } from '../values/field-values.ts';
import { findName, foldName } from '../values/names.ts';
import { type Conflict, combineFields, isEmpty, listUnknownFields } from './combine-fields.ts';
import { type MergedIds, type MergeNoun, mergeNouns } from './merge-nouns.ts';
import { type EntryOutcome, isEntryOf, planEntries } from './plan-entries.ts';
import { planNotes } from './plan-notes.ts';
import type { MergeRecords } from './read-merge.ts';
import type { MergeStep, StoredMerge } from './stored-merge.ts';

/** The values that the record to keep gets from the other record. */
interface FieldPlan {
  /** The new values, by the names of their fields; without addresses. */
  readonly changes: Values;
  /** The email addresses or domains that only the other record has. */
  readonly addresses: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** Fields of the other record with a value that the API cannot write. */
  readonly lostValues: readonly string[];
}

/** The writes of a merge, and the facts to show before it. */
export interface MergePlan extends FieldPlan {
  readonly steps: readonly MergeStep[];
  readonly entries: readonly EntryOutcome[];
  /** The number of notes that are created again. */
  readonly notes: number;
  /** The number of contacts whose organization changes. */
  readonly contacts: number;
  /** The number of other records with a reference to the other record. */
  readonly mentions: number;
  /** The number of other notes whose deal gets another id. */
  readonly deals: number;
}

/**
 * Plans a merge. The steps copy all data of the other record before they remove it. Addresses are unique in a workspace, so
 * the log stores them while they move. `interrupted`: the merge of a run that did not finish.
 * @throws {Failure} usage if `takes` names an unknown field
 */
export function planMerge(
  { keep, other: current, lists, notes, contacts, mentions }: MergeRecords,
  ids: MergedIds,
  takes: ReadonlySet<string>,
  interrupted: StoredMerge | undefined,
): MergePlan {
  const { noun } = ids;
  const other = restoreRecord(current, interrupted, ids);
  const fields = planFields(noun, keep, other, takes);
  const listPlans = lists.map((list) => planEntries(list, ids, interrupted));
  const replacedEntries = listPlans.flatMap(({ replaced }) => replaced);
  const entryFields = new Set(replacedEntries.flatMap(({ entry }) => listUnknownFields('entries', entry)));
  const ownEntries = lists.flatMap(({ entries }) =>
    entries.filter((entry) => isEntryOf(entry, ids.keep, ids)),
  );
  const ownKeys = new Set(ownEntries.flatMap(({ key }) => key ?? []));
  const notePlan = planNotes(notes, ids, { replacedEntries, ownKeys }, interrupted);
  const hasChanges = Object.keys(fields.changes).length > 0;
  return {
    ...fields,
    lostValues: [
      ...fields.lostValues,
      ...Array.from(entryFields, (name) => `${name} of the entries`),
      ...notePlan.lostValues,
    ],
    entries: listPlans.flatMap(({ outcomes }) => outcomes),
    notes: notePlan.count,
    contacts: contacts.length,
    mentions: mentions.length + listPlans.reduce((sum, { mentions }) => sum + mentions, 0),
    deals: notePlan.deals,
    steps: [
      ...(hasChanges
        ? [{ noun, action: 'update', id: ids.keep, body: toBody(fields.changes) } as const]
        : []),
      ...contacts,
      ...mentions,
      ...listPlans.flatMap(({ copies }) => copies),
      ...notePlan.copies,
      ...notePlan.deletes,
      ...listPlans.flatMap(({ deletes }) => deletes),
      ...planAddresses(ids, current, fields.addresses),
      ...(current ? [{ noun, action: 'delete', id: ids.other, body: {} } as const] : []),
    ],
  };
}

/** Returns the other record with the values that an interrupted run has already moved. */
function restoreRecord(
  current: StoredRecord | undefined,
  interrupted: StoredMerge | undefined,
  { noun, other: id }: MergedIds,
): StoredRecord {
  if (!interrupted) return current ?? { id, phone_numbers: [] };
  const { addresses, name } = mergeNouns[noun];
  const record = current ?? interrupted.other;
  const movedTexts = readTexts(interrupted.other[addresses]);
  const isAddress = isEmpty(interrupted.other[name]) && movedTexts.includes(record[name] ?? '');
  return {
    ...record,
    [name]: isAddress ? null : (record[name] ?? null),
    [addresses]: [...new Set([...readTexts(record[addresses]), ...movedTexts])],
  };
}

/** Moves addresses. A record without a name must keep an address, so its address first becomes its name. */
function planAddresses(
  { noun, keep, other: id }: MergedIds,
  other: StoredRecord | undefined,
  addedTexts: readonly string[],
): MergeStep[] {
  if (addedTexts.length === 0) return [];
  const { addresses, name } = mergeNouns[noun];
  const place = { noun, id } as const;
  const presentTexts = readTexts(other?.[addresses]);
  const [first] = presentTexts;
  const move = { noun, action: 'update', id: keep, body: { [addresses]: addedTexts } } as const;
  if (first === undefined) return [move];
  return [
    ...(isEmpty(other?.[name]) ? [{ ...place, action: 'update', body: { [name]: first } } as const] : []),
    { ...place, action: 'remove', body: { [addresses]: presentTexts } },
    { ...move, restore: { ...place, action: 'update', body: { [addresses]: presentTexts } } },
  ];
}

/** Returns the fields with one value, other than custom fields, and those with several that an update replaces. */
function listOwnFields(noun: MergeNoun) {
  const fields = listWritable(mergeNouns[noun].collection, 'update');
  return {
    single: fields.filter(({ listUpdate }) => !listUpdate).map(({ key }) => key),
    replaced: fields.filter(({ listUpdate }) => listUpdate === 'replace'),
  };
}

/**
 * Plans the values of the record to keep. `fieldNames`: the fields whose value comes from the other record.
 * @throws {Failure} usage if `fieldNames` has one that neither record has, failed if a list is unknown
 */
export function planFields(
  noun: MergeNoun,
  keep: StoredRecord,
  other: StoredRecord,
  fieldNames: ReadonlySet<string>,
): FieldPlan {
  const { collection, addresses, addressType } = mergeNouns[noun];
  const { single, replaced } = listOwnFields(noun);
  const takes = findTakes(single, [keep, other], fieldNames);
  const ids: MergedIds = { noun, keep: keep.id, other: other.id };
  const fields = combineFields(keep.custom_fields, other.custom_fields, ids, takes);
  const conflicts: Conflict[] = [];
  const changes: Record<string, unknown> = {};
  const keptValues: Values = keep;
  const otherValues: Values = other;
  for (const field of single) {
    const [ownValue, otherValue] = [keptValues[field], otherValues[field]];
    if (isEmpty(otherValue) || ownValue === otherValue) continue;
    if (takes.has(field) || (isEmpty(ownValue) && mayFill(field, keep, other))) changes[field] = otherValue;
    else conflicts.push({ field, kept: ownValue, dropped: otherValue });
  }
  for (const { key, type } of replaced) {
    for (const record of [keep, other]) requireList(record, key);
    const texts = addTexts(keptValues[key], otherValues[key], type);
    if (texts.length > 0) changes[key] = [...readTexts(keptValues[key]), ...texts];
  }
  if (Object.keys(fields.changes).length > 0) changes.custom_fields = fields.changes;
  return {
    changes,
    addresses: addTexts(keep[addresses], other[addresses], addressType),
    conflicts: [...conflicts, ...fields.conflicts],
    lostValues: listUnknownFields(collection, other),
  };
}

/** @throws {Failure} failed if the service did not return the list: a merge would lose its items */
function requireList(record: StoredRecord, name: string): void {
  if (isUnknownList(record, name))
    throw new Failure(
      'failed',
      `The service did not return the ${name} of "${record.id}"; a merge would lose them.`,
    );
}

/** Returns the names of fields as the records have them. @throws {Failure} usage if neither record has a field */
function findTakes(
  singleFields: readonly string[],
  records: readonly StoredRecord[],
  fieldNames: ReadonlySet<string>,
): ReadonlySet<string> {
  const defined = records.flatMap(({ custom_fields }) => listDefinedValues(custom_fields));
  const names = [...new Set([...singleFields, ...defined.map(({ name }) => name)])];
  const unknownName = [...fieldNames].find((name) => findName(names, name) === undefined);
  if (unknownName === undefined)
    return new Set(Array.from(fieldNames, (name) => findName(names, name) ?? name));
  throw new Failure(
    'usage',
    `--take: unknown field "${unknownName}". Available fields: ${names.join(', ')}.`,
  );
}

const isSame = (left: unknown, right: unknown) =>
  typeof left === 'string' && typeof right === 'string' && foldName(left) === foldName(right);

/**
 * Whether a missing part of a name may come from the other contact. Parts of two different names would form a third
 * name.
 */
function mayFill(field: string, keep: StoredRecord, other: StoredRecord): boolean {
  if (field !== 'first_name' && field !== 'last_name') return true;
  const counterpart = field === 'first_name' ? 'last_name' : 'first_name';
  const [ownValue, otherValue] = [keep[counterpart], other[counterpart]];
  return isEmpty(ownValue) || isEmpty(otherValue) || isSame(ownValue, otherValue);
}

/** Returns the texts that the record to keep lacks. */
function addTexts(keptTexts: unknown, addedTexts: unknown, type: FieldType): string[] {
  const all = [...readTexts(keptTexts), ...readTexts(addedTexts)];
  const unique = all.filter(
    (text, index) => all.findIndex((earlierText) => isSameValue(earlierText, text, type)) === index,
  );
  return unique.filter((text) => !readTexts(keptTexts).includes(text));
}
