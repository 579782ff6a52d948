import type * as v from 'valibot';
import { readTexts } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import { Failure } from './errors.ts';
import type { Output, Page, Route } from './grammar.ts';

/**
 * A value that the client returns. Every record has its id, and its lists and texts are present. Another missing value
 * is null, or undefined if the contract lets the service omit it. A missing list that a write replaces as a whole is
 * undefined, not empty: a write would otherwise remove items that kith has never seen. A number that a double cannot
 * hold is text.
 */
export type Received<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? readonly Received<Item>[]
    : T extends object
      ? string extends keyof T
        ? ReceivedMap<T[keyof T]>
        : { readonly [Field in keyof T]: Received<T[Field]> | Missing<Field, NonNullable<T[Field]>> }
      : T extends number
        ? number | string
        : T;

/** The values of defined fields by id, with any members: a service may map names to values. */
type ReceivedMap<Item> = unknown extends Item
  ? unknown
  : { readonly [id: string]: { readonly [Field in keyof Item]?: Received<Item[Field]> | null } | null };

/** The type of a missing value; never if the client returns an empty list or text. */
type Missing<Field, T> = Field extends ReplacedList
  ? undefined
  : [T] extends [readonly unknown[]]
    ? never
    : string extends T
      ? never
      : null;

type ReplacedList = (typeof replacedLists)[number];

/** The lists that a write replaces as a whole, according to the field tables. */
export const replacedLists = ['phone_numbers', 'options', 'statuses', 'fields'] as const;

const isReplaced = (name: string) => replacedLists.some((list) => list === name);

/** The record of a route as received; null for a route without a record. */
export type RouteRecord<R extends Route> = Received<
  Output<R> extends Page<infer Item> ? Item : Output<R> extends { data: infer Item } ? Item : Output<R>
>;

/** The parts of a valibot schema that describe its values. */
interface Shape extends v.GenericSchema {
  readonly entries?: Entries;
  readonly item?: Shape;
  readonly value?: Shape;
  readonly wrapped?: Shape;
}

type Entries = Readonly<Record<string, Shape>>;

/** Creates the failure for a response with something unusable, such as `a record without an id`. */
type CreateFailure = (problem: string) => Failure;

/**
 * Returns a function that gives the records of a route the shape of its schema, so that `Received` holds at run time.
 * Converts a value of another kind if possible; otherwise the value is empty or null. Unknown fields stay unchanged.
 * The function throws a failure for a record without an id.
 */
export function createRecordNormalizer<R extends Route>(
  route: R,
  createFailure: CreateFailure = (problem) => new Failure('failed', `The response has ${problem}.`),
): (value: unknown) => RouteRecord<R> {
  const output = route.output as Shape | null; // a schema holds its parts under these names
  const data = output?.entries?.data;
  const record = data?.item ?? data ?? output;
  const convert = record?.entries
    ? createObjectConverter(record.entries, 'a record', createFailure)
    : () => null;
  return (value) => convert(value) as RouteRecord<R>; // as above
}

/** Gives a value the shape of its schema. */
type Convert = (value: unknown) => unknown;

/** A field of an object. A value of the right type is recognized without a call, because most values are right. */
interface Field {
  readonly name: string;
  /** The `typeof` of a right value; undefined for objects and lists. */
  readonly type: string | undefined;
  readonly isNullable: boolean;
  /** The replacement for a missing value. */
  readonly missing: unknown;
  /** Converts a value that is not missing. */
  readonly convert: Convert;
}

function createField(name: string, schema: Shape, createFailure: CreateFailure): Field {
  const { wrapped } = schema;
  if (wrapped) {
    const field = createField(name, wrapped, createFailure);
    return schema.type === 'nullable'
      ? { ...field, isNullable: true, missing: null }
      : { ...field, missing: undefined };
  }
  const { type, missing, convert } = describeKind(name, schema, createFailure);
  return { name, type, isNullable: false, missing: isReplaced(name) ? undefined : missing, convert };
}

function describeKind(name: string, schema: Shape, createFailure: CreateFailure) {
  const { type, entries, item, value } = schema;
  if (type === 'object' && entries)
    return { type: undefined, missing: null, convert: createObjectConverter(entries, name, createFailure) };
  if (value?.entries)
    return { type: undefined, missing: null, convert: createMapConverter(value.entries, createFailure) };
  if (item?.entries) {
    const convert = createObjectConverter(item.entries, `an item of ${name}`, createFailure);
    return { type: undefined, missing: [], convert: createListConverter(convert) };
  }
  return kinds[type] ?? { type: undefined, missing: null, convert: (unchanged: unknown) => unchanged };
}

const toText = (value: unknown) =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The fields other than objects, by the type of their schema. A list without objects contains texts. */
const kinds: Readonly<Record<string, Pick<Field, 'type' | 'missing' | 'convert'>>> = {
  string: { type: 'string', missing: '', convert: toText },
  picklist: { type: 'string', missing: null, convert: toText },
  number: { type: 'number', missing: null, convert: (value) => (typeof value === 'string' ? value : null) },
  boolean: { type: 'boolean', missing: null, convert: () => null },
  array: {
    type: undefined,
    missing: [],
    convert: (value) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : readTexts(value),
  },
};

/** `name`: the name of the object in a failure. */
function createObjectConverter(entries: Entries, name: string, createFailure: CreateFailure): Convert {
  const fields = Object.entries(entries).map(([field, schema]) => createField(field, schema, createFailure));
  const hasId = Object.hasOwn(entries, 'id');
  return (value) => {
    const object = isObject(value) ? value : readObject(value);
    if (hasId && (isMissing(object.id) || object.id === '')) throw createFailure(`${name} without an id`);
    return convertFields(object, fields);
  };
}

/**
 * Missing members stay missing. A value that is not an object stays unchanged, because a service may map names to
 * values.
 */
function createMapConverter(entries: Entries, createFailure: CreateFailure): Convert {
  const members = Object.entries(entries).map(([name, schema]) => ({
    ...createField(name, schema, createFailure),
    isNullable: true,
    missing: undefined,
  }));
  return (map) => {
    if (!isObject(map)) return Array.isArray(map) ? map : null;
    let copy: Record<string, unknown> | undefined;
    for (const id of Object.keys(map)) {
      const item = map[id];
      const convertedItem = isObject(item) ? convertFields(item, members) : item;
      if (convertedItem === item) continue;
      copy ??= { ...map };
      copy[id] = convertedItem;
    }
    return copy ?? map;
  };
}

/** Keeps the number of items: an item that is not an object becomes an empty object. */
function createListConverter(convert: Convert): Convert {
  return (list) => {
    if (!Array.isArray(list)) return [];
    const items = list.map(convert);
    return items.every((item, index) => item === list[index]) ? list : items;
  };
}

/** Whether the service did not send a list that a write replaces as a whole. */
export const isUnknownList = (record: JsonObject, name: string): boolean =>
  isReplaced(name) && record[name] === undefined;

export const isMissing = (value: unknown) => value === null || value === undefined;

/** Copies an object only if a field changes, because most records already have the shape. */
function convertFields(object: JsonObject, fields: readonly Field[]): JsonObject {
  let copy: Record<string, unknown> | undefined;
  for (const { name, type, isNullable, missing, convert } of fields) {
    const value = object[name];
    if (typeof value === type || value === missing || (value === null && isNullable)) continue;
    const convertedValue = isMissing(value) ? missing : convert(value);
    if (convertedValue === value) continue;
    copy ??= { ...object };
    copy[name] = convertedValue;
  }
  return copy ?? object;
}
