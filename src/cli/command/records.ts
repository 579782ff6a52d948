import type { ListStart } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import type { Input, Route } from '../../contract/grammar.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import type { View } from '../../render/columns.ts';
import type { CommandResult } from './command.ts';
import type { Session } from './context.ts';

/** Returns the maximum number of records of a list according to the flags; undefined for all. */
export async function readLimit({ globals, preferences }: Session): Promise<number | undefined> {
  return globals.all ? undefined : (await preferences()).limit;
}

/** Returns where the command reads the list of the service from. */
export const readStart = ({ call: { start } }: Session): ListStart =>
  start && !start.isInResult ? start : { offset: 0 };

/** Returns the number of records at the beginning of the result that the caller omits; undefined if it takes all. */
export const readOmittedCount = ({ call: { start } }: Session): number | undefined =>
  start?.isInResult ? start.offset : undefined;

/** Whether a list is shown from its start, as a table in a terminal. */
export function showsTable({ streams: { stdout }, globals, call: { start } }: Session): boolean {
  const { format = 'table', json, jq, idsOnly } = globals;
  return stdout.isTerminal && format === 'table' && !json && !idsOnly && jq === undefined && !start;
}

export async function showRecord<R extends Route>(
  session: Session,
  route: R,
  input: Input<R>,
  view: View,
  importModel?: PartyNoun,
): Promise<CommandResult> {
  const record = await (await session.client()).record(route, input);
  return { kind: 'record', record, view, importModel };
}

/** Reads the first batch before anything is printed, so that its failure is reported first. */
export async function readFirst<T>(all: AsyncIterable<T>) {
  const iterator = all[Symbol.asyncIterator]();
  const first = await iterator.next();
  const batches = async function* () {
    try {
      for (let batch = first; !batch.done; batch = await iterator.next()) yield batch.value;
    } finally {
      await iterator.return?.();
    }
  };
  return { batches: batches(), first: first.done ? undefined : first.value, isEmpty: first.done === true };
}

/** `hint`: the next step for the user. @throws {Failure} usage if a list is not a process */
export function requireProcess({ name, process }: Received<List>, hint?: string): void {
  if (process === true) return;
  const reason = 'is a list, not a process; only a process has statuses.';
  throw new Failure('usage', `"${name}" ${reason}`, { hint });
}
