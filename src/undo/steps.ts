import type { SingularNoun } from '../contract/singular-nouns.ts';
import type { RecordPath } from '../records/path.ts';
import type { RelatedRecord } from '../records/referrers.ts';
import { findDefinedValue, isFieldContainer } from '../values/field-values.ts';
import { type JsonObject, readObject } from '../values/json-object.ts';
import { toCreateBody } from '../writes/bodies.ts';
import type { LoggedWrite } from '../writes/log.ts';
import type { Write } from '../writes/nouns.ts';
import { listReferenceNames, listRelatedReferences } from '../writes/references.ts';

/** A request that reverts a write, or a part of the write. */
export interface RevertStep extends Write {
  /** The number of the write that it reverts. */
  readonly n: number;
  /** The record before the step; undefined for a create. */
  readonly before?: JsonObject | undefined;
  /** The earlier id of the record that the step creates again. */
  readonly from?: string | undefined;
  /** Whether the step restores a related record, or values that the deletion of another record cleared. */
  readonly isRelated?: boolean;
  /** The fields of other records in which the id of the deleted contact or entry remains. */
  readonly keptReferences?: readonly RelatedRecord[];
  /** The names of the defined fields in the body that refer to contacts. */
  readonly references: ReadonlySet<string>;
}

export const toPath = ({ noun, list_id, id }: RecordPath): RecordPath => ({ noun, list_id, id });

/** Returns the step that creates a deleted record again. */
export const createAgain = (
  n: number,
  { noun, list_id, id }: RecordPath,
  record: JsonObject,
): RevertStep & { readonly noun: SingularNoun } => ({
  n,
  noun,
  list_id,
  action: 'create',
  body: toCreateBody(noun, record),
  from: id,
  references: listReferenceNames(record),
});

/** Returns the step that restores a related record, or values that a deletion cleared. */
export const restoreRelated = (write: LoggedWrite, related: RelatedRecord): RevertStep =>
  'record' in related
    ? { ...createAgain(write.n, related, related.record), isRelated: true }
    : {
        n: write.n,
        ...toPath(related),
        action: 'update',
        body: related.body,
        references: listRelatedReferences(related.body, write),
        isRelated: true,
      };

/**
 * Returns the fields of a record in which the id of a deleted contact or entry remains: the service clears only
 * `contact_id`.
 */
export function pickKeptReferences(related: RelatedRecord): RelatedRecord[] {
  if ('record' in related) return [];
  const { contact_id: _, ...body } = related.body;
  return Object.keys(body).length > 0 ? [{ ...related, body }] : [];
}

/** Returns only the fields of a related record that name a contact or an entry in its current state. */
export function keepMentions(related: RelatedRecord, current: JsonObject, id: string): RelatedRecord[] {
  if ('record' in related) return [];
  const body = Object.fromEntries(
    Object.entries(related.body).flatMap(([container, items]): [string, unknown][] => {
      if (!isFieldContainer(container)) return current[container] === id ? [[container, id]] : [];
      const remaining = [items]
        .flat()
        .filter((item) =>
          [findDefinedValue(current[container], String(readObject(item).name))].flat().includes(id),
        );
      return remaining.length > 0 ? [[container, remaining]] : [];
    }),
  );
  return Object.keys(body).length > 0 ? [{ ...related, body }] : [];
}

/** Counts the related records and references that are restored, by kind. */
export function countRelated(steps: readonly RevertStep[]) {
  const related: Partial<Record<SingularNoun, number>> = {};
  const references: Partial<Record<SingularNoun, number>> = {};
  for (const { noun, action, isRelated } of steps) {
    if (!isRelated) continue;
    const counts = action === 'create' ? related : references;
    counts[noun] = (counts[noun] ?? 0) + 1;
  }
  return { related, references };
}
