import sql, { raw } from 'sql-template-tag';
import type { Model } from '../../contract/custom-fields.ts';
import type { DataType, ValueMap } from '../../contract/fields.ts';
import { cardinalityTypes } from '../../contract/fields.ts';
import { isDate, isDateTime } from '../../values/dates.ts';
import { isUrl } from '../../values/domain.ts';
import { isEmail } from '../../values/email.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { belongsTo, insertRow, readParts } from '../db/statements.ts';
import type { FieldColumns } from '../db/tables.ts';
import type { FieldErrors, FieldPath } from '../field-errors.ts';
import { findRecordId } from './record-rows.ts';

/** A field of a model or a list. */
export type FieldRow = FieldColumns & { id: number };

/** A field definition as the interface shows it (specification, 2.2). */
export interface Definition {
  name: string;
  data_type: DataType;
  accepts_multiple_values: boolean;
  options: string[];
}

/** A requested field definition (specification, 2.2). */
export type DefinitionInput = {
  readonly name: string;
  readonly data_type?: DataType | undefined;
  readonly accepts_multiple_values?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
};

/** Validates a definition at `path` of a body, and completes it with defaults (specification, 2.2). */
export function validateDefinition(input: DefinitionInput, errors: FieldErrors, path: FieldPath): Definition {
  const { name, data_type = 'text', accepts_multiple_values, options } = input;
  validateName(name, errors, [...path, 'name']);
  if (accepts_multiple_values === undefined && cardinalityTypes.includes(data_type)) {
    errors.add(
      [...path, 'accepts_multiple_values'],
      'required',
      `accepts_multiple_values is required for a field of type ${data_type}.`,
    );
  }
  if (data_type === 'select') {
    if (options === undefined) {
      errors.add([...path, 'options'], 'required', 'options is required for a field of type select.');
    } else validateOptions(options, errors, [...path, 'options']);
  } else if (options && options.length > 0) {
    errors.add([...path, 'options'], 'value', `A field of type ${data_type} has no options.`);
  }
  return {
    name,
    data_type,
    accepts_multiple_values: accepts_multiple_values ?? false,
    options: [...(options ?? [])],
  };
}

/** Adds an error if a name is blank. */
export function validateName(name: string | undefined, errors: FieldErrors, path: FieldPath): void {
  if (name !== undefined && name.trim() === '') errors.add(path, 'value', 'A name must not be blank.');
}

/** Validates the options of a select. */
export function validateOptions(options: readonly string[], errors: FieldErrors, path: FieldPath): void {
  if (options.length === 0) errors.add(path, 'value', 'A select needs at least one option.');
  options.forEach((option, index) => {
    if (option.trim() === '') errors.add([...path, index], 'value', 'An option must not be blank.');
    if (options.indexOf(option) < index) {
      errors.add([...path, index], 'taken', `The option "${option}" is repeated.`);
    }
  });
}

/** Returns the columns of a definition. */
export function toDefinitionColumns(definition: Definition): FieldColumns {
  return {
    name: definition.name,
    data_type: definition.data_type,
    accepts_multiple_values: definition.accepts_multiple_values ? 1 : 0,
    options: JSON.stringify(definition.options),
  };
}

/** Parses the columns of a definition. */
export function parseDefinition(row: FieldColumns): Definition {
  return {
    name: row.name,
    data_type: row.data_type,
    accepts_multiple_values: row.accepts_multiple_values === 1,
    options: JSON.parse(row.options),
  };
}

/** Reads the custom fields of a model, oldest first. */
export const readCustomFields = (db: Database, model: Model) =>
  db.all<FieldRow>(sql`select id, name, data_type, accepts_multiple_values, options
    from custom_field where model = ${model} order by id`);

type ValueTable = 'contact_value' | 'organization_value' | 'entry_value';

/**
 * Reads the values of records. The returned function gives a record's map of all fields, with null for those without a
 * value (specification, 2.3).
 */
