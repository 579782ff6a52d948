import { resolve } from 'node:path';
import { markImportUndone, resolveWorkspaceLogs } from '../../cli/change-log.ts';
import { type CommandResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { confirmDeletion } from '../../cli/command/interaction.ts';
import { getDefaultConcurrency, identifyWorkspace } from '../../cli/connect/connection.ts';
import { withImportLocks } from '../../cli/connect/workspace-locks.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { startRun } from '../../cli/write-run.ts';
import { Failure } from '../../contract/errors.ts';
import type { ImportLog } from '../../import/import-log.ts';
import { findImportLog, type UndoResult, undoRecords, useImportLog } from '../../import/undo.ts';
import type { PlannedChange } from '../../undo/plan.ts';
import { formatCount, formatInteger } from '../../values/text.ts';
import { describeChanges, maxShown } from './plan-text.ts';

interface UndoFlags {
  /** The report of the import. */
  readonly file: string;
  /** Maximum number of simultaneous writes. If omitted, the default of the workspace. */
  readonly concurrency: number | undefined;
}

/** Undoes the import whose report is `file`, the last record first. */
export async function undoImport(session: Session, flags: UndoFlags): Promise<CommandResult> {
  const { file } = flags;
  const workspace = await identifyWorkspace(session);
  const folder = await resolveWorkspaceLogs(session);
  const useLog = async <T>(work: (log: ImportLog) => Promise<T>) => {
    const log = await findImportLog(folder, file);
    return useImportLog(file, log, workspace, () => work(log));
  };
  if (session.globals.dryRun) {
    const { result } = await useLog((log) => revert(session, flags, log));
    return result;
  }
  return withImportLocks(session, file, workspace, () =>
    useLog(async (log) => {
      const { size } = log.createdIds;
      const records = size === 1 ? 'the record' : `the ${formatInteger(size)} records`;
      const question = `Delete ${records} that the import created, and restore the others?`;
      const ask = async () => (await import('./deletion-question.ts')).requireCount(question, size);
      if (size > 0) await confirmDeletion(session, ask);
      if (!log.isUndone) log.appendLater({ undone: true });
      const { result, canRetry } = await revert(session, flags, log);
      // The next `kith undo` must not revert the command before the import instead.
      if (!canRetry) await markImportUndone(session, log.report ?? resolve(file));
      return result;
    }),
  );
}

async function revert(
  session: Session,
  { file, concurrency }: UndoFlags,
  log: ImportLog,
): Promise<{ readonly result: CommandResult; readonly canRetry: boolean }> {
  const { dryRun, quiet } = session.globals;
  const counts = { undone: 0, already: 0, changed: 0, failed: 0, unknown: 0 };
  /** The first changes of a dry run, and the total number of changes. */
  const plannedChanges: PlannedChange[] = [];
  let plannedCount = 0;
  /** Writes that were not undone, and why. */
  const remainders: UndoResult[] = [];
  const opened = await startRun(session, { concurrency }, async () => ({}));
  try {
    await withProgress(session, async (update) => {
      const options = {
        client: await session.client(),
        run: opened.run,
        log,
        isDryRun: dryRun,
        concurrency: concurrency ?? (await getDefaultConcurrency(session)),
      };
      let done = 0;
      for await (const result of undoRecords(options)) {
        counts[result.status] += result.count;
        const { changes = [] } = result;
        if (dryRun && plannedChanges.length < maxShown) plannedChanges.push(...changes);
        plannedCount += changes.length;
        if (result.message !== undefined) remainders.push(result);
        done += result.count;
        update({ verb: 'Undoing', done, total: log.writeCount, unit: 'write' });
      }
    });
  } finally {
    opened.close();
  }
  const parts = [
    `${formatInteger(counts.undone)} ${dryRun ? 'would be undone' : 'undone'}`,
    `${formatInteger(counts.already)} already undone`,
    `${formatInteger(counts.changed)} changed since`,
    `${formatInteger(counts.failed)} failed`,
    ...(counts.unknown > 0 ? [`${formatInteger(counts.unknown)} unknown`] : []),
  ];
  const lines = dryRun ? describeChanges(plannedChanges, plannedCount) : [];
  const result: CommandResult = {
    ...toTextResult(quiet ? '' : [`${file}: ${parts.join(', ')}`, ...lines, ''].join('\n'), {
      ...counts,
      report: file,
    }),
    failure: remainders.length > 0 ? createFailure(remainders) : undefined,
  };
  return { result, canRetry: remainders.some((remainder) => remainder.canRetry) };
}

function createFailure(remainders: readonly UndoResult[]): Failure {
  const [only, ...others] = remainders;
  if (only && others.length === 0) return new Failure('partial', `Row ${only.row}: ${only.message}`);
  const count = remainders.reduce((sum, remainder) => sum + remainder.count, 0);
  return new Failure('partial', `${formatCount(count, 'write')} were not undone:`, {
    fieldErrors: remainders.map(({ row, message = '' }) => ({
      pointer: `row ${row}`,
      code: 'changed',
      message,
    })),
  });
}
