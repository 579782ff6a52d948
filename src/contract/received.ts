import type * as v from 'valibot';
import { readTexts } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import type { Output, Page, Route } from './grammar.ts';

/** A value as received: any field may be missing or null, and a number that a double cannot hold is text. */
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

/** The parts of a valibot schema that describe its values. */
interface Shape extends v.GenericSchema {
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly item?: Shape;
  readonly value?: Shape;
  readonly wrapped?: Shape;
}

/**
 * Returns a function that gives the records of a route the shape of its schema, so that the type holds at run time: a
 * field of another kind is converted if possible, and is null or empty otherwise. Unknown fields stay as they are.
 */
export function createRecordNormalizer<R extends Route>(route: R): (value: unknown) => RouteRecord<R> {
  const output = route.output as Shape | null; // a schema holds its parts under these names
  const data = output?.entries?.data;
  const normalize = output ? createNormalizer(data?.item ?? data ?? output) : () => null;
  return (value) => (isMissing(value) ? value : normalize(value)) as RouteRecord<R>; // as above
}

function createNormalizer({ type, entries, item, value, wrapped }: Shape): Normalize {
  if (wrapped) return createNormalizer(wrapped);
  if (type === 'object' && entries) {
    const fields = Object.entries(entries).map(([name, schema]) => [name, createNormalizer(schema)] as const);
    return (record) => normalizeFields(isObject(record) ? record : readObject(record), fields);
  }
  if (value) return createMapNormalizer(createNormalizer(value));
  if (item) return item.type === 'object' ? createListNormalizer(createNormalizer(item)) : toTexts;
  if (type === 'string' || type === 'picklist') return toText;
  if (type === 'number')
    return (number) => (typeof number === 'number' || typeof number === 'string' ? number : null);
  if (type === 'boolean') return (flag) => (typeof flag === 'boolean' ? flag : null);
  return (unchanged) => unchanged;
}

/** Whether a value is null or undefined. */
export const isMissing = (value: unknown) => value === null || value === undefined;

const toText = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);

const toTexts = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : readTexts(value);

/** Copies an object only if a field changes: most records have the shape already. */
function normalizeFields(object: JsonObject, fields: readonly (readonly [string, Normalize])[]): JsonObject {
  let copy: Record<string, unknown> | undefined;
  for (const [name, normalize] of fields) {
    const value = object[name];
    if (isMissing(value)) continue;
    const normalized = normalize(value);
    if (normalized === value) continue;
    copy ??= { ...object };
    copy[name] = normalized;
  }
  return copy ?? object;
}

/** A value that is not an object is returned unchanged: a service may map names to values. */
function createMapNormalizer(normalize: Normalize): Normalize {
  const normalizeField = (field: unknown) => (isObject(field) ? normalize(field) : field);
  return (map) => {
    if (!isObject(map)) return Array.isArray(map) ? map : null;
    return normalizeFields(
      map,
      Object.keys(map).map((name) => [name, normalizeField]),
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
