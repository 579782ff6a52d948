import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { withReadErrors, withWriteErrors } from '../files/disk-errors.ts';
import { Journal } from '../files/journal.ts';
import { pathExists } from '../files/read-file.ts';
import { WorkspaceIdentity } from '../files/workspace-identity.ts';
import { type Action, actions, type CompletedStep, type Outcome, type Step } from './rows.ts';

/** The input and the target of an import. A run resumes only a journal with the same subject. */
export const ImportSubject = v.object({
  kith_import: v.literal(1),
  /** The base URL or the file of the workspace. */
  workspace: v.string(),
  identity: WorkspaceIdentity,
  /** A hash of the input file, of the workspace, and of the flags that decide the outcome of its rows. */
  input: v.string(),
});
export type ImportSubject = Readonly<v.InferOutput<typeof ImportSubject>>;

const FieldValues = v.record(v.string(), v.unknown());
const place = {
  what: v.picklist(['contact', 'organization', 'entry']),
  list_id: v.exactOptional(v.string()),
};

/** A line of the journal. The first line is the subject. */
const JournalLine = v.object({
  row: v.exactOptional(v.number()),
  /** A step that is about to be sent for the row. */
  sending: v.exactOptional(
    v.object({
      ...place,
      id: v.exactOptional(v.string()),
      body: FieldValues,
      before: v.exactOptional(FieldValues),
    }),
  ),
  /** The outcome of the row. */
  action: v.exactOptional(v.picklist(actions)),
  id: v.exactOptional(v.string()),
  error: v.exactOptional(v.string()),
  completed: v.exactOptional(
    v.pipe(
      v.array(
        v.object({
          ...place,
          id: v.pipe(v.string(), v.nonEmpty()),
          before: v.exactOptional(FieldValues),
          after: FieldValues,
        }),
      ),
      v.readonly(),
    ),
  ),
  /** A hash of the report that is about to be written. */
  report: v.exactOptional(v.string()),
  finished: v.exactOptional(v.literal(true)),
  /** The import is being undone: it cannot be resumed. */
  undone: v.exactOptional(v.literal(true)),
});
export type JournalLine = Readonly<v.InferOutput<typeof JournalLine>>;

/** Returns the path of a report's journal: a hidden file in the same folder. */
export const journalPath = (report: string) => join(dirname(report), `.${basename(report)}.kith-journal`);

/** The journal holds personal data: only its owner may read it. */
const mode = 0o600;

/** The outcomes of an import's rows, recorded as they happen. */
export interface ImportJournal {
  /** Returns the action of a row that an interrupted run completed. */
  findAction(row: number): Action | undefined;
  /** Returns the steps that an interrupted run was about to send for a row. */
  findTraces(row: number): readonly Step[];
  recordStep(row: number, step: Step): Promise<void>;
  recordOutcome(row: number, outcome: Outcome): Promise<void>;
}

/** The contents of a journal when it is opened. */
export interface JournalContents {
  /** undefined if the run was killed before it wrote the first line. */
  readonly subject: ImportSubject | undefined;
  readonly isFinished: boolean;
  readonly isUndone: boolean;
  /** Whether the run may have written anything. */
  readonly hasWrites: boolean;
  /** The hashes of the reports that kith wrote. */
  readonly reports: ReadonlySet<string>;
  readonly rows: JournalRows;
  /** The byte after the last whole line. */
  readonly end: number;
}

/** The rows of a journal. */
interface JournalRows {
  /** The actions of completed rows. */
  readonly actions: Map<number, Action>;
  /** The byte at which the last outcome of each row begins. */
  readonly offsets: Map<number, number>;
  readonly traces: Map<number, readonly Step[]>;
  /** Writes of rows that have to be imported again. */
  readonly written: Map<number, readonly CompletedStep[]>;
}

/** A journal that is open for reading and writing. */
export interface OpenJournal extends ImportJournal {
  /** Returns the last outcome of a row; undefined if it has none. */
  findOutcome(row: number): JournalLine | undefined;
  append(line: JournalLine): Promise<number>;
  close(): void;
}

/** Creates the journal of a report. */
export async function createJournal(report: string, subject: ImportSubject): Promise<OpenJournal> {
  const path = journalPath(report);
  await withWriteErrors(path, async () => closeSync(openSync(path, 'wx', mode)));
  const file = await withWriteErrors(path, async () => new Journal(path));
  await withWriteErrors(path, async () => file.append(JSON.stringify(subject)));
  return wrapJournal(path, file, createRows());
}

