import { isDeepStrictEqual } from 'node:util';
import type { Contact } from '../contract/contacts.ts';
import type { Entry } from '../contract/entries.ts';
import type { Note } from '../contract/notes.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import {
  findDefinedValue,
  isFieldContainer,
  listDefinedValues,
  normalizeTexts,
} from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';

type StoredFields = Received<Contact & Organization & Entry & Omit<Note, 'organization_id'>>;

/** A contact, organization, entry or note, as the service returned it or as an import predicts it. */
export type StoredRecord = Partial<StoredFields> & { readonly id: string };

/** Values of a record or a request body, by field name. */
export type Values = JsonObject;

/** The values of a record's custom fields, or of an entry's list fields. */
type FieldMap = StoredFields['custom_fields'];

/** Returns values in the form of a request body. */
export function toBody(values: Values): Values {
  const toNamedValues = (map: unknown) =>
    Object.entries(readObject(map)).map(([name, value]) => ({ name, value }));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isFieldContainer(name) ? toNamedValues(value) : value,
    ]),
  );
}

/** Returns the email address of an entry's assignee. Bodies call it `assignee_email`. */
export const readAssigneeEmail = ({ assignee }: Values): unknown => readObject(assignee).email ?? null;

/** Returns a record's values in the fields that other values name. */
export function pickValues(fields: Values, record: Values): Values {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (name === 'assignee_email') return [name, readAssigneeEmail(record)];
      if (!isFieldContainer(name)) return [name, normalizeTexts(name, record[name]) ?? null];
      const names = Object.keys(readObject(value));
      return [name, Object.fromEntries(names.map((key) => [key, findDefinedValue(record[name], key)]))];
    }),
  );
}

/** Returns only the values of some fields; custom fields and list fields are named individually. */
export function keepValues(values: Values, names: readonly string[]): Values {
  const remainingEntries = Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    if (!isFieldContainer(name)) return names.includes(name) ? [[name, value]] : [];
    const fields = Object.entries(readObject(value)).filter(([field]) => names.includes(field));
    return fields.length > 0 ? [[name, Object.fromEntries(fields)]] : [];
  });
  return Object.fromEntries(remainingEntries);
}

/** Returns a record with some values replaced. */
export function replaceValues(record: StoredRecord | undefined, values: Values): StoredRecord {
  const { assignee_email, custom_fields, list_fields, ...otherValues } = values;
  const result: Values = {
    ...record,
    ...otherValues,
    ...(assignee_email !== undefined && { assignee: assignee_email && { email: assignee_email } }),
    ...(custom_fields !== undefined && { custom_fields: setFields(record?.custom_fields, custom_fields) }),
    ...(list_fields !== undefined && { list_fields: setFields(record?.list_fields, list_fields) }),
  };
  return result as StoredRecord; // the names of `values` are fields of a record
}

function setFields(map: FieldMap | undefined, values: unknown): NonNullable<FieldMap> {
  const fields = new Map(Object.entries(map ?? {}));
  for (const [name, value] of Object.entries(readObject(values))) {
    const [id = name, field] = [...fields].find(([, fieldValue]) => fieldValue?.name === name) ?? [];
    fields.set(id, { ...field, name, value });
  }
  return Object.fromEntries(fields);
}

/** Returns values in one level: the value of a defined field has the field's own name. */
export function flatten(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (!isFieldContainer(name)) return [[name, value]];
      const fields = listDefinedValues(value);
      const isMap = Object.values(readObject(value)).every((field) => isObject(field) && 'value' in field);
      return isMap ? fields.map((field) => [field.name, field.value]) : Object.entries(readObject(value));
    }),
  );
}

/** Whether two values are equal in JSON, in any order of their members. */
export const isSameJson = (left: unknown, right: unknown): boolean =>
  isDeepStrictEqual(toJson(left), toJson(right));

const toJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
