import sql from 'sql-template-tag';
import type { CustomField, customFields, Model } from '../../contract/custom-fields.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { allRows, createByteCounter } from '../db/page.ts';
import type { Row } from '../db/tables.ts';
import { formatStamps } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { FieldErrors } from '../field-errors.ts';
import {
  parseDefinition,
  toDefinitionColumns,
  validateDefinition,
  validateName,
  validateOptions,
} from './field-definitions.ts';
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
  return { ...records, list: (request) => records.list({ first: allRows, ...request }) };
}

type FieldInput = RecordInput<typeof customFields.create>;

async function validateField(
  db: Database,
  { model, ...input }: FieldInput,
  errors: FieldErrors,
): Promise<RecordChange<'custom_field'>> {
  const definition = validateDefinition(input, errors, []);
  if (model !== undefined) await validateUniqueName(db, model, definition.name, undefined, errors);
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
  const { name, ...definition } = parseDefinition(row);
  return { id: ids.customField.encode(row.id), name, model: row.model, ...definition, ...formatStamps(row) };
}
