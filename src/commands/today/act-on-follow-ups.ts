import type { Session } from '../../cli/command/context.ts';
import { chooseItem } from '../../cli/references/choose-item.ts';
import { Failure, requireFailure } from '../../contract/errors.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { truncateValue } from '../../values/text.ts';
import type { FollowUpLine, FollowUpLines } from './read-follow-ups.ts';

/**
 * Lets the person act on lines until Escape; returns the lines that are left. Escape in a later question returns to the
 * lines. Each action is a command line, so that guards and `kith undo` apply to it.
 */
export async function actOnLines(
  session: Session,
  first: FollowUpLines,
  read: () => Promise<FollowUpLines>,
  ledger: string | undefined,
): Promise<FollowUpLines> {
  let current = first;
  while (current.total > 0) {
    const line = await askOrEscape(session, () => chooseLine(session, current.lines));
    if (!line) break;
    const words = await askOrEscape(session, () => askCommandLine(session, line, ledger));
    if (!words) continue;
    try {
      await session.services.runCommandLine(words);
    } catch (error) {
      session.signal.throwIfAborted();
      await session.messages.warn(requireFailure(error).message);
    }
    current = await read();
  }
  return current;
}

/** Returns the answer; undefined after Escape. */
async function askOrEscape<T>(session: Session, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof Failure && error.code === 'interrupted') return undefined;
    throw error;
  }
}

async function chooseLine(session: Session, lines: readonly FollowUpLine[]) {
  const chosen = await chooseItem(session, {
    message: () => 'Who do you want to follow up with? Press Escape to finish.',
    read: async function* () {
      yield lines.map(({ record: { kind, id, name, contact, reasons } }) => ({
        id: `${kind} ${id}`,
        describe: () => ({ name, details: reasons.map(({ text }) => text), keywords: [contact ?? ''] }),
      }));
    },
    empty: () => new Failure('not_found', 'There are no lines.'),
  });
  return lines.find(({ party }) => `${party.kind} ${party.id}` === chosen);
}

/** An action on a line: its label, and the words of its command line. */
type Action = readonly [label: string, ask: () => Promise<readonly string[]>];

/** Asks for an action on a line; returns the words of its command line. */
async function askCommandLine(
  session: Session,
  { party, record: { name } }: FollowUpLine,
  ledger: string | undefined,
): Promise<readonly string[]> {
  const { kind, id, promises, deals } = party;
  const ledgerWords = ledger === undefined ? [] : ['--ledger', ledger];
  const { text: askText, select } = session.terminal.prompts;
  const ask = (question: string, initialValue = '') =>
    askText(sanitizeLine(question), {
      initialValue,
      validate: (answer) => (answer.trim() === '' ? 'Type a value, or press Escape.' : undefined),
    });
  const note: Action = [
    'Add a note',
    async () => {
      const body = await ask(`Note about ${name}:`);
      return ['notes', 'create', '--data', JSON.stringify({ organization_id: id, body })]; // --body @TEXT reads a file
    },
  ];
  const actions: readonly Action[] = [
    ...(kind === 'organization' ? [note] : []), // a contact has no notes
    ...promises.map(
      (promise): Action => [
        `Mark as done: ${promise.text}`,
        async () => ['actions', 'done', promise.id, ...ledgerWords],
      ],
    ),
    ...deals.flatMap((deal): Action[] => {
      const { due } = deal;
      if (!due) return [];
      const label = `Move ${due.field} of ${deal.label}`;
      const update = ['entries', 'update', deal.list_id, deal.id, '--field'];
      return [[label, async () => [...update, `${due.field}=${await ask(`${label} to:`, due.day)}`]]];
    }),
    [
      'Snooze',
      async () => ['followup', `--${kind}`, id, '--snooze', await ask('Snooze for:', '7d'), ...ledgerWords],
    ],
  ];
  const choices = actions.map(([label], index) => ({
    value: String(index),
    label: sanitizeLine(truncateValue(label)),
  }));
  const choice = await select(sanitizeLine(name), choices);
  return (await actions[Number(choice)]?.[1]()) ?? [];
}
