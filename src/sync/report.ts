import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import * as v from 'valibot';
import { type Numbers, numbers } from '../dense/numbers.ts';
import type { Lock } from '../disk/lock.ts';
import { onDisk } from '../disk/on-disk.ts';
import { writeWhole } from '../disk/whole-file.ts';
import { type Action, actions, type Done, type Outcome, type Step } from './outcome.ts';
import { headerText, lineText, type PlacedLine, type ReadReport, reportIn } from './report-lines.ts';
import type { Sheet, SheetRow } from './sheet.ts';

/** What a report is of. A run goes on only with a report that is of the same. */
export const Subject = v.object({
  kith_import: v.literal(1),
  /** The base URL or the file of the workspace. */
  workspace: v.string(),
  /** Stands for the bytes of the sheet and the flags that say what becomes of it. */
  input: v.string(),
});
export type Subject = Readonly<v.InferOutput<typeof Subject>>;

/** The report of a run, which is its journal: what is in it is not done twice. */
export interface Report {
  /** Whether the run goes on where another one was ended. */
  readonly isResumed: boolean;
  /** Where a report went that was not finished, and that this run does not go on from. */
  readonly setAside?: string | undefined;
  /** What became of a row in the run that this one goes on from; undefined: it is still to be worked on. */
  ended(row: number): Action | undefined;
  /** The steps that were about to be sent for a row when the run before was ended. */
  traces(row: number): readonly Step[];
  announce(row: number, step: Step): Promise<void>;
  keep(row: SheetRow, outcome: Outcome): Promise<void>;
  /** Puts the rows in their order, and nothing else beside them. */
  finish(sheet: Sheet): Promise<void>;
  close(): void;
}

/** It holds what is known of people: it is its owner's alone. */
const mode = 0o600;

/** The lock of a report: one run at a time writes it. */
export function lockOf(path: string): Lock {
  return { path: `${path}.lock`, work: `writes ${path}` };
}

/**
 * Opens the report of a run. One that was not finished, of the same subject, is gone on with; any other that is
 * there is kept as `….previous.csv`, where it has anything to undo. Throws `usage` where the file is no report.
 */
export async function openReport(
  path: string,
  columns: readonly string[],
  subject: Subject,
): Promise<Report> {
  const there = await reportIn(path);
  const found = there && (await surveyOf(there, subject));
  const past = found?.isOpen && isSame(there?.columns, columns) ? found : undefined;
  const previous = found && !past && found.isToKeep ? await freeNameBeside(path) : undefined;
  if (previous !== undefined) await onDisk(path, () => rename(path, previous));
  const file = await onDisk(path, async () => openSync(path, 'a+', mode));
  const append = await appending(path, file, past?.end ?? 0);
  const blank = columns.map(() => '');
  if (!past) await append(headerText(columns) + lineText({ cells: blank, action: 'started', undo: subject }));
  const { ended, traces, written, starts, ends } = past ?? noPast();
  const whole = async function* (sheet: Sheet) {
    yield headerText(columns);
    for await (const { row } of sheet.rows()) {
      const [from, to] = [starts.get(row), ends.get(row)];
      if (from !== undefined && to !== undefined) yield bytesAt(file, from, to);
    }
    yield lineText({ cells: blank, action: 'finished', undo: subject });
  };
  return {
    isResumed: past !== undefined,
    setAside: found?.isFinished ? undefined : previous,
    ended: (row) => actions[ended.get(row) ?? -1],
    traces: (row) => traces.get(row) ?? [],
    async announce(row, step) {
      await append(lineText({ cells: blank, action: 'sending', row, undo: step }));
    },
    async keep({ row, cells }, { action, id, error, done }) {
      const all = [...besides(written.get(row) ?? [], done), ...done];
      const undo = all.length > 0 ? all : undefined;
      const line = lineText({ cells, action, id, error, row, undo });
      const start = await append(line);
      starts.set(row, start);
      ends.set(row, start + Buffer.byteLength(line));
    },
    finish: (sheet) => writeWhole(path, inChunks(whole(sheet)), mode),
    close: () => closeSync(file),
  };
}

