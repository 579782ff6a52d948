import { createHash } from 'node:crypto';
import { closeSync, createReadStream, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile, createFileFailure } from '../files/disk-errors.ts';
import { Journal, readLines } from '../files/journal.ts';
import type { Lock } from '../files/lock.ts';
import { pathExists } from '../files/read-file.ts';
import { WorkspaceIdentity } from '../files/workspace-identity.ts';
import { escapeFormula } from '../render/cells.ts';
import { type Action, actions, CompletedStep, type Outcome, Step } from './outcome.ts';
import { reportColumns, type Table } from './table.ts';
import { openTextTable } from './table-file.ts';

/** The report and the journal hold personal data: only their owner may read them. */
const mode = 0o600;

/** Returns the default report: the input file's name with `.report.csv`. */
export function chooseReportPath(file: string): string {
  return `${file.replace(/\.(csv|tsv|tab|ndjson|jsonl|txt|xlsx|xlsm)$/i, '')}.report.csv`;
}

/** The lock of a report: one run at a time writes it. */
export function createReportLock(path: string): Lock {
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
  const isInterrupted = existing?.subject !== undefined && !(existing.isFinished && existing.isCertain);
  const isResumed = isInterrupted && !existing.isUndone && existing.subject?.input === subject.input;
  const isNeeded = isChanged || (existing?.hasWrites === true && !isResumed);
  const previous = isNeeded ? chooseFreeName(path) : undefined;
  // The journal first: an undo needs only the journal, whenever the process is killed.
  if (previous !== undefined && !isResumed) renameIfExists(getJournalPath(path), getJournalPath(previous));
  if (previous !== undefined) renameIfExists(path, previous);
  const journal = isResumed ? openJournal(path, existing) : createJournal(path, subject);
  const write = (table: Table) =>
    writeFileAtomically(path, recordHash(formatReport(table, journal), journal), mode);
  return {
    journal,
    /** Whether the run continues an interrupted one. */
    isResumed,
    /** The new name of the report of another import. */
    previous: isResumed ? undefined : previous,
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

async function* formatReport(table: Table, journal: ImportJournal): AsyncGenerator<string> {
  yield formatRow([...table.columns.map(escapeFormula), ...reportColumns]);
  for await (const { row, cells } of table.rows()) {
    const { action = 'pending', id = '', error = '' } = journal.findOutcome(row) ?? {};
    yield formatRow([...cells, action, id, error]);
  }
}

const formatRow = (cells: readonly string[]) =>
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

/** Whether the report exists and differs from its journal. @throws {Failure} usage for another kind of file */
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
    if (!existsSync(name) && !existsSync(getJournalPath(name))) return name;
  }
}

/** The input and the target of an import. A run resumes only a journal with the same subject. */
const ImportSubject = v.object({
  kith_import: v.literal(1),
  /** The base URL or the file of the workspace. */
  workspace: v.string(),
  identity: WorkspaceIdentity,
  /** A hash of the input file, of the workspace, and of the flags that decide the outcome of its rows. */
  input: v.string(),
});
export type ImportSubject = Readonly<v.InferOutput<typeof ImportSubject>>;

/** A line of the journal. The first line is the subject. */
const JournalLine = v.strictObject({
  row: v.exactOptional(v.number()),
  /** A step that is about to be sent for the row. */
  sending: v.exactOptional(Step),
  /** The outcome of the row. */
  action: v.exactOptional(v.picklist(actions)),
  id: v.exactOptional(v.string()),
  error: v.exactOptional(v.string()),
  completed: v.exactOptional(v.pipe(v.array(CompletedStep), v.readonly())),
  /** A hash of the report that is about to be written. */
  report: v.exactOptional(v.string()),
  finished: v.exactOptional(v.literal(true)),
  /** The import is being undone: it cannot be resumed. */
  undone: v.exactOptional(v.literal(true)),
});
type JournalLine = Readonly<v.InferOutput<typeof JournalLine>>;

/** Returns the path of a report's journal: a hidden file in the same folder. */
export const getJournalPath = (report: string) => join(dirname(report), `.${basename(report)}.kith-journal`);

/** The state of an import according to the lines of its journal. */
export class JournalContents {
  /** undefined if the run was killed before it wrote the first line. */
  subject: ImportSubject | undefined;
  isFinished = false;
  isUndone = false;
  /** Whether the run may have written anything. */
  hasWrites = false;
  /** The hashes of the reports that kith wrote. */
  readonly reports = new Set<string>();
  /** The actions of completed rows. */
  readonly actions = new Map<number, Action>();
  /** The byte at which the last outcome of each row begins, the latest outcome last. */
  readonly offsets = new Map<number, number>();
  /** The steps that were about to be sent, of rows that have to be imported again. */
  readonly traces = new Map<number, readonly Step[]>();
  /** The writes of rows that have to be imported again. */
  readonly completedSteps = new Map<number, readonly CompletedStep[]>();
  /** The byte after the last whole line. */
  end = 0;

