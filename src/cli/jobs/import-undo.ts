import { getRecordName } from '../../changes/bodies.ts';
import type { PlannedChange } from '../../changes/plan.ts';
import { flatten } from '../../changes/reversal.ts';
import { Failure } from '../../contract/errors.ts';
import type { CompletedStep } from '../../import/outcome.ts';
import { readImportWrites, undoWrites } from '../../import/undo.ts';
import { formatCount, formatInteger } from '../../values/text.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import { getDefaultConcurrency, resolveWorkspaceAccess } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { confirmDeletion } from '../interaction.ts';
import { withProgress } from '../print/progress.ts';
import type { ImportFlags } from './import-job.ts';
import { withImportLocks } from './import-locks.ts';
import { describeChange, maxShown } from './undo-plan-text.ts';
import { markImportUndone } from './undo-recording.ts';

/** Undoes the import whose report is `file`, the last row first. */
export async function undoImport(
  session: Session,
  { file: path, concurrency }: Pick<ImportFlags, 'file' | 'concurrency'>,
): Promise<CommandResult> {
  const workspace = await resolveWorkspaceAccess(session);
  const writes = await readImportWrites(path, workspace);
  if (session.globals.dryRun) return revert(session, path, concurrency, writes);
  const { size } = writes.createdIds;
  if (size > 0) {
    const records = size === 1 ? 'the record' : `the ${formatInteger(size)} records`;
    const question = `Delete ${records} that the import created, and restore the others?`;
    const { requireCount } = await import('../ask/deletion-question.ts');
    await confirmDeletion(session, async () => requireCount(question, size));
  }
  return withImportLocks(session, path, workspace, async () => {
    // A run may have ended since.
    const latest = await readImportWrites(path, workspace);
    latest.markUndone();
    const result = await revert(session, path, concurrency, latest);
    await markImportUndone(session, path);
    return result;
  });
}

async function revert(
  session: Session,
  path: string,
  concurrency: number | undefined,
  writes: Awaited<ReturnType<typeof readImportWrites>>,
): Promise<CommandResult> {
  const { dryRun, quiet } = session.globals;
  const client = await session.client();
  const counts = { undone: 0, already: 0, changed: 0, failed: 0, unknown: writes.unknownRows.length };
  const planned: PlannedChange[] = [];
  /** Writes that were not undone, and why. */
  const remainders: { readonly row: number; readonly message: string }[] = [];
  await withProgress(session, async (update) => {
    let done = 0;
    const limit = concurrency ?? (await getDefaultConcurrency(session));
    for await (const result of undoWrites(client, writes, { dryRun, concurrency: limit })) {
      const { row, record, step, status } = result;
      counts[status] += 1;
      if (dryRun && status === 'undone' && planned.length <= maxShown) planned.push(toChange(step));
      if (status === 'failed')
        remainders.push({ row, message: `The ${record} could not be restored: ${result.reason}` });
      if (status === 'changed') remainders.push({ row, message: `The ${record} ${result.reason}; skipped.` });
      done += 1;
      update({ verb: 'Undoing', done, total: writes.count, unit: 'write' });
    }
  });
  for (const row of writes.unknownRows) {
    remainders.push({ row, message: 'The response was lost, so it may have been written. Check it.' });
  }
  const parts = [
    `${formatInteger(counts.undone)} ${dryRun ? 'would be undone' : 'undone'}`,
    `${formatInteger(counts.already)} already undone`,
    `${formatInteger(counts.changed)} changed since`,
    `${formatInteger(counts.failed)} failed`,
    ...(counts.unknown > 0 ? [`${formatInteger(counts.unknown)} unknown`] : []),
  ];
  const more = counts.undone - maxShown;
  const lines = planned.slice(0, maxShown).flatMap(describeChange);
  if (dryRun && more > 0) lines.push(`  and ${formatCount(more, 'more change')}`);
  return {
    ...toTextResult(quiet ? '' : [`${path}: ${parts.join(', ')}`, ...lines, ''].join('\n'), {
      ...counts,
      report: path,
    }),
    failure: remainders.length > 0 ? createFailure(remainders) : undefined,
  };
}

/** Returns the change by which an undo reverts a write of an import. */
function toChange({ what: record, id, before, after }: CompletedStep): PlannedChange {
  const name = getRecordName(record, after);
  if (!before) return { action: 'delete', record, id, name };
  const [from, to] = [flatten(after), flatten(before)];
  const fields = Object.keys(to).map((field) => [
    field,
    { from: from[field] ?? null, to: to[field] ?? null },
  ]);
  return { action: 'update', record, id, name, fields: Object.fromEntries(fields) };
}

function createFailure(remainders: readonly { readonly row: number; readonly message: string }[]): Failure {
  const [only, ...others] = remainders;
  if (only && others.length === 0) return new Failure('partial', `Row ${only.row}: ${only.message}`);
  return new Failure('partial', `${formatInteger(remainders.length)} writes were not undone:`, {
    fieldErrors: remainders.map(({ row, message }) => ({ pointer: `row ${row}`, code: 'changed', message })),
  });
}
