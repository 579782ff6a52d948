import { existsSync, statSync } from 'node:fs';
import * as v from 'valibot';
import { type SingularNoun, singularWritableNouns } from '../contract/singular-nouns.ts';
import { accessFile } from '../files/disk-errors.ts';
import {
  type FileFormat,
  FormatFailure,
  isNewerFailure,
  parseContent,
  readHeader,
} from '../files/durable-file.ts';
import { Journal, readLines } from '../files/journal.ts';
import type { RelatedRecord } from '../records/referrers.ts';
import { isObject, type JsonObject } from '../values/json-object.ts';
import { createLogFile, type LogFile, listLogs, listMarks, removeLogFile, toLockPath } from './log-files.ts';
import { actions, type Write } from './nouns.ts';

const Fields = v.record(v.string(), v.unknown());

const ItemState = v.picklist(['open', 'done', 'snoozed']);

/** A change of the state of an action item, or of a contact or organization with the end of its snooze in `until`. */
const ItemChange = v.object({
  event_id: v.string(),
  id: v.string(),
  text: v.string(),
  from: ItemState,
  to: ItemState,
  until: v.exactOptional(v.object({ from: v.optional(v.string()), to: v.optional(v.string()) })),
});

/** The possible actions of a row of an import, in the order in which they are counted. */
export const rowActions = ['create', 'update', 'same', 'refused', 'unknown'] as const;

/** Maximum number of logs of persons, and of scripts. */
const maxCommands = 100;

/** The first line: the command. */
const Header = v.object({
  v: v.literal(1),
  /** The command without its arguments: `contacts update`. */
  command: v.string(),
  at: v.pipe(v.string(), v.isoTimestamp()),
  /** Whether no person ran the command in a terminal, or the command reverts one that no person ran. */
  is_script: v.exactOptional(v.literal(true)),
  /** The number of the command that an undo or a redo reverts. */
  undoes: v.exactOptional(v.number()),
  /** Only with `undoes`: the reverted command is an undo. */
  is_redo: v.exactOptional(v.literal(true)),
  /** A merge: the id of the record to keep, and the other record before the merge. */
  merge: v.exactOptional(
    v.object({
      noun: v.optional(v.picklist(['contact', 'organization']), 'contact'),
      /** The base URL or the file of the workspace. */
      place: v.string(),
      keep: v.string(),
      other: v.looseObject({ id: v.string() }),
    }),
  ),
  /** A command that changes many records: a hash of its input, by which the same command continues it. */
  many: v.exactOptional(v.string()),
  /** The report of an import, or of the import that an undo reverted. */
  report: v.exactOptional(v.string()),
  /** An import while the setting `undo` was off: only its report reverts it, and a mark names it. */
  is_marked: v.exactOptional(v.literal(true)),
  /** A change of action items, with the path of their ledger. */
  items: v.exactOptional(v.object({ ledger: v.string(), changes: v.array(ItemChange) })),
});
export type Header = Readonly<v.InferOutput<typeof Header>>;

const logFormat: FileFormat<typeof Header> = {
  what: 'log of a command',
  version: 1,
  versionMember: 'v',
  schema: Header,
};

/** A command whose writes are recorded. */
export type LogSubject = Omit<Header, 'v' | 'at'>;

/** A record's path. Its noun is stored as `what`. */
const path = {
  what: v.picklist(singularWritableNouns),
  list_id: v.optional(v.string()),
  id: v.optional(v.string()),
};

const parsePath = <T extends { readonly what: SingularNoun }>({ what, ...members }: T) => ({
  ...members,
  noun: what,
});

const formatPath = (value: object) =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name === 'noun' ? 'what' : name, member]),
  );