  /** Whether the outcome of each written row is known. The next run resolves unknown outcomes. */
  get isCertain(): boolean {
    return [...this.traces.keys(), ...this.offsets.keys()].every((row) => this.actions.has(row));
  }

  add(line: JournalLine, start: number): void {
    const { row, sending, action, completed } = line;
    this.isFinished ||= line.finished === true;
    this.isUndone ||= line.undone === true;
    this.hasWrites ||= completed !== undefined || action === 'unknown';
    if (line.report !== undefined) this.reports.add(line.report);
    if (row === undefined) return;
    if (sending) this.traces.set(row, [...(this.traces.get(row) ?? []), sending]);
    if (action === undefined) return;
    this.offsets.delete(row);
    this.offsets.set(row, start);
    if (action === 'unknown') {
      if (completed) this.completedSteps.set(row, completed);
      return;
    }
    this.actions.set(row, action);
    this.traces.delete(row);
    this.completedSteps.delete(row);
  }
}

/** Reads the journal of a report; undefined if there is none. @throws {Failure} failed if it is damaged */
export function readJournal(report: string): JournalContents | undefined {
  const path = getJournalPath(report);
  if (!accessFile('read', path, () => pathExists(path))) return undefined;
  const contents = new JournalContents();
  let number = 0;
  for (const { text, start, next } of readLines(path)) {
    number += 1;
    try {
      const line: unknown = JSON.parse(text);
      if (number === 1) contents.subject = v.parse(ImportSubject, line);
      else contents.add(v.parse(JournalLine, line), start);
    } catch (cause) {
      throw new Failure('failed', `${path} is damaged at line ${number}.`, {
        cause,
        hint: 'Restore it from a backup, or move it away. Without it the next run starts over, and the import cannot be undone.',
      });
    }
    contents.end = next;
  }
  return contents;
}

/** Yields the last outcome of each row, the latest one first. */
export function* readOutcomes(report: string, { offsets }: JournalContents): Generator<JournalLine> {
  const file = new Journal(getJournalPath(report));
  try {
    for (const offset of [...offsets.values()].reverse()) yield JSON.parse(file.lineAt(offset));
  } finally {
    file.close();
  }
}

/** The journal of an import, to which each step and each outcome of its rows is appended. */
export type ImportJournal = ReturnType<typeof openJournal>;

/** Opens the journal of a report to continue it after its contents. A partly written last line is removed. */
export function openJournal(report: string, { end, ...contents }: JournalContents) {
  const { actions, traces, completedSteps, offsets } = contents;
  const file = new Journal(getJournalPath(report));
  file.truncate(end);
  const append = (line: JournalLine | ImportSubject) => file.append(JSON.stringify(line));
  return {
    append,
    /** Returns the action of a row that an interrupted run completed. */
    findAction: (row: number) => actions.get(row),
    /** Returns the steps that an interrupted run was about to send for a row. */
    findTraces: (row: number): readonly Step[] => traces.get(row) ?? [],
    recordStep: (row: number, step: Step) => void append({ row, sending: step }),
    recordOutcome(row: number, { action, id, error, completed: now }: Outcome): void {
      const completed = [...findMissing(now, completedSteps.get(row) ?? []), ...now];
      const line = { row, action, ...(id !== undefined && { id }), ...(error !== undefined && { error }) };
      offsets.set(row, append({ ...line, ...(completed.length > 0 && { completed }) }));
    },
    /** Returns the last outcome of a row; undefined if it has none. */
    findOutcome(row: number): JournalLine | undefined {
      const offset = offsets.get(row);
      return offset === undefined ? undefined : JSON.parse(file.lineAt(offset));
    },
    close: () => file.close(),
  };
}

/** Creates the journal of a report, in place of an earlier one. */
function createJournal(report: string, subject: ImportSubject): ImportJournal {
  const path = getJournalPath(report);
  accessFile('write', path, () => {
    rmSync(path, { force: true });
    closeSync(openSync(path, 'wx', mode));
  });
  const journal = openJournal(report, new JournalContents());
  journal.append(subject);
  return journal;
}

/** Returns the earlier writes that are not repeated now. A record that was created and then updated has both. */
function findMissing(now: readonly CompletedStep[], before: readonly CompletedStep[]): CompletedStep[] {
  return before.filter(
    ({ what, id, before: old }) =>
      !now.some((one) => one.what === what && one.id === id && !one.before === !old),
  );
}
