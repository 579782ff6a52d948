import { Failure, isRecordFailure } from '../../contract/errors.ts';
import { inOrder } from '../../import/in-order.ts';
import { type JournaledWrite, type JournaledWrites, readWrites } from '../../import/journaled-writes.ts';
import { type Undo, type Undone, undoing } from '../../import/undo.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import { getDefaultConcurrency, resolveWorkspaceAccess } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { confirmDeletion } from '../interaction.ts';
import { startProgress } from '../print/progress.ts';
import { whileLockedFor } from './import-lock.ts';

/** The arguments and flags of an undo. */
interface UndoGiven {
  /** The report of the import. */
  readonly file: string;
  readonly concurrency: number | undefined;
}

/** Takes back what the import with a report has done, the last row first (cli.md, "Import"). */
export async function takenBack(session: Session, given: UndoGiven): Promise<CommandResult> {
  const { file: path } = given;
  const workspace = await resolveWorkspaceAccess(session);
  const written = await readWrites(path, workspace);
  if (session.globals.dryRun) return undoneSteps(session, given, written);
  const { size } = written.made;
  if (size > 0) {
    const what = size === 1 ? 'the record' : `the ${size} records`;
    await confirmDeletion(
      session,
      async () => `Delete ${what} that the import made, and put the others back?`,
    );
  }
  return whileLockedFor(session, path, workspace, async () => {
    // A run may have ended in between.
    const latest = await readWrites(path, workspace);
    await latest.markUndone();
    return undoneSteps(session, given, latest);
  });
}

/** A row of which something may still stand, and why. */
interface Left {
  readonly row: number;
  readonly message: string;
}

/** A write with the result of undoing it, or why that failed. */
type Ended = JournaledWrite & { readonly result: Undone | Failure };

/** Undoes writes concurrently, except that those of one record are undone in order. */
async function* undoneInPhases(
  written: JournaledWrites,
  undo: Undo,
  concurrency: number,
): AsyncGenerator<Ended> {
  const each = async function* (writes: Iterable<JournaledWrite>) {
    yield* writes;
  };
  for (const writes of written.phases()) {
    yield* inOrder(
      each(writes),
      concurrency,
      ({ done }) => [`${done.what} ${done.id}`],
      async (write) => {
        try {
          return { ...write, result: await undo(write.done) };
        } catch (error) {
          if (!isRecordFailure(error)) throw error;
          return { ...write, result: error };
        }
      },
    );
  }
}

async function undoneSteps(
  session: Session,
  { file: path, concurrency }: UndoGiven,
  written: JournaledWrites,
): Promise<CommandResult> {
  const { dryRun, quiet } = session.globals;
  const undo = undoing(await session.client(), written.made, dryRun);
  const count: Record<Undone['became'] | 'failed', number> = { undone: 0, already: 0, changed: 0, failed: 0 };
  const left: Left[] = [];
  const progress = startProgress(session);
  const most = concurrency ?? (await getDefaultConcurrency(session));
  try {
    for await (const { row, done, result } of undoneInPhases(written, undo, most)) {
      const what = `${done.what} ${done.id}`;
      if (result instanceof Failure) {
        count.failed += 1;
        left.push({ row, message: `The ${what} could not be restored: ${result.message}` });
      } else {
        count[result.became] += 1;
        if (result.became === 'changed')
          left.push({ row, message: `The ${what} ${result.why}: it is left alone.` });
      }
      progress.update(`Undoing ${count.undone}`);
    }
  } finally {
    progress.end();
  }
  const unknown = written.unsure.length;
  for (const row of written.unsure)
    left.push({ row, message: 'Something of it may have been written: look.' });
  const verb = dryRun ? 'would be undone' : 'undone';
  const more = unknown > 0 ? `, ${unknown} unknown` : '';
  const line = `${path}: ${count.undone} ${verb}, ${count.already} undone already, ${count.changed} changed since, ${count.failed} failed${more}\n`;
  return {
    ...toTextResult(quiet ? '' : line, { ...count, unknown, report: path }),
    failure: left.length > 0 ? notAll(left) : undefined,
  };
}

function notAll(left: readonly Left[]): Failure {
  const [only, ...others] = left;
  if (only && others.length === 0) return new Failure('partial', `Row ${only.row}: ${only.message}`);
  return new Failure('partial', `${left.length} writes are not undone:`, {
    fieldErrors: left.map(({ row, message }) => ({ pointer: `row ${row}`, code: 'changed', message })),
  });
}
