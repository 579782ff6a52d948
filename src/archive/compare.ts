import type { Result } from '../contract/documents/results.ts';
import type { RecordField } from '../contract/field-table.ts';
import { readDataType } from '../contract/field-types.ts';
import { listFields } from '../contract/list-fields.ts';
import { type Noun, orderedNouns } from '../contract/singular-nouns.ts';
import { compare } from '../records/compare.ts';
import {
  type FieldContainer,
  fieldContainers,
  findDefinedValue,
  isFieldContainer,
  listDefinedValues,
} from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import type { Archive } from './archive.ts';
import type { UnreadRecords } from './manifest.ts';
import { getRecordName } from './record-name.ts';

/** A record that differs between two archives. It has fields only if it is changed. */
export interface RecordDifference extends Omit<Result<'difference'>, 'noun'> {
  readonly noun: Noun;
  readonly record: JsonObject;
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

/** Recordings are read meeting by meeting, and entries list by list. */
function createUnreadCheck(unread: UnreadRecords = { nouns: [], lists: [], recordings: [] }) {
  const nouns = new Set(unread.nouns);
  const lists = new Set<unknown>(unread.lists);
  const recordings = new Set(unread.recordings);
  return (noun: Noun, { id, list_id }: { readonly id: string; readonly list_id?: unknown }) =>
    nouns.has(noun) ||
    (noun === 'recordings' && (nouns.has('events') || recordings.has(id))) ||
    (noun === 'entries' && (nouns.has('lists') || lists.has(list_id)));
}

function* compareNoun(
  noun: Noun,
  before: Archive,
  after: Archive,
  isUnread: ReturnType<typeof createUnreadCheck>,
): Generator<RecordDifference> {
  for (const { text, value } of before.records(noun)) {
    if (isUnread(noun, value)) continue;
    const current = after.find(noun, value.id, readList(value));
    if (!current) yield createDifference('removed', noun, before, value);
    else if (current.text !== text) {
      const fields = compareRecords(noun, { ...value }, { ...current.value });
      if (fields.length > 0) yield createDifference('changed', noun, after, current.value, fields);
    }
  }
  for (const { value } of after.records(noun))
    if (!before.has(noun, value.id, readList(value)) && !isUnread(noun, value))
      yield createDifference('added', noun, after, value);
}

const readList = (record: object) => ('list_id' in record ? String(record.list_id) : '');

function createDifference(
  change: RecordDifference['change'],
  noun: Noun,
  archive: Archive,
  record: { readonly id: string },
  fields: RecordDifference['fields'] = [],
): RecordDifference {
  const { id } = record;
  const name = getRecordName(archive, noun, { ...record });
  return { change, noun, id, name, record: { ...record }, fields };
}

/** Lists the fields that differ. Every change also changes `updated_at`, which is listed only if no other field differs. */
function compareRecords(noun: Noun, before: JsonObject, after: JsonObject): RecordDifference['fields'] {
  const own = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isFieldContainer(name),
  );
  const known = noun === 'recordings' ? [] : listFields(noun);
  const fields = [
    ...own.map((name): RecordField => known.find(({ key }) => key === name) ?? { key: name, type: 'text' }),
    ...fieldContainers.flatMap((container) => listDefinedFields(container, before, after)),
  ];
  const readBefore = (field: RecordField) => readValue(before, field);
  const compared = compare(fields, readBefore, readBefore, (field) => readValue(after, field));
  const differences = compared.flatMap(({ field: { key, container }, mine, theirs, state }) =>
    state === 'unchanged'
      ? []
      : [{ field: container ? `${container}.${key}` : key, before: mine, after: theirs }],
  );
  const others = differences.filter(({ field }) => field !== 'updated_at');
  return others.length > 0 ? others : differences;
}

/** Returns the custom fields or list fields with a value in one of two records. */
function listDefinedFields(container: FieldContainer, ...records: readonly JsonObject[]): RecordField[] {
  const types = new Map(
    records.flatMap((record) =>
      listDefinedValues(record[container]).map(
        ({ name, dataType }) => [name, readDataType(dataType)] as const,
      ),
    ),
  );
  return Array.from(types, ([key, type]) => ({ key, container, type }));
}

const readValue = (record: JsonObject, { key, container }: RecordField) =>
  container ? findDefinedValue(record[container], key) : record[key];
