import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { accessFile } from '../files/disk-errors.ts';
import { isNewerFailure } from '../files/durable-file.ts';
import { Journal, readLines } from '../files/journal.ts';
import { pathExists } from '../files/read-file.ts';
import { isStoredIdentity, type StoredIdentity } from '../files/workspace-identity.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { isObject, type JsonObject } from '../values/json-object.ts';
import {
  formatLine,
  type LoggedWrite,
  type LogLine,
  listImports,
  parseHeader,
  parseLine,
  parseWriteLine,
  readCommand,
  toLoggedWrite,
} from '../writes/log.ts';
import type { Write } from '../writes/nouns.ts';
import type { Action, Outcome } from './outcome.ts';

/** Returns the path of the log that earlier versions of kith wrote next to a report. */
export const getOldLogPath = (report: string) => join(dirname(report), `.${basename(report)}.kith-journal`);

/** The first line of such a log. */
const OldHeader = v.object({
  kith_import: v.literal(2),
  /** The start time of the import. */
  at: v.pipe(v.string(), v.isoTimestamp()),
  /** The base URL or the file of the workspace. */
  workspace: v.string(),
  identity: v.custom<StoredIdentity>(isStoredIdentity),
  /** A hash of the input of the import. */
  input: v.string(),
});
export type OldHeader = Readonly<v.InferOutput<typeof OldHeader>>;

/** The outcome of a row. */
export type RowLine = Extract<LogLine, { outcome: unknown }>;

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

/** The rows of an import in its log: the index of a file with more writes and outcomes than fit into memory. */
export class ImportLog {
  readonly path: string;
  /** The start time of the import. */
  at = '';
  /** The path of the report, unless the log is next to it. */
  report: string | undefined;
  /** The first line of a log next to a report. */
  oldHeader: OldHeader | undefined;
  /** Whether the log is next to its report. */
  readonly isOld: boolean;
  /** Whether the log next to the report has a form that kith no longer reads. */
  isUnreadable = false;
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
  /** The byte after the last whole line. */
  #end = 0;
  #file: Journal | undefined;

  private constructor(path: string, isOld: boolean) {
    this.path = path;
    this.isOld = isOld;
  }

  /** Reads a log. @throws {Failure} failed if it is damaged */
  static read(path: string, isOld = false): ImportLog {
    const log = new ImportLog(path, isOld);
    let number = 0;
    for (const { text, start, next } of readLines(path)) {
      number += 1;
      try {
        if (number > 1) log.#add(parseLine(JSON.parse(text)), start);
        else if (!log.#readHeader(text)) return log;
      } catch (cause) {
        if (isNewerFailure(cause)) throw cause;
        throw new Failure('failed', `${path} is damaged at line ${number}.`, {
          cause,
          hint: 'Restore it from a backup, or move it away. Without it the next run starts over, and the import cannot be undone.',
        });
      }
      log.#end = next;
    }
    return log;
  }

  /** Finds the log of the import with a report; undefined if there is none. `folder`: of the logs of the workspace. */
  static find(folder: string, report: string): ImportLog | undefined {
    const oldPath = getOldLogPath(report);
    if (accessFile('read', oldPath, () => pathExists(oldPath))) return ImportLog.read(oldPath, true);
    for (const { header, ...log } of listImports(folder)) {
      const command = readCommand(log);
      if (('failure' in command ? header.report : command.report) === report) return ImportLog.read(log.path);
    }
    return undefined;
  }

  /** Finds the log of an import that wrote a report with this hash. */
  static findWritten(folder: string, hash: string): ImportLog | undefined {
    const line = formatLine({ report_hash: hash });
    for (const { path } of listImports(folder))
      for (const { text } of readLines(path)) if (text === line) return ImportLog.read(path);
    return undefined;
  }

  /** Whether the log is of a form that kith reads. */
  #readHeader(text: string): boolean {
    if (!this.isOld) {
      const { at, report } = parseHeader(this.path, text);
      this.at = at;
      this.report = report;
      return true;
    }
    const json: unknown = JSON.parse(text);
    this.isUnreadable = isObject(json) && json.kith_import === 1;
    if (this.isUnreadable) return false;
    this.oldHeader = v.parse(OldHeader, json);
    this.at = this.oldHeader.at;
    return true;
  }

  open(): this {
    this.#file = new Journal(this.path);
    return this;
  }

  close(): void {
    this.#file?.close();
  }

  append(line: LogLine): void {
    this.#add(line, this.#open.append(formatLine(line)));
  }

  /** Appends the first line after the run. Removes an incomplete last line. */
  appendLater(line: LogLine): void {
    this.#open.truncate(this.#end);
    this.append(line);
  }

  remove(): void {
    accessFile('write', this.path, () => rmSync(this.path, { force: true }));
  }

  /** The number of writes that were or may have been carried out. */
  get writeCount(): number {
    return this.#writes.size;
  }

  /** Whether the outcome of every row is known. Otherwise, the next run finds out. */
  get isCertain(): boolean {
    return [...this.#rows.keys(), ...this.#outcomes.keys()].every((row) => this.#actions.has(row));
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

  #add(line: LogLine, start: number): void {
    if ('outcome' in line) {
      this.#outcomes.set(line.row, start);
      if (line.outcome === 'unknown') this.#actions.delete(line.row);
      else this.#actions.set(line.row, line.outcome);
    } else if ('report_hash' in line) this.reports.add(line.report_hash);
    else if ('undone' in line) this.isUndone = true;
    else if ('finished' in line) this.isFinished = true;
    else if ('report' in line) this.report = line.report;
    else if ('action' in line) {
      const { n, row = 0, noun, list_id, id, action } = line;
      this.#writes.set(n, { n, row, noun, list_id, id, action, start });
      this.#rows.set(row, (this.#rows.get(row) ?? new Set()).add(n));
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
