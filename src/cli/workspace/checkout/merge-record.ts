import { isSameFieldValue } from '../../edit/compare-values.ts';
import { type FieldChange, isSameField } from '../../edit/edit-document.ts';
import { type DocumentField, listDifferences } from './document-fields.ts';

/** The changes of a record in its file, and those on the service. It is a conflict if there are both. */
export interface RecordMerge {
  /** The changes in the file that the service does not have yet, relative to its current values. */
  readonly changes: readonly FieldChange[];
  /** The changes on the service that are not in the file. `after`: the value on the service. */
  readonly serviceChanges: readonly FieldChange[];
}

/** Merges the changes of a record with those on the service. `before`: its fields when the file was written. */
export function mergeRecord(
  changes: readonly FieldChange[],
  before: readonly DocumentField[],
  current: readonly DocumentField[],
): RecordMerge {
  const remaining = changes.flatMap(({ field, after }): FieldChange[] => {
    const { value } = current.find((candidate) => isSameField(candidate, field)) ?? {};
    return isSameFieldValue(value, after, field) ? [] : [{ field: { ...field, value }, after }];
  });
  const isOwn = ({ field, after }: FieldChange) => {
    const own = changes.find((change) => isSameField(change.field, field));
    return own !== undefined && (isSameFieldValue(after, own.after, field) || isHalfSent(own, after));
  };
  return {
    changes: remaining,
    serviceChanges: listDifferences(before, current).filter((change) => !isOwn(change)),
  };
}

/** Whether an interrupted push added the new values of a list, and did not remove the others yet. */
const isHalfSent = ({ field, after }: FieldChange, current: unknown) =>
  field.listUpdate === 'add' && isSameFieldValue(current, [field.value ?? [], after ?? []].flat(), field);