/** Opens the journal of an interrupted run to continue it. A partly written last line is removed. */
export async function resumeJournal(report: string, { end, rows }: JournalContents): Promise<OpenJournal> {
  const path = journalPath(report);
  return withWriteErrors(path, async () => {
    const file = new Journal(path);
    file.truncate(end);
    return wrapJournal(path, file, rows);
  });
}

export const removeJournal = (report: string) =>
  withWriteErrors(journalPath(report), () => rm(journalPath(report), { force: true }));

function wrapJournal(path: string, file: Journal, rows: JournalRows): OpenJournal {
  const append = (line: JournalLine) => withWriteErrors(path, async () => file.append(JSON.stringify(line)));
  return {
    append,
    findAction: (row) => rows.actions.get(row),
    findTraces: (row) => rows.traces.get(row) ?? [],
    async recordStep(row, step) {
      await append({ row, sending: step });
    },
    async recordOutcome(row, { action, id, error, completed: now }) {
      const completed = [...findMissing(now, rows.written.get(row) ?? []), ...now];
      const line = { row, action, ...(id !== undefined && { id }), ...(error !== undefined && { error }) };
      rows.offsets.set(row, await append({ ...line, ...(completed.length > 0 && { completed }) }));
    },
    findOutcome(row) {
      const offset = rows.offsets.get(row);
      return offset === undefined ? undefined : JSON.parse(file.lineAt(offset));
    },
    close: () => file.close(),
  };
}

/** Reads the journal of a report; undefined if there is none. @throws {Failure} failed if it is damaged */
export async function readJournal(report: string): Promise<JournalContents | undefined> {
  const marks = { isFinished: false, isUndone: false, hasWrites: false };
  const reports = new Set<string>();
  const rows = createRows();
  let subject: ImportSubject | undefined;
  let end = 0;
  const path = journalPath(report);
  if (!(await withReadErrors(path, async () => pathExists(path)))) return undefined;
  for await (const { line, start, next } of readJournalLines(report)) {
    end = next;
    if ('kith_import' in line) subject = line;
    else {
      marks.isFinished ||= line.finished === true;
      marks.isUndone ||= line.undone === true;
      marks.hasWrites ||= line.completed !== undefined || line.action === 'unknown';
      if (line.report !== undefined) reports.add(line.report);
      addLine(rows, line, start);
    }
  }
  return { ...marks, subject, reports, rows, end };
}

/** Yields the whole lines of a journal. @throws {Failure} failed if one is damaged */
export async function* readJournalLines(
  report: string,
): AsyncGenerator<{ line: ImportSubject | JournalLine; start: number; next: number }> {
  const path = journalPath(report);
  const file = await withReadErrors(path, async () => new Journal(path));
  try {
    let number = 0;
    for (const { text, start, next } of file.lines()) {
      number += 1;
      const line = parseLine(text);
      if (!line || v.is(ImportSubject, line) !== (number === 1)) throw createDamageFailure(path, number);
      yield { line, start, next };
    }
  } finally {
    file.close();
  }
}

function createDamageFailure(path: string, line: number): Failure {
  return new Failure('failed', `${path} is damaged at line ${line}.`, {
    hint: 'Restore it from a backup, or move it away. Without it the next run starts over, and the import cannot be undone.',
  });
}

function parseLine(text: string): ImportSubject | JournalLine | undefined {
  try {
    const { success, output } = v.safeParse(v.union([ImportSubject, JournalLine]), JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

const createRows = (): JournalRows => ({
  actions: new Map(),
  offsets: new Map(),
  traces: new Map(),
  written: new Map(),
});

function addLine(rows: JournalRows, { row, sending, action, completed }: JournalLine, start: number): void {
  if (row === undefined) return;
  if (sending) rows.traces.set(row, [...(rows.traces.get(row) ?? []), sending]);
  if (action === undefined) return;
  rows.offsets.set(row, start);
  if (action === 'unknown') {
    // It is imported again, with its traces and its known writes.
    if (completed) rows.written.set(row, completed);
    return;
  }
  rows.actions.set(row, action);
  rows.traces.delete(row);
  rows.written.delete(row);
}

/** Returns the earlier writes that are not repeated now. A record that was created and then updated has both. */
function findMissing(now: readonly CompletedStep[], before: readonly CompletedStep[]): CompletedStep[] {
  return before.filter(
    ({ what, id, before: old }) =>
      !now.some((one) => one.what === what && one.id === id && !one.before === !old),
  );
}