/**
 * Writes texts one behind the other, in the place of what stands behind `end`; each call gives where its text begins.
 * Rows that end at once must not take each other's place.
 */
async function appending(
  path: string,
  file: number,
  end: number,
): Promise<(text: string) => Promise<number>> {
  await onDisk(path, async () => ftruncateSync(file, end));
  let next = end;
  return async (text) => {
    const bytes = Buffer.from(text);
    const start = next;
    next += bytes.length;
    await onDisk(path, async () => writeAll(file, bytes));
    return start;
  };
}

/** What was done before a run was ended. */
interface Past {
  /** What became of a row: the index of an action. */
  readonly ended: Numbers;
  readonly traces: Map<number, Step[]>;
  /** What is known to be written for rows that have to be worked on again. */
  readonly written: Map<number, readonly Done[]>;
  /** Where the line of a row begins and ends. */
  readonly starts: Numbers;
  readonly ends: Numbers;
}

const noPast = (): Past => ({
  ended: numbers(),
  traces: new Map(),
  written: new Map(),
  starts: numbers(),
  ends: numbers(),
});

/** What is in a report that stands where the one of a new run is to be. */
interface Survey extends Past {
  /** Whether a run of the same subject may go on from it. */
  readonly isOpen: boolean;
  readonly isFinished: boolean;
  /** Whether it says anything that an undo would ask for. */
  readonly isToKeep: boolean;
  readonly end: number;
}

async function surveyOf(report: ReadReport, subject: Subject): Promise<Survey> {
  const past = noPast();
  const marks = new Set<string>();
  let isOurs = false;
  let isToKeep = false;
  let end = 0;
  for await (const line of report.lines()) {
    if (end === 0) isOurs = line.action === 'started' && isOf(subject, line.undo);
    end = line.end;
    if (line.row === undefined) marks.add(line.action);
    else isToKeep ||= line.undo !== undefined || line.action === 'unknown';
    takeIn(past, line);
  }
  const isFinished = marks.has('finished');
  const isOpen = isOurs && report.isAsWritten && !isFinished && !marks.has('undone');
  return { ...past, isOpen, isFinished, isToKeep, end };
}

function takeIn(
  { ended, traces, written, starts, ends }: Past,
  { action, row, undo, start, end }: PlacedLine,
): void {
  if (row === undefined) return;
  if (action === 'sending') {
    const step = undo as Step; // only this program writes such lines
    traces.set(row, [...(traces.get(row) ?? []), step]);
    return;
  }
  if (action === 'unknown') {
    if (undo !== undefined) written.set(row, undo as Done[]); // as above
    return;
  }
  const known: readonly string[] = actions;
  ended.set(row, known.indexOf(action));
  starts.set(row, start);
  ends.set(row, end);
  traces.delete(row);
  written.delete(row);
}

/** Of what was written before, what is not among what was written now. */
function besides(before: readonly Done[], now: readonly Done[]): Done[] {
  return before.filter(({ what, id }) => !now.some((one) => one.what === what && one.id === id));
}

function isSame(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isOf(subject: Subject, told: unknown): boolean {
  const { success, output } = v.safeParse(Subject, told);
  return success && output.workspace === subject.workspace && output.input === subject.input;
}

/** Where the report of an earlier run goes: what is there from runs before it stays. */
async function freeNameBeside(path: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const number = count === 1 ? '' : `-${count}`;
    const name = path.replace(/(\.csv)?$/i, `.previous${number}.csv`);
    if (!(await stat(name).catch(() => undefined))) return name;
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}

function bytesAt(file: number, from: number, to: number): string {
  const bytes = Buffer.alloc(to - from);
  readSync(file, bytes, 0, bytes.length, from);
  return bytes.toString();
}

/** Characters that are written at once. */
const chunk = 65_536;

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let held = '';
  for await (const text of texts) {
    held += text;
    if (held.length < chunk) continue;
    yield Buffer.from(held);
    held = '';
  }
  yield Buffer.from(held);
}
