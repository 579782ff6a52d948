import { appendFile, truncate } from 'node:fs/promises';
import { Failure } from '../contract/errors.ts';
import { withWriteErrors } from '../files/disk-errors.ts';
import { Journal } from '../files/journal.ts';
import { pathExists } from '../files/read-file.ts';
import { compareWorkspace, type WorkspaceAccess } from '../files/workspace-identity.ts';
import { type ImportSubject, type JournalLine, journalPath, readJournalLines } from './import-journal.ts';
import type { CompletedStep, RecordKind } from './rows.ts';
import { isNumberLike } from './table.ts';
import { openTextTable } from './table-file.ts';

/** A write of a row. */
export interface ImportWrite {
  readonly row: number;
  readonly completed: CompletedStep;
}

/** The writes of an import, read from its journal. */
export interface ImportWrites {
  /**
   * Returns the writes in three phases, the last row first in each: changes and entries, then created contacts, then
   * created organizations. The writes of one phase can be undone concurrently.
   */
  phases(): Generator<Generator<ImportWrite>>;
  /** The ids of the records that were created. */
  readonly createdIds: ReadonlySet<string>;
  /** Rows with a write whose response was lost. */
  readonly unknownRows: readonly number[];
  /** Records that the import is being undone: it cannot be resumed. */
  markUndone(): Promise<void>;
}

/**
 * Reads the writes of the import that a report belongs to.
 * @throws {Failure} not_found without a journal, usage for an import into another workspace or the report of another
 * import
 */
export async function readImportWrites(report: string, access: WorkspaceAccess): Promise<ImportWrites> {
  const path = journalPath(report);
  if (!pathExists(path)) throw createMissingFailure(report, path);
  const offsets = new Map<number, number>();
  const createdIds = new Set<string>();
  const unknownRows = new Set<number>();
  const ids = new Set<string>();
  let subject: ImportSubject | undefined;
  let isUndone = false;
  let end = 0;
  for await (const { line, start, next } of readJournalLines(report)) {
    end = next;
    if ('kith_import' in line) {
      subject = line;
      continue;
    }
    const { row, sending, action, completed = [] } = line;
    isUndone ||= line.undone === true;
    if (row === undefined) continue;
    if (sending || action === 'unknown') unknownRows.add(row);
    else unknownRows.delete(row);
    if (action === undefined) continue;
    if (line.id !== undefined) ids.add(line.id);
    for (const { id, before } of completed) if (!before) createdIds.add(id);
    offsets.delete(row); // the last outcome of a row includes the writes of those before
    if (completed.length > 0) offsets.set(row, start);
  }
  checkWorkspace(report, subject, access);
  if (await belongsToOtherImport(report, ids)) throw createMismatchFailure(report, path);
  return {
    createdIds,
    unknownRows: [...unknownRows],
    *phases() {
      const latestFirst = [...offsets.values()].reverse();
      for (const belongs of phases) yield writesAt(path, latestFirst, belongs);
    },
    async markUndone() {
      if (isUndone) return;
      await withWriteErrors(path, async () => {
        await truncate(path, end);
        await appendFile(path, `${JSON.stringify({ undone: true } satisfies JournalLine)}\n`);
      });
    },
  };
}

function createMissingFailure(report: string, path: string): Failure {
  if (!pathExists(report)) return new Failure('not_found', `Report not found: ${report}`);
  return new Failure('not_found', `${report} has no journal: ${path} is missing.`, {
    hint: 'Move the journal back to that path. Without it the import cannot be undone.',
  });
}

/** Whether a report has only ids that the journal does not have: one of the two files was moved alone. */
async function belongsToOtherImport(report: string, ids: ReadonlySet<string>): Promise<boolean> {
  let hasOtherIds = false;
  try {
    for await (const { recordId } of (await openTextTable(report, report)).rows()) {
      if (recordId === undefined) continue;
      if (ids.has(recordId)) return false;
      // A spreadsheet may have converted an id to a number.
      hasOtherIds ||= !isNumberLike(recordId);
    }
  } catch (error) {
    // The undo needs only the journal, so a missing or unreadable report is not an error.
    if (error instanceof Failure && error.code === 'usage') return false;
    throw error;
  }
  return hasOtherIds;
}

function createMismatchFailure(report: string, path: string): Failure {
  return new Failure('usage', `${report} and its journal ${path} belong to different imports.`, {
    hint: 'Move a report and its journal together. An undo needs only the journal, so you may delete the report.',
  });
}

function checkWorkspace(report: string, subject: ImportSubject | undefined, access: WorkspaceAccess): void {
  const relation = subject ? compareWorkspace(subject, access) : 'other';
  if (relation === 'same') return;
  const { place } = access;
  if (relation === 'other_key') {
    throw new Failure('usage', `${report} is the report of an import into ${place} with another API key.`, {
      hint: 'Use the key or the profile that the import used.',
    });
  }
  const into = subject && subject.workspace !== place ? subject.workspace : 'another workspace';
  throw new Failure('usage', `${report} is the report of an import into ${into}, not into ${place}.`);
}

const isCreated = (completed: CompletedStep, what: RecordKind) =>
  completed.before === undefined && completed.what === what;

/** Whether a write belongs to each phase. */
const phases: readonly ((completed: CompletedStep) => boolean)[] = [
  (completed) => !isCreated(completed, 'contact') && !isCreated(completed, 'organization'),
  (completed) => isCreated(completed, 'contact'),
  (completed) => isCreated(completed, 'organization'),
];

function* writesAt(
  path: string,
  offsets: readonly number[],
  belongs: (completed: CompletedStep) => boolean,
): Generator<ImportWrite> {
  const file = new Journal(path);
  try {
    for (const offset of offsets) {
      const { row = 0, completed = [] }: JournalLine = JSON.parse(file.lineAt(offset));
      for (const one of completed.filter(belongs).toReversed()) yield { row, completed: one };
    }
  } finally {
    file.close();
  }
}