/** The lines after the first one, by the member that identifies them. `n` is the write's number. */
const lineSchemas = {
  /** A write that is about to be sent, with the record before it. */
  action: v.pipe(
    v.object({
      n: v.number(),
      ...path,
      action: v.picklist(actions),
      body: Fields,
      before: v.exactOptional(Fields),
      /** The kinds of related records that were not read. */
      missing: v.exactOptional(v.array(v.string())),
      /** The id of a deleted record that this write creates again. */
      from: v.exactOptional(v.string()),
      /** The row of the import, or the line of the batch, that the write belongs to. */
      row: v.exactOptional(v.number()),
    }),
    v.transform((line) => parsePath(line)),
  ),
  /** Related records that a deletion affects. */
  related: v.object({
    n: v.number(),
    related: v.array(
      v.union([
        v.pipe(
          v.object({ ...path, record: Fields }),
          v.transform((related) => parsePath(related)),
        ),
        v.pipe(
          v.object({ ...path, body: Fields }),
          v.transform((related) => parsePath(related)),
        ),
      ]),
    ),
  }),
  /** A write that was carried out, with the record after it. */
  after: v.object({ n: v.number(), after: v.nullable(Fields) }),
  /** A write that was certainly not carried out. */
  refused: v.object({ n: v.number(), refused: v.literal(true) }),
  /** A write that cannot be reverted, and why. */
  impossible: v.object({ n: v.number(), impossible: v.string() }),
  /** The outcome of a row of an import. */
  outcome: v.object({
    row: v.number(),
    outcome: v.picklist(rowActions),
    id: v.exactOptional(v.string()),
    error: v.exactOptional(v.string()),
    left_out: v.exactOptional(v.string()),
  }),
  /** The new path of the report of an import. */
  report: v.strictObject({ report: v.string() }),
  /** A hash of the report that is about to be written. */
  report_hash: v.object({ report_hash: v.string() }),
  /** The import is being undone: it cannot be continued. */
  undone: v.object({ undone: v.literal(true) }),
  /** The result of a line of a batch. Later lines may refer to its data. */
  line: v.object({ line: v.number(), data: v.unknown() }),
  /** The command is complete. Only commands that can be continued have this line. */
  finished: v.object({ finished: v.literal(true) }),
};
export type LogLine = {
  [K in keyof typeof lineSchemas]: v.InferOutput<(typeof lineSchemas)[K]>;
}[keyof typeof lineSchemas];

/** Parses the first line. @throws {FormatFailure} if it is damaged, or if a newer version of kith wrote it */
export const parseHeader = (path: string, text: string): Header => parseContent(logFormat, path, text);

/** Parses a line after the first one. @throws {v.ValiError} if the line has no known form */
export function parseLine(json: unknown): LogLine {
  const [, schema] = Object.entries(lineSchemas).find(([name]) => isObject(json) && name in json) ?? [];
  return v.parse(schema ?? v.never(), json);
}

/** Parses the line of a write. @throws {v.ValiError} if it is another line */
export const parseWriteLine = (json: unknown) => v.parse(lineSchemas.action, json);

/** Formats a line of a log. */
export const formatLine = (line: object): string =>
  JSON.stringify(
    'related' in line && Array.isArray(line.related)
      ? { ...line, related: line.related.map(formatPath) }
      : formatPath(line),
  );

/** A write in a log. */
export interface LoggedWrite extends Write {
  readonly n: number;
  readonly before: JsonObject | undefined;
  /** The related records that a deletion affected, and the kinds of those that could not be read. */
  readonly related: readonly RelatedRecord[];
  readonly missing: readonly string[];
  readonly from: string | undefined;
  /** `unknown` if the response was lost, or the command was killed before it arrived. */
  outcome: 'unknown' | 'done';
  after: JsonObject | undefined;
}

/** Returns the id of the record that was written; undefined for a created one whose response was lost. */
export const getWrittenId = ({ id, after }: LoggedWrite) => id ?? (after && String(after.id));

/** A command in the log of a workspace. */
export interface LoggedCommand extends Header, LogFile {
  readonly writes: readonly LoggedWrite[];
  /** Why it cannot be reverted. */
  readonly impossible: readonly string[];
  /** Whether an import has writes. They stay in the file. */
  readonly hasImported: boolean;
  readonly isFinished: boolean;
  /** The lowest number that no write has. */
  readonly nextWrite: number;
  /** Bytes of its whole lines. */
  readonly size: number;
}

/** The log of an interrupted command, to append to. */
export type ContinuedLog = LogFile & Pick<LoggedCommand, 'nextWrite' | 'size'>;

/** A log that cannot be used: it was emptied or damaged, or a newer version of kith wrote it. */
export interface UnusableLog extends LogFile {
  readonly failure: FormatFailure;
}

/** The log of a command that is running. No file stays open: a server for agents records many commands. */
export class ChangeLog {
  readonly number: number;
  readonly path: string;
  #nextWrite: number;
  /** The assigned numbers, except those of refused writes. A waiting write may need the log before its first line. */
  readonly #writes = new Set<number>();
  readonly #isKept: boolean;
  readonly #isMerge: boolean;

  private constructor({ number, path }: LogFile, nextWrite: number, isKept: boolean, isMerge: boolean) {
    this.number = number;
    this.path = path;
    this.#nextWrite = nextWrite;
    this.#isKept = isKept;
    this.#isMerge = isMerge;
  }

