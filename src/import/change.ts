import { type Fields, plain } from '../render/fields.ts';
import type { Step } from './outcome.ts';
import { forBody, valuesLike, valuesMissing, valuesNow } from './values.ts';
import type { NamedValue } from './wishes.ts';
import type { Worker } from './worker.ts';

/** Values that a record keeps in a map of fields. */
export interface MapValues {
  readonly map: 'custom_fields' | 'list_fields';
  readonly wanted: readonly NamedValue[];
}

/** Gives a record the fields that differ, and those values that it has not; sends nothing where there are none. */
export async function changed(
  worker: Worker,
  place: Pick<Step, 'what' | 'list_id'>,
  current: Fields,
  differing: Fields,
  { map, wanted }: MapValues,
): Promise<Fields> {
  const missing = valuesMissing(current[map], wanted);
  const body = { ...differing, ...(missing.length > 0 && { [map]: forBody(missing) }) };
  if (Object.keys(body).length === 0) return current;
  const before = {
    ...valuesLike(differing, current),
    ...(missing.length > 0 && { [map]: valuesNow(current[map], missing) }),
  };
  return worker.write({ ...place, id: plain(current.id), body, before }, current);
}
