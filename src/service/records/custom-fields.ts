import type { Selectable } from 'kysely';
import type { CustomField, customFields, Model } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import type { Input } from '../../contract/grammar.ts';
import { type Database, transact } from '../db/database.ts';
import { ids } from '../db/ids.ts';
import { allRows, pageBytes, pageOf, pageRows } from '../db/page.ts';
import { byId, reading } from '../db/reading.ts';
import type { Tables } from '../db/tables.ts';
import { timestamp } from '../db/timestamps.ts';
import type { Deps, Handlers } from '../deps.ts';
import type { Faults } from '../field-errors.ts';
import { changeRecord } from './change-record.ts';
import {
  definitionColumns,
  definitionOf,
  type FieldRow,
  nameFaults,
  optionFaults,
  wholeDefinition,
} from './field-values.ts';

type CustomFieldRow = Selectable<Tables['custom_field']>;

/** Specification, 2.7 and 4.4. */
export function customFieldHandlers({ db, now }: Deps): Handlers<'customFields'> {
  return {
    list: (input) =>
      pageOf(db, 'custom_field', { first: allRows, ...input }, fieldPageBytes, async (window) =>
        (await fieldPage(db, window)).map(customFieldRecord),
      ),
    get: async ({ custom_field_id }) => customFieldRecord(await customFieldRow(db, custom_field_id)),
    create: ({ model, ...asked }, faults) =>
      transact(db, async (db) => {
        const definition = wholeDefinition(asked, faults, []);
        if (model !== undefined) await takenFault(db, model, definition.name, undefined, faults);
        faults.raise();
        const time = now().getTime();
        const row = await db
          .insertInto('custom_field')
          .values({ model, ...definitionColumns(definition), created_at: time, updated_at: time })
          .returningAll()
          .executeTakeFirstOrThrow();
        return customFieldRecord(row);
      }),
    update: ({ custom_field_id, ...input }, faults) =>
      transact(db, async (db) => {
        const row = await customFieldRow(db, custom_field_id);
        await changeFaults(db, row, input, faults);
        faults.raise();
        const { name = row.name } = input;
        const options = input.options ? JSON.stringify(input.options) : row.options;
        return changeRecord(db, {
          table: 'custom_field',
          id: row.id,
          now: now(),
          read: async () => customFieldRecord(await customFieldRow(db, custom_field_id)),
          write: () =>
            db.updateTable('custom_field').set({ name, options }).where('id', '=', row.id).execute(),
        });
      }),
    delete: ({ custom_field_id }) =>
      transact(db, async (db) => {
        const { id } = await customFieldRow(db, custom_field_id);
        await db.deleteFrom('custom_field').where('id', '=', id).execute();
        return null;
      }),
  };
}

const columns = ['id', 'name', 'data_type', 'accepts_multiple_values', 'options'] as const;
const allColumns = [...columns, 'model', 'created_at', 'updated_at'] as const;

const rowById = byId('custom_field', allColumns);

const fieldPage = pageRows('custom_field', allColumns);

const fieldPageBytes = pageBytes({ table: 'custom_field', columns: ['name', 'options'] });

/** The custom fields of a model, in the order of their creation. */
export function fieldsOfModel(db: Database, model: Model): Promise<FieldRow[]> {
  return modelFields(db, model);
}

const modelFields = reading('custom_field', columns, 'where model = ? order by id', (model: Model) => [
  model,
]);

/** Adds what is wrong with a change of a field, by the rules of specification 4.4. */
async function changeFaults(
  db: Database,
  row: CustomFieldRow,
  { name, options }: Omit<Input<typeof customFields.update>, 'custom_field_id'>,
  faults: Faults,
): Promise<void> {
  nameFaults(name, faults, ['name']);
  if (name !== undefined) await takenFault(db, row.model, name, row.id, faults);
  if (options === undefined) return;
  if (row.data_type === 'select') optionFaults(options, faults, ['options']);
  else faults.add(['options'], 'value', `A field of type ${row.data_type} has no options.`);
}

async function takenFault(
  db: Database,
  model: Model,
  name: string,
  self: number | undefined,
  faults: Faults,
): Promise<void> {
  const holder = await db
    .selectFrom('custom_field')
    .select('id')
    .where('model', '=', model)
    .where('name', '=', name ?? '')
    .executeTakeFirst();
  if (holder && holder.id !== self) {
    faults.add(['name'], 'taken', `The name "${name}" has already been taken by another field of ${model}.`);
  }
}

async function customFieldRow(db: Database, id: string): Promise<CustomFieldRow> {
  const key = ids.customField.decode(id);
  const row = key === undefined ? undefined : await rowById(db, key);
  if (!row) throw new Failure('not_found', `No custom field has the id "${id}".`);
  return row;
}

function customFieldRecord(row: CustomFieldRow): CustomField {
  const { name, data_type, accepts_multiple_values, options } = definitionOf(row);
  return {
    id: ids.customField.encode(row.id),
    name,
    model: row.model,
    data_type,
    accepts_multiple_values,
    options,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  };
}
