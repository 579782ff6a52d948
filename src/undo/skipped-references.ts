import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../client/client.ts';
import { nouns, type RecordPath, readRecord } from '../records/nouns.ts';
import { findDefinedValue, isFieldContainer } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { formatCount } from '../values/text.ts';
import type { StoredCommand } from './journal.ts';
import { listRelatedSteps, listSteps } from './steps.ts';

/** Values that a deletion cleared, and that the undo must not restore. */
export interface SkippedReference extends RecordPath {
  /** The step that would restore them. */
  readonly key: string;
  /** The fields with other values now; none if the record was deleted. */
  readonly fields: readonly string[];
}

/**
 * Finds the references to deleted records that have been replaced since: to restore them would overwrite newer values.
 */
export async function findSkippedReferences(
  client: Client,
  command: StoredCommand,
): Promise<SkippedReference[]> {
  const deleted = new Set<string>();
  for (const { from } of listSteps(command)) if (from?.id !== undefined) deleted.add(from.id);
  const ids = new Set([...deleted, ...command.newIds.values()]);
  const skipped: SkippedReference[] = [];
  for (const write of command.writes.toReversed()) {
    if (write.what === 'custom_field') continue; // the values of a deleted field cannot have been replaced
    for (const { key, action, what, list_id, id = '', body } of listRelatedSteps(write)) {
      if (action !== 'update' || command.undone.has(key) || deleted.has(id)) continue;
      const current = await readRecord(client, { what, list_id, id });
      const fields = current ? findReplacedFields(body, current, ids) : [];
      if (!current || fields.length > 0) skipped.push({ key, what, list_id, id, fields });
    }
  }
  return skipped;
}

/** Returns the fields whose values are not those of a body without the ids of deleted and restored records. */
function findReplacedFields(body: JsonObject, current: JsonObject, ids: ReadonlySet<string>): string[] {
  const pairs = Object.entries(body).flatMap(([name, value]) => {
    if (!isFieldContainer(name)) return [{ name, earlier: value, now: current[name] }];
    return [value].flat().map((item) => {
      const { name: field, value: earlier } = readObject(item);
      return { name: String(field), earlier, now: findDefinedValue(current[name], String(field)) };
    });
  });
  const isOther = (value: unknown) => value !== null && value !== undefined && !ids.has(String(value));
  const listOthers = (value: unknown) => [value].flat().filter(isOther);
  return pairs
    .filter(({ earlier, now }) => !isDeepStrictEqual(listOthers(earlier), listOthers(now)))
    .map(({ name }) => name);
}

/** Maximum number of references that sentences name. */
const maxNamed = 10;

/** Describes references that are not restored, as sentences. */
export function describeSkipped(skipped: readonly SkippedReference[]): string[] {
  const more = skipped.length - maxNamed;
  const sentences = skipped.slice(0, maxNamed).map(({ what, id, fields }) => {
    const subject = `The ${nouns[what].title} ${id}`;
    return fields.length === 0
      ? `${subject} no longer exists.`
      : `${subject} keeps its new ${fields.join(', ')}.`;
  });
  return [...sentences, ...(more > 0 ? [`${formatCount(more, 'more record')} will not change.`] : [])];
}