  /** Creates the log of a command. @throws {Failure} failed if it cannot be written */
  static create(folder: string, header: Omit<Header, 'v'>): ChangeLog {
    // A merge logs that it is finished, even if the service refused its first write. An import logs all its rows.
    const isMerge = header.merge !== undefined;
    const log = new ChangeLog(createLogFile(folder), 0, isMerge || isImport(header), isMerge);
    try {
      log.append({ v: 1, ...header });
      removeOldLogs(folder);
    } catch (error) {
      log.discard();
      throw error;
    }
    return log;
  }

  /** Opens the log of an interrupted command. Removes its incomplete last line. */
  static continue({ nextWrite, size, ...file }: ContinuedLog): ChangeLog {
    const log = new ChangeLog(file, nextWrite, true, false);
    log.#use((journal) => journal.truncate(size));
    return log;
  }

  /** Returns the number of the next write. Reserves one more for a record that the service creates with it. */
  takeNumber(): number {
    this.#nextWrite += 2;
    this.#writes.add(this.#nextWrite);
    return this.#nextWrite;
  }

  append(line: LogLine | Header): void {
    // The log of a merge may have the only copy of an address.
    this.#use((file) => file.append(formatLine(line), this.#isMerge));
    if ('n' in line && !('refused' in line)) this.#writes.add(line.n);
  }

  /** Records that a write was not carried out. Removes a log without other writes, and returns whether it did. */
  refuse(n: number): boolean {
    this.#writes.delete(n);
    const isRemoved = this.#writes.size === 0 && !this.#isKept;
    if (isRemoved) this.remove();
    else this.append({ n, refused: true });
    return isRemoved;
  }

  /** Makes the log unreadable, also on a full disk: a log with missing writes must not be used. */
  discard(): void {
    this.#use((file) => file.truncate(1));
  }

  remove(): void {
    removeLogFile(this);
  }

  #use(work: (file: Journal) => void): void {
    const file = new Journal(this.path);
    try {
      work(file);
    } finally {
      file.close();
    }
  }
}

/** Whether a log has the rows of an import. Earlier versions of kith wrote them into a file next to the report. */
const isImport = ({ many, report }: Pick<Header, 'many' | 'report'>) =>
  many !== undefined && report !== undefined;

/** Yields the logs of imports, latest first, with their headers. */
export function* listImports(folder: string): Generator<LogFile & { readonly header: Header }> {
  for (const log of listLogs(folder)) {
    const header = readLogHeader(log);
    if (typeof header === 'object' && isImport(header)) yield { ...log, header };
  }
}

/** Whether a later run continues the command after an interruption. */
const canContinue = ({ undoes, merge }: { readonly undoes?: unknown; readonly merge?: unknown }) =>
  undoes !== undefined || merge !== undefined;

function isUnfinished(log: LogFile): boolean {
  const command = readCommand(log, { isBrief: true });
  return !('failure' in command) && !command.isFinished;
}

/** Returns the first line of a log. A log that another process has removed counts as damaged. */
export function readLogHeader({ path }: LogFile): Header | 'damaged' | 'newer' {
  let file: Journal | undefined;
  try {
    file = new Journal(path);
    return readHeader(logFormat, path, file);
  } catch (error) {
    return isNewerFailure(error) ? 'newer' : 'damaged';
  } finally {
    file?.close();
  }
}

/** Whether a command that can be continued is running: it writes to its log. */
const isRunning = (folder: string, { many }: Header) =>
  many !== undefined && existsSync(toLockPath(folder, many));

/** Removes old logs, so that 100 remain of persons and 100 of scripts, apart from unfinished commands and newer logs. */
function removeOldLogs(folder: string): void {
  const logs = listLogs(folder);
  if (logs.length <= maxCommands) return;
  const counts = { person: 0, script: 0 };
  let oldest = Number.POSITIVE_INFINITY;
  for (const log of logs) {
    const header = readLogHeader(log);
    const isReadable = typeof header === 'object';
    const count = ++counts[isReadable && !header.is_script ? 'person' : 'script'];
    const isInUse = isReadable && (isRunning(folder, header) || (canContinue(header) && isUnfinished(log)));
    const isNeeded = count <= maxCommands || header === 'newer' || isInUse;
    if (!isNeeded) removeLogFile(log);
    else oldest = log.number;
  }
  for (const mark of listMarks(folder)) if (mark.number < oldest) removeLogFile(mark);
}

