import type { DataType, ValueMap } from '../../contract/fields.ts';
import { cardinalityTypes } from '../../contract/fields.ts';
import { isDate, isDateTime } from '../../values/dates.ts';
import { isUrl } from '../../values/domain.ts';
import { isEmail } from '../../values/email.ts';
import type { Database } from '../db/database.ts';
import type { Ids } from '../db/hashids.ts';
import { ids } from '../db/ids.ts';
import { belonging } from '../db/reading.ts';
import type { FieldColumns } from '../db/tables.ts';
import type { Faults, Place } from '../field-errors.ts';

/** A field of a model or of a list, with its row. */
export type FieldRow = FieldColumns & { id: number };

/** A field definition as the interface shows it (specification, 2.2). */
export interface Definition {
  name: string;
  data_type: DataType;
  accepts_multiple_values: boolean;
  options: string[];
}

/** What a definition is asked to be (specification, 2.2). */
export type AskedDefinition = {
  readonly name: string;
  readonly data_type?: DataType | undefined;
  readonly accepts_multiple_values?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
};

/** A definition made whole, its faults by the rules of specification 2.2 added at `place`. */
export function wholeDefinition(asked: AskedDefinition, faults: Faults, place: Place): Definition {
  const { name, data_type = 'text', accepts_multiple_values, options } = asked;
  nameFaults(name, faults, [...place, 'name']);
  if (accepts_multiple_values === undefined && cardinalityTypes.includes(data_type)) {
    faults.add(
      [...place, 'accepts_multiple_values'],
      'required',
      `accepts_multiple_values is required for a field of type ${data_type}.`,
    );
  }
  if (data_type === 'select') {
    if (options === undefined) {
      faults.add([...place, 'options'], 'required', 'options is required for a field of type select.');
    } else optionFaults(options, faults, [...place, 'options']);
  } else if (options && options.length > 0) {
    faults.add([...place, 'options'], 'value', `A field of type ${data_type} has no options.`);
  }
  return {
    name,
    data_type,
    accepts_multiple_values: accepts_multiple_values ?? false,
    options: [...(options ?? [])],
  };
}

/** Adds a fault for a name that is blank. */
export function nameFaults(name: string | undefined, faults: Faults, place: Place): void {
  if (name !== undefined && name.trim() === '') faults.add(place, 'value', 'A name must not be blank.');
}

/** Adds the faults of the options of a select. */
export function optionFaults(options: readonly string[], faults: Faults, place: Place): void {
  if (options.length === 0) faults.add(place, 'value', 'A select needs at least one option.');
  options.forEach((option, index) => {
    if (option.trim() === '') faults.add([...place, index], 'value', 'An option must not be blank.');
    if (options.indexOf(option) < index) {
      faults.add([...place, index], 'taken', `The option "${option}" is given twice.`);
    }
  });
}

/** The columns of a definition. */
export function definitionColumns(definition: Definition): FieldColumns {
  return {
    name: definition.name,
    data_type: definition.data_type,
    accepts_multiple_values: definition.accepts_multiple_values ? 1 : 0,
    options: JSON.stringify(definition.options),
  };
}

/** A definition from its columns. */
export function definitionOf(row: FieldColumns): Definition {
  return {
    name: row.name,
    data_type: row.data_type,
    accepts_multiple_values: row.accepts_multiple_values === 1,
    options: JSON.parse(row.options),
  };
}

type ValueTable = 'contact_value' | 'organization_value' | 'entry_value';

const valuesFrom = (table: ValueTable) => belonging(table, 'record_id', ['field_id', 'value'], []);

const valuesIn = {
  contact_value: valuesFrom('contact_value'),
  organization_value: valuesFrom('organization_value'),
  entry_value: valuesFrom('entry_value'),
};

/**
 * The values of records: for each record a map of every field of the model or list, null where unset
 * (specification, 2.3).
 */
export async function valueMaps(
  db: Database,
  table: ValueTable,
  fields: readonly FieldRow[],
  records: readonly number[],
): Promise<(record: number) => ValueMap> {
  if (records.length === 0 || fields.length === 0) return () => ({});
  const valuesOf = await valuesIn[table](db, records);
  const { encode } = fieldIds(table);
  return (record) => {
    const map: ValueMap = {};
    const held = valuesOf(record);
    for (const field of fields) {
      const value = held.find(({ field_id }) => field_id === field.id)?.value;
      map[encode(field.id)] = {
        name: field.name,
        data_type: field.data_type,
        value: value === undefined ? null : JSON.parse(value),
      };
    }
    return map;
  };
}