export async function readValueMaps(
  db: Database,
  table: ValueTable,
  fields: readonly FieldRow[],
  records: readonly number[],
): Promise<(record: number) => ValueMap> {
  if (records.length === 0 || fields.length === 0) return () => ({});
  const readValues = await readParts<{ record: number; field_id: number; value: string }>(
    db,
    sql`select record_id as record, field_id, value from ${raw(table)} where ${belongsTo('record_id', records)}`,
  );
  const { encode } = table === 'entry_value' ? ids.listField : ids.customField;
  const encoded = fields.map(({ id, name, data_type }) => ({ id, key: encode(id), name, data_type }));
  return (record) => {
    const map: ValueMap = {};
    const values = readValues(record);
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
  db: Database,
  fields: readonly FieldRow[],
  items: readonly { readonly name: string; readonly value: unknown }[],
  errors: FieldErrors,
  path: FieldPath,
): Promise<FieldChange[]> {
  const changes: FieldChange[] = [];
  for (const [index, item] of items.entries()) {
    if (!item) continue; // invalid, and removed
    const namePath = [...path, index, 'name'];
    const field = fields.find(({ name }) => name === item.name);
    if (!field) {
      const names = fields.map(({ name }) => name).join(', ') || 'none';
      errors.add(namePath, 'unknown', `Unknown field "${item.name}". Available fields: ${names}.`);
      continue;
    }
    if (items.findIndex((other) => other?.name === item.name) < index) {
      errors.add(namePath, 'taken', `The field "${item.name}" is repeated.`);
      continue;
    }
    const value = item.value === '' && clearedByEmptyText.includes(field.data_type) ? null : item.value;
    await validateValue(db, field, value, errors, [...path, index, 'value']);
    changes.push({ field_id: field.id, value: value ?? null });
  }
  return changes;
}

/** Types whose value an empty text clears. */
const clearedByEmptyText: readonly DataType[] = ['url', 'date', 'datetime', 'number', 'user', 'contact'];

async function validateValue(
  db: Database,
  field: FieldRow,
  value: unknown,
  errors: FieldErrors,
  path: FieldPath,
): Promise<void> {
  if (value === null) return;
  if (value === undefined) {
    errors.add(path, 'required', `A value for "${field.name}" is required; null clears it.`);
    return;
  }
  const { data_type, accepts_multiple_values, options } = parseDefinition(field);
  if (accepts_multiple_values !== Array.isArray(value)) {
    const wanted = accepts_multiple_values ? 'an array of values' : 'one value, not an array';
    errors.add(path, 'type', `The field "${field.name}" takes ${wanted}.`);
    return;
  }
  const values: unknown[] = Array.isArray(value) ? value : [value];
  for (const [index, item] of values.entries()) {
    if (await isValidValue(db, data_type, options, item)) continue;
    const wanted = data_type === 'select' ? `one of ${options.join(', ')}` : expectations[data_type];
    const itemPath = Array.isArray(value) ? [...path, index] : path;
    errors.add(itemPath, 'value', `The field "${field.name}" takes ${wanted}.`);
  }
}

const expectations: Readonly<Record<Exclude<DataType, 'select'>, string>> = {
  text: 'a text',
  textarea: 'a text',
  url: 'a URL that begins with http:// or https://',
  date: 'a date, such as 2026-05-04',
  datetime: 'a time in ISO 8601 format, such as 2026-05-04T09:30:00Z',
  number: 'a number',
  user: 'the email address of a user',
  contact: 'the id of a contact',
};

async function isValidValue(
  db: Database,
  type: DataType,
  options: readonly string[],
  value: unknown,
): Promise<boolean> {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (typeof value !== 'string') return false;
  switch (type) {
    case 'text':
    case 'textarea':
      return true;
    case 'url':
      return isUrl(value);
    case 'date':
      return isDate(value);
    case 'datetime':
      return isDateTime(value);
    case 'select':
      return options.includes(value);
    case 'user':
      return isEmail(value);
    case 'contact':
      return (await findRecordId(db, 'contact', value)) !== undefined;
  }
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
