import { type Fields, fieldsOf } from '../render/fields.ts';
import { normalizeTexts } from '../values/field-values.ts';
import type { NamedValue } from './wishes.ts';

/** The value that a record has in a field of its map, by the name of the field; null where it has none. */
function valueNamed(map: unknown, name: string): unknown {
  const named = Object.values(fieldsOf(map))
    .map(fieldsOf)
    .find((field) => field.name === name);
  return named?.value ?? null;
}

/** The wanted values that a map of fields has not. */
export function valuesMissing(map: unknown, wanted: readonly NamedValue[]): NamedValue[] {
  return wanted.filter(({ name, value, data_type }) => !isSame(valueNamed(map, name), value, data_type));
}

/** What stands in the fields that are to change, by their names. */
export function valuesNow(map: unknown, changing: readonly { readonly name: string }[]): Fields {
  return Object.fromEntries(changing.map(({ name }) => [name, valueNamed(map, name)]));
}

/** Values as a body takes them. */
export function forBody(values: readonly NamedValue[]): Pick<NamedValue, 'name' | 'value'>[] {
  return values.map(({ name, value }) => ({ name, value }));
}

/** Whether a value that a service holds is the one that a sheet gives: it may write times and addresses its own way. */
export function isSame(held: unknown, given: unknown, type: unknown): boolean {
  if (Array.isArray(held) && Array.isArray(given)) {
    return held.length === given.length && given.every((one, index) => isSame(held[index], one, type));
  }
  if (typeof held !== 'string' || typeof given !== 'string') return held === given;
  if (type === 'datetime') return Date.parse(held) === Date.parse(given);
  if (type === 'user') return held.toLowerCase() === given.toLowerCase();
  return held === given;
}

/** The email address of the user that an entry is assigned to, which a body has by another name. */
export function assigneeOf({ assignee }: Fields): unknown {
  return typeof assignee === 'object' && assignee !== null && 'email' in assignee ? assignee.email : null;
}

/** What a record has in the fields that `shape` has, as a body takes it; of a map of fields those that it names. */
export function valuesLike(shape: Fields, record: Fields): Fields {
  return Object.fromEntries(
    Object.entries(shape).map(([name, value]) => {
      if (name === 'assignee_email') return [name, assigneeOf(record)];
      if (name !== 'custom_fields' && name !== 'list_fields')
        return [name, normalizeTexts(name, record[name]) ?? null];
      const named = Object.keys(fieldsOf(value)).map((field) => ({ name: field }));
      return [name, valuesNow(record[name], named)];
    }),
  );
}

/** What a record holds, without what the service writes of itself and what is empty. */
export function lasting({ created_at: _, updated_at: __, ...record }: Fields): Fields {
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  const filled = Object.entries(record).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(
    filled.map(([name, value]) => {
      if (name !== 'custom_fields' && name !== 'list_fields') return [name, value];
      const held = Object.entries(fieldsOf(value)).filter(([, field]) => !isEmpty(fieldsOf(field).value));
      return [name, Object.fromEntries(held)];
    }),
  );
}
