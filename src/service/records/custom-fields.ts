import sql from 'sql-template-tag';
import type { CustomField, customFields, Model } from '../../contract/custom-fields.ts';
import type { Input } from '../../contract/grammar.ts';
import type { Database } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { allRows, createByteCounter, readPage } from '../db/page.ts';
import { updateRow } from '../db/statements.ts';
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
import { changeRecord, createRecord, deleteRecord, getRecord } from './record-rows.ts';

/** Returns the handlers of custom fields (specification, 2.7 and 4.4). */
export function customFieldHandlers({ db, now }: Deps): Handlers<'customFields'> {
  return {
    list: (input) =>
      readPage(db, { scope: 'custom_field', countBytes }, { first: allRows, ...input }, async (window) =>
        (await db.all<Row<'custom_field'>>(sql`select * from custom_field ${window}`)).map(toCustomField),
      ),
    get: async ({ custom_field_id }) => toCustomField(await getRecord(db, 'custom_field', custom_field_id)),
    create: ({ model, ...input }, errors) =>
      db.transaction(async (db) => {
        const definition = validateDefinition(input, errors, []);
        if (model !== undefined) await validateUniqueName(db, model, definition.name, undefined, errors);
        errors.raise();
        const id = await createRecord(db, 'custom_field', now().getTime(), {
          model,
          ...toDefinitionColumns(definition),
        });
        return toCustomField(await getRecord(db, 'custom_field', ids.customField.encode(id)));
      }),
    update: ({ custom_field_id, ...input }, errors) =>
      db.transaction(async (db) => {
        const row = await getRecord(db, 'custom_field', custom_field_id);
        await validateChange(db, row, input, errors);
        errors.raise();
        const { name, options } = input;
        return changeRecord(db, {
          table: 'custom_field',
          id: row.id,
          now: now(),
          read: async () => toCustomField(await getRecord(db, 'custom_field', custom_field_id)),
          write: () =>
            updateRow(db, 'custom_field', row.id, { name, options: options && JSON.stringify(options) }),
        });
      }),
    delete: ({ custom_field_id }) => deleteRecord(db, 'custom_field', custom_field_id),
  };
}

const countBytes = createByteCounter({ table: 'custom_field', columns: ['name', 'options'] });

/** Validates a change of a field (specification, 4.4). */
async function validateChange(
  db: Database,
  row: Row<'custom_field'>,
  { name, options }: Omit<Input<typeof customFields.update>, 'custom_field_id'>,
  errors: FieldErrors,
): Promise<void> {
  validateName(name, errors, ['name']);
  if (name !== undefined) await validateUniqueName(db, row.model, name, row.id, errors);
  if (options === undefined) return;
  if (row.data_type === 'select') validateOptions(options, errors, ['options']);
  else errors.add(['options'], 'value', `A field of type ${row.data_type} has no options.`);
}

async function validateUniqueName(
  db: Database,
  model: Model,
  name: string | undefined,
  ownId: number | undefined,
  errors: FieldErrors,
): Promise<void> {
  const field = await db.first<Row<'custom_field'>>(
    sql`select id from custom_field where model = ${model} and name = ${name ?? ''}`,
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
