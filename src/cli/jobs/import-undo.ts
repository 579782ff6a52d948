import { Failure, isRecordFailure } from '../../contract/errors.ts';
import { mapInOrder } from '../../import/in-order.ts';
import {
  createUndo,
  type ImportWrite,
  type ImportWrites,
  readImportWrites,
  type Undo,
  type UndoResult,
} from '../../import/undo.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import { getDefaultConcurrency, resolveWorkspaceAccess } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { confirmDeletion } from '../interaction.ts';
import { startProgress } from '../print/progress.ts';
import { withImportLocks } from './import-job.ts';

/** The arguments and flags of an undo. */
interface UndoFlags {
  /** The report of the import. */
  readonly file: string;
  readonly concurrency: number | undefined;
}

/** Undoes the import with a report, the last row first. */
export async function undoImport(session: Session, flags: UndoFlags): Promise<CommandResult> {
  const { file: path } = flags;
  const workspace = await resolveWorkspaceAccess(session);
  const writes = await readImportWrites(path, workspace);
  if (session.globals.dryRun) return undoWrites(session, flags, writes);
  const { size } = writes.createdIds;
  if (size > 0) {
    const records = size === 1 ? 'the record' : `the ${size} records`;
    await confirmDeletion(
      session,
      async () => `Delete ${records} that the import created, and restore the others?`,
    );
  }
  return withImportLocks(session, path, workspace, async () => {
    // A run may have ended since.
    const latest = await readImportWrites(path, workspace);
    await latest.markUndone();
    return undoWrites(session, flags, latest);
  });
}

/** A write that was not undone, and why. */
interface Remainder {
  readonly row: number;
  readonly message: string;
}

type UndoneWrite = ImportWrite & { readonly result: UndoResult | Failure };

/** Undoes writes concurrently, except that those of one record are undone in order. */
async function* undoPhases(
  writes: ImportWrites,
  undo: Undo,
  concurrency: number,
): AsyncGenerator<UndoneWrite> {
  const toAsync = async function* (phase: Iterable<ImportWrite>) {
    yield* phase;
  };
  const readKeys = ({ completed }: ImportWrite) => [`${completed.what} ${completed.id}`];
  for (const phase of writes.phases()) {
    yield* mapInOrder(toAsync(phase), concurrency, readKeys, async (write) => {
      try {
        return { ...write, result: await undo(write.completed) };
      } catch (error) {
        if (!isRecordFailure(error)) throw error;
        return { ...write, result: error };
      }
    });
  }
}

async function undoWrites(
  session: Session,
  { file: path, concurrency }: UndoFlags,
  writes: ImportWrites,
): Promise<CommandResult> {
  const { dryRun, quiet } = session.globals;
  const undo = createUndo(await session.client(), writes.createdIds, dryRun);
  const counts: Record<UndoResult['status'] | 'failed', number> = {
    undone: 0,
    already: 0,
    changed: 0,
    failed: 0,
  };
  const remainders: Remainder[] = [];
  const progress = startProgress(session);
  try {
    const limit = concurrency ?? (await getDefaultConcurrency(session));
    for await (const { row, completed, result } of undoPhases(writes, undo, limit)) {
      const record = `${completed.what} ${completed.id}`;
      if (result instanceof Failure) {
        counts.failed += 1;
        remainders.push({ row, message: `The ${record} could not be restored: ${result.message}` });
      } else {
        counts[result.status] += 1;
        if (result.status === 'changed')
          remainders.push({ row, message: `The ${record} ${result.reason}; skipped.` });
      }
      progress.update(`Undoing ${counts.undone}`);
    }
  } finally {
    progress.end();
  }
  const unknown = writes.unknownRows.length;
  for (const row of writes.unknownRows) {
    remainders.push({ row, message: 'The response was lost, so it may have been written. Check it.' });
  }
  const verb = dryRun ? 'would be undone' : 'undone';
  const more = unknown > 0 ? `, ${unknown} unknown` : '';
  const line = `${path}: ${counts.undone} ${verb}, ${counts.already} undone already, ${counts.changed} changed since, ${counts.failed} failed${more}\n`;
  return {
    ...toTextResult(quiet ? '' : line, { ...counts, unknown, report: path }),
    failure: remainders.length > 0 ? createFailure(remainders) : undefined,
  };
}

function createFailure(remainders: readonly Remainder[]): Failure {
  const [only, ...others] = remainders;
  if (only && others.length === 0) return new Failure('partial', `Row ${only.row}: ${only.message}`);
  return new Failure('partial', `${remainders.length} writes were not undone:`, {
    fieldErrors: remainders.map(({ row, message }) => ({ pointer: `row ${row}`, code: 'changed', message })),
  });
}
