import type { Client } from '../client/client.ts';
import type { JsonObject } from '../values/json-object.ts';
import { isLostCreate, resolveCreates } from '../writes/created.ts';
import {
  type LoggedCommand,
  type LoggedWrite,
  listCreatedIds,
  readCommands,
  type UnusableLog,
} from '../writes/log.ts';
import { readMarks, type UnrecordedCommand } from '../writes/unrecorded.ts';
import type { RecordIds } from './plan.ts';

/** A command to revert, and its interrupted revert, if any. */
export interface RevertTarget {
  readonly command: LoggedCommand;
  readonly interruptedRevert: LoggedCommand | undefined;
}

/** The recorded commands of a workspace as a stack: an undo reverts the last one that is not undone. */
export class History {
  /** The commands with a readable log, the last one first. */
  readonly commands: readonly LoggedCommand[];
  /** The logs that cannot be used, the last one first. */
  readonly unusableLogs: readonly UnusableLog[];
  /** The commands that are not recorded, or only in part, latest first. */
  readonly unrecordedCommands: readonly (UnrecordedCommand & Partial<UnusableLog>)[];
  readonly #revertedNumbers: ReadonlySet<number>;

  /** `omittedNumbers`: the numbers of commands that changed nothing. */
  constructor(folder: string, omittedNumbers: ReadonlySet<number> = new Set()) {
    const all = [...readCommands(folder)].filter(({ number }) => !omittedNumbers.has(number));
    this.commands = all.flatMap((command) => ('failure' in command ? [] : [command]));
    this.unusableLogs = all.flatMap((command) => ('failure' in command ? [command] : []));
    this.unrecordedCommands = [...this.unusableLogs, ...readMarks(folder)].sort(
      (left, right) => right.number - left.number,
    );
    this.#revertedNumbers = new Set(
      this.commands.flatMap(({ undoes, isFinished }) => (undoes !== undefined && isFinished ? [undoes] : [])),
    );
  }

  isReverted({ number }: Pick<LoggedCommand, 'number'>): boolean {
    return this.#revertedNumbers.has(number);
  }

  /** Returns the command that an undo reverts. Continues an interrupted undo first. */
  findUndo(): RevertTarget | undefined {
    const interruptedRevert = this.commands.find(
      (command) => isUndo(command) && !command.isFinished && !this.isReverted(command),
    );
    const revertedCommand = interruptedRevert && this.find(interruptedRevert.undoes);
    if (revertedCommand) return { command: revertedCommand, interruptedRevert };
    const command = this.commands.find((candidate) => this.canUndo(candidate));
    return command && { command, interruptedRevert: undefined };
  }

  canUndo(command: LoggedCommand): boolean {
    return !isUndo(command) && !this.isReverted(command);
  }

  /** Returns the undo that a redo reverts: the last undo, unless a later command has changed something. */
  findRedo(): RevertTarget | undefined {
    for (const command of this.commands) {
      if (command.undoes === undefined) return undefined;
      if (command.is_redo || this.isReverted(command)) continue;
      const interruptedRevert = this.commands.find(
        ({ undoes, isFinished }) => undoes === command.number && !isFinished,
      );
      return { command, interruptedRevert };
    }
    return undefined;
  }

  /** Returns the last import that a report belongs to, if it is not undone. */
  findImport(report: string): LoggedCommand | undefined {
    const isImport = (command: LoggedCommand) => command.report === report && command.undoes === undefined;
    return this.commands.find((command) => isImport(command) && !this.isReverted(command));
  }

  /** Returns the unrecorded commands that are later than a recorded one, each once. */
  listUnrecorded({ number }: LoggedCommand): readonly UnrecordedCommand[] {
    const later = this.unrecordedCommands.filter((command) => command.number > number);
    return later.filter(
      ({ command }, index) => later.findIndex((other) => other.command === command) === index,
    );
  }

  /** The ids of the records that all commands have created. */
  get createdIds(): ReadonlySet<string> {
    return listCreatedIds(this.commands);
  }

  /** The ids of the records that all commands have restored. */
  get ids(): RecordIds {
    return addRestored(
      { newIds: new Map(), creationTimes: new Map() },
      this.commands.toReversed().flatMap((command) => command.writes.flatMap(pickRestored)),
    );
  }

  find(number: number | undefined): LoggedCommand | undefined {
    return this.commands.find((command) => command.number === number);
  }
}

/** A record that was created again. */
export type RestoredRecord = { readonly from: string; readonly after: JsonObject };

const pickRestored = ({ n, from, after }: LoggedWrite) =>
  from !== undefined && after ? [{ n, from, after }] : [];

/** Returns the records that an interrupted revert restored although the response was lost, with their old ids. */
export async function findRestored(
  client: Client,
  { at, writes }: LoggedCommand,
  knownIds: ReadonlySet<string>,
): Promise<readonly (RestoredRecord & Pick<LoggedWrite, 'n'>)[]> {
  const lostCreates = writes.filter(isLostCreate);
  return (await resolveCreates(client, { at, writes: lostCreates }, knownIds)).flatMap(pickRestored);
}

export const addRestored = (ids: RecordIds, restoredRecords: readonly RestoredRecord[]): RecordIds => ({
  newIds: new Map([
    ...ids.newIds,
    ...restoredRecords.map(({ from, after }) => [from, String(after.id)] as const),
  ]),
  creationTimes: new Map([
    ...ids.creationTimes,
    ...restoredRecords.map(({ after }) => [String(after.id), after.created_at] as const),
  ]),
});

const isUndo = ({ undoes, is_redo }: LoggedCommand) => undoes !== undefined && !is_redo;

/** Returns why a command cannot be reverted, as sentences. */
export function listObstacles({ impossible, writes }: LoggedCommand): string[] {
  // A list without its entries would be of little use.
  const isUnread = writes.some(({ noun, missing }) => noun === 'list' && missing.length > 0);
  return [...impossible, ...(isUnread ? ['The list entries could not be recorded.'] : [])];
}
