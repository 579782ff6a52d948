import { open } from 'node:fs/promises';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import type { Done } from './outcome.ts';
import { Subject } from './report.ts';
import { placedLineIn, reportIn } from './report-lines.ts';

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

/**
 * What a report says was written, the last first, but organizations that were made behind all else. Throws `not_found` where there is no report, `usage` for one of
 * another workspace and for one whose undo column somebody has changed.
 */
export async function* doneIn(path: string, workspace: string): AsyncGenerator<{ row: number; done: Done }> {
  const report = await reportIn(path);
  if (!report) throw new Failure('not_found', `There is no report ${path}.`);
  const places: { row: number; start: number; end: number }[] = [];
  let of: string | undefined;
  for await (const { row, undo, start, end, action } of report.lines()) {
    if (action === 'started' || action === 'finished')
      of = v.safeParse(Subject, undo).success ? v.parse(Subject, undo).workspace : of;
    else if (action !== 'sending' && row !== undefined && undo !== undefined) {
      stepsIn(undo, row, path);
      places.push({ row, start, end });
    }
  }
  if (of !== workspace) {
    throw new Failure(
      'usage',
      `${path} is the report of an import into ${of ?? 'another workspace'}, not into ${workspace}.`,
    );
  }
  const file = await open(path, 'r');
  try {
    places.reverse();
    for (const isLast of [false, true]) {
      for (const { row, start, end } of places) {
        const { undo } = await placedLineIn(file, start, end);
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
