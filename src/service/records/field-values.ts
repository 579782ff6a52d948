import sql, { raw } from 'sql-template-tag';
import type { Model } from '../../contract/custom-fields.ts';
import type { FieldPath } from '../../contract/field-errors.ts';
import { type DataType, describeExpected, type ParsedValue, parseValue } from '../../contract/field-types.ts';
import type { FieldDefinition } from '../../contract/fields.ts';
import { removeInvisible } from '../../values/clean-text.ts';
import { settleAll } from '../../values/concurrency.ts';
import { describeUnknownField } from '../../values/names.ts';
import { quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { isIn } from '../db/render-sql.ts';
import { insertRows } from '../db/statements.ts';
import { type FieldRow, parseDefinition, selectCustomFields } from './field-definitions.ts';
import { findRecordId, type Validation } from './record-rows.ts';

type NamedValues = readonly { readonly name: string; readonly value: unknown }[];

/** Reads the custom fields of a model, oldest first, unless there are no values for them. */
export const readUsedFields = async (db: Database, model: Model, items: NamedValues) =>
  items.length === 0 ? [] : db.all<FieldRow>(sql`${selectCustomFields(model)} order by id`);

/**
 * Validates values by the names of their fields; null clears a value. Returns a function that stores the values of a
 * record.
 */
export async function validateValues(
  check: Validation,
  table: 'contact_value' | 'organization_value' | 'entry_value',
  fields: readonly FieldRow[],
  items: NamedValues,
) {
  const container = table === 'entry_value' ? 'list_fields' : 'custom_fields';
  const changes: { field_id: number; value: unknown }[] = [];
  for (const [index, item] of items.entries()) {
    if (!item) continue; // an invalid item, which was removed
    const addNameError = (code: string, message: string) =>
      check.errors.add([container, index, 'name'], code, message);
    const field = fields.find(({ name }) => name === item.name);
    if (!field) {
      const names = fields.map(({ name }) => name);
      addNameError('unknown', describeUnknownField(item.name, names));
    } else if (items.findIndex((other) => other?.name === item.name) < index) {
      addNameError('taken', `The field ${quote(item.name)} is repeated.`);
    } else {
      const value = item.value === '' && clearedByEmptyText.includes(field.data_type) ? null : item.value;
      const path = [container, index, 'value'];
      changes.push({
        field_id: field.id,
        value: await readValue(check, parseDefinition(field), value, path),
      });
    }
  }
  return async (record_id: number, isNew: boolean) => {
    const { db } = check;
    const fields = changes.map(({ field_id }) => field_id);
    const rows = changes.flatMap(({ field_id, value }) =>
      value === null ? [] : [{ record_id, field_id, value: JSON.stringify(value) }],
    );
    const isReplacing = !isNew && fields.length > 0;
    await settleAll([
      isReplacing &&
        db.run(sql`delete from ${raw(table)} where record_id = ${record_id} and ${isIn('field_id', fields)}`),
      insertRows(db, table, rows),
    ]);
  };
}

/** Types whose value an empty text clears. */
const clearedByEmptyText: readonly DataType[] = ['url', 'date', 'datetime', 'number', 'user', 'contact'];

/** Returns a value as it is stored. Adds an error if it is not valid. */
async function readValue(
  { db, errors }: Validation,
  field: FieldDefinition,
  value: unknown,
  path: FieldPath,
): Promise<unknown> {
  const { name, accepts_multiple_values } = field;
  if (value === null) return null;
  const items: unknown[] = [];
  if (value === undefined) {
    errors.add(path, 'required', `A value for ${quote(name)} is required; null clears it.`);
  } else if (accepts_multiple_values !== Array.isArray(value)) {
    const expected = accepts_multiple_values ? 'an array of values' : 'one value, not an array';
    errors.add(path, 'type', `The field ${quote(name)} takes ${expected}.`);
  } else {
    for (const [index, item] of [value].flat().entries()) {
      const parsed = await parseItem(db, field, item);
      const itemPath = Array.isArray(value) ? [...path, index] : path;
      if ('value' in parsed) items.push(parsed.value);
      else errors.add(itemPath, 'value', `The field ${quote(name)} takes ${parsed.expected}.`);
    }
  }
  return Array.isArray(value) ? items : items[0];
}

async function parseItem(db: Database, field: FieldDefinition, value: unknown): Promise<ParsedValue> {
  if (field.data_type === 'number') return Number.isFinite(value) ? { value } : { expected: 'a number' };
  const text = typeof value === 'string' ? value : undefined;
  if (field.data_type !== 'contact') {
    const typedField = { type: field.data_type, options: field.options };
    const result = text === undefined ? undefined : parseValue(text, typedField);
    // Commands accept an option in any case, and send it as the field has it.
    const isValid = result && 'value' in result && (field.data_type !== 'select' || result.value === text);
    return isValid ? result : { expected: describeExpected(typedField) ?? 'a text' };
  }
  const contact = text === undefined ? undefined : await findRecordId(db, 'contact', text);
  return contact === undefined ? { expected: 'the id of a contact' } : { value };
}

/** Returns the name of a record as it is stored: null if it is blank. */
export function readName(text: string | null | undefined): string | null | undefined {
  const name = text && removeInvisible(text);
  return name?.trim() === '' ? null : name;
}
