import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { withReadErrors, withWriteErrors } from '../files/disk-errors.ts';
import type { Lock } from '../files/lock.ts';
import { escapeFormula } from '../render/cells.ts';
import {
  createJournal,
  type ImportJournal,
  type ImportSubject,
  type JournalContents,
  journalPath,
  type OpenJournal,
  readJournal,
  removeJournal,
  resumeJournal,
} from './import-journal.ts';
import { reportColumns, type Table } from './table.ts';
import { openTextTable } from './table-file.ts';

/**
 * The report of an import: the columns of the input file with the action, id and error of each row. It is written
 * from the input file and its journal.
 */
export interface ImportReport {
  readonly journal: ImportJournal;
  /** Whether the run continues an interrupted one. */
  readonly isResumed: boolean;
  /** The new name of an earlier report that may still be needed: of an interrupted run, or modified by hand. */
  readonly renamedTo: string | undefined;
  /** Writes the report as far as the import has come; the other rows are `pending`. */
  write(sheet: Table): Promise<void>;
  /** Writes the report for the last time: no run resumes from it. */
  finish(sheet: Table): Promise<void>;
  close(): void;
}

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
export async function openReport(path: string, subject: ImportSubject): Promise<ImportReport> {
  const existing = await readJournal(path);
  const isChanged = await isChangedByHand(path, existing);
  if (existing && isResumable(existing, subject)) {
    const renamedTo = isChanged ? await chooseFreeName(path) : undefined;
    if (renamedTo !== undefined) await withWriteErrors(path, () => rename(path, renamedTo));
    return createImportReport(path, await resumeJournal(path, existing), { isResumed: true, renamedTo });
  }
  const isNeeded = existing?.hasWrites || isChanged;
  const previous = isNeeded ? await chooseFreeName(path) : undefined;
  if (previous !== undefined) await renameWithJournal(path, previous);
  else await removeJournal(path);
  const isInterrupted = existing?.subject !== undefined && !existing.isFinished;
  const renamedTo = isInterrupted || !existing ? previous : undefined;
  return createImportReport(path, await createJournal(path, subject), { isResumed: false, renamedTo });
}

function isResumable(
  { isFinished, isUndone, subject: of }: JournalContents,
  subject: ImportSubject,
): boolean {
  return !isFinished && !isUndone && of?.input === subject.input;
}

function createImportReport(
  path: string,
  journal: OpenJournal,
  state: Pick<ImportReport, 'isResumed' | 'renamedTo'>,
): ImportReport {
  const write = (sheet: Table) =>
    writeFileAtomically(path, recordHash(reportRows(sheet, journal), journal), mode);
  return {
    ...state,
    journal,
    write,
    async finish(sheet) {
      await write(sheet);
      await journal.append({ finished: true });
    },
    close: () => journal.close(),
  };
}

async function* reportRows(sheet: Table, journal: OpenJournal): AsyncGenerator<string> {
  yield csvRow([...sheet.columns.map(escapeFormula), ...reportColumns]);
  for await (const { row, cells } of sheet.rows()) {
    const { action = 'pending', id = '', error = '' } = journal.findOutcome(row) ?? {};
    yield csvRow([...cells, action, id, error]);
  }
}

const csvRow = (cells: readonly string[]) =>
  stringify([cells], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

/** Passes texts through and records their hash before the file gets its name, so that the journal always knows the report. */
async function* recordHash(texts: AsyncIterable<string>, journal: OpenJournal): AsyncGenerator<string> {
  const hash = createHash('sha256');
  for await (const text of texts) {
    hash.update(text);
    yield text;
  }
  await journal.append({ report: hash.digest('base64url') });
}

/** Whether there is a report that differs from what the journal knows. Throws `usage` for another kind of file. */
async function isChangedByHand(path: string, journal: JournalContents | undefined): Promise<boolean> {
  const { size } = (await stat(path).catch(() => undefined)) ?? {};
  if (!size) return false;
  if (journal?.reports.has(await hashOf(path))) return false;
  const isReport = await openTextTable(path, path).then(
    (sheet) => sheet.isReport,
    () => false,
  );
  if (isReport) return true;
  throw new Failure('usage', `${path} exists and is not an import report.`, {
    hint: 'Name another file with --report.',
  });
}

async function hashOf(path: string): Promise<string> {
  return withReadErrors(path, async () => {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('base64url');
  });
}

/** Renames the journal first: an undo needs only the journal, whenever the process is killed. */
async function renameWithJournal(path: string, to: string): Promise<void> {
  for (const [from, name] of [
    [journalPath(path), journalPath(to)],
    [path, to],
  ] as const) {
    if (await fileExists(from)) await withWriteErrors(from, () => rename(from, name));
  }
}

/** Returns an unused name for an earlier report. */
async function chooseFreeName(path: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const number = count === 1 ? '' : `-${count}`;
    const name = path.replace(/(\.csv)?$/i, `.previous${number}.csv`);
    if (!(await fileExists(name)) && !(await fileExists(journalPath(name)))) return name;
  }
}

const fileExists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
