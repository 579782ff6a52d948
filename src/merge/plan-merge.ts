import { type StoredRecord, toBody, type Values } from '../changes/values.ts';
import { Failure } from '../contract/errors.ts';
import { type FieldType, isSameValue } from '../contract/field-types.ts';
import { listFields, listWritable } from '../contract/list-fields.ts';
import { isUnknownList } from '../contract/received.ts';
import { listDefinedValues, readTexts } from '../values/field-values.ts';
import { findName, foldName } from '../values/names.ts';
import { type Conflict, combineFields, isEmpty, type MergedIds } from './combine-fields.ts';
import { type EntryOutcome, planEntries } from './plan-entries.ts';
import type { MergeRecords } from './read-merge.ts';
import type { MergeStep, StoredMerge } from './stored-merge.ts';

/** The values that the contact to keep gets from the other contact. */
interface ContactPlan {
  /** The new values, by the names of their fields; without email addresses. */
  readonly changes: Values;
  /** The addresses that only the other contact has. */
  readonly emails: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** Fields of the other contact with a value that the interface cannot write. */
  readonly lostValues: readonly string[];
}

/** The writes of a merge, and the facts to show before it. */
export interface MergePlan extends ContactPlan {
  readonly steps: readonly MergeStep[];
  readonly entries: readonly EntryOutcome[];
  /** The number of other records with a reference to the other contact. */
  readonly mentions: number;
}

/**
 * Plans a merge. Copies all data of the other contact before removing it there. Email addresses are unique in a
 * workspace, so the log stores them while they move. `interrupted`: the merge of a run that did not finish.
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
  const ownEntries = lists.flatMap(({ entries }) =>
    entries.filter(({ entryable_id }) => entryable_id === ids.keep),
  );
  const earlier = new Set(interrupted?.entries ?? ownEntries.map(({ id }) => id));
  const listPlans = lists.map((list) => planEntries(list, ids, earlier));
  const place = { noun: 'contact', action: 'update' } as const;
  const hasChanges = Object.keys(contact.changes).length > 0;
  return {
    ...contact,
    entries: listPlans.flatMap(({ outcomes }) => outcomes),
    mentions: mentions.length + listPlans.reduce((sum, { mentions }) => sum + mentions, 0),
    steps: [
      ...(hasChanges ? [{ ...place, id: ids.keep, body: toBody(contact.changes) }] : []),
      ...mentions,
      ...listPlans.flatMap(({ copies }) => copies),
      ...listPlans.flatMap(({ deletes }) => deletes),
      ...planEmails(keep, current, contact.emails),
      ...(current ? [{ noun: 'contact', action: 'delete', id: ids.other, body: {} } as const] : []),
    ],
  };
}

/** Returns the other contact with the values that an interrupted run has already moved. */
function restoreRecord(
  current: StoredRecord | undefined,
  interrupted: StoredMerge | undefined,
  { other: id }: MergedIds,
): StoredRecord {
  if (!interrupted) return current ?? { id, phone_numbers: [] };
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

/** Moves addresses. A contact without a first name must keep an address, so its address first becomes its name. */
function planEmails(
  keep: StoredRecord,
  other: StoredRecord | undefined,
  addedEmails: readonly string[],
): MergeStep[] {
  if (addedEmails.length === 0) return [];
  const place = { noun: 'contact', id: other?.id ?? '' } as const;
  const presentEmails = readTexts(other?.emails);
  const [first] = presentEmails;
  const move = { noun: 'contact', action: 'update', id: keep.id, body: { emails: addedEmails } } as const;
  if (first === undefined) return [move];
  return [
    ...(isEmpty(other?.first_name)
      ? [{ ...place, action: 'update', body: { first_name: first } } as const]
      : []),
    { ...place, action: 'remove', body: { emails: presentEmails } },
    { ...move, restore: { ...place, action: 'update', body: { emails: presentEmails } } },
  ];
}

const contactFields = listFields('contacts');
const ownFields = listWritable('contacts', 'update');

/** The fields with one value, other than custom fields. */
const singleFields = ownFields.filter(({ listUpdate }) => !listUpdate).map(({ key }) => key);

/** The fields with several values that an update replaces all at once. */
const replacedFields = ownFields.filter(({ listUpdate }) => listUpdate === 'replace');

/**
 * Plans the values of the contact to keep. `fieldNames`: the fields whose value comes from the other contact.
 * @throws {Failure} usage if `fieldNames` has one that neither contact has, failed if a list is unknown
 */
export function planContact(
  keep: StoredRecord,
  other: StoredRecord,
  fieldNames: ReadonlySet<string>,
): ContactPlan {
  const takes = findTakes(keep, other, fieldNames);
  const ids: MergedIds = { keep: keep.id, other: other.id };
  const fields = combineFields(keep.custom_fields, other.custom_fields, ids, takes);
  const conflicts: Conflict[] = [];
  const changes: Record<string, unknown> = {};
  const keptValues: Values = keep;
  const otherValues: Values = other;
  for (const field of singleFields) {
    const [ownValue, otherValue] = [keptValues[field], otherValues[field]];
    if (isEmpty(otherValue) || isSame(ownValue, otherValue)) continue;
    if (takes.has(field) || (isEmpty(ownValue) && mayFill(field, keep, other))) changes[field] = otherValue;
    else conflicts.push({ field, kept: ownValue, dropped: otherValue });
  }
  for (const { key, type } of replacedFields) {
    for (const contact of [keep, other]) requireList(contact, key);
    const texts = addTexts(keptValues[key], otherValues[key], type);
    if (texts.length > 0) changes[key] = [...readTexts(keptValues[key]), ...texts];
  }
  if (Object.keys(fields.changes).length > 0) changes.custom_fields = fields.changes;
  return {
    changes,
    emails: addTexts(keep.emails, other.emails, 'email'),
    conflicts: [...conflicts, ...fields.conflicts],
    lostValues: Object.entries(other).flatMap(([name, value]) =>
      contactFields.some(({ key }) => key === name) || isEmpty(value) ? [] : [name],
    ),
  };
}

/** @throws {Failure} failed if the service did not return the list: a merge would lose its items */
function requireList(contact: StoredRecord, name: string): void {
  if (isUnknownList(contact, name))
    throw new Failure(
      'failed',
      `The service did not return the ${name} of "${contact.id}"; a merge would lose them.`,
    );
}

/** Returns the names of fields as the contacts have them. @throws {Failure} usage if neither contact has a field */
function findTakes(
  keep: StoredRecord,
  other: StoredRecord,
  fieldNames: ReadonlySet<string>,
): ReadonlySet<string> {
  const defined = [keep, other].flatMap(({ custom_fields }) => listDefinedValues(custom_fields));
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

/** Returns the texts that the contact to keep lacks. */
function addTexts(keptTexts: unknown, addedTexts: unknown, type: FieldType): string[] {
  const all = [...readTexts(keptTexts), ...readTexts(addedTexts)];
  const unique = all.filter(
    (text, index) => all.findIndex((earlierText) => isSameValue(earlierText, text, type)) === index,
  );
  return unique.filter((text) => !readTexts(keptTexts).includes(text));
}
