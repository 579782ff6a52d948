import type { ItemState } from './ledger-format.ts';
import { type KnownItem, matchItems } from './match-items.ts';

/** An item of a meeting with its state in the ledger, if it has one. */
export interface ItemWithState extends KnownItem {
  readonly state: ItemState | undefined;
}

export const isDone = ({ state }: ItemWithState): boolean => state?.state === 'done';

/**
 * Combines a meeting's items with their states. An item with a state gets the id of the state. `removed`: the states
 * whose items the meeting no longer has, unless they were already listed as removed.
 */
export function applyStates(
  items: readonly KnownItem[],
  states: readonly ItemState[],
): { readonly items: readonly ItemWithState[]; readonly removed: readonly ItemState[] } {
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
