import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../contract/errors.ts';
import { renameFile, writeFileAtomically } from '../files/atomic-write.ts';
import { createFileFailure } from '../files/disk-errors.ts';
import type { Lock } from '../files/lock.ts';
import { escapeFormula } from '../render/cells.ts';
import { getOldLogPath, type ImportLog } from './import-log.ts';
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

/** The new names of an earlier report. */
interface RenamedReport {
  /** The new name of the report of another import. */
  readonly previousReport: string | undefined;
  /** The new name of an earlier report that was modified by hand or belongs to an interrupted run. */
  readonly renamedTo: string | undefined;
}

/**
 * Makes room for the report of a run: an earlier report that can be undone or was modified by hand is renamed to
 * `….previous.csv`. `earlier`: the log of the earlier report. `isResumed`: the run continues it.
 * @throws {Failure} usage if the file exists and is not a report
 */
export async function replaceReport(
  path: string,
  earlier: ImportLog | undefined,
  isResumed: boolean,
): Promise<RenamedReport> {
  const isChanged = await isChangedByHand(path, earlier);
  const isNeeded = isChanged || earlier?.isUnreadable || ((earlier?.writeCount ?? 0) > 0 && !isResumed);
  const previousReport = isNeeded ? chooseFreeName(path) : undefined;
  // The log first: an undo needs only the log, whenever the process is killed.
  if (earlier && !isResumed) moveLog(earlier, path, previousReport);
  if (previousReport !== undefined) renameIfExists(path, previousReport);
  return {
    previousReport: isResumed ? undefined : previousReport,
    renamedTo: !earlier || isInterrupted(earlier) ? previousReport : undefined,
  };
}

/** Whether the next run of an import continues it, unless it was undone. */
export const isInterrupted = (log: ImportLog) => log.at !== '' && !(log.isFinished && log.isCertain);

/** Keeps the log of an earlier report, under the report's new name. Without a new name, the log is not needed any more. */
function moveLog(log: ImportLog, path: string, previousReport: string | undefined): void {
  if (previousReport === undefined) log.remove();
  else if (log.isOld) renameIfExists(getOldLogPath(path), getOldLogPath(previousReport));
  else {
    log.open().appendLater({ report: resolve(previousReport) });
    log.close();
  }
}

/** Writes the report from the input file and the log. Rows without an outcome are `pending`. */
export const writeReport = (path: string, table: Table, log: ImportLog) =>
  writeFileAtomically(path, recordHash(formatReport(table, log), log), mode);

function renameIfExists(from: string, to: string): void {
  if (existsSync(from)) renameFile(from, to);
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

/** Returns the hash of a report, as its log has it. */
export async function hashReport(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    throw createFileFailure('read', path, error);
  }
  return hash.digest('base64url');
}

/** Whether the report was modified since kith wrote it. @throws {Failure} usage if the file is not a report */
async function isChangedByHand(path: string, log: ImportLog | undefined): Promise<boolean> {
  const { size } = (await stat(path).catch(() => undefined)) ?? {};
  if (!size || log?.reports.has(await hashReport(path))) return false;
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
    if (!existsSync(name) && !existsSync(getOldLogPath(name))) return name;
  }
}
