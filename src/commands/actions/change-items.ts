import { resolve } from 'node:path';
import { changeActionLedger } from '../../actions/ledger.ts';
import { recordItems } from '../../cli/change-log.ts';
import type { Session } from '../../cli/command/context.ts';
import { isInteractive } from '../../cli/command/interaction.ts';
import { replaceReference } from '../../cli/references/replace-reference.ts';
import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import { createNameMatcher } from '../../search/query.ts';
import { quote, truncateValue } from '../../values/text.ts';
import { loadActionLedger, resolveLedgerFile } from './ledger-file.ts';
import {
  type ActionFilters,
  type ActionItem,
  type FoundItem,
  findActionItems,
  readActionItems,
} from './read-items.ts';

/** An item after a change. `changed`: whether its state was different before. */
export type ActionChange = Result<'changed-action'>;

/**
 * Changes the state of items, each named by its id or a part of its text. If one is not found, changes none of them. In a
 * terminal, the start of an id, or a text of several items, opens a picker.
 * @throws {Failure} not_found if no item matches, usage if an id is not complete or several items have the text
 */
export async function changeActionItems(
  session: Session,
  state: ActionChange['state'],
  ids: readonly string[],
  file: string | undefined,
): Promise<readonly ActionChange[]> {
  const path = await resolveLedgerFile(session, file);
  const ledger = await loadActionLedger(session, path);
  const matches = await findActionItems(session, ledger, ids);
  const items = new Map<string, ActionItem>();
  const filters = { ledger: file, state: state === 'done' ? ('open' as const) : ('done' as const) };
  // One after the other: a terminal shows one prompt at a time.
  for (const id of ids) {
    const item = await chooseAction(session, id, matches.get(id) ?? [], filters);
    items.set(item.id, item);
  }
  const at = session.runtime.now().toISOString();
  const changes = new Map<string, ActionChange>();
  const change = (current: Pick<typeof ledger, 'find'>) =>
    Array.from(items.values()).flatMap(({ id, text, event_id, title }) => {
      const stored = current.find(event_id, id);
      const changed = (stored?.state ?? 'open') !== state;
      const changed_at = changed ? at : (stored?.at ?? null);
      changes.set(id, { id, state, changed, text, event_id, title, changed_at });
      return changed ? [{ event_id, id, state, at, text }] : [];
    });
  const states = change(ledger);
  if (session.globals.dryRun || states.length === 0) return [...changes.values()];
  const from = state === 'done' ? 'open' : 'done';
  await recordItems(session, `actions ${state === 'done' ? 'done' : 'reopen'}`, {
    ledger: resolve(path),
    changes: states.map(({ event_id, id, text }) => ({ event_id, id, text, from, to: state })),
  });
  await changeActionLedger(path, session.runtime.lockHolder, change);
  return [...changes.values()];
}

/** Stores in the ledger that a list has shown these removed items. */
export async function markAsRemoved(
  session: Session,
  items: readonly ActionItem[],
  file: string | undefined,
): Promise<void> {
  const path = await resolveLedgerFile(session, file);
  const removed_at = session.runtime.now().toISOString();
  await changeActionLedger(path, session.runtime.lockHolder, (ledger) =>
    items.flatMap(({ event_id, id }) => {
      const stored = ledger.find(event_id, id);
      return stored ? [{ ...stored, removed_at }] : [];
    }),
  );
}

const maxCandidates = 5;

/**
 * Returns the item with an id, or the only one whose text has the words. In a terminal, asks if there are several, or if
 * the word is only the start of ids, because a write must not guess.
 */
async function chooseAction(
  session: Session,
  word: string,
  found: readonly FoundItem[],
  filters: ActionFilters,
): Promise<ActionItem> {
  const exact = found.filter(({ isExact }) => isExact);
  const withId = word === '' ? [] : (exact.length > 0 ? exact : found).map(({ item }) => item);
  const candidates = withId.length > 0 ? withId : await findByText(session, word, filters);
  const [match, ...others] = candidates;
  if (match && others.length === 0 && (exact.length > 0 || withId.length === 0)) return match;
  if (!match)
    throw new Failure('not_found', `No ${filters.state} action item has the id or text ${quote(word)}.`, {
      hint: `kith actions list --${filters.state}`,
    });
  const subject = others.length === 0 ? '1 action item has' : `${candidates.length} action items have`;
  const property = withId.length > 0 ? 'an id that begins with' : 'the text';
  const problem = `${subject} ${property} ${quote(word)}`;
  const failure = createChoiceFailure(session, word, problem, candidates);
  if (!isInteractive(session) || session.globals.quiet) throw failure;
  const { chooseItem } = await import('../../cli/references/choose-item.ts');
  const chosen = await chooseItem(session, {
    message: () => `${problem}. Which one?`,
    read: async function* () {
      yield candidates.map(({ id, text, title }) => ({
        id,
        describe: () => ({ name: text, details: [title], keywords: [id] }),
      }));
    },
    empty: () => failure,
  });
  const choice = candidates.find(({ id }) => id === chosen);
  if (!choice) throw failure;
  return choice;
}

/** Finds the items whose text has all words of a part, in any order and spelling. */
async function findByText(session: Session, part: string, filters: ActionFilters): Promise<ActionItem[]> {
  const hasPart = createNameMatcher(part);
  const items: ActionItem[] = [];
  for await (const page of readActionItems(session, filters))
    items.push(...page.filter(({ text }) => hasPart(text)));
  return items;
}

function createChoiceFailure(
  { call: { commandLine } }: Session,
  word: string,
  problem: string,
  items: readonly ActionItem[],
): Failure {
  const candidates = items.slice(0, maxCandidates);
  const descriptions = candidates.map((item) => `${item.id} (${truncateValue(item.text)})`);
  const more = items.length > maxCandidates ? `, and ${items.length - maxCandidates} more` : '';
  const reason = 'Use the whole id.';
  return new Failure('usage', `${problem}: ${descriptions.join(', ')}${more}. ${reason}`, {
    candidates: candidates.map(({ id, text, title }) => ({
      id,
      name: text,
      ...(title && { detail: title }),
    })),
    // Each command keeps the other ids and --ledger.
    commands: candidates.flatMap(
      (item) => (commandLine && replaceReference(commandLine, word, [item.id])) ?? [],
    ),
  });
}
