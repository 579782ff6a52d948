import { isDeepStrictEqual } from 'node:util';
import type { RecordPath } from '../records/path.ts';
import { findDefinedValue, isFieldContainer } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { formatCount } from '../values/text.ts';
import { nouns } from '../writes/nouns.ts';

/** A record with values that a deletion cleared, and that a revert must not restore. */
export interface SkippedReference extends RecordPath {
  /** The fields that have other values by now; empty if the record was deleted. */
  readonly fields: readonly string[];
}

/**
 * Returns the fields that were written again after a deletion cleared them. Restoring them would overwrite newer
 * values. `ids`: the ids of deleted and restored records, which a cleared field does not contain. `wasEmptied`: whether
 * the field or the record itself was deleted.
 */
export function findReplacedFields(
  body: JsonObject,
  current: JsonObject,
  ids: ReadonlySet<string>,
  wasEmptied: boolean,
): string[] {
  const pairs = Object.entries(body).flatMap(([name, value]) => {
    if (!isFieldContainer(name)) return [{ name, earlier: value, now: current[name] }];
    return [value].flat().map((item) => {
      const { name: field, value: earlier } = readObject(item);
      return { name: String(field), earlier, now: findDefinedValue(current[name], String(field)) };
    });
  });
  const isOther = (value: unknown) => value !== null && value !== undefined && !ids.has(String(value));
  const listOthers = (value: unknown) => [value].flat().filter(isOther);
  const isReplaced = (earlier: unknown[], now: unknown[]) =>
    !(wasEmptied && now.length === 0) && !isDeepStrictEqual(earlier, now);
  return pairs
    .filter(({ earlier, now }) => isReplaced(listOthers(earlier), listOthers(now)))
    .map(({ name }) => name);
}

/** Maximum number of references that sentences name. */
const maxSentences = 10;

/** Describes references that are not restored, as sentences. */
export function describeSkipped(skipped: readonly SkippedReference[]): string[] {
  const more = skipped.length - maxSentences;
  const sentences = skipped.slice(0, maxSentences).map(({ noun, id, fields }) => {
    const subject = `The ${nouns[noun].title} ${id}`;
    return fields.length === 0
      ? `${subject} no longer exists.`
      : `${subject} keeps its new ${fields.join(', ')}.`;
  });
  return [...sentences, ...(more > 0 ? [`${formatCount(more, 'more record')} will not change.`] : [])];
}
