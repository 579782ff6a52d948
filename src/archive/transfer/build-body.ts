import { toSingularNoun, type WritableNoun } from '../../contract/singular-nouns.ts';
import { type FieldContainer, isFieldContainer } from '../../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../../values/json-object.ts';
import { quote } from '../../values/text.ts';
import { toCreateBody } from '../../writes/bodies.ts';
import { listReferenceNames, mapBody } from '../../writes/references.ts';
import type { CopiedIds, CopyState, Deals } from './copied-ids.ts';
import type { SourceRecord, TransferRecord } from './transfer-nouns.ts';

/** A value that is not copied, and why. */
export interface LostValue {
  readonly field: string;
  readonly reason: string;
}

/** The custom fields and list fields of the source, and why the values of some are not copied. */
export class UsableFields {
  /** The reason by owner and name; undefined if the values of a field are copied. */
  readonly #fields = new Map<string, string | undefined>();

  /** `owner`: the model of a custom field, or the id of a list. */
  set(owner: unknown, name: unknown, reason?: string): void {
    this.#fields.set(JSON.stringify([owner, name]), reason);
  }

  /** Returns the values of a body that the target accepts, and the others. */
  split(owner: unknown, items: readonly unknown[]): { items: JsonObject[]; lost: LostValue[] } {
    const lost: LostValue[] = [];
    const usable = items.filter(isObject).filter(({ name }) => {
      const key = JSON.stringify([owner, name]);
      const reason = this.#fields.has(key) ? this.#fields.get(key) : 'The source does not define this field.';
      if (reason !== undefined) lost.push({ field: String(name), reason });
      return reason === undefined;
    });
    return { items: usable, lost };
  }
}

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
    const reason =
      field === 'deal_id'
        ? 'The deal that the note names was not copied, or several deals have its key.'
        : 'The record that it refers to was not copied.';
    if (state === 'missing') lost.push({ field, reason });
    return state !== 'copied';
  };
  const map = (id: string, field = '') =>
    (field === 'deal_id' ? (deals.toTarget(id) ?? `planned ${id}`) : ids.get(getNoun(field), id)) ?? id;
  const mapped = mapBody(body, listReferenceNames(record), map, isOmitted);
  const entries = Object.entries(mapped).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return { body: Object.fromEntries(entries), lost, hasPending };
}

/** Describes why a field of the target cannot hold the values of a field with the same name; undefined if it can. */
export function findFieldConflict(source: JsonObject, target: JsonObject): string | undefined {
  const name = quote(String(source.name));
  const describe = ({ data_type, accepts_multiple_values: isMultiple }: JsonObject) =>
    `${data_type ?? 'text'}${isMultiple === true ? ' with several values' : ''}`;
  const [from, to] = [describe(source), describe(target)];
  return from === to ? undefined : `The target's field ${name} has the type ${to}, not ${from}.`;
}

/** The owner of the fields in a container: the model of the record, or the list of the entry. */
function findFieldOwner(container: FieldContainer, noun: string, record: unknown): unknown {
  if (container === 'list_fields') return readObject(record).list_id;
  return noun === 'organizations' ? 'organization' : 'contact';
}
