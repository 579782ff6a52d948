import { extractHost } from '../values/domain.ts';
import { isSameValue, normalizeTexts, readTexts } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import type { NamedValue, Step, StoredRecord, Values } from './rows.ts';

/** The values of a record's custom fields, or of an entry's list fields. */
type FieldMap = StoredRecord['custom_fields'];

const isFieldMap = (name: string): name is 'custom_fields' | 'list_fields' =>
  name === 'custom_fields' || name === 'list_fields';

/** Returns the value of a field in a record's map of fields; null if it has none. */
function findValue(map: FieldMap, name: string): unknown {
  return Object.values(map ?? {}).find((field) => field?.name === name)?.value ?? null;
}

/** Returns values by field name, as steps hold them. */
export function toValues(values: readonly NamedValue[]): Values {
  return Object.fromEntries(values.map(({ name, value }) => [name, value]));
}

/** Returns the wanted values that differ from those in a map of fields. */
export function findChangedValues(map: FieldMap, wanted: readonly NamedValue[]): NamedValue[] {
  return wanted.filter(({ name, value, data_type }) => !isSameValue(findValue(map, name), value, data_type));
}

/** Returns the values of a step in the form of a request body. */
export function toBody(values: Values): Values {
  const toNamedValues = (map: unknown) =>
    Object.entries(readObject(map)).map(([name, value]) => ({ name, value }));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isFieldMap(name) ? toNamedValues(value) : value]),
  );
}

/** Returns the email address of an entry's assignee. Bodies call it `assignee_email`. */
export function readAssigneeEmail({ assignee }: StoredRecord): string | null {
  return assignee?.email ?? null;
}

/** Returns a record's values in the fields of a step. */
export function pickValues(fields: Values, record: StoredRecord): Values {
  const values: Values = record;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (name === 'assignee_email') return [name, readAssigneeEmail(record)];
      if (!isFieldMap(name)) return [name, normalizeTexts(name, values[name]) ?? null];
      const map = record[name];
      return [
        name,
        Object.fromEntries(Object.keys(readObject(value)).map((key) => [key, findValue(map, key)])),
      ];
    }),
  );
}

/** Returns a record without empty values and without its times of creation and update. */
export function pickStoredValues({ created_at: _, updated_at: __, ...record }: StoredRecord): Values {
  const isStored = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  const stored = Object.entries(record).filter(([, value]) => isStored(value));
  return Object.fromEntries(
    stored.map(([name, value]) => {
      if (!isFieldMap(name)) return [name, value];
      const fields = Object.entries(record[name] ?? {}).filter(([, field]) => isStored(field?.value));
      return [name, Object.fromEntries(fields)];
    }),
  );
}

/** Returns a record with the values of a step in place of its own. */
export function replaceValues(record: StoredRecord | undefined, values: Values): StoredRecord {
  const { assignee_email, custom_fields, list_fields, ...own } = values;
  const replaced: Values = {
    ...record,
    ...own,
    ...(assignee_email !== undefined && { assignee: assignee_email && { email: assignee_email } }),
    ...(custom_fields !== undefined && { custom_fields: setFields(record?.custom_fields, custom_fields) }),
    ...(list_fields !== undefined && { list_fields: setFields(record?.list_fields, list_fields) }),
  };
  return replaced as StoredRecord; // a step has the fields of its record
}

function setFields(map: FieldMap, values: unknown): NonNullable<FieldMap> {
  const fields = new Map(Object.entries(map ?? {}));
  for (const [name, value] of Object.entries(readObject(values))) {
    const [id = name, field] = [...fields].find(([, one]) => one?.name === name) ?? [];
    fields.set(id, { ...field, name, value });
  }
  return Object.fromEntries(fields);
}

/** Whether an id is that of a record that exists only in a dry run. */
export const isPredictedId = (id: unknown) => typeof id === 'string' && /^row \d+$/.test(id);

/** Returns the record as it would be after a step. */
export function predictRecord(
  { body, id }: Step,
  current: StoredRecord | undefined,
  row: number,
): StoredRecord {
  const { emails, domains } = body;
  return replaceValues(current, {
    ...body,
    id: id ?? `row ${row}`,
    isPredicted: id === undefined || (current?.isPredicted ?? false),
    ...(emails !== undefined && { emails: addTexts(current?.emails, emails, (email) => email.trim()) }),
    ...(domains !== undefined && {
      domains: addTexts(current?.domains, domains, (domain) => extractHost(domain) ?? domain),
    }),
  });
}

/** Adds texts as the service does: in its format, and without duplicates that differ only in case. */
function addTexts(stored: unknown, added: unknown, format: (text: string) => string): string[] {
  const texts = [...readTexts(stored), ...readTexts(added)].map(format);
  const folded = texts.map((text) => text.toLowerCase());
  return texts.filter((_, index) => folded.indexOf(folded[index] ?? '') === index);
}
