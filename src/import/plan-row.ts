import { type Fields, fieldsOf, itemsOf } from '../render/fields.ts';
import type { Step } from './outcome.ts';
import { isImaginedId } from './rehearsal.ts';
import type { RowOutcome } from './run.ts';

/** A value that a row would set; `added`: beside those that are there. */
interface Change {
  readonly field: string;
  readonly from?: unknown;
  readonly to: unknown;
  readonly added?: true;
}

/** What would become of a row, as --json shows it. */
export function planRow({ row, action, id, steps, error, candidates = [] }: RowOutcome): Fields {
  const held = candidates.filter((one) => !isImaginedId(one));
  return {
    row,
    action,
    ...(id !== undefined && !isImaginedId(id) && { id }),
    ...(steps.length > 0 && { changes: steps.flatMap(changesOf) }),
    ...(error !== undefined && { error }),
    ...(held.length > 0 && { candidates: held }),
  };
}

/** What an entry is of, which the row tells. */
const pointers = new Set(['entryable_id', 'entryable_type']);

function changesOf({ what, id, body, before }: Step): Change[] {
  const named = `${what === 'contact' ? '' : `${what}.`}`;
  return Object.entries(body).flatMap(([field, value]): Change[] => {
    if (value === undefined || pointers.has(field)) return [];
    if (field === 'custom_fields' || field === 'list_fields')
      return valueChanges(named, value, before?.[field], id);
    // That of an organization that the row would make.
    if (field === 'organization_id' && isImaginedId(value)) return [];
    const isAdded = id !== undefined && (field === 'emails' || field === 'domains');
    if (isAdded) return [{ field: named + field, to: value, added: true }];
    return [{ field: named + field, ...(before && { from: before[field] }), to: value }];
  });
}

function valueChanges(named: string, values: unknown, before: unknown, id: string | undefined): Change[] {
  return itemsOf(values).map(({ name, value }) => ({
    field: `${named}${String(name)}`,
    ...(id !== undefined && { from: fieldsOf(before)[String(name)] ?? null }),
    to: value,
  }));
}
