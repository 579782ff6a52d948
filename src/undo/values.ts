import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { FieldDefinition } from '../contract/fields.ts';
import type { Route } from '../contract/grammar.ts';
import {
  pickStoredValues,
  pickValues,
  type StoredRecord,
  toBody,
  type Values,
} from '../import/record-values.ts';
import { extractHost } from '../values/domain.ts';
import { isFieldContainer, listDefinedValues, readTexts } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import { getContactName, getOrganizationName } from '../values/record-names.ts';
import { type Noun, nouns, type RecordPath, type Write } from './nouns.ts';

/** The shape in which the import reads a record; every field may be missing. */
const toStored = (record: JsonObject) => record as StoredRecord;

/** Returns a record's values in the fields of a request body, by field name. */
export function pickSentValues(body: JsonObject, record: JsonObject): Values {
  const values = pickValues(fromBody(body), toStored(record));
  return 'fields' in body ? { ...values, fields: pickDefinitions(body.fields, record.fields) } : values;
}

/** Returns the values of a request body, by field name. */
const fromBody = (body: JsonObject): Values =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isFieldContainer(name) ? nameValues(value) : value]),
  );

const nameValues = (items: unknown) =>
  Object.fromEntries(
    [items].flat().map((item) => {
      const { name, value } = readObject(item);
      return [String(name), value];
    }),
  );

/** Returns one body with the fields of several, also of their defined fields. */
export function mergeBodies(bodies: readonly JsonObject[]): JsonObject {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of bodies.flatMap((body) => Object.entries(body)))
    merged[name] = isFieldContainer(name) ? [merged[name] ?? [], value].flat() : value;
  return merged;
}

/** Returns those definitions of a list that a body names. */
function pickDefinitions(sent: unknown, stored: unknown): JsonObject[] {
  const names = new Set([sent].flat().map((field) => readObject(field).name));
  return listDefinitions(stored).filter(({ name }) => names.has(name));
}

/** Returns the definitions of a list in the form of a request body. */
function listDefinitions(stored: unknown): JsonObject[] {
  const names = Object.keys(FieldDefinition.entries);
  return (Array.isArray(stored) ? stored : []).map((field) =>
    omitMissing(pickMembers(readObject(field), names)),
  );
}

const pickMembers = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]));

const omitMissing = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isMissing(value)));

/** Returns the names of the values that differ. Custom fields and list fields are named individually. */
export function findDifferences(one: Values, other: Values): string[] {
  const [first, second] = [flatten(one), flatten(other)];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].filter((name) => !isDeepStrictEqual(toJson(first[name]), toJson(second[name])));
}

/** Returns values with those of defined fields by the names of the fields. */
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

const toJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

/** Returns the values of a created record that would change if somebody changed the record. */
export const pickOwnValues = (record: JsonObject): Values => pickStoredValues(toStored(record));

/** Returns the body that creates a record again. */
export function toCreateBody(what: Noun, record: JsonObject): JsonObject {
  const names = Object.keys((nouns[what].create as Route).body ?? {});
  const { assignee, fields, custom_fields, list_fields, ...values } = record;
  const toItems = (map: unknown) => {
    const items = listDefinedValues(map).filter(({ value }) => !isEmpty(value));
    return items.length > 0 ? items.map(({ name, value }) => ({ name, value })) : undefined;
  };
  const body = {
    ...values,
    assignee_email: readObject(assignee).email,
    ...(what === 'list' && { fields: listDefinitions(fields) }),
    custom_fields: toItems(custom_fields),
    list_fields: toItems(list_fields),
  };
  const known = Object.entries(pickMembers(body, names)).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries(known);
}

const isMissing = (value: unknown) => value === null || value === undefined;

const isEmpty = (value: unknown) => isMissing(value) || (Array.isArray(value) && value.length === 0);

/** Fields to which an update adds texts, and from which another request removes them. */
const addressFields = ['emails', 'domains'] as const;

/** The writes that give a record its earlier values, and the fields that the interface cannot restore. */
export interface Reversal {
  readonly writes: readonly Write[];
  readonly lost: readonly string[];
}

