import type * as v from 'valibot';
import { readTexts } from '../values/field-values.ts';
import type { Output, Page, Route } from './grammar.ts';

/**
 * A value as a service may send it: any field may be missing or null, and a number that a double cannot hold is text.
 * A free-form object, such as a summary, is unknown.
 */
export type Received<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? readonly Received<Item>[]
    : T extends object
      ? IsFreeForm<T> extends true
        ? unknown
        : { readonly [Field in keyof T]?: Received<T[Field]> | null }
      : T extends number
        ? number | string
        : T;

type IsFreeForm<T> = string extends keyof T ? (unknown extends T[keyof T] ? true : false) : false;

/** The record of a route as received; null for a route without one. */
export type RouteRecord<R extends Route> = Received<
  Output<R> extends Page<infer Item> ? Item : Output<R> extends { data: infer Item } ? Item : Output<R>
>;

type Normalize = (value: unknown) => unknown;
type Json = Readonly<Record<string, unknown>>;

/**
 * Returns a function that gives JSON values the shape of a schema, so that the type holds at run time: a field of
 * another kind is converted if possible, and is null or empty otherwise. Unknown fields stay as they are.
 */
export function createNormalizer<S extends v.GenericSchema>(
  schema: S,
): (value: unknown) => Received<v.InferOutput<S>> {
  const normalize = readShape(schema);
  return (value) => normalize(value) as Received<v.InferOutput<S>>; // the shape is read from the same schema
}

/** Returns the normalizer for the records of a route. */
export function createRecordNormalizer<R extends Route>(route: R): (value: unknown) => RouteRecord<R> {
  const output = route.output as Shape | null; // a schema holds its parts under these names
  const data = output?.entries?.data;
  const normalize = output ? readShape(data?.item ?? data ?? output) : () => null;
  return (value) => normalize(value) as RouteRecord<R>; // as above
}

/** The parts of a valibot schema that say what it takes. */
interface Shape extends v.GenericSchema {
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly item?: Shape;
  readonly value?: Shape;
  readonly wrapped?: Shape;
}

function readShape(schema: Shape): Normalize {
  const { type, entries, item, value, wrapped } = schema;
  if (wrapped) return readShape(wrapped);
  if (type === 'object' && entries) return createObjectNormalizer(entries);
  if (type === 'record' && value) return createMapNormalizer(readShape(value));
  if (item) return item.type === 'object' ? createListNormalizer(readShape(item)) : unlessNull(toTexts);
  if (type === 'string' || type === 'picklist') return unlessNull(toText);
  if (type === 'number') return unlessNull(toNumber);
  if (type === 'boolean') return unlessNull((flag) => (typeof flag === 'boolean' ? flag : null));
  return (value) => value;
}

const unlessNull =
  (normalize: Normalize): Normalize =>
  (value) =>
    value === null || value === undefined ? value : normalize(value);

const toText = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);

const toNumber = (value: unknown) => (typeof value === 'number' || typeof value === 'string' ? value : null);

const toTexts = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : readTexts(value);

function toObject(value: unknown): Json {
  if (typeof value !== 'object' || value === null) return {};
  return Array.isArray(value) ? { ...value } : (value as Json); // no other object is JSON
}

/** Copies an object only if a field changes: most records have the shape already. */
function createObjectNormalizer(entries: Readonly<Record<string, Shape>>): Normalize {
  const fields = Object.entries(entries).map(([name, schema]) => [name, readShape(schema)] as const);
  return unlessNull((value) => {
    const record = toObject(value);
    const changes = fields.flatMap(([name, normalize]) => {
      const normalized = normalize(record[name]);
      return normalized === record[name] ? [] : [[name, normalized]];
    });
    return changes.length === 0 ? record : { ...record, ...Object.fromEntries(changes) };
  });
}

/** A value that is not an object stays as it is: a service may map names to values. */
function createMapNormalizer(normalize: Normalize): Normalize {
  const normalizeField = (field: unknown) => (isPlainObject(field) ? normalize(field) : field);
  return unlessNull((value) => {
    if (!isPlainObject(value)) return Array.isArray(value) ? value : null;
    const isSame = Object.values(value).every((field) => normalizeField(field) === field);
    return isSame ? value : mapValues(value, normalizeField);
  });
}

const isPlainObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (map: Json, change: Normalize) =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));

/** Keeps the number of items: an item that is not an object becomes an empty one. */
function createListNormalizer(normalize: Normalize): Normalize {
  return unlessNull((value) => {
    if (!Array.isArray(value)) return [];
    const items = value.map((item) => normalize(item ?? {}));
    return items.every((item, index) => item === value[index]) ? value : items;
  });
}
