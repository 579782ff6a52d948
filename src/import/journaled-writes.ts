import { appendFile, truncate } from 'node:fs/promises';
import { Failure } from '../contract/errors.ts';
import { withWriteErrors } from '../files/disk-errors.ts';
import { Journal } from '../files/journal.ts';
import { pathExists } from '../files/read-file.ts';
import { compareWorkspace, type WorkspaceAccess } from '../files/workspace-identity.ts';
import { type ImportSubject, type JournalLine, journalLines, journalPath } from './import-journal.ts';
import type { Done, What } from './outcome.ts';
import { isNumberLike, sheetIn } from './table-file.ts';

/** A write of a row. */
export interface JournaledWrite {
  readonly row: number;
  readonly done: Done;
}

/** The writes of an import, as its journal says. */
export interface JournaledWrites {
  /**
   * The writes in the phases in which they can be undone side by side, each with the last one first: changes and
   * entries, then created contacts, then created organizations. Nothing that is left then belongs to a record.
   */
  phases(): Generator<Generator<JournaledWrite>>;
  /** The ids of the records that were created. */
  readonly made: ReadonlySet<string>;
  /** Rows that were sent in part, with no response. */
  readonly unsure: readonly number[];
  /** Records that the run is being undone: it cannot be resumed any more. */
  markUndone(): Promise<void>;
}

/**
 * Reads the writes of the import with a report.
 * @throws {Failure} not_found without a journal, usage for an import into another workspace or the report of another
 * import
 */
export async function readWrites(report: string, access: WorkspaceAccess): Promise<JournaledWrites> {
  const path = journalPath(report);
  if (!pathExists(path)) throw missing(report, path);
  const places = new Map<number, number>();
  const made = new Set<string>();
  const unsure = new Set<number>();
  const ids = new Set<string>();
  let of: ImportSubject | undefined;
  let isMarked = false;
  let whole = 0;
  for await (const { line, start, next } of journalLines(report)) {
    whole = next;
    if ('kith_import' in line) {
      of = line;
      continue;
    }
    const { row, sending, action, done = [] } = line;
    isMarked ||= line.undone === true;
    if (row === undefined) continue;
    if (sending || action === 'unknown') unsure.add(row);
    else unsure.delete(row);
    if (action === undefined) continue;
    if (line.id !== undefined) ids.add(line.id);
    for (const { id, before } of done) if (!before) made.add(id);
    places.delete(row); // the last outcome of a row includes the writes of those before
    if (done.length > 0) places.set(row, start);
  }
  checkWorkspace(report, of, access);
  if (await isOfOthers(report, ids)) throw otherImport(report, path);
  return {
    made,
    unsure: [...unsure],
    *phases() {
      const latestFirst = [...places.values()].reverse();
      for (const isIn of phases) yield writesAt(path, latestFirst, isIn);
    },
    async markUndone() {
      if (isMarked) return;
      await withWriteErrors(path, async () => {
        await truncate(path, whole);
        await appendFile(path, `${JSON.stringify({ undone: true } satisfies JournalLine)}\n`);
      });
    },
  };
}

function missing(report: string, path: string): Failure {
  if (!pathExists(report)) return new Failure('not_found', `There is no report ${report}.`);
  return new Failure('not_found', `${report} has no journal: ${path} is missing.`, {
    hint: 'Move the journal back to that path. Without it the import cannot be undone.',
  });
}

/** Whether a report names records, and none of those that the journal has: one of the two files was moved alone. */
async function isOfOthers(report: string, ids: ReadonlySet<string>): Promise<boolean> {
  let hasOthers = false;
  try {
    for await (const { recordId } of (await sheetIn(report, report)).rows()) {
      if (recordId === undefined) continue;
      if (ids.has(recordId)) return false;
      // A spreadsheet may have taken an id for a number.
      hasOthers ||= !isNumberLike(recordId);
    }
  } catch (error) {
    // What a spreadsheet made of the report, or that it is gone, is no reason to refuse.
    if (error instanceof Failure && error.code === 'usage') return false;
    throw error;
  }
  return hasOthers;
}

function otherImport(report: string, path: string): Failure {
  return new Failure('usage', `${report} and its journal ${path} belong to different imports.`, {
    hint: 'Move a report and its journal together. An undo needs only the journal, so you may delete the report.',
  });
}

function checkWorkspace(report: string, of: ImportSubject | undefined, access: WorkspaceAccess): void {
  const relation = of ? compareWorkspace(of, access) : 'other';
  if (relation === 'same') return;
  const { place } = access;
  if (relation === 'other_key') {
    throw new Failure('usage', `${report} is the report of an import into ${place} with another API key.`, {
      hint: 'Use the key or the profile that the import used.',
    });
  }
  const into = of && of.workspace !== place ? of.workspace : 'another workspace';
  throw new Failure('usage', `${report} is the report of an import into ${into}, not into ${place}.`);
}

const isCreated = (done: Done, what: What) => done.before === undefined && done.what === what;

/** Which writes are undone in each phase. */
const phases: readonly ((done: Done) => boolean)[] = [
  (done) => !isCreated(done, 'contact') && !isCreated(done, 'organization'),
  (done) => isCreated(done, 'contact'),
  (done) => isCreated(done, 'organization'),
];

function* writesAt(
  path: string,
  places: readonly number[],
  isIn: (done: Done) => boolean,
): Generator<JournaledWrite> {
  const file = new Journal(path);
  try {
    for (const place of places) {
      const { row = 0, done = [] }: JournalLine = JSON.parse(file.lineAt(place));
      for (const one of done.filter(isIn).toReversed()) yield { row, done: one };
    }
  } finally {
    file.close();
  }
}
