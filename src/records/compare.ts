import { isDeepStrictEqual } from 'node:util';
import { isMultiple, type RecordField } from '../contract/field-table.ts';
import { type FieldType, isSameValue } from '../contract/field-types.ts';
import { isEmpty } from '../values/field-values.ts';
import { isObject, readObject } from '../values/json-object.ts';

/**
 * How a field differs in two versions of a record with a common base. `unchanged`: both have the same value, whatever the
 * base has. `mine`, `theirs`: only this version changed the value. `conflict`: both changed it, to other values.
 */
type FieldState = 'unchanged' | 'mine' | 'theirs' | 'conflict';

/** A field with its values in the versions of a record. */
export interface ComparedField<F extends RecordField> {
  readonly field: F;
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly state: FieldState;
}

/** Returns the value of a field in a version of a record. */
export type FieldReader<F extends RecordField> = (field: F) => unknown;

/** Compares two versions of a record with their common base, field by field, by the type of the field. */
export function compare<F extends RecordField>(
  fields: readonly F[],
  base: FieldReader<F>,
  mine: FieldReader<F>,
  theirs: FieldReader<F>,
): ComparedField<F>[] {
  return fields.map((field) => {
    const [own, other] = [mine(field), theirs(field)];
    return { field, mine: own, theirs: other, state: findState(field, base(field), own, other) };
  });
}

function findState(field: RecordField, base: unknown, mine: unknown, theirs: unknown): FieldState {
  if (isSameFieldValue(theirs, mine, field)) return 'unchanged';
  if (isSameFieldValue(base, mine, field)) return 'theirs';
  // An update that adds values and removes others takes two requests. The second may be missing.
  const isHalfSent =
    field.listUpdate === 'add' && isSameFieldValue(theirs, [base ?? [], mine ?? []].flat(), field);
  return isHalfSent || isSameFieldValue(base, theirs, field) ? 'mine' : 'conflict';
}

/** Whether two values of a field are the same for the service. */
export function isSameFieldValue(stored: unknown, value: unknown, field: RecordField): boolean {
  if (isEmpty(stored) || isEmpty(value)) return isEmpty(stored) && isEmpty(value);
  const { type, listUpdate } = field;
  if (listUpdate === 'add')
    return listMissing(stored, value, type).length + listMissing(value, stored, type).length === 0;
  const [storedItems, items] = [[stored].flat(), [value].flat()];
  const isDefinition = type === 'status' || type === 'definition';
  if ([...storedItems, ...items].every(isObject))
    return isDefinition
      ? isDeepStrictEqual(storedItems.map(listMembers), items.map(listMembers))
      : isDeepStrictEqual(stored, value);
  return isMultiple(field) ? isSameValue(storedItems, items, type) : isSameValue(stored, value, type);
}

/** Returns the members of a status or a definition. The service may omit members with a default. */
function listMembers(item: unknown): unknown[] {
  const { name, type, data_type, accepts_multiple_values, options } = readObject(item);
  return [name, type ?? data_type, accepts_multiple_values === true, options ?? []];
}

/** Returns the values that are not in a list. */
export function listMissing(values: unknown, list: unknown, type: FieldType): string[] {
  const items = [list ?? []].flat().map(String);
  const texts = [values ?? []].flat().map(String);
  return texts.filter((text) => !items.some((item) => isSameValue(item, text, type)));
}
