import { createHash } from 'node:crypto';
import { createReadStream, existsSync, renameSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile, createFileFailure } from '../files/disk-errors.ts';
import type { Lock } from '../files/lock.ts';
import { escapeFormula } from '../render/cells.ts';
import { getLogPath, ImportLog, type ImportSubject } from './import-log.ts';
import { reportColumns, type Table } from './table.ts';
import { openTextTable } from './table-file.ts';

/** The report contains personal data, so only its owner may read it. */
const mode = 0o600;

/** Returns the default report: the input file's name with `.report.csv`. */
export function chooseReportPath(file: string): string {
  return `${file.replace(/\.(csv|tsv|tab|ndjson|jsonl|txt|vcf|xlsx|xlsm)$/i, '')}.report.csv`;
}

/** Creates the lock of a report, which one run at a time may write. */
export function createReportLock(path: string): Lock {
  return { path: `${path}.lock`, work: `is writing ${path}` };
}

/** The report and the log of a run. */
export interface ImportReport {
  readonly log: ImportLog;
  /** Whether the run continues an interrupted one. */
  readonly isResumed: boolean;
  /** The new name of the report of another import. */
  readonly previousReport: string | undefined;
  /** The new name of an earlier report that was modified by hand or belongs to an interrupted run. */
  readonly renamedTo: string | undefined;
}

/**
 * Opens the report of a run, and resumes an interrupted run of the same subject. Any other report that can be undone
 * or was modified by hand is renamed to `….previous.csv`, with its log.
 * @throws {Failure} usage if the file exists and is not a report
 */
export async function openReport(path: string, subject: ImportSubject): Promise<ImportReport> {
  const existing = ImportLog.read(path);
  const isChanged = await isChangedByHand(path, existing);
  const isInterrupted = existing?.subject !== undefined && !(existing.isFinished && existing.isCertain);
  const isResumed = isInterrupted && !existing.isUndone && existing.subject?.input === subject.input;
  const isNeeded = isChanged || existing?.isOld || ((existing?.writeCount ?? 0) > 0 && !isResumed);
  const previousReport = isNeeded ? chooseFreeName(path) : undefined;
  // The log first: an undo needs only the log, whenever the process is killed.
  if (previousReport !== undefined && !isResumed)
    renameIfExists(getLogPath(path), getLogPath(previousReport));
  if (previousReport !== undefined) renameIfExists(path, previousReport);
  return {
    log: isResumed ? existing.open() : ImportLog.create(path, subject),
    isResumed,
    previousReport: isResumed ? undefined : previousReport,
    renamedTo: isInterrupted || !existing ? previousReport : undefined,
  };
}

/** Writes the report from the input file and the log. Rows without an outcome are `pending`. */
export const writeReport = (path: string, table: Table, log: ImportLog) =>
  writeFileAtomically(path, recordHash(formatReport(table, log), log), mode);

/** Writes the final report and marks the run as finished. */
export async function finishReport(path: string, table: Table, log: ImportLog): Promise<void> {
  await writeReport(path, table, log);
  log.append({ finished: true });
}

function renameIfExists(from: string, to: string): void {
  if (existsSync(from)) accessFile('write', from, () => renameSync(from, to));
}

async function* formatReport(table: Table, log: ImportLog): AsyncGenerator<string> {
  yield formatRow([...table.columns.map(escapeFormula), ...reportColumns]);
  for await (const { row, cells } of table.rows()) {
    const { outcome = 'pending', id = '', error = '', left_out = '' } = log.findOutcome(row) ?? {};
    yield formatRow([...cells, outcome, id, error, left_out]);
  }
}

const formatRow = (cells: readonly string[]) =>
  stringify([cells], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

/** Passes texts through, and logs their hash before the file is renamed, so that the log always knows the report. */
async function* recordHash(texts: AsyncIterable<string>, log: ImportLog): AsyncGenerator<string> {
  const hash = createHash('sha256');
  for await (const text of texts) {
    hash.update(text);
    yield text;
  }
  log.append({ report_hash: hash.digest('base64url') });
}

/** Whether the report was modified since kith wrote it. @throws {Failure} usage if the file is not a report */
async function isChangedByHand(path: string, log: ImportLog | undefined): Promise<boolean> {
  const { size } = (await stat(path).catch(() => undefined)) ?? {};
  if (!size) return false;
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    throw createFileFailure('read', path, error);
  }
  if (log?.reports.has(hash.digest('base64url'))) return false;
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
    if (!existsSync(name) && !existsSync(getLogPath(name))) return name;
  }
}
