import { createHash } from 'node:crypto';
import { createReadStream, existsSync, renameSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile, createFileFailure } from '../files/disk-errors.ts';
import type { Lock } from '../files/lock.ts';
import { escapeFormula } from '../render/cells.ts';
import {
  createJournal,
  type ImportJournal,
  type ImportSubject,
  type JournalContents,
  journalPath,
  openJournal,
  readJournal,
} from './import-journal.ts';
import { reportColumns, type Table } from './table.ts';
import { openTextTable } from './table-file.ts';

/** The report holds personal data: only its owner may read it. */
const mode = 0o600;

/** The lock of a report: one run at a time writes it. */
export function reportLock(path: string): Lock {
  return { path: `${path}.lock`, work: `is writing ${path}` };
}

/**
 * Opens the report of a run, and resumes the run of the same subject that was interrupted. Any other report with
 * something to undo, or that was changed by hand, is renamed to `….previous.csv` with its journal.
 * @throws {Failure} usage if the file exists and is not a report
 */
export async function openReport(path: string, subject: ImportSubject) {
  const existing = readJournal(path);
  const isChanged = await isChangedByHand(path, existing);
  const isInterrupted = existing?.subject !== undefined && !existing.isFinished;
  const isResumed = isInterrupted && !existing.isUndone && existing.subject?.input === subject.input;
  const isNeeded = isChanged || (existing?.hasWrites === true && !isResumed);
  const previous = isNeeded ? chooseFreeName(path) : undefined;
  // The journal first: an undo needs only the journal, whenever the process is killed.
  if (previous !== undefined && !isResumed) renameIfExists(journalPath(path), journalPath(previous));
  if (previous !== undefined) renameIfExists(path, previous);
  const journal = isResumed ? openJournal(path, existing) : createJournal(path, subject);
  const write = (table: Table) =>
    writeFileAtomically(path, recordHash(reportRows(table, journal), journal), mode);
  return {
    journal,
    /** Whether the run continues an interrupted one. */
    isResumed,
    /** The new name of an earlier report that may still be needed: of an interrupted run, or modified by hand. */
    renamedTo: isInterrupted || !existing ? previous : undefined,
    /** Writes the report from the input file and the journal. Rows without an outcome are `pending`. */
    write,
    /** Writes the report for the last time: no run resumes from it. */
    async finish(table: Table): Promise<void> {
      await write(table);
      journal.append({ finished: true });
    },
    close: journal.close,
  };
}

export type ImportReport = Awaited<ReturnType<typeof openReport>>;

function renameIfExists(from: string, to: string): void {
  if (existsSync(from)) accessFile('write', from, () => renameSync(from, to));
}

async function* reportRows(table: Table, journal: ImportJournal): AsyncGenerator<string> {
  yield csvRow([...table.columns.map(escapeFormula), ...reportColumns]);
  for await (const { row, cells } of table.rows()) {
    const { action = 'pending', id = '', error = '' } = journal.findOutcome(row) ?? {};
    yield csvRow([...cells, action, id, error]);
  }
}

const csvRow = (cells: readonly string[]) =>
  stringify([cells], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

/** Passes texts through and records their hash before the file gets its name, so that the journal always knows the report. */
async function* recordHash(texts: AsyncIterable<string>, journal: ImportJournal): AsyncGenerator<string> {
  const hash = createHash('sha256');
  for await (const text of texts) {
    hash.update(text);
    yield text;
  }
  journal.append({ report: hash.digest('base64url') });
}

/** Whether there is a report that differs from what the journal knows. Throws `usage` for another kind of file. */
async function isChangedByHand(path: string, journal: JournalContents | undefined): Promise<boolean> {
  const { size } = (await stat(path).catch(() => undefined)) ?? {};
  if (!size) return false;
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    throw createFileFailure('read', path, error);
  }
  if (journal?.reports.has(hash.digest('base64url'))) return false;
  const table = await openTextTable(path, path).catch(() => undefined);
  if (table?.isReport) return true;
  throw new Failure('usage', `${path} exists and is not an import report.`, {
    hint: 'Name another file with --report.',
  });
}

/** Returns an unused name for an earlier report. */
function chooseFreeName(path: string): string {
  for (let count = 1; ; count += 1) {
    const number = count === 1 ? '' : `-${count}`;
    const name = path.replace(/(\.csv)?$/i, `.previous${number}.csv`);
    if (!existsSync(name) && !existsSync(journalPath(name))) return name;
  }
}
