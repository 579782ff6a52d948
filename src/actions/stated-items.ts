import type { ItemState } from './ledger-format.ts';
import { type KnownItem, matchItems } from './match-items.ts';

/** An item of a meeting with its state in the ledger, if it has one. */
export interface StatedItem extends KnownItem {
  readonly state: ItemState | undefined;
}

export const isDone = ({ state }: StatedItem): boolean => state?.state === 'done';

/**
 * Finds the states of a meeting's items. An item with a state has the id of the state. `removed`: the states of items that
 * the meeting no longer has and that were not listed as removed yet.
 */
export function applyStates(
  items: readonly KnownItem[],
  states: readonly ItemState[],
): { readonly items: readonly StatedItem[]; readonly removed: readonly ItemState[] } {
  const matches = matchItems(items, states);
  const matched = new Set(matches);
  return {
    items: items.map(({ id, text }, index) => ({
      id: matches[index]?.id ?? id,
      text,
      state: matches[index],
    })),
    removed: states.filter((state) => !matched.has(state) && state.removed_at === undefined),
  };
}
