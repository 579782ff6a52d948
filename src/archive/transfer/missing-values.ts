import { type RecordField, readField } from '../../contract/field-table.ts';
import { readDataType } from '../../contract/field-types.ts';
import { listWritable } from '../../contract/list-fields.ts';
import { isUnknownList } from '../../contract/received.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import { compare, type FieldReader, listMissing } from '../../records/compare.ts';
import { fieldContainers, readTexts } from '../../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../../values/json-object.ts';
import { listDefinitions } from '../../writes/bodies.ts';
import { readAssigneeEmail } from '../../writes/values.ts';
import type { TransferRecord } from './transfer-nouns.ts';

/** The values that a record of the target lacks, as the body of an update, and the fields with another value. */
interface MissingValues {
  readonly body: JsonObject;
  /** The names of the fields whose values differ. The target keeps its own. */
  readonly kept: readonly string[];
}

/** The fields of a list that are compared by the name of each item. */
const isNamedList = ({ key, container }: RecordField) =>
  container === undefined && ['fields', 'statuses'].includes(key);

/**
 * Compares a record of the target with the body that would create the record of the source. `isFree`: whether no other
 * record of the target has an address.
 */
export function findMissingValues(
  noun: WritableNoun,
  source: JsonObject,
  target: TransferRecord,
  isFree: (address: string) => boolean = () => true,
): MissingValues {
  const body: Record<string, unknown> = {};
  const kept: string[] = [];
  const fields = [...listWritable(noun, 'update'), ...listDefinedFields(source, target)];
  const readSource = (field: RecordField) =>
    field.container ? findItem(source, field) : dropZero(source[field.body ?? field.key], field);
  for (const { field, mine, state } of compare(fields, () => null, readSource, createReader(target))) {
    if (state !== 'mine' && state !== 'conflict') continue;
    const { key, body: name = key, container, listUpdate } = field;
    const isMissing = state === 'mine';
    if (container && isMissing) body[container] = [...readItems(body[container]), { name: key, value: mine }];
    else if (isNamedList(field) || (listUpdate && !container)) {
      const added = isUnknownList(target, key) ? undefined : addItems(field, mine, target, isFree);
      if (added?.value) body[name] = added.value;
      if (added?.isPartial ?? true) kept.push(name);
    } else if (isMissing) body[name] = mine;
    else kept.push(name);
  }
  if (body.recurring_value_cents === undefined) return { body, kept };
  // The period belongs to its amount.
  body.recurring_value_period = source.recurring_value_period;
  return { body, kept: kept.filter((name) => name !== 'recurring_value_period') };
}

const createReader =
  (target: TransferRecord): FieldReader<RecordField> =>
  (field) => {
    if (field.key === 'assignee') return readAssigneeEmail(target);
    const isTexts = field.listUpdate && !field.container && !isNamedList(field);
    return isTexts ? readTexts(target[field.key]) : dropZero(readField(target, field), field);
  };

/** An amount of 0 counts as empty. */
const dropZero = (value: unknown, { type }: RecordField) => (type === 'money' && value === 0 ? null : value);

/** Returns the custom fields or list fields in a body, with their types in the target. */
function listDefinedFields(source: JsonObject, target: TransferRecord): RecordField[] {
  return fieldContainers.flatMap((container) =>
    readItems(source[container]).map(({ name }) => {
      const field = Object.values(readObject(target[container]))
        .map(readObject)
        .find((one) => one.name === name);
      return { key: String(name), container, type: readDataType(field?.data_type) };
    }),
  );
}

const findItem = (source: JsonObject, { container = 'custom_fields', key }: RecordField) =>
  readItems(source[container]).find(({ name }) => name === key)?.value;

/** Returns all items of a list with those that the target lacks, or only those if an update adds. `isPartial`: not all. */
function addItems(
  field: RecordField,
  value: unknown,
  target: TransferRecord,
  isFree: (address: string) => boolean,
): { readonly value?: unknown; readonly isPartial: boolean } {
  const { key, type, listUpdate } = field;
  if (isNamedList(field)) return addDefinitions(key, value, target);
  const texts = readTexts(target[key]);
  const missing = listMissing(readTexts(value), texts, type);
  const added = listUpdate === 'add' ? missing.filter(isFree) : missing;
  const isPartial = added.length < missing.length;
  if (added.length === 0) return { isPartial };
  return { value: listUpdate === 'add' ? added : [...texts, ...added], isPartial };
}

/** The fields that a list lacks are added. Its statuses stay, because a status changes the work of a team. */
function addDefinitions(key: string, value: unknown, target: TransferRecord) {
  const stored = key === 'fields' ? listDefinitions(target.fields) : readItems(target[key]);
  const names = new Set(stored.map(({ name }) => name));
  const added = readItems(value).filter(({ name }) => !names.has(name));
  if (key === 'statuses') return { isPartial: added.length > 0 };
  return added.length === 0 ? { isPartial: false } : { value: [...stored, ...added], isPartial: false };
}

const readItems = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
