import { appendFile, open, truncate } from 'node:fs/promises';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { onDisk } from '../disk/on-disk.ts';
import type { Done } from './outcome.ts';
import { Subject } from './report.ts';
import { lineText, type ReadReport, reportIn } from './report-lines.ts';

const Fields = v.record(v.string(), v.unknown());
const DoneSteps = v.array(
  v.object({
    what: v.picklist(['contact', 'organization', 'entry']),
    list_id: v.exactOptional(v.string()),
    id: v.pipe(v.string(), v.nonEmpty()),
    before: v.exactOptional(Fields),
    after: Fields,
  }),
);

/** What a report says of the writes of its run. */
export interface Written {
  /** What was written, the last first, but organizations that were made behind all else. */
  done(): AsyncGenerator<{ row: number; done: Done }>;
  /** The ids of the records that were made. */
  readonly made: ReadonlySet<string>;
  /** Rows of which something was sent, and its answer lost. */
  readonly unsure: readonly number[];
  /** Makes the report say that somebody takes it back: no run goes on from it. */
  markUndone(): Promise<void>;
}

/**
 * Reads what a report says was written. Throws `not_found` where there is no report, `usage` for one of another
 * workspace and for one whose undo column somebody has changed.
 */
export async function writtenIn(path: string, workspace: string): Promise<Written> {
  const report = await reportIn(path);
  if (!report) throw new Failure('not_found', `There is no report ${path}.`);
  const places = new Map<number, Place>();
  const made = new Set<string>();
  const unsure = new Set<number>();
  let of: string | undefined;
  let isMarked = false;
  let whole = 0;
  for await (const { row, undo, start, end, action } of report.lines()) {
    whole = end;
    if (action === 'undone') isMarked = true;
    if (row === undefined) of = v.is(Subject, undo) ? undo.workspace : of;
    else if (action === 'sending') unsure.add(row);
    else {
      if (action === 'unknown') unsure.add(row);
      else unsure.delete(row);
      places.delete(row); // the last line of a row tells all, and stands where it was written
      if (undo === undefined) continue;
      for (const { id, before } of stepsIn(undo, row, path)) if (!before) made.add(id);
      places.set(row, { start, end });
    }
  }
  if (of !== workspace) {
    throw new Failure(
      'usage',
      `${path} is the report of an import into ${of ?? 'another workspace'}, not into ${workspace}.`,
    );
  }
  return {
    made,
    unsure: [...unsure],
    done: () => doneAt(path, report, [...places].reverse()),
    async markUndone() {
      // A run goes on only from what this program wrote, and what a spreadsheet wrote is parted by its own signs.
      if (isMarked || !report.isAsWritten) return;
      const cells = report.columns.map(() => '');
      await onDisk(path, async () => {
        await truncate(path, whole);
        await appendFile(path, lineText({ cells, action: 'undone' }));
      });
    },
  };
}

/** Where a line stands in the file. */
interface Place {
  readonly start: number;
  readonly end: number;
}

async function* doneAt(
  path: string,
  report: ReadReport,
  places: readonly (readonly [number, Place])[],
): AsyncGenerator<{ row: number; done: Done }> {
  const file = await open(path, 'r');
  try {
    for (const isLast of [false, true]) {
      for (const [row, { start, end }] of places) {
        const { undo } = await report.lineAt(file, start, end);
        const steps = stepsIn(undo, row, path).filter((done) => isForOthers(done) === isLast);
        for (const done of steps.reverse()) yield { row, done };
      }
    }
  } finally {
    await file.close();
  }
}

/** An organization that was made: of rows side by side any may have made it for all. */
const isForOthers = ({ what, before }: Done) => what === 'organization' && before === undefined;

function stepsIn(undo: unknown, row: number, path: string): Done[] {
  const { success, output } = v.safeParse(DoneSteps, undo);
  if (success) return output;
  throw new Failure('usage', `${path}: what row ${row} says of its undoing cannot be read.`);
}
