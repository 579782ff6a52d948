import { closeSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { accessFile } from '../files/disk-errors.ts';
import { Journal, readLines } from '../files/journal.ts';
import { pathExists } from '../files/read-file.ts';
import { isStoredIdentity, type StoredIdentity } from '../files/workspace-identity.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { isObject, type JsonObject } from '../values/json-object.ts';
import {
  formatLine,
  type LoggedWrite,
  type LogLine,
  parseLine,
  parseWriteLine,
  toLoggedWrite,
  type WriteLog,
} from '../writes/log.ts';
import type { Write } from '../writes/nouns.ts';
import { type Action, actions, type Outcome } from './outcome.ts';

/** The log contains personal data, so only its owner may read it. */
const mode = 0o600;

/** Returns the path of the log of an import: a hidden file next to its report. */
export const getLogPath = (report: string) => join(dirname(report), `.${basename(report)}.kith-journal`);

/** The input and the target of an import. A run continues only a log with the same subject. */
const ImportSubject = v.object({
  kith_import: v.literal(2),
  /** The start time of the import. */
  at: v.pipe(v.string(), v.isoTimestamp()),
  /** The base URL or the file of the workspace. */
  workspace: v.string(),
  identity: v.custom<StoredIdentity>(isStoredIdentity),
  /** A hash of the input file, of the workspace, and of the flags that decide the outcome of its rows. */
  input: v.string(),
});
export type ImportSubject = Readonly<v.InferOutput<typeof ImportSubject>>;

/** The lines that only import logs have, by the member that identifies them. */
const importLines = {
  /** The outcome of a row. */
  outcome: v.strictObject({
    row: v.number(),
    outcome: v.picklist(actions),
    id: v.exactOptional(v.string()),
    error: v.exactOptional(v.string()),
    left_out: v.exactOptional(v.string()),
  }),
  /** A hash of the report that is about to be written. */
  report_hash: v.strictObject({ report_hash: v.string() }),
  /** The import is being undone: it cannot be continued. */
  undone: v.strictObject({ undone: v.literal(true) }),
};
type ImportLine = {
  [K in keyof typeof importLines]: v.InferOutput<(typeof importLines)[K]>;
}[keyof typeof importLines];
export type RowLine = v.InferOutput<(typeof importLines)['outcome']>;

function parseImportLine(json: unknown): ImportLine | LogLine {
  const [, schema] = Object.entries(importLines).find(([name]) => isObject(json) && name in json) ?? [];
  return schema ? v.parse(schema, json) : parseLine(json);
}

/** A write, with the byte offsets of its lines: a log may have more writes than fit into memory. */
export interface IndexedWrite extends RecordPath {
  readonly n: number;
  readonly row: number;
  readonly action: Write['action'];
  readonly start: number;
  /** The line with the record after the write; undefined if the response was lost. */
  readonly after?: number;
}

/** The writes of one record, in order. */
export interface RecordWrites extends RecordPath {
  readonly writes: readonly IndexedWrite[];
}

/**
 * The log of an import, next to its report. It contains the writes in the form of the change log, and the outcome of
 * each row. The report is written from it, and an interrupted run resumes from it.
 */
export class ImportLog implements WriteLog {
  readonly path: string;
  /** undefined if the run was killed before it wrote the first line. */
  subject: ImportSubject | undefined;
  /** Whether an earlier version of kith wrote the log in another format. */
  isOld = false;
  isFinished = false;
  isUndone = false;
  /** The hashes of the reports that kith wrote. */
  readonly reports = new Set<string>();
  /** The actions of the rows whose outcome is known. */
  readonly #actions = new Map<number, Action>();
  /** The byte at which the last outcome of each row begins. */
  readonly #outcomes = new Map<number, number>();
  readonly #writes = new Map<number, IndexedWrite>();
  readonly #rows = new Map<number, Set<number>>();
  #lastNumber = 0;
  /** The byte after the last whole line. */
  #end = 0;
  #isContinued = false;
  #file: Journal | undefined;

  private constructor(report: string) {
    this.path = getLogPath(report);
  }

  /** Reads the log of a report; undefined if there is none. @throws {Failure} failed if it is damaged */
  static read(report: string): ImportLog | undefined {
    const log = new ImportLog(report);
    if (!accessFile('read', log.path, () => pathExists(log.path))) return undefined;
    let number = 0;
    for (const { text, start, next } of readLines(log.path)) {
      number += 1;
      try {
        const json: unknown = JSON.parse(text);
        log.isOld ||= number === 1 && isObject(json) && json.kith_import === 1;
        if (log.isOld) return log;
        if (number === 1) log.subject = v.parse(ImportSubject, json);
        else log.#add(parseImportLine(json), start);
      } catch (cause) {
        throw new Failure('failed', `${log.path} is damaged at line ${number}.`, {
          cause,
          hint: 'Restore it from a backup, or move it away. Without it the next run starts over, and the import cannot be undone.',
        });
      }
      log.#end = next;
    }
    return log;
  }

  /** Creates the log of a report, in place of an earlier one. */
  static create(report: string, subject: ImportSubject): ImportLog {
    const log = new ImportLog(report);
    accessFile('write', log.path, () => {
      rmSync(log.path, { force: true });
      closeSync(openSync(log.path, 'wx', mode));
    });
    log.subject = subject;
    log.open().#write(subject);
    return log;
  }

  /** The number of writes that were or may have been carried out. */
  get writeCount(): number {
    return this.#writes.size;
  }

  /** Whether the outcome of every row is known. Otherwise, the next run finds out. */
  get isCertain(): boolean {
    return [...this.#rows.keys(), ...this.#outcomes.keys()].every((row) => this.#actions.has(row));
  }

  open(): this {
    this.#file = new Journal(this.path);
    return this;
  }

  close(): void {
    this.#file?.close();
  }

  append(line: ImportLine | LogLine): void {
    this.#add(line, this.#write(line));
  }

  takeNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  refuse(n: number): boolean {
    this.append({ n, refused: true });
    return false;
  }

  discard(): void {
    this.#open.truncate(1);
  }

  recordOutcome(row: number, { action, id, error, leftOut }: Omit<Outcome, 'steps'>): void {
    this.append({
      row,
      outcome: action,
      ...(id !== undefined && { id }),
      ...(error !== undefined && { error }),
      ...(leftOut !== undefined && { left_out: leftOut }),
    });
  }

  /** Reads the ids of the records of all rows. */
  readIds(): Set<string> {
    return new Set([...this.#outcomes.keys()].flatMap((row) => this.findOutcome(row)?.id ?? []));
  }

  /** Returns a row's action if its outcome is known. */
  findAction(row: number): Action | undefined {
    return this.#actions.get(row);
  }

  /** Returns the last outcome of a row; undefined if it has none. */
  findOutcome(row: number): RowLine | undefined {
    const start = this.#outcomes.get(row);
    return start === undefined ? undefined : JSON.parse(this.#open.readLine(start));
  }

  /** Returns the writes of a row, including those whose response was lost. */
  listWrites(row: number): IndexedWrite[] {
    return [...(this.#rows.get(row) ?? [])].flatMap((n) => this.#writes.get(n) ?? []);
  }

  /** Returns the creates whose response was lost, or whose run was killed before it arrived. */
  listLostCreates(): IndexedWrite[] {
    return [...this.#writes.values()].filter(({ id }) => id === undefined);
  }

  /** The ids of the records that the import created. */
  get createdIds(): ReadonlySet<string> {
    const creates = [...this.#writes.values()].filter(({ action }) => action === 'create');
    return new Set(creates.flatMap(({ id }) => id ?? []));
  }

  /** Returns the writes of each record, the last record first. `created`: the records of lost creates, by write number. */
  groupByRecord(created: ReadonlyMap<number, JsonObject>): RecordWrites[] {
    const groups = new Map<string, RecordWrites & { readonly writes: IndexedWrite[] }>();
    for (const write of this.#writes.values()) {
      const id = write.id ?? created.get(write.n)?.id;
      if (id === undefined) continue;
      const path = { noun: write.noun, list_id: write.list_id, id: String(id) };
      const group = groups.get(toPathKey(path)) ?? { ...path, writes: [] };
      groups.set(toPathKey(path), group);
      group.writes.push(write);
    }
    return [...groups.values()].reverse();
  }

  /** Reads a write from the file. */
  load({ start, after }: IndexedWrite): LoggedWrite {
    const write = toLoggedWrite(parseWriteLine(JSON.parse(this.#open.readLine(start))));
    if (after === undefined) return write;
    const record: JsonObject | null = JSON.parse(this.#open.readLine(after)).after;
    return { ...write, outcome: 'done', after: record ?? undefined };
  }

  get #open(): Journal {
    if (!this.#file) throw new Error('the log is not open');
    return this.#file;
  }

  /** Appends a line. The first call removes an incomplete last line of the earlier run. */
  #write(line: ImportLine | LogLine | ImportSubject): number {
    if (!this.#isContinued) this.#open.truncate(this.#end);
    this.#isContinued = true;
    return this.#open.append(formatLine(line));
  }

  #add(line: ImportLine | LogLine, start: number): void {
    if ('outcome' in line) {
      this.#outcomes.set(line.row, start);
      if (line.outcome === 'unknown') this.#actions.delete(line.row);
      else this.#actions.set(line.row, line.outcome);
    } else if ('report_hash' in line) this.reports.add(line.report_hash);
    else if ('undone' in line) this.isUndone = true;
    else if ('finished' in line) this.isFinished = true;
    else if ('action' in line) {
      const { n, row = 0, noun, list_id, id, action } = line;
      this.#writes.set(n, { n, row, noun, list_id, id, action, start });
      this.#rows.set(row, (this.#rows.get(row) ?? new Set()).add(n));
      this.#lastNumber = Math.max(this.#lastNumber, n);
    } else if ('after' in line) {
      const write = this.#writes.get(line.n);
      const id = write?.id ?? (line.after ? String(line.after.id) : undefined);
      if (write) this.#writes.set(line.n, { ...write, id, after: start });
    } else if ('refused' in line) {
      const row = this.#writes.get(line.n)?.row ?? 0;
      this.#writes.delete(line.n);
      const rowWrites = this.#rows.get(row);
      rowWrites?.delete(line.n);
      if (rowWrites?.size === 0) this.#rows.delete(row);
    }
  }
}
