import type * as v from 'valibot';
import { readTexts } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import { Failure } from './errors.ts';
import type { Output, Page, Route } from './grammar.ts';

/**
 * A value that the client returns. Every record has its id, and its lists and texts are present. Another value may be
 * null, also a map of defined fields: a write must not take missing values for empty ones. A field is undefined only if the contract lets the service omit it. A number that a double
 * cannot hold is text.
 */
export type Received<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? readonly Received<Item>[]
    : T extends object
      ? string extends keyof T
        ? ReceivedMap<T[keyof T]>
        : { readonly [Field in keyof T]: Received<T[Field]> | NullIfMissing<NonNullable<T[Field]>> }
      : T extends number
        ? number | string
        : T;

/** The values of defined fields by id, with any members: a service may map names to values. */
type ReceivedMap<Item> = unknown extends Item
  ? unknown
  : { readonly [id: string]: { readonly [Field in keyof Item]?: Received<Item[Field]> | null } | null };

/** Never for a type with an empty value: lists and texts. */
type NullIfMissing<T> = [T] extends [readonly unknown[]] ? never : string extends T ? never : null;

/** The record of a route as received; null for a route without one. */
export type RouteRecord<R extends Route> = Received<
  Output<R> extends Page<infer Item> ? Item : Output<R> extends { data: infer Item } ? Item : Output<R>
>;

type Normalize = (value: unknown) => unknown;

/** The parts of a valibot schema that describe its values. */
interface Shape extends v.GenericSchema {
  readonly entries?: Entries;
  readonly item?: Shape;
  readonly value?: Shape;
  readonly wrapped?: Shape;
}

/** Creates the failure for a response with something unusable, such as `a record without an id`. */
type CreateFailure = (found: string) => Failure;

/**
 * Returns a function that gives the records of a route the shape of its schema, so that the type holds at run time: a
 * field of another kind is converted if possible. Otherwise, and if it is missing, it is empty or null. Unknown fields
 * stay as they are. The function throws the failure of a record without an id.
 */
export function createRecordNormalizer<R extends Route>(
  route: R,
  createFailure: CreateFailure = (found) => new Failure('failed', `The response has ${found}.`),
): (value: unknown) => RouteRecord<R> {
  const output = route.output as Shape | null; // a schema holds its parts under these names
  const data = output?.entries?.data;
  const record = data?.item ?? data ?? output;
  const normalize = record ? createNormalizer(record, 'a record', createFailure) : () => null;
  return (value) => normalize(value ?? {}) as RouteRecord<R>; // as above
}

/** `name`: the name of the values in a failure. */
function createNormalizer(schema: Shape, name: string, createFailure: CreateFailure): Normalize {
  const { type, entries, item, value, wrapped } = schema;
  if (wrapped) {
    const normalize = createNormalizer(wrapped, name, createFailure);
    if (type === 'optional') return (value) => (value === undefined ? undefined : normalize(value));
    return (value) => (isMissing(value) ? null : normalize(value));
  }
  if (type === 'object' && entries) return createObjectNormalizer(entries, name, createFailure);
  if (value?.entries) return createMapNormalizer(value.entries, createFailure);
  if (item?.entries) return createListNormalizer(createObjectNormalizer(item.entries, name, createFailure));
  return normalizers[type] ?? ((unchanged) => unchanged);
}

type Entries = Readonly<Record<string, Shape>>;

function createObjectNormalizer(entries: Entries, name: string, createFailure: CreateFailure): Normalize {
  const normalizeId = (id: unknown) => {
    if (isMissing(id) || id === '') throw createFailure(`${name} without an id`);
    return toText(id);
  };
  const fields = Object.entries(entries).map(([field, schema]): [string, Normalize] => [
    field,
    field === 'id' ? normalizeId : createNormalizer(schema, `an item of ${field}`, createFailure),
  ]);
  return (value) =>
    isMissing(value) ? null : normalizeFields(isObject(value) ? value : readObject(value), fields);
}

/** Missing members stay missing, and a value that is not an object unchanged: a service may map names to values. */
function createMapNormalizer(entries: Entries, createFailure: CreateFailure): Normalize {
  const members = Object.entries(entries).map(([name, schema]): [string, Normalize] => {
    const normalize = createNormalizer(schema, name, createFailure);
    return [name, (value) => (isMissing(value) ? value : normalize(value))];
  });
  const normalizeItem = (item: unknown) => (isObject(item) ? normalizeFields(item, members) : item);
  return (map) => {
    if (!isObject(map)) return Array.isArray(map) ? map : null;
    return normalizeFields(
      map,
      Object.keys(map).map((name) => [name, normalizeItem]),
    );
  };
}

/** Keeps the number of items: an item that is not an object becomes an empty one. */
function createListNormalizer(normalize: Normalize): Normalize {
  return (list) => {
    if (!Array.isArray(list)) return [];
    const items = list.map((item) => normalize(item ?? {}));
    return items.every((item, index) => item === list[index]) ? list : items;
  };
}

/** The normalizers of the other values, by the type of their schema. A list without objects contains texts. */
const normalizers: Readonly<Record<string, Normalize>> = {
  string: (value) => (isMissing(value) ? '' : toText(value)),
  picklist: (value) => (isMissing(value) ? null : toText(value)),
  number: (value) => (typeof value === 'number' || typeof value === 'string' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  array: (value) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : readTexts(value),
};

/** Whether a value is null or undefined. */
export const isMissing = (value: unknown) => value === null || value === undefined;

const toText = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Copies an object only if a field changes: most records have the shape already. */
function normalizeFields(object: JsonObject, fields: readonly (readonly [string, Normalize])[]): JsonObject {
  let copy: Record<string, unknown> | undefined;
  for (const [name, normalize] of fields) {
    const value = object[name];
    const normalized = normalize(value);
    if (normalized === value) continue;
    copy ??= { ...object };
    copy[name] = normalized;
  }
  return copy ?? object;
}
