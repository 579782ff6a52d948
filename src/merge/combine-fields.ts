import type { RecordField } from '../contract/field-table.ts';
import { isSameValue, readDataType } from '../contract/field-types.ts';
import { listFields } from '../contract/list-fields.ts';
import type { ListedNoun } from '../contract/singular-nouns.ts';
import { compare } from '../records/compare.ts';
import { isEmpty, listDefinedValues } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import type { StoredRecord, Values } from '../writes/values.ts';
import type { MergedIds } from './merge-nouns.ts';

/** A value of the other record that is dropped, because the record that stays has another one. */
export interface Conflict {
  readonly field: string;
  readonly kept: unknown;
  readonly dropped: unknown;
}

/** Whether a field can name the records of a merge: no type of field names organizations. */
const isMentioning = (dataType: unknown, { noun }: MergedIds) => noun === 'contact' && dataType === 'contact';

/** Returns a value with the id of the contact to keep instead of the other contact's id. */
function replaceId(value: unknown, { keep, other }: MergedIds): unknown {
  if (!Array.isArray(value)) return value === other ? keep : value;
  return [...new Set(value.map((item) => (item === other ? keep : item)))];
}

/** Returns the values of named fields with the id of the contact to keep, by name. */
export const replaceIds = (items: unknown, ids: MergedIds): Values =>
  Object.fromEntries(
    [items].flat().map((item) => {
      const { name, value } = readObject(item);
      return [String(name), replaceId(value, ids)];
    }),
  );

/**
 * Combines the values of fields: a missing value is filled, several values are united. If both records have one value,
 * that of the record that stays is kept, or the other's if `takes` has the name of the field.
 */
export function combineFields(
  keptFields: StoredRecord['custom_fields'],
  addedFields: StoredRecord['custom_fields'],
  ids: MergedIds,
  takes: ReadonlySet<string> = new Set(),
) {
  const own = new Map<string, unknown>();
  const changes: Record<string, unknown> = {};
  for (const { name, dataType, value } of listDefinedValues(keptFields)) {
    own.set(name, value);
    if (isMentioning(dataType, ids) && [value].flat().includes(ids.other))
      changes[name] = replaceId(value, ids);
  }
  const fields = listDefinedValues(addedFields).map(({ name: key, dataType, value }) => {
    const type = readDataType(dataType);
    return { key, type, value: isMentioning(type, ids) ? replaceId(value, ids) : value };
  });
  const readOwn = ({ key }: RecordField) => changes[key] ?? own.get(key);
  const compared = compare(
    fields,
    () => null,
    ({ value }) => value,
    readOwn,
  );
  const conflicts: Conflict[] = [];
  for (const { field, mine, theirs, state } of compared) {
    const { key, type } = field;
    if (state !== 'mine' && state !== 'conflict') continue;
    if (state === 'mine' || takes.has(key)) changes[key] = mine;
    else if (Array.isArray(theirs) && Array.isArray(mine)) {
      const missing = mine.filter((item) => !theirs.some((stored) => isSameValue(stored, item, type)));
      if (missing.length > 0) changes[key] = [...theirs, ...missing];
    } else conflicts.push({ field: key, kept: theirs, dropped: mine });
  }
  return { changes, conflicts };
}

/** Returns the names of a record's fields with values that the contract does not describe. */
export function listUnknownFields(noun: ListedNoun, record: StoredRecord): string[] {
  const fields = listFields(noun);
  return Object.entries(record).flatMap(([name, value]) =>
    isEmpty(value) || fields.some(({ key }) => key === name) ? [] : [name],
  );
}
