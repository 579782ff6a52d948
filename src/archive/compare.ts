import { isDeepStrictEqual } from 'node:util';
import { orderedNouns } from '../contract/singular-nouns.ts';
import { type FieldContainer, isFieldContainer, listDefinedValues } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import type { Archive, ArchiveNoun } from './archive.ts';
import type { UnreadRecords } from './manifest.ts';
import { getRecordName } from './record-name.ts';

/** A field with its values in two archives; undefined if the record does not have it. */
interface FieldDifference {
  /** The name in the contract; `custom_fields.Industry` for the value of a defined field. */
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A record that differs between two archives. */
export interface RecordDifference {
  readonly change: 'added' | 'removed' | 'changed';
  readonly noun: ArchiveNoun;
  readonly id: string;
  readonly name: string;
  readonly record: JsonObject;
  /** Empty unless the record is changed. */
  readonly fields: readonly FieldDifference[];
}

/**
 * Yields the records that differ between two archives, noun by noun. Records are matched by id. Skips records that the
 * service did not return to one of the archives.
 */
export function* compareArchives(before: Archive, after: Archive): Generator<RecordDifference> {
  const isUnread = createUnreadCheck(mergeUnread(before, after));
  for (const noun of orderedNouns) {
    const [earlier, later] = [before.manifest.files[noun], after.manifest.files[noun]];
    if (earlier.sha256 !== later.sha256) yield* compareNoun(noun, before, after, isUnread);
  }
}

/** Returns the records that the service did not return to one of two archives; undefined if both have all records. */
export function mergeUnread(before: Archive, after: Archive): UnreadRecords | undefined {
  const [earlier, later] = [before.manifest.unread, after.manifest.unread];
  if (!earlier || !later) return earlier ?? later;
  const merge = (name: keyof UnreadRecords) => [...new Set([...earlier[name], ...later[name]])];
  return { nouns: merge('nouns'), lists: merge('lists'), recordings: merge('recordings') };
}

type UnreadCheck = (
  noun: ArchiveNoun,
  record: { readonly id: string; readonly list_id?: unknown },
) => boolean;

/** Recordings are read meeting by meeting, and entries list by list. */
function createUnreadCheck(unread: UnreadRecords | undefined): UnreadCheck {
  if (!unread) return () => false;
  const [nouns, lists, recordings] = [unread.nouns, unread.lists, unread.recordings].map(
    (names) => new Set<unknown>(names),
  ) as [Set<unknown>, Set<unknown>, Set<unknown>];
  return (noun, { id, list_id }) =>
    nouns.has(noun) ||
    (noun === 'recordings' && (nouns.has('events') || recordings.has(id))) ||
    (noun === 'entries' && (nouns.has('lists') || lists.has(list_id)));
}

function* compareNoun(
  noun: ArchiveNoun,
  before: Archive,
  after: Archive,
  isUnread: UnreadCheck,
): Generator<RecordDifference> {
  for (const { text, value } of before.records(noun)) {
    if (isUnread(noun, value)) continue;
    const current = after.find(noun, value.id, readList(value));
    if (!current) yield createDifference('removed', noun, before, value);
    else if (current.text !== text) {
      const fields = compareRecords({ ...value }, { ...current.value });
      if (fields.length > 0) yield createDifference('changed', noun, after, current.value, fields);
    }
  }
  for (const { value } of after.records(noun))
    if (!before.has(noun, value.id, readList(value)) && !isUnread(noun, value))
      yield createDifference('added', noun, after, value);
}

/** Returns the list of an entry. */
const readList = (record: object) => ('list_id' in record ? String(record.list_id) : '');

function createDifference(
  change: RecordDifference['change'],
  noun: ArchiveNoun,
  archive: Archive,
  record: { readonly id: string },
  fields: readonly FieldDifference[] = [],
): RecordDifference {
  const { id } = record;
  const name = getRecordName(archive, noun, { ...record });
  return { change, noun, id, name, record: { ...record }, fields };
}

/** Lists the fields that differ. Every change also changes `updated_at`, which is listed only if no other field differs. */
function compareRecords(before: JsonObject, after: JsonObject): FieldDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const fields = names.flatMap((field): FieldDifference[] => {
    if (isDeepStrictEqual(before[field], after[field])) return [];
    const values = isFieldContainer(field) ? compareValues(field, before[field], after[field]) : [];
    return values.length > 0 ? values : [{ field, before: before[field], after: after[field] }];
  });
  const others = fields.filter(({ field }) => field !== 'updated_at');
  return others.length > 0 ? others : fields;
}

/** Compares the values of custom fields or list fields by the name of the field. */
function compareValues(container: FieldContainer, before: unknown, after: unknown): FieldDifference[] {
  const [earlier, later] = [before, after].map(
    (values) => new Map(listDefinedValues(values).map(({ name, value }) => [name, value])),
  ) as [Map<string, unknown>, Map<string, unknown>];
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((name): FieldDifference[] => {
    const [old, current] = [earlier.get(name), later.get(name)];
    if (isDeepStrictEqual(old ?? null, current ?? null)) return [];
    return [{ field: `${container}.${name}`, before: old, after: current }];
  });
}
