import sql from 'sql-template-tag';
import type { CustomField, customFields, Model } from '../../contract/custom-fields.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { allRows, createByteCounter } from '../db/page.ts';
import type { Row } from '../db/tables.ts';
import { formatTimestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { FieldErrors } from '../field-errors.ts';
import {
  parseDefinition,
  toDefinitionColumns,
  validateDefinition,
  validateName,
  validateOptions,
} from './field-values.ts';
import { createRecordHandlers, type RecordChange, type RecordInput } from './record-rows.ts';

/** Returns the handlers of custom fields (specification, 2.7 and 4.4). */
export function customFieldHandlers(deps: Deps): Handlers<'customFields'> {
  const records = createRecordHandlers(deps, {
    kind: 'custom_field',
    countBytes: createByteCounter({ table: 'custom_field', columns: ['name', 'options'] }),
    toRecords: (_, rows) => rows.map(toCustomField),
    validate: (db, input: FieldInput, errors, row) =>
      row ? validateChange(db, row, input, errors) : validateField(db, input, errors),
  });
  return {
    list: (request) => records.list({ first: allRows, ...request }),
    get: ({ custom_field_id }) => records.get(custom_field_id),
    create: records.create,
    update: ({ custom_field_id, ...input }, errors) => records.update(custom_field_id, input, errors),
    delete: ({ custom_field_id }) => records.delete(custom_field_id),
  };
}

type FieldInput = RecordInput<typeof customFields.create>;

async function validateField(
  db: Database,
  { model, name = '', ...input }: FieldInput,
  errors: FieldErrors,
): Promise<RecordChange<'custom_field'>> {
  const definition = validateDefinition({ name, ...input }, errors, []);
  if (model !== undefined) await validateUniqueName(db, model, name, undefined, errors);
  return { columns: { model, ...toDefinitionColumns(definition) } };
}

async function validateChange(
  db: Database,
  row: Row<'custom_field'>,
  { name, options }: FieldInput,
  errors: FieldErrors,
): Promise<RecordChange<'custom_field'>> {
  validateName(name, errors, ['name']);
  if (name !== undefined) await validateUniqueName(db, row.model, name, row.id, errors);
  if (options && row.data_type === 'select') validateOptions(options, errors, ['options']);
  else if (options) errors.add(['options'], 'value', `A field of type ${row.data_type} has no options.`);
  return { columns: { name, options: options && JSON.stringify(options) } };
}

async function validateUniqueName(
  db: Database,
  model: Model,
  name: string,
  ownId: number | undefined,
  errors: FieldErrors,
): Promise<void> {
  const field = await db.first<Row<'custom_field'>>(
    sql`select id from custom_field where model = ${model} and name = ${name}`,
  );
  if (field && field.id !== ownId) {
    errors.add(['name'], 'taken', `The name "${name}" has already been taken by another field of ${model}.`);
  }
}

function toCustomField(row: Row<'custom_field'>): CustomField {
  const { name, data_type, accepts_multiple_values, options } = parseDefinition(row);
  return {
    id: ids.customField.encode(row.id),
    name,
    model: row.model,
    data_type,
    accepts_multiple_values,
    options,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}
