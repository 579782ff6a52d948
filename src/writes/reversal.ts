import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { FieldDefinition } from '../contract/fields.ts';
import type { Route } from '../contract/grammar.ts';
import { isMissing } from '../contract/received.ts';
import { isFieldContainer, listDefinedValues, readTexts } from '../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import { nouns, type RecordPath, type Write } from './nouns.ts';
import { toBody, type Values } from './values.ts';

/** Returns the names of the values that differ. Custom fields and list fields are named individually. */
export function findDifferences(left: Values, right: Values): string[] {
  const [first, second] = [flatten(left), flatten(right)];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].filter((name) => !isSameJson(first[name], second[name]));
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

/** Fields to which an update adds texts, and from which another request removes them. */
const addressFields = ['emails', 'domains'] as const;

/** The writes that give a record its earlier values, and the fields that the API cannot restore. */
export interface Reversal {
  readonly writes: readonly Write[];
  readonly unwritableFields: readonly string[];
}

/** Returns the writes that restore the values of a record before a write. Omits equal values. */
export function revertValues(path: RecordPath, before: Values, after: Values): Reversal {
  const patch: Record<string, unknown> = {};
  const unwritableFields: string[] = [];
  const removals: Write[] = [];
  const route: Route = nouns[path.noun].update;
  for (const [name, value] of Object.entries(pickDifferent(before, after))) {
    const address = addressFields.find((field) => field === name);
    if (address) {
      const [earlier, later] = [readTexts(value), readTexts(after[name])];
      if (earlier.some((text) => !later.includes(text))) patch[name] = earlier;
      const addedTexts = later.filter((text) => !earlier.includes(text));
      if (addedTexts.length > 0) removals.push({ ...path, action: 'remove', body: { [name]: addedTexts } });
    } else if (name === 'fields') {
      const { changed, added } = compareDefinitions(value, after.fields);
      if (changed.length > 0) patch.fields = changed;
      unwritableFields.push(...added.map((field) => `field "${field}"`));
    } else if (isFieldContainer(name)) {
      patch[name] = pickDifferent(readObject(value), readObject(after[name]));
    } else if (isMissing(value) && !accepts(route, name, null)) {
      // The name of an organization and phone numbers do not accept null.
      const empty = name === 'name' ? '' : [];
      if (accepts(route, name, empty)) patch[name] = empty;
      else unwritableFields.push(name);
    } else patch[name] = value;
  }
  const update: Write[] =
    Object.keys(patch).length > 0 ? [{ ...path, action: 'update', body: toBody(patch) }] : [];
  return { writes: [...update, ...removals], unwritableFields };
}

const pickDifferent = (before: Values, after: Values): Values =>
  Object.fromEntries(Object.entries(before).filter(([name, value]) => !isSameJson(value, after[name])));

function compareDefinitions(before: unknown, after: unknown) {
  const [earlier, later] = [listDefinitions(before), listDefinitions(after)];
  const find = (fields: readonly JsonObject[], name: unknown) => fields.find((field) => field.name === name);
  return {
    changed: earlier.filter((field) => !isDeepStrictEqual(field, find(later, field.name))),
    added: later.filter(({ name }) => !find(earlier, name)).map(({ name }) => String(name)),
  };
}

function accepts({ body }: Route, name: string, value: unknown): boolean {
  const schema = body?.[name];
  return schema !== undefined && v.is(schema, value);
}

/** Returns the definitions of a list in the form of a request body. */
export function listDefinitions(storedFields: unknown): JsonObject[] {
  return (Array.isArray(storedFields) ? storedFields : []).map((field) => {
    const entries = Object.entries(readObject(field)).filter(([name]) =>
      Object.hasOwn(FieldDefinition.entries, name),
    );
    return Object.fromEntries(entries.filter(([, value]) => !isMissing(value)));
  });
}