/** Returns how to give a record back the values that it had before a write. Omits equal values. */
export function revertValues(path: RecordPath, before: Values, after: Values): Reversal {
  const differing = Object.fromEntries(
    Object.entries(before).filter(([name]) => !isSame(name, before, after)),
  );
  const patch: Record<string, unknown> = {};
  const lost: string[] = [];
  const removals: Write[] = [];
  const route: Route = nouns[path.what].update;
  for (const [name, value] of Object.entries(differing)) {
    const address = addressFields.find((field) => field === name);
    if (address) {
      const [earlier, later] = [readTexts(value), readTexts(after[name])];
      if (earlier.some((text) => !later.includes(text))) patch[name] = earlier;
      const added = later.filter((text) => !earlier.includes(text));
      if (added.length > 0) removals.push({ ...path, action: 'remove', body: { [name]: added } });
    } else if (name === 'fields') {
      const { changed, added } = compareDefinitions(value, after.fields);
      if (changed.length > 0) patch.fields = changed;
      lost.push(...added.map((field) => `field "${field}"`));
    } else if (isFieldContainer(name)) {
      patch[name] = pickDifferent(readObject(value), readObject(after[name]));
    } else if (isMissing(value) && !acceptsNull(route, name)) {
      // An organization does not accept null as its name.
      if (name === 'name') patch.name = '';
      else lost.push(name);
    } else patch[name] = value;
  }
  const update: Write[] =
    Object.keys(patch).length > 0 ? [{ ...path, action: 'update', body: toBody(patch) }] : [];
  return { writes: [...update, ...removals], lost };
}

const isSame = (name: string, before: Values, after: Values) =>
  isDeepStrictEqual(toJson(before[name]), toJson(after[name]));

const pickDifferent = (before: JsonObject, after: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(before).filter(([name]) => !isSame(name, before, after)));

function compareDefinitions(before: unknown, after: unknown) {
  const [earlier, later] = [listDefinitions(before), listDefinitions(after)];
  const find = (fields: readonly JsonObject[], name: unknown) => fields.find((field) => field.name === name);
  return {
    changed: earlier.filter((field) => !isDeepStrictEqual(field, find(later, field.name))),
    added: later.filter(({ name }) => !find(earlier, name)).map(({ name }) => String(name)),
  };
}

function acceptsNull({ body }: Route, name: string): boolean {
  const schema = body?.[name];
  return schema !== undefined && v.is(schema, null);
}

/**
 * Whether a record may have got its values from a request: the service may format texts such as phone numbers and
 * addresses, so these are compared loosely.
 */
export function matchesBody(body: JsonObject, record: JsonObject): boolean {
  const stored = flatten(pickSentValues(body, record));
  return Object.entries(flatten(fromBody(body))).every(([name, value]) =>
    isLikely(name, value, stored[name]),
  );
}

function isLikely(name: string, sent: unknown, stored: unknown): boolean {
  if (name === 'organization_id' && sent === 'auto') return true;
  if (name === 'phone_numbers') return readTexts(sent).length >= readTexts(stored).length;
  if (name === 'emails' || name === 'domains') {
    const format = (text: string) => (name === 'domains' ? extractHost(text) : text.trim().toLowerCase());
    const texts = readTexts(stored).map(format);
    return readTexts(sent).every((text) => texts.includes(format(text)));
  }
  if (name === 'fields') return listDefinitions(sent).length === listDefinitions(stored).length;
  if (isEmpty(sent) || sent === '') return isEmpty(stored) || stored === '';
  return isDeepStrictEqual(toJson(sent), toJson(stored));
}

/** Returns the name of a record for a person; undefined if it has none. */
export function getRecordName(what: Noun, record: JsonObject | undefined): string | undefined {
  if (!record) return undefined;
  const stored = toStored(record);
  if (what === 'contact') return getContactName(stored) || undefined;
  if (what === 'organization') return getOrganizationName(stored) || undefined;
  const text = record.name ?? record.key ?? record.body;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
