import { type ActionLedger, changeActionLedger, readActionLedger } from '../../actions/ledger.ts';
import type { Session } from '../../cli/command/context.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import type { RevertPlan } from '../../undo/plan.ts';
import type { LoggedCommand } from '../../writes/log.ts';

type Items = NonNullable<LoggedCommand['items']>;

/** Returns the change that gives the items of a command their earlier states. Omits items that already have them. */
export function invertItems({ ledger, changes }: Items): Items {
  const current = readActionLedger(ledger);
  return {
    ledger,
    changes: changes
      .filter((change) => getState(current, change) !== (change.until?.from ?? change.from))
      .map(({ from, to, until, ...item }) => ({
        ...item,
        ...{ from: to, to: from },
        ...(until && { until: { from: until.to, to: until.from } }),
      })),
  };
}

/** Returns the state of an item, or the time until which it is snoozed. */
function getState(ledger: ActionLedger, { event_id, id }: Items['changes'][number]): string {
  const { state = 'open', until } = ledger.find(event_id, id) ?? {};
  return until ?? state;
}

/** Plans how to revert a change of action items. There are no conflicts, because the earlier state is always possible. */
export const planItemRevert = (command: LoggedCommand, items: Items): RevertPlan => ({
  command,
  steps: [],
  changes: invertItems(items).changes.map(({ event_id, id, text, from, to, until }) => ({
    action: 'update',
    record: until ? (event_id as PartyNoun) : 'action_item', // only contacts and organizations are snoozed
    id,
    name: text,
    fields: { state: { from: until?.from ?? from, to: until?.to ?? to } },
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
    changes.map(({ event_id, id, text, to, until }) => ({
      ...{ event_id, id, text, state: to, at },
      ...(until?.to !== undefined && { until: until.to }),
    })),
  );
}
