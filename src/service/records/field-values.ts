import sql, { raw, type Sql } from 'sql-template-tag';
import type { DataType, FieldDefinition, ValueMap } from '../../contract/fields.ts';
import { isDate, isDateTime } from '../../values/dates.ts';
import { isEmail, isUrl } from '../../values/domain.ts';
import type { Database } from '../db/database.ts';
import type { Ids } from '../db/ids.ts';
import { groupParts, insertRow } from '../db/statements.ts';
import type { FieldPath } from '../field-errors.ts';
import { type FieldRow, parseDefinition } from './field-definitions.ts';
import { findRecordId, type Validation } from './record-rows.ts';

type ValueTable = 'contact_value' | 'organization_value' | 'entry_value';

/** The value of a record in a field, as JSON. */
export interface ValueRow {
  readonly record: number;
  readonly field_id: number;
  readonly value: string;
}

/** Selects the values of records. */
export const selectValues = (table: ValueTable, chosen: (column: string) => Sql) =>
  sql`select record_id as record, field_id, value from ${raw(table)} where ${chosen('record_id')}`;

/**
 * Returns a function that gives a record's map of all fields, with null for those without a value (specification, 2.3).
 */
export function createValueMaps(
  { encode }: Ids,
  fields: readonly FieldRow[],
  rows: readonly ValueRow[],
): (record: number) => ValueMap {
  const valuesOf = groupParts(rows);
  const encoded = fields
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, name, data_type }) => ({ id, key: encode(id), name, data_type }));
  return (record) => {
    const map: ValueMap = {};
    const values = valuesOf(record);
    for (const { id, key, name, data_type } of encoded) {
      const value = values.find(({ field_id }) => field_id === id)?.value;
      map[key] = { name, data_type, value: value === undefined ? null : JSON.parse(value) };
    }
    return map;
  };
}

/** A valid value of a field; null removes the stored one. */
export interface FieldChange {
  readonly field_id: number;
  readonly value: unknown;
}

/** Validates values by the names of their fields. Errors are added below `path`. */
export async function validateValues(
  check: Validation,
  fields: readonly FieldRow[],
  items: readonly { readonly name: string; readonly value: unknown }[],
  path: FieldPath,
): Promise<FieldChange[]> {
  const changes: FieldChange[] = [];
  for (const [index, item] of items.entries()) {
    if (!item) continue; // invalid, and removed
    const addNameError = (code: string, message: string) =>
      check.errors.add([...path, index, 'name'], code, message);
    const field = fields.find(({ name }) => name === item.name);
    if (!field) {
      const names = fields.map(({ name }) => name).join(', ') || 'none';
      addNameError('unknown', `Unknown field "${item.name}". Available fields: ${names}.`);
    } else if (items.findIndex((other) => other?.name === item.name) < index) {
      addNameError('taken', `The field "${item.name}" is repeated.`);
    } else {
      const value = item.value === '' && clearedByEmptyText.includes(field.data_type) ? null : item.value;
      await validateValue(check, parseDefinition(field), value, [...path, index, 'value']);
      changes.push({ field_id: field.id, value: value ?? null });
    }
  }
  return changes;
}

/** Types whose value an empty text clears. */
const clearedByEmptyText: readonly DataType[] = ['url', 'date', 'datetime', 'number', 'user', 'contact'];

async function validateValue(
  { db, errors }: Validation,
  field: FieldDefinition,
  value: unknown,
  path: FieldPath,
): Promise<void> {
  const { name, data_type, accepts_multiple_values, options } = field;
  if (value === null) return;
  if (value === undefined) {
    errors.add(path, 'required', `A value for "${name}" is required; null clears it.`);
  } else if (accepts_multiple_values !== Array.isArray(value)) {
    const wanted = accepts_multiple_values ? 'an array of values' : 'one value, not an array';
    errors.add(path, 'type', `The field "${name}" takes ${wanted}.`);
  } else {
    const wanted = data_type === 'select' ? `one of ${options.join(', ')}` : valueTypes[data_type][0];
    for (const [index, item] of [value].flat().entries()) {
      if (await isValidValue(db, field, item)) continue;
      const itemPath = Array.isArray(value) ? [...path, index] : path;
      errors.add(itemPath, 'value', `The field "${name}" takes ${wanted}.`);
    }
  }
}

/** The description of a value of each type, and the check of its text. */
const valueTypes: Readonly<
  Record<Exclude<DataType, 'select'>, readonly [expected: string, isValid?: (text: string) => boolean]>
> = {
  text: ['a text'],
  textarea: ['a text'],
  url: ['a URL that begins with http:// or https://', isUrl],
  date: ['a date, such as 2026-05-04', isDate],
  datetime: ['a time in ISO 8601 format, such as 2026-05-04T09:30:00Z', isDateTime],
  number: ['a number'],
  user: ['the email address of a user', isEmail],
  contact: ['the id of a contact'],
};

async function isValidValue(
  db: Database,
  { data_type, options }: FieldDefinition,
  value: unknown,
): Promise<boolean> {
  if (data_type === 'number') return Number.isFinite(value);
  if (typeof value !== 'string') return false;
  if (data_type === 'select') return options.includes(value);
  if (data_type === 'contact') return (await findRecordId(db, 'contact', value)) !== undefined;
  const [, isValid = () => true] = valueTypes[data_type];
  return isValid(value);
}

/** Stores valid values of a record. */
export async function storeValues(
  db: Database,
  table: ValueTable,
  record_id: number,
  changes: readonly FieldChange[],
): Promise<void> {
  for (const { field_id, value } of changes) {
    await db.run(sql`delete from ${raw(table)} where record_id = ${record_id} and field_id = ${field_id}`);
    if (value !== null) await insertRow(db, table, { record_id, field_id, value: JSON.stringify(value) });
  }
}

/** Returns null for a text without content. */
export const blankToNull = (text: string | null | undefined) => (text?.trim() === '' ? null : text);
