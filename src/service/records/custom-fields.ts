import sql from 'sql-template-tag';
import type { CustomField, customFields, Model } from '../../contract/custom-fields.ts';
import { quote } from '../../values/text.ts';
import { encodeId } from '../db/foreign-ids.ts';
import * as member from '../db/record-members.ts';
import { createRecordReader } from '../db/record-reader.ts';
import type { Row } from '../db/tables.ts';
import type { Deps, Handlers } from '../deps.ts';
import {
  toDefinitionColumns,
  validateDefinition,
  validateName,
  validateOptions,
} from './field-definitions.ts';
import {
  createRecordHandlers,
  createRecordLookup,
  type RecordChange,
  type RecordInput,
  type Validation,
} from './record-rows.ts';

/** Returns the handlers of custom fields (specification, 2.7 and 4.4). */
export function customFieldHandlers(deps: Deps): Handlers<'customFields'> {
  const records = createRecordHandlers(deps, {
    ...createRecordLookup('custom_field'),
    reader: customFieldReader,
    validate: validateField,
  });
  return { ...records, list: (request) => records.list({ first: Number.POSITIVE_INFINITY, ...request }) };
}

export const customFieldReader = createRecordReader<CustomField>({
  table: 'custom_field',
  resource: 'customField',
  members: {
    id: member.id('customField'),
    name: member.value('name'),
    model: member.value('model'),
    data_type: member.value('data_type'),
    accepts_multiple_values: member.boolean('accepts_multiple_values'),
    options: member.json('options'),
    ...member.stamps,
  },
})(undefined);

/** Validates a new field, or a change of the field `row`. */
async function validateField(
  check: Validation,
  { model, ...input }: RecordInput<typeof customFields.create>,
  row: Row<'custom_field'> | undefined,
): Promise<RecordChange<'custom_field'>> {
  const { errors } = check;
  if (!row) {
    const definition = validateDefinition(input, errors, []);
    if (model !== undefined) await validateUniqueName(check, model, definition.name);
    return { columns: { model, ...toDefinitionColumns(definition) } };
  }
  const { name, options } = input;
  validateName(name, errors, ['name']);
  if (name !== undefined) await validateUniqueName(check, row.model, name, row.id);
  if (options && row.data_type === 'select') validateOptions(options, errors, ['options']);
  else if (options) errors.add(['options'], 'value', `A field of type ${row.data_type} has no options.`);
  return { columns: { name, options: options && JSON.stringify(options) } };
}

async function validateUniqueName({ db, errors }: Validation, model: Model, name: string, ownId?: number) {
  const field = await db.first<Row<'custom_field'>>(
    sql`select id from custom_field where model = ${model} and name = ${name}`,
  );
  if (field && field.id !== ownId) {
    errors.add(
      ['name'],
      'taken',
      `The name ${quote(name)} has already been taken by another field of ${model}.`,
      await encodeId(db, 'customField', field.id),
    );
  }
}