function fieldIds(table: ValueTable): Ids {
  return table === 'entry_value' ? ids.listField : ids.customField;
}

/** A value that was checked and can be stored; null clears. */
export interface CheckedValue {
  readonly field_id: number;
  readonly value: unknown;
}

/** Values by name, checked against the fields of a model or list; faults are added below `place`. */
export async function checkedValues(
  db: Database,
  fields: readonly FieldRow[],
  named: readonly { readonly name: string; readonly value: unknown }[],
  faults: Faults,
  place: Place,
): Promise<CheckedValue[]> {
  const checked: CheckedValue[] = [];
  for (const [index, item] of named.entries()) {
    if (!item) continue; // a hole: at fault already
    const field = fields.find(({ name }) => name === item.name);
    if (!field) {
      const known = fields.map(({ name }) => name).join(', ') || 'none';
      faults.add(
        [...place, index, 'name'],
        'unknown',
        `There is no field "${item.name}"; known are: ${known}.`,
      );
      continue;
    }
    if (named.findIndex((other) => other?.name === item.name) < index) {
      faults.add([...place, index, 'name'], 'taken', `The field "${item.name}" is given twice.`);
      continue;
    }
    const value = isCleared(field, item.value) ? null : item.value;
    await addValueFaults(db, field, value, faults, [...place, index, 'value']);
    checked.push({ field_id: field.id, value: value ?? null });
  }
  return checked;
}

/** Clients of this interface send an empty text to clear a value of one of these types. */
const clearedByEmptyText: readonly DataType[] = ['url', 'date', 'datetime', 'number', 'user', 'contact'];

function isCleared({ data_type }: FieldRow, value: unknown): boolean {
  return value === '' && clearedByEmptyText.includes(data_type);
}

async function addValueFaults(db: Database, field: FieldRow, value: unknown, faults: Faults, place: Place) {
  if (value === null) return;
  if (value === undefined) {
    faults.add(place, 'required', `A value for "${field.name}" is required; null clears it.`);
    return;
  }
  const { data_type, accepts_multiple_values, options } = definitionOf(field);
  if (accepts_multiple_values !== Array.isArray(value)) {
    const what = accepts_multiple_values ? 'several values: give an array' : 'one value, not an array';
    faults.add(place, 'type', `The field "${field.name}" takes ${what}.`);
    return;
  }
  const values: unknown[] = Array.isArray(value) ? value : [value];
  for (const [index, one] of values.entries()) {
    const wanted = await unmetType(db, data_type, options, one);
    if (wanted) {
      const at = Array.isArray(value) ? [...place, index] : place;
      faults.add(at, 'value', `The field "${field.name}" takes ${wanted}.`);
    }
  }
}

/** What a field of the type takes, where the value is none; undefined where it fits. */
async function unmetType(
  db: Database,
  type: DataType,
  options: readonly string[],
  value: unknown,
): Promise<string | undefined> {
  if (type === 'number') {
    return typeof value === 'number' && Number.isFinite(value) ? undefined : 'a number';
  }
  const text = typeof value === 'string' ? value : undefined;
  const fits = (ok: boolean, wanted: string) => (text !== undefined && ok ? undefined : wanted);
  switch (type) {
    case 'text':
    case 'textarea':
      return fits(true, 'a text');
    case 'url':
      return fits(isUrl(text), 'a URL that begins with http:// or https://');
    case 'date':
      return fits(isDate(text), 'a date, YYYY-MM-DD');
    case 'datetime':
      return fits(isDateTime(text), 'a point in time as ISO 8601, such as 2026-05-04T09:30:00Z');
    case 'select':
      return fits(options.includes(text ?? ''), `one of ${options.join(', ')}`);
    case 'user':
      return fits(isEmail(text), 'the email address of a user');
    case 'contact': {
      const row = text === undefined ? undefined : ids.contact.decode(text);
      const found =
        row !== undefined &&
        (await db.selectFrom('contact').select('id').where('id', '=', row).executeTakeFirst());
      return found ? undefined : 'the id of a contact';
    }
  }
}

/** Stores checked values of a record. */
export async function storeValues(
  db: Database,
  table: ValueTable,
  record_id: number,
  values: readonly CheckedValue[],
): Promise<void> {
  const same = table as 'contact_value'; // the three have the same columns
  for (const { field_id, value } of values) {
    await db.deleteFrom(same).where('record_id', '=', record_id).where('field_id', '=', field_id).execute();
    if (value === null) continue;
    await db
      .insertInto(same)
      .values({ record_id, field_id, value: JSON.stringify(value) })
      .execute();
  }
}
