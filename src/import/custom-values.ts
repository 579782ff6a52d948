import { type Fields, fieldsOf } from '../render/fields.ts';
import { normalizeTexts } from '../values/field-values.ts';
import type { NamedValue } from './row-plan.ts';

/** Returns the value of a field in a record's map of fields; null if it has none. */
function findValue(map: unknown, name: string): unknown {
  const field = Object.values(fieldsOf(map))
    .map(fieldsOf)
    .find((one) => one.name === name);
  return field?.value ?? null;
}

/** Returns the wanted values that differ from those in a map of fields. */
export function findChangedValues(map: unknown, wanted: readonly NamedValue[]): NamedValue[] {
  return wanted.filter(({ name, value, data_type }) => !isSameValue(findValue(map, name), value, data_type));
}

/** Returns the values of the named fields, by field name. */
export function readValues(map: unknown, fields: readonly { readonly name: string }[]): Fields {
  return Object.fromEntries(fields.map(({ name }) => [name, findValue(map, name)]));
}

/** Returns values in the form of a request body. */
export function formatValues(values: readonly NamedValue[]): Pick<NamedValue, 'name' | 'value'>[] {
  return values.map(({ name, value }) => ({ name, value }));
}

/** Whether a stored value equals one from a file. The service may write times and email addresses in another form. */
export function isSameValue(stored: unknown, value: unknown, type: unknown): boolean {
  if (Array.isArray(stored) && Array.isArray(value)) {
    return (
      stored.length === value.length && value.every((one, index) => isSameValue(stored[index], one, type))
    );
  }
  if (typeof stored !== 'string' || typeof value !== 'string') return stored === value;
  if (type === 'datetime') return Date.parse(stored) === Date.parse(value);
  if (type === 'user') return stored.toLowerCase() === value.toLowerCase();
  return stored === value;
}

/** Returns the email address of an entry's assignee. Bodies call it `assignee_email`. */
export function readAssigneeEmail({ assignee }: Fields): unknown {
  return typeof assignee === 'object' && assignee !== null && 'email' in assignee ? assignee.email : null;
}

const isFieldMap = (name: string) => name === 'custom_fields' || name === 'list_fields';

/** Returns a record's values in the fields of `shape`, in the form of a body. */
export function pickValues(shape: Fields, record: Fields): Fields {
  return Object.fromEntries(
    Object.entries(shape).map(([name, value]) => {
      if (name === 'assignee_email') return [name, readAssigneeEmail(record)];
      if (!isFieldMap(name)) return [name, normalizeTexts(name, record[name]) ?? null];
      const fields = Object.keys(fieldsOf(value)).map((field) => ({ name: field }));
      return [name, readValues(record[name], fields)];
    }),
  );
}

/** Returns a record without empty values and without its times of creation and update. */
export function pickStoredValues({ created_at: _, updated_at: __, ...record }: Fields): Fields {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  const stored = Object.entries(record).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(
    stored.map(([name, value]) => {
      if (!isFieldMap(name)) return [name, value];
      const fields = Object.entries(fieldsOf(value)).filter(([, field]) => !isEmpty(fieldsOf(field).value));
      return [name, Object.fromEntries(fields)];
    }),
  );
}
