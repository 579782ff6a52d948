import { Failure, isOfOneRecord } from '../contract/errors.ts';
import { whileLocked } from '../disk/lock.ts';
import { lockOf } from '../sync/import-report.ts';
import { type JournaledWrites, readWrites } from '../sync/journaled-writes.ts';
import { type Undone, undoing } from '../sync/undo.ts';
import { type Answer, said } from './command.ts';
import type { Session } from './context.ts';
import { confirmed } from './interaction.ts';
import { progressOn } from './progress.ts';
import { accessOf } from './workspace-in-use.ts';

/** Takes back what the import with a report has done, the last row first (cli.md, "Import"). */
export async function takenBack(session: Session, path: string): Promise<Answer> {
  const workspace = await accessOf(session);
  const written = await readWrites(path, workspace);
  if (session.globals.dryRun) return undoneSteps(session, path, written);
  const { size } = written.made;
  if (size > 0) {
    const what = size === 1 ? 'the record' : `the ${size} records`;
    await confirmed(session, async () => `Delete ${what} that the import made, and put the others back?`);
  }
  return whileLocked(lockOf(path), session.holder, async () => {
    // A run may have ended in between.
    const latest = await readWrites(path, workspace);
    await latest.markUndone();
    return undoneSteps(session, path, latest);
  });
}

/** A row of which something may still stand, and why. */
interface Left {
  readonly row: number;
  readonly message: string;
}

async function undoneSteps(session: Session, path: string, written: JournaledWrites): Promise<Answer> {
  const { dryRun, quiet } = session.globals;
  const undo = undoing(await session.client(), written.made, dryRun);
  const count: Record<Undone['became'] | 'failed', number> = { undone: 0, already: 0, changed: 0, failed: 0 };
  const left: Left[] = [];
  const progress = progressOn(session);
  try {
    for (const { row, done } of written.done()) {
      const what = `${done.what} ${done.id}`;
      try {
        const undone = await undo(done);
        count[undone.became] += 1;
        if (undone.became === 'changed')
          left.push({ row, message: `The ${what} ${undone.why}: it is left alone.` });
      } catch (error) {
        if (!isOfOneRecord(error)) throw error;
        count.failed += 1;
        left.push({ row, message: `The ${what} could not be put back: ${error.message}` });
      }
      progress.say(`Undoing ${count.undone}`);
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
    ...said(quiet ? '' : line, { ...count, unknown, report: path }),
    failure: left.length > 0 ? notAll(left) : undefined,
  };
}

function notAll(left: readonly Left[]): Failure {
  const [only, ...others] = left;
  if (only && others.length === 0) return new Failure('partial', `Row ${only.row}: ${only.message}`);
  return new Failure('partial', `${left.length} writes are not undone:`, {
    faults: left.map(({ row, message }) => ({ pointer: `row ${row}`, code: 'changed', message })),
  });
}
