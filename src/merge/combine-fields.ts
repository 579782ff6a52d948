import type { StoredRecord, Values } from '../changes/values.ts';
import { isSameValue, readDataType } from '../contract/field-types.ts';
import { listFields } from '../contract/list-fields.ts';
import type { FieldNoun } from '../contract/record-fields.ts';
import { listDefinedValues } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import type { MergedIds } from './merge-nouns.ts';

/** A value of the other record that is dropped, because the record that stays has another one. */
export interface Conflict {
  readonly field: string;
  readonly kept: unknown;
  readonly dropped: unknown;
}

/** Whether a value is missing. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

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

/** Returns the values of a record's fields of type `contact` that name the other contact, with the id that stays. */
function replaceMentions(container: StoredRecord['custom_fields'], ids: MergedIds): Values {
  const replacedValues = listDefinedValues(container).flatMap(({ name, dataType, value }) => {
    const isMention = isMentioning(dataType, ids) && [value].flat().includes(ids.other);
    return isMention ? [[name, replaceId(value, ids)] as const] : [];
  });
  return Object.fromEntries(replacedValues);
}

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
  const current = new Map(listDefinedValues(keptFields).map((field) => [field.name, field.value]));
  const changes: Record<string, unknown> = { ...replaceMentions(keptFields, ids) };
  const conflicts: Conflict[] = [];
  for (const { name, dataType, value } of listDefinedValues(addedFields)) {
    const type = readDataType(dataType);
    const ownValue = changes[name] ?? current.get(name);
    const otherValue = isMentioning(type, ids) ? replaceId(value, ids) : value;
    if (isEmpty(otherValue) || isSameValue(ownValue, otherValue, type)) continue;
    if (isEmpty(ownValue) || takes.has(name)) changes[name] = otherValue;
    else if (Array.isArray(ownValue) && Array.isArray(otherValue)) {
      const isNew = (item: unknown) => !ownValue.some((current) => isSameValue(current, item, type));
      if (otherValue.some(isNew)) changes[name] = [...ownValue, ...otherValue.filter(isNew)];
    } else conflicts.push({ field: name, kept: ownValue, dropped: otherValue });
  }
  return { changes, conflicts };
}

/** Returns the names of a record's fields with values that the contract does not describe. */
export function listUnknownFields(noun: FieldNoun, record: StoredRecord): string[] {
  const fields = listFields(noun);
  return Object.entries(record).flatMap(([name, value]) =>
    isEmpty(value) || fields.some(({ key }) => key === name) ? [] : [name],
  );
}
