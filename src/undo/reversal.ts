import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { Route } from '../contract/grammar.ts';
import { isMissing } from '../contract/received.ts';
import type { RecordPath } from '../records/path.ts';
import { isFieldContainer, readTexts } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { listDefinitions } from '../writes/bodies.ts';
import { nouns, type Write } from '../writes/nouns.ts';
import { flatten, isSameJson, toBody, type Values } from '../writes/values.ts';

/** Returns the names of the values that differ. Custom fields and list fields are named individually. */
export function findDifferences(left: Values, right: Values): string[] {
  const [first, second] = [flatten(left), flatten(right)];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].filter((name) => !isSameJson(first[name], second[name]));
}

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