/** Yields the commands of a workspace that changed something, the last one first, without related records. */
export function* readCommands(folder: string): Generator<LoggedCommand | UnusableLog> {
  for (const log of listLogs(folder)) {
    // Another process may have removed the log. A command that was killed before its first line has sent nothing.
    const stats = accessFile('read', log.path, () => statSync(log.path, { throwIfNoEntry: false }));
    if (!stats?.size) continue;
    const command = readCommand(log, { isBrief: true });
    if ('failure' in command || (hasChanges(command) && !command.is_marked)) yield command;
  }
}

/** Returns the ids of the records that commands have created. */
export function listCreatedIds(commands: Iterable<LoggedCommand | UnusableLog>): Set<string> {
  const ids = new Set<string>();
  for (const command of commands)
    for (const { action, after } of 'failure' in command ? [] : command.writes)
      if (action === 'create' && after) ids.add(String(after.id));
  return ids;
}

const hasChanges = (command: LoggedCommand) =>
  command.writes.length > 0 ||
  command.impossible.length > 0 ||
  command.hasImported ||
  (command.report !== undefined && !isImport(command)) ||
  command.items !== undefined ||
  canContinue(command);

/** Related records are most of a large log, and only its own revert needs them. */
const relatedLine = /^\{"n":\d+,"related":/;

/** The lines of an import that are not about a row. */
const commandLine = /^\{"(?:report|finished)"/;

/** The line of a write, or the line that removes it. */
const writeLine = /^\{"n":(\d+),"(what|refused)":/;

/** Reads a log, without the rows of an import. `isBrief`: without the related records. */
export function readCommand(log: LogFile, { isBrief = false } = {}): LoggedCommand | UnusableLog {
  try {
    return parseCommand(log, isBrief);
  } catch (error) {
    if (error instanceof FormatFailure) return { ...log, failure: error };
    if (!(error instanceof SyntaxError || error instanceof v.ValiError)) throw error;
    return { ...log, failure: new FormatFailure('damaged', logFormat, log.path, 'a line is invalid') };
  }
}

/** Reads the log of a command. @throws {FormatFailure} if it cannot be used */
export function requireCommand(log: LogFile): LoggedCommand {
  const command = readCommand(log);
  if ('failure' in command) throw command.failure;
  return command;
}

function parseCommand(log: LogFile, isBrief: boolean): LoggedCommand {
  const writes = new Map<number, LoggedWrite>();
  const related = new Map<number, RelatedRecord[]>();
  const impossible = new Map<number, string>();
  /** The numbers of the writes of an import: its rows may not fit into memory. */
  const importWrites = new Set<string>();
  let header: Header | undefined;
  let isFinished = false;
  let nextWrite = 0;
  let size = 0;
  for (const { text, next } of readLines(log.path)) {
    size = next;
    if (isBrief && relatedLine.test(text)) continue;
    if (header && isImport(header) && !commandLine.test(text)) {
      const [, n = '', member] = writeLine.exec(text) ?? [];
      if (member === 'refused') importWrites.delete(n);
      else if (member) importWrites.add(n);
      continue;
    }
    if (!header) {
      header = parseHeader(log.path, text);
      continue;
    }
    const line = parseLine(JSON.parse(text));
    if ('finished' in line) {
      isFinished = true;
      continue;
    }
    if ('line' in line || 'outcome' in line || 'report_hash' in line || 'undone' in line) continue;
    if ('report' in line) {
      header = { ...header, report: line.report };
      continue;
    }
    const { n } = line;
    nextWrite = Math.max(nextWrite, n);
    if ('related' in line) related.set(n, [...(related.get(n) ?? []), ...line.related]);
    else if ('action' in line) writes.set(n, toLoggedWrite(line, related.get(n)));
    else if ('after' in line) {
      const write = writes.get(n);
      if (write) Object.assign(write, { outcome: 'done', after: line.after ?? undefined });
    } else if ('impossible' in line) impossible.set(n, line.impossible);
    else {
      writes.delete(n);
      impossible.delete(n);
    }
  }
  return {
    ...v.parse(Header, header),
    ...log,
    writes: [...writes.values()].sort((left, right) => left.n - right.n),
    impossible: [...impossible.values()],
    hasImported: importWrites.size > 0,
    isFinished,
    nextWrite,
    size,
  };
}

/** Returns a write as its first line describes it, without its outcome. */
export const toLoggedWrite = (
  { before, missing = [], from, row: _, ...write }: Extract<LogLine, { action: unknown }>,
  related: readonly RelatedRecord[] = [],
): LoggedWrite => ({ ...write, before, related, missing, from, outcome: 'unknown', after: undefined });
