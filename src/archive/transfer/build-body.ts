import { toSingularNoun, type WritableNoun } from '../../contract/singular-nouns.ts';
import { isFieldContainer } from '../../values/field-values.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { toCreateBody } from '../../writes/bodies.ts';
import { listReferenceNames, mapBody } from '../../writes/references.ts';
import type { CopiedIds, CopyState, Deals } from './copied-ids.ts';
import type { SourceRecord, TransferRecord } from './transfer-nouns.ts';
import { findFieldOwner, type LostValue, type UsableFields } from './usable-fields.ts';

/** The parts of a transfer on which a body depends. */
export interface BodyContext {
  readonly ids: CopiedIds;
  readonly fields: UsableFields;
  readonly deals: Deals;
}

/** The body that creates a record of the source in the target. */
interface CopyBody {
  readonly body: JsonObject;
  /** The values that are not copied. */
  readonly lost: readonly LostValue[];
  /** Whether values were omitted that refer to records whose copies do not exist yet. */
  readonly hasPending: boolean;
}

const referredNouns: Readonly<Record<string, WritableNoun>> = {
  organization_id: 'organizations',
  contact_id: 'contacts',
  custom_fields: 'contacts',
  list_fields: 'contacts',
};

/** Returns the noun of the record that an entry belongs to. */
export const getEntryableNoun = ({ entryable_type }: TransferRecord): WritableNoun =>
  entryable_type === 'Organization' ? 'organizations' : 'contacts';

export function buildCopyBody({ noun, record }: SourceRecord, context: BodyContext): CopyBody {
  const { ids, fields, deals } = context;
  const lost: LostValue[] = [];
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(toCreateBody(toSingularNoun(noun), record))) {
    if (value === '') continue; // a create does not accept an empty text everywhere
    if (!isFieldContainer(name) || !Array.isArray(value)) {
      body[name] = value;
      continue;
    }
    const split = fields.split(findFieldOwner(name, noun, record), value);
    lost.push(...split.lost);
    if (split.items.length > 0) body[name] = split.items;
  }
  const getNoun = (field: string) => referredNouns[field] ?? getEntryableNoun(record);
  const getState = (id: string, field: string): CopyState =>
    field === 'deal_id' ? deals.getState(id, ids) : ids.getState(getNoun(field), id);
  let hasPending = false;
  const isOmitted = (id: string, field: string) => {
    const state = getState(id, field);
    if (state === 'pending') hasPending = true;
    if (state === 'missing') lost.push({ field, reason: describeMissingReference(field) });
    return state !== 'copied';
  };
  const map = (id: string, field = '') =>
    (field === 'deal_id' ? (deals.toTarget(id) ?? `planned ${id}`) : ids.get(getNoun(field), id)) ?? id;
  const mapped = mapBody(body, listReferenceNames(record), map, isOmitted);
  const entries = Object.entries(mapped).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return { body: Object.fromEntries(entries), lost, hasPending };
}

const describeMissingReference = (field: string) =>
  field === 'deal_id'
    ? 'The deal that the note names was not copied, or several deals have its key.'
    : 'The record that it refers to was not copied.';
