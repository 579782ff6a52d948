import { Failure } from '../contract/errors.ts';
import { type FieldType, isSameValue } from '../contract/field-types.ts';
import { listWritable } from '../contract/list-fields.ts';
import { isUnknownList } from '../contract/received.ts';
import { type PartyNoun, pluralNouns } from '../contract/singular-nouns.ts';
import type { RelatedRecord } from '../records/referrers.ts';
import { isEmpty, listDefinedValues, readTexts } from '../values/field-values.ts';
import { findName, foldName } from '../values/names.ts';
import { type StoredRecord, toBody, type Values } from '../writes/values.ts';
import { type Conflict, combineFields, listUnknownFields, replaceIds } from './combine-fields.ts';
import { type MergedIds, type MergeStep, mergeNouns } from './merge-nouns.ts';
import { type EntryOutcome, planEntries } from './plan-entries.ts';
import { planNotes } from './plan-notes.ts';
import type { MergeRecords } from './read-merge.ts';

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
 * Plans a merge. The steps copy all data of the other record before they remove its addresses, which are unique in a
 * workspace. References of other records change after the copies: by then, another merge of the same records has most
 * likely stopped. The last step deletes the other record.
 * @throws {Failure} usage if `takes` names an unknown field
 */
export function planMerge(
  { keep, other, lists, references }: MergeRecords,
  ids: MergedIds,
  takes: ReadonlySet<string>,
): MergePlan {
  const { noun } = ids;
  const fields = planFields(noun, keep, other, takes);
  const owned = listOwned(references.list(ids.keep));
  const others = listOwned(references.list(ids.other));
  const naming = references.list(ids.other).filter((related) => 'body' in related);
  const listPlans = lists.map((list) => {
    const isOfList = ({ list_id }: Pick<StoredRecord | RelatedRecord, 'list_id'>) => list_id === list.id;
    const [ownEntries, otherEntries] = [owned.entry.filter(isOfList), others.entry.filter(isOfList)];
    const mentions = naming.filter((related) => related.noun === 'entry' && isOfList(related));
    return planEntries({ list, ownEntries, otherEntries, mentions }, ids);
  });
  const entryFields = new Set(others.entry.flatMap((entry) => listUnknownFields('entries', entry)));
  const noteIds = new Set([...owned.note, ...others.note].map(({ id }) => id));
  const notePlan = planNotes(
    {
      ownNotes: owned.note,
      otherNotes: others.note,
      namingNotes: references.listDeals().flatMap((related) => toNamingNote(related, noteIds)),
      replacedEntries: listPlans.flatMap(({ replaced }) => replaced),
      ownKeys: new Set(owned.entry.flatMap(({ key }) => key ?? [])),
    },
    ids,
  );
  const updates = naming.flatMap((related) => planReference(related, ids));
  const moves = [...updates, ...listPlans.flatMap(({ steps }) => steps), ...notePlan.steps];
  const hasChanges = Object.keys(fields.changes).length > 0;
  const isContact = noun === 'contact';
  return {
    ...fields,
    lostValues: [
      ...fields.lostValues,
      ...Array.from(entryFields, (name) => `${name} of the entries`),
      ...notePlan.lostValues,
    ],
    entries: listPlans.flatMap(({ outcomes }) => outcomes),
    notes: notePlan.count,
    contacts: isContact ? 0 : updates.length,
    mentions: (isContact ? updates.length : 0) + listPlans.reduce((sum, { mentions }) => sum + mentions, 0),
    deals: notePlan.deals,
    steps: [
      ...(hasChanges
        ? [{ noun, action: 'update', id: ids.keep, body: toBody(fields.changes) } as const]
        : []),
      ...moves.filter(({ action }) => action === 'create'),
      ...moves.filter(({ action }) => action === 'update'),
      ...planAddresses(ids, other, fields.addresses),
      { noun, action: 'delete', id: ids.other, body: {} },
    ],
  };
}

