import sql, { raw } from 'sql-template-tag';
import type { Model } from '../../contract/custom-fields.ts';
import type { FieldErrors, FieldPath } from '../../contract/field-errors.ts';
import { cardinalityTypes, type FieldDefinition } from '../../contract/fields.ts';
import { settleAll } from '../../values/concurrency.ts';
import { quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { insertRow, updateRow } from '../db/statements.ts';
import type { FieldColumns, Row } from '../db/tables.ts';
import type { Validation } from './record-rows.ts';

/** A field of a model or a list. */
export type FieldRow = FieldColumns & { id: number };

/** The input of a definition, which may be incomplete. */
type DefinitionInput = {
  readonly [Name in keyof FieldDefinition]?: FieldDefinition[Name] | undefined;
};

/** Validates a definition at `path` of a body, and completes it with defaults (specification, 2.2). */
export function validateDefinition(
  input: DefinitionInput,
  errors: FieldErrors,
  path: FieldPath,
): FieldDefinition {
  const { name = '', data_type = 'text', accepts_multiple_values, options } = input;
  validateName(input.name, errors, [...path, 'name']);
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
    options: options ?? [],
  };
}

/** Adds an error if a name is blank. */
export function validateName(name: string | undefined, errors: FieldErrors, path: FieldPath): void {
  if (name !== undefined && name.trim() === '') errors.add(path, 'value', 'A name must not be blank.');
}

export function validateOptions(options: readonly string[], errors: FieldErrors, path: FieldPath): void {
  if (options.length === 0) errors.add(path, 'value', 'A select needs at least one option.');
  options.forEach((option, index) => {
    if (option.trim() === '') errors.add([...path, index], 'value', 'An option must not be blank.');
    if (options.indexOf(option) < index) {
      errors.add([...path, index], 'taken', `The option ${quote(option)} is repeated.`);
    }
  });
}

export function toDefinitionColumns(definition: FieldDefinition): FieldColumns {
  const { accepts_multiple_values, options } = definition;
  return {
    ...definition,
    accepts_multiple_values: Number(accepts_multiple_values),
    options: JSON.stringify(options),
  };
}

export function parseDefinition(row: FieldColumns): FieldDefinition {
  return {
    name: row.name,
    data_type: row.data_type,
    accepts_multiple_values: row.accepts_multiple_values === 1,
    options: JSON.parse(row.options),
  };
}

const fieldColumns = ['id', 'name', 'data_type', 'accepts_multiple_values', 'options'] as const;

export const selectCustomFields = (model: Model) =>
  sql`select ${raw(fieldColumns.join(', '))} from custom_field where model = ${model}`;

export const selectListFields = (list: number) =>
  sql`select ${raw(fieldColumns.join(', '))} from list_field where list_id = ${list}`;

/** Reads the fields of a list, oldest first. */
export const readListFields = (db: Database, list: number) =>
  db.all<FieldRow>(sql`${selectListFields(list)} order by id`);

/** A valid field of a list: an existing one with its id, or a new one. */
type ListField = FieldDefinition & { readonly id: number | undefined };

/** Validates the fields of a new list, or the fields to change in the list `row`. */
export async function validateListFields(
  { db, errors }: Validation,
  row: Row<'list'> | undefined,
  inputs: readonly DefinitionInput[],
): Promise<ListField[]> {
  const existingFields = row ? await readListFields(db, row.id) : [];
  const findValue = (field: number) =>
    db.first(sql`select 1 from entry_value where field_id = ${field} limit 1`);
  const fields: ListField[] = [];
  for (const [index, input] of inputs.entries()) {
    if (!input) continue; // an invalid definition, which was removed
    const { name } = input;
    if (inputs.findIndex((other) => other?.name === name) < index)
      errors.add(['fields', index, 'name'], 'taken', `The field ${quote(name ?? '')} is repeated.`);
    const storedField = existingFields.find((field) => field.name === name);
    // A field with a new type keeps nothing of the old definition.
    const isSameType = storedField && (input.data_type ?? storedField.data_type) === storedField.data_type;
    const old = isSameType ? parseDefinition(storedField) : undefined;
    const field = validateDefinition({ ...old, ...input }, errors, ['fields', index]);
    const isCompatible = old?.accepts_multiple_values === field.accepts_multiple_values;
    if (storedField && !isCompatible && (await findValue(storedField.id))) {
      const message = `Entries have values of ${quote(field.name)}, so its type cannot change.`;
      errors.add(['fields', index], 'in_use', message);
    }
    fields.push({ ...field, id: storedField?.id });
  }
  return fields;
}

/** Adds the new fields of a list and updates the existing ones. */
export async function storeListFields(
  db: Database,
  list_id: number,
  fields: readonly ListField[],
): Promise<void> {
  await settleAll(
    fields.map(({ id, ...definition }) => {
      const columns = toDefinitionColumns(definition);
      return id === undefined
        ? insertRow(db, 'list_field', { list_id, ...columns })
        : updateRow(db, 'list_field', id, columns);
    }),
  );
}
