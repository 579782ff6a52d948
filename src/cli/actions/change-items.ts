import { changeActionLedger, type ItemState } from '../../actions/ledger.ts';
import { Failure } from '../../contract/errors.ts';
import { quote, truncateValue } from '../../values/text.ts';
import type { Session } from '../command/context.ts';
import { loadActionLedger, resolveLedgerFile } from './ledger-file.ts';
import { type ActionItem, findActionItems } from './read-items.ts';

/** An item after a change, and whether its state was another one before. */
export interface ActionChange extends Pick<ActionItem, 'id' | 'text' | 'event_id' | 'title' | 'changed_at'> {
  readonly state: ItemState['state'];
  readonly changed: boolean;
}

/**
 * Changes the state of items, which are named by their ids or the starts of their ids: either all of them, or none.
 * @throws {Failure} not_found if there is no such item, usage if several items have the id
 */
export async function changeActionItems(
  session: Session,
  state: ItemState['state'],
  ids: readonly string[],
  file: string | undefined,
): Promise<readonly ActionChange[]> {
  const path = await resolveLedgerFile(session, file);
  const ledger = await loadActionLedger(session, path);
  const matches = await findActionItems(session, ledger, ids);
  const items = new Map(
    ids.map((id) => {
      const item = requireItem(id, matches.get(id) ?? [], state);
      return [item.id, item];
    }),
  );
  const at = session.now().toISOString();
  const changes = new Map<string, ActionChange>();
  const change = (current: Pick<typeof ledger, 'listStates'>) =>
    Array.from(items.values()).flatMap(({ id, text, event_id, title }) => {
      const stored = current.listStates(event_id).find((stored) => stored.id === id);
      const changed = (stored?.state ?? 'open') !== state;
      const changed_at = changed ? at : (stored?.at ?? null);
      changes.set(id, { id, state, changed, text, event_id, title, changed_at });
      return changed ? [{ event_id, id, state, at, text }] : [];
    });
  if (session.globals.dryRun) change(ledger);
  else await changeActionLedger(path, session.lockHolder, change);
  return [...changes.values()];
}

/** Stores that removed items were listed. */
export async function markAsRemoved(
  session: Session,
  items: readonly ActionItem[],
  file: string | undefined,
): Promise<void> {
  const path = await resolveLedgerFile(session, file);
  const removed_at = session.now().toISOString();
  await changeActionLedger(path, session.lockHolder, (ledger) =>
    items.flatMap(({ event_id, id }) => {
      const stored = ledger.listStates(event_id).find((stored) => stored.id === id);
      return stored ? [{ ...stored, removed_at }] : [];
    }),
  );
}

/** The most candidates in a message. */
const maxListed = 5;

function requireItem(id: string, items: readonly ActionItem[], state: ItemState['state']): ActionItem {
  const exact = items.filter((item) => item.id === id);
  const [item, ...others] = exact.length > 0 ? exact : items;
  if (item && others.length === 0) return item;
  if (!item)
    throw new Failure('not_found', `No action item has the id ${quote(id)}.`, {
      hint: `kith actions list --${state === 'done' ? 'open' : 'done'}`,
    });
  const listed = items.slice(0, maxListed);
  const descriptions = listed.map((item) => `${item.id} (${truncateValue(item.text)})`);
  const more = items.length > maxListed ? `, and ${items.length - maxListed} more` : '';
  const problem = `${items.length} action items have an id that begins with ${quote(id)}`;
  throw new Failure('usage', `${problem}: ${descriptions.join(', ')}${more}.`, {
    commands: listed.map((item) => `kith actions ${state === 'done' ? 'done' : 'reopen'} ${item.id}`),
  });
}