/** Plans the update of a contact or an organization that names the other record. */
function planReference({ noun, id, body }: NamingRecord, ids: MergedIds): MergeStep[] {
  const isMerged = noun === ids.noun && (id === ids.keep || id === ids.other);
  if (noun === 'entry' || isMerged) return [];
  const values =
    'organization_id' in body
      ? { organization_id: ids.keep }
      : toBody({ custom_fields: replaceIds(body.custom_fields, ids) });
  return [{ noun, action: 'update', id, body: values }];
}

/** Returns the entries and the notes that belong to a record. */
function listOwned(related: readonly RelatedRecord[]) {
  const list = (noun: 'entry' | 'note') =>
    related.flatMap((one) =>
      one.noun === noun && 'record' in one ? [{ ...one.record, list_id: one.list_id } as StoredRecord] : [],
    );
  return { entry: list('entry'), note: list('note') };
}

/** A record with the values that name another one. */
type NamingRecord = Extract<RelatedRecord, { readonly body: unknown }>;

/** Returns the part of a note that names its deal, unless a merged organization has the note. */
const toNamingNote = (related: RelatedRecord, noteIds: ReadonlySet<string>): StoredRecord[] =>
  'body' in related && related.id !== undefined && !noteIds.has(related.id)
    ? [{ ...related.body, id: related.id }]
    : [];

/** Moves addresses. A record without a name must keep an address, so its address first becomes its name. */
function planAddresses(
  { noun, keep, other: id }: MergedIds,
  other: StoredRecord,
  addedTexts: readonly string[],
): MergeStep[] {
  if (addedTexts.length === 0) return [];
  const { addresses, name } = mergeNouns[noun];
  const place = { noun, id } as const;
  const presentTexts = readTexts(other[addresses]);
  return [
    ...(isEmpty(other[name])
      ? [{ ...place, action: 'update', body: { [name]: presentTexts[0] } } as const]
      : []),
    { ...place, action: 'remove', body: { [addresses]: presentTexts } },
    { noun, action: 'update', id: keep, body: { [addresses]: addedTexts } },
  ];
}

/**
 * Plans the values of the record to keep. `fieldNames`: the fields whose value comes from the other record.
 * @throws {Failure} usage if `fieldNames` has one that neither record has, failed if a list is unknown
 */
function planFields(
  noun: PartyNoun,
  keep: StoredRecord,
  other: StoredRecord,
  fieldNames: ReadonlySet<string>,
): FieldPlan {
  const { addresses, addressType } = mergeNouns[noun];
  const ownFields = listWritable(pluralNouns[noun], 'update');
  const singleFields = ownFields.filter(({ listUpdate }) => !listUpdate).map(({ key }) => key);
  const takes = findTakes(singleFields, [keep, other], fieldNames);
  const ids: MergedIds = { noun, keep: keep.id, other: other.id };
  const fields = combineFields(keep.custom_fields, other.custom_fields, ids, takes);
  const conflicts: Conflict[] = [];
  const changes: Record<string, unknown> = {};
  const keptValues: Values = keep;
  const otherValues: Values = other;
  for (const field of singleFields) {
    const [ownValue, otherValue] = [keptValues[field], otherValues[field]];
    if (isEmpty(otherValue) || ownValue === otherValue) continue;
    if (takes.has(field) || (isEmpty(ownValue) && mayFill(field, keep, other))) changes[field] = otherValue;
    else conflicts.push({ field, kept: ownValue, dropped: otherValue });
  }
  for (const { key, type, listUpdate } of ownFields) {
    if (listUpdate !== 'replace') continue;
    for (const record of [keep, other])
      if (isUnknownList(record, key))
        throw new Failure(
          'failed',
          `The service did not return the ${key} of "${record.id}"; a merge would lose them.`,
        );
    const texts = addTexts(keptValues[key], otherValues[key], type);
    if (texts.length > 0) changes[key] = [...readTexts(keptValues[key]), ...texts];
  }
  if (Object.keys(fields.changes).length > 0) changes.custom_fields = fields.changes;
  return {
    changes,
    addresses: addTexts(keep[addresses], other[addresses], addressType),
    conflicts: [...conflicts, ...fields.conflicts],
    lostValues: listUnknownFields(pluralNouns[noun], other),
  };
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
