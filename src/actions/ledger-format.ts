import * as v from 'valibot';
import type { FileDescription } from '../files/durable-file.ts';

export const ledgerFormat: FileDescription = {
  what: 'action ledger',
  version: 1,
  versionMember: 'kith_actions',
};

const Time = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text))),
);

/** The state of an action item, or of a contact or organization: one line of the ledger. */
const StateOnDisk = v.looseObject({
  event_id: v.string(),
  id: v.string(),
  state: v.picklist(['open', 'done', 'snoozed']),
  at: Time,
  text: v.string(),
  until: v.exactOptional(Time),
  removed_at: v.exactOptional(v.string()),
});

/**
 * The state of an action item. `text`: the item's text when it got the state. `at`: the time of the change.
 * `removed_at`: the time when kith listed the item as removed. A write keeps unknown members of later versions.
 * A contact or an organization has a state only after a snooze: `until` is its end, `event_id` the kind, and `text` the
 * name.
 */
export type ItemState = Readonly<v.InferOutput<typeof StateOnDisk>>;

/** A line of the file. */
export const LedgerLine = v.union([v.looseObject({ kith_actions: v.number() }), StateOnDisk]);

/** Yields the lines of the file in a fixed order, so that a merge of two files combines their lines. */
export function* formatLines(
  states: Iterable<ItemState>,
  damagedLines: readonly string[],
): Generator<string> {
  yield `${JSON.stringify({ kith_actions: ledgerFormat.version })}\n`;
  const lines = Array.from(states, ({ event_id, id, ...state }) =>
    JSON.stringify({ event_id, id, ...state }),
  );
  for (const line of [...lines.sort(), ...damagedLines]) yield `${line}\n`;
}

/** Returns the later of two states of an item, for example after Git merged the files of two people. */
export function mergeStates(left: ItemState, right: ItemState): ItemState {
  const difference = Date.parse(left.at) - Date.parse(right.at);
  if (difference !== 0) return difference > 0 ? left : right;
  // The order of the lines must not matter.
  return JSON.stringify(left) > JSON.stringify(right) ? left : right;
}
