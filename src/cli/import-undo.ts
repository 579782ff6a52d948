import { Failure } from '../contract/errors.ts';
import { doneIn } from '../sync/report-done.ts';
import { isItsOwn, type Rehearsed, type Undone, undo } from '../sync/undo.ts';
import { type Answer, said } from './command.ts';
import type { Session } from './context.ts';
import { progressOn } from './progress.ts';
import { workspaceOf } from './session.ts';

/** Takes back what the import with a report has done, the last row first (cli.md, "Import"). */
export async function takenBack(session: Session, path: string): Promise<Answer> {
  const client = await session.client();
  const workspace = await workspaceOf(session);
  const rehearsed: Rehearsed | undefined = session.globals.dryRun ? new Map() : undefined;
  const count: Record<Undone | 'failed', number> = { undone: 0, already: 0, changed: 0, failed: 0 };
  const left: { row: number; message: string }[] = [];
  const progress = progressOn(session);
  try {
    for await (const { row, done } of doneIn(path, workspace)) {
      const what = `${done.what} ${done.id}`;
      try {
        const undone = await undo(client, done, rehearsed);
        count[undone] += 1;
        if (undone === 'changed')
          left.push({ row, message: `The ${what} was changed since: it is left alone.` });
      } catch (error) {
        if (!isItsOwn(error)) throw error;
        count.failed += 1;
        left.push({ row, message: `The ${what} could not be put back: ${error.message}` });
      }
      progress.say(`Undoing ${count.undone}`);
    }
  } finally {
    progress.end();
  }
  const verb = rehearsed ? 'would be undone' : 'undone';
  const line = `${path}: ${count.undone} ${verb}, ${count.already} undone already, ${count.changed} changed since, ${count.failed} failed\n`;
  return {
    ...said(session.globals.quiet ? '' : line, { ...count, report: path }),
    failure: left.length > 0 ? notAll(left) : undefined,
  };
}

function notAll(left: readonly { row: number; message: string }[]): Failure {
  const [only, ...others] = left;
  if (only && others.length === 0) return new Failure('partial', `Row ${only.row}: ${only.message}`);
  return new Failure('partial', `${left.length} writes are not undone:`, {
    faults: left.map(({ row, message }) => ({ pointer: `row ${row}`, code: 'changed', message })),
  });
}
