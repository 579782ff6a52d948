import { listDefinitions } from '../changes/reversal.ts';
import { readAssigneeEmail } from '../changes/values.ts';
import type { RecordField } from '../contract/field-table.ts';
import { isSameValue, readDataType } from '../contract/field-types.ts';
import { listWritable } from '../contract/list-fields.ts';
import { isUnknownList } from '../contract/received.ts';
import type { WritableNoun } from '../contract/singular-nouns.ts';
import { isEmpty } from '../merge/combine-fields.ts';
import { findDefinedValue, isFieldContainer, readTexts } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import type { TransferRecord } from './transfer-nouns.ts';

/** The values that a record of the target lacks, as the body of an update, and the fields with another value. */
export interface MissingValues {
  readonly body: JsonObject;
  /** The names of the fields whose values differ. The target keeps its own. */
  readonly kept: readonly string[];
}

/** A value of a field in the body of a request. */
interface NamedItem {
  readonly name: string;
  readonly value: unknown;
}

/** The fields of a list that are compared by the name of each item. */
const namedLists = ['fields', 'statuses'];

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
  for (const field of listWritable(noun, 'update')) {
    const { key, body: name = key } = field;
    const value = source[name];
    if (isEmptyValue(value, field)) continue;
    const compared = namedLists.includes(key)
      ? compareDefinitions(key, value, target)
      : compareValue(field, value, target, isFree);
    if (compared.value !== undefined) body[name] = compared.value;
    if (compared.isKept) kept.push(name);
  }
  addPeriod(body, kept, source);
  for (const [name, items] of Object.entries(source)) {
    if (!isFieldContainer(name) || !Array.isArray(items)) continue;
    const missing = compareItems(items, target[name]);
    if (missing.items.length > 0) body[name] = missing.items;
    kept.push(...missing.kept);
  }
  return { body, kept };
}

interface Comparison {
  /** The value to send; undefined if the target lacks no value. */
  readonly value?: unknown;
  /** Whether the target keeps another value. */
  readonly isKept: boolean;
}

function compareValue(
  { key, type, listUpdate }: RecordField,
  value: unknown,
  target: TransferRecord,
  isFree: (address: string) => boolean,
): Comparison {
  if (!listUpdate) {
    const stored = key === 'assignee' ? readAssigneeEmail(target) : target[key];
    if (isEmptyValue(stored, { type })) return { value, isKept: false };
    return { isKept: !isSameValue(stored, value, type) };
  }
  if (isUnknownList(target, key)) return { isKept: true };
  const texts = readTexts(target[key]);
  const missing = readTexts(value).filter((text) => !texts.some((stored) => isSameValue(stored, text, type)));
  const added = listUpdate === 'add' ? missing.filter(isFree) : missing;
  const isKept = added.length < missing.length;
  if (added.length === 0) return { isKept };
  return { value: listUpdate === 'add' ? added : [...texts, ...added], isKept };
}

/** The fields that a list lacks are added. Its statuses stay, because a status changes the work of a team. */
function compareDefinitions(key: string, value: unknown, target: TransferRecord): Comparison {
  if (isUnknownList(target, key)) return { isKept: true };
  const stored = key === 'fields' ? listDefinitions(target.fields) : readItems(target[key]);
  const names = new Set(stored.map(({ name }) => name));
  const added = readItems(value).filter(({ name }) => !names.has(name));
  if (key === 'statuses') return { isKept: added.length > 0 };
  return added.length === 0 ? { isKept: false } : { value: [...stored, ...added], isKept: false };
}

const readItems = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The period belongs to its amount. */
function addPeriod(body: Record<string, unknown>, kept: string[], source: JsonObject): void {
  const index = kept.indexOf('recurring_value_period');
  if (body.recurring_value_cents === undefined) return;
  body.recurring_value_period = source.recurring_value_period;
  if (index >= 0) kept.splice(index, 1);
}

function compareItems(items: readonly unknown[], container: unknown) {
  const missing: NamedItem[] = [];
  const kept: string[] = [];
  for (const item of items) {
    const { name, value } = readObject(item);
    const stored = findDefinedValue(container, String(name));
    if (isEmpty(value)) continue;
    if (isEmpty(stored)) missing.push({ name: String(name), value });
    else if (!isSameValue(stored, value, findDataType(container, String(name)))) kept.push(String(name));
  }
  return { items: missing, kept };
}

function findDataType(container: unknown, name: string) {
  const field = Object.values(readObject(container)).find((field) => readObject(field).name === name);
  return readDataType(readObject(field).data_type);
}

/** Whether a field has no value. An amount of 0 counts as empty. */
const isEmptyValue = (value: unknown, { type }: Pick<RecordField, 'type'>) =>
  isEmpty(value) || (type === 'money' && value === 0);
