import { type ActionLedger, changeActionLedger, readActionLedger } from '../../actions/ledger.ts';
import type { Session } from '../../cli/command/context.ts';
import type { RevertPlan } from '../../undo/plan.ts';
import type { LoggedCommand } from '../../writes/log.ts';

type Items = NonNullable<LoggedCommand['items']>;

/** Returns the change that gives the items of a command their earlier states. Omits items that already have them. */
export function invertItems({ ledger, changes }: Items): Items {
  const current = readActionLedger(ledger);
  return {
    ledger,
    changes: changes
      .filter((change) => getState(current, change) !== change.from)
      .map(({ from, to, ...item }) => ({ ...item, from: to, to: from })),
  };
}

const getState = (ledger: ActionLedger, { event_id, id }: Items['changes'][number]) =>
  ledger.listStates(event_id).find((stored) => stored.id === id)?.state ?? 'open';

/** Plans how to revert a change of action items. There are no conflicts, because an item has one of two states. */
export const planItemRevert = (command: LoggedCommand, items: Items): RevertPlan => ({
  command,
  steps: [],
  changes: invertItems(items).changes.map(({ id, text, from, to }) => ({
    action: 'update',
    record: 'action_item',
    id,
    name: text,
    fields: { state: { from, to } },
  })),
  conflicts: [],
  losses: [],
  unwritableFields: [],
  uncountedKinds: [],
  tags: new Map(),
  hasWrites: true,
});

/** Gives items the states after a change. */
export async function changeItems(session: Session, { ledger, changes }: Items): Promise<void> {
  const at = session.runtime.now().toISOString();
  await changeActionLedger(ledger, session.runtime.lockHolder, () =>
    changes.map(({ event_id, id, text, to }) => ({ event_id, id, text, state: to, at })),
  );
}
