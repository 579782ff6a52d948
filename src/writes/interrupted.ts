import { statSync } from 'node:fs';
import { accessFile } from '../files/disk-errors.ts';
import { readLines } from '../files/journal.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { isObject, type JsonObject, readObject } from '../values/json-object.ts';
import {
  type ContinuedLog,
  type Header,
  type LoggedWrite,
  type LogSubject,
  parseWriteLine,
  readLogHeader,
  toLoggedWrite,
} from './log.ts';
import { type LogFile, listLogs } from './log-files.ts';

/** Milliseconds after which an interrupted command is not continued, but starts again. */
const maxAge = 12 * 3_600_000;

/** The commands that continue with the created records, not only with their ids: lines and files that refer to them. */
const recordReaders = ['batch', 'workspace push'];

/** The progress of an interrupted command that changes many records. Bodies and records stay in the file. */
export type InterruptedCommand = ContinuedLog & { readonly at: string } & Progress;

/** A write of a line of a batch, or of a row. */
interface LoggedRow {
  readonly n: number;
  readonly action: LoggedWrite['action'];
  /** The record after the write, or only its id; undefined if the response was lost. */
  readonly after: JsonObject | null | undefined;
}

/** Finds the recent unfinished run of a command with the same input. `now`: milliseconds. */
export function findInterrupted(
  folder: string,
  { command, many }: LogSubject,
  now: number,
): InterruptedCommand | undefined {
  const revertedNumbers = new Set<unknown>();
  for (const log of listLogs(folder)) {
    const header = readLogHeader(log);
    if (typeof header === 'string') continue;
    revertedNumbers.add(header.undoes);
    if (many === undefined || header.command !== command || header.many !== many) continue;
    const { mtimeMs } = accessFile('read', log.path, () => statSync(log.path));
    // The report of an import shows that it was interrupted.
    const isRecent = header.report !== undefined || now - mtimeMs < maxAge;
    const isCurrent = isRecent && !revertedNumbers.has(log.number);
    return isCurrent ? readInterrupted(log, header) : undefined;
  }
  return undefined;
}

/** Reads the progress of a command; undefined if the command is finished or its log is damaged. */
function readInterrupted(log: LogFile, { command, at }: Header): InterruptedCommand | undefined {
  const progress = new Progress(recordReaders.includes(command));
  let size = 0;
  for (const { text, next } of readLines(log.path)) {
    size = next;
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch {
      return undefined;
    }
    if (!isObject(line) || 'finished' in line || 'undone' in line) return undefined;
    // Another import has replaced the report.
    if ('report' in line && !('command' in line)) return undefined;
    progress.add(line, text);
  }
  return Object.assign(progress, { ...log, at, size });
}

/** Collects the progress from the lines of a log. */
class Progress {
  /** The lowest number that no write has. */
  nextWrite = 0;
  /** The outcome of the last write to each record that existed before, by `toPathKey`. */
  readonly outcomes = new Map<string, LoggedWrite['outcome']>();
  /** The numbers of the deletions whose response was lost, by `toPathKey`. */
  readonly lostDeletions = new Map<string, readonly number[]>();
  /** The ids in the bodies of completed creates: the contacts and organizations that have an entry. */
  readonly addedIds = new Set<string>();
  /** The results of completed batch lines, by line number. */
  readonly lines = new Map<number, unknown>();
  /** The writes of the lines of a batch, or of the rows. */
  readonly rows = new Map<number, readonly LoggedRow[]>();
  readonly #keepsRecords: boolean;
  readonly #paths = new Map<number, string>();
  readonly #creates = new Map<number, { readonly text: string; readonly id: unknown }>();
  readonly #rowOf = new Map<number, number>();

  constructor(keepsRecords: boolean) {
    this.#keepsRecords = keepsRecords;
  }

  /** The ids of the records that its rows have created. */
  get createdIds(): string[] {
    return [...this.rows.values()]
      .flat()
      .flatMap(({ action, after }) => (action === 'create' && after ? [String(after.id)] : []));
  }

  /** The number of rows whose writes were all carried out. */
  get doneRows(): number {
    const isDone = (writes: readonly LoggedRow[]) => writes.every(({ after }) => after !== undefined);
    return [...this.rows.values()].filter((writes) => writes.length > 0 && isDone(writes)).length;
  }

  /** The creates whose response was lost. */
  get lostCreates(): LoggedWrite[] {
    return Array.from(this.#creates.values(), ({ text }) => toLoggedWrite(parseWriteLine(JSON.parse(text))));
  }

  /** `text`: the line as it is in the file. Only a write that is about to be sent needs it. */
  add(line: JsonObject, text = ''): void {
    const { n } = line;
    if (typeof line.line === 'number') this.lines.set(line.line, line.data);
    if (typeof n !== 'number') return;
    this.nextWrite = Math.max(this.nextWrite, n);
    if ('action' in line) this.#addWrite(n, line, text);
    else if ('after' in line)
      this.#setOutcome(n, 'done', line.after as JsonObject | null); // as the recorder wrote it
    else if ('refused' in line) this.#setOutcome(n, undefined);
  }

  #addWrite(n: number, line: JsonObject, text: string): void {
    const { row, what, action } = line as JsonObject & { readonly action: LoggedRow['action'] }; // as above
    if (action === 'create') this.#creates.set(n, { text, id: readObject(line.body).entryable_id });
    else {
      const path = toPathKey({ ...line, noun: what } as RecordPath);
      this.#paths.set(n, path);
      this.outcomes.set(path, 'unknown');
      if (action === 'delete') this.lostDeletions.set(path, [...(this.lostDeletions.get(path) ?? []), n]);
    }
    if (typeof row !== 'number') return;
    this.#rowOf.set(n, row);
    this.rows.set(row, [...(this.rows.get(row) ?? []), { n, action, after: undefined }]);
  }

  #setOutcome(n: number, outcome: 'done' | undefined, after: JsonObject | null = null): void {
    const path = this.#paths.get(n);
    if (path !== undefined) {
      if (outcome) this.outcomes.set(path, outcome);
      else this.outcomes.delete(path);
      const lost = this.lostDeletions.get(path)?.filter((other) => other !== n);
      if (lost) this.lostDeletions.set(path, lost);
    }
    const { id } = this.#creates.get(n) ?? {};
    if (outcome && typeof id === 'string') this.addedIds.add(id);
    this.#creates.delete(n);
    const row = this.#rowOf.get(n);
    if (row === undefined) return;
    const kept = after && !this.#keepsRecords ? { id: after.id } : after;
    const writes = (this.rows.get(row) ?? []).flatMap((write) => {
      if (write.n !== n) return [write];
      return outcome ? [{ ...write, after: kept }] : [];
    });
    this.rows.set(row, writes);
  }
}
