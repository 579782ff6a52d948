import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as v from 'valibot';
import { Journal, readLines } from '../files/journal.ts';
import { actions, nounNames, type Write } from '../records/nouns.ts';
import type { JsonObject } from '../values/json-object.ts';
import { createJournalFile, isOld, listJournals } from './journal-files.ts';
import type { Related } from './related.ts';

/** Returns the folder of the journals. */
export const resolveUndoFolder = (dataFolder: string) => join(dataFolder, 'undo');

/** The first line: the command. */
const Header = v.object({
  kith_undo: v.literal(1),
  /** Its words: `contacts update`. */
  command: v.string(),
  at: v.pipe(v.string(), v.isoTimestamp()),
  /** The number of the command that it undoes. */
  undoes: v.exactOptional(v.number()),
  /** Why it cannot be undone, although its writes are recorded. */
  incomplete: v.exactOptional(v.string()),
  /** The report of the import that it ran or undid; an import has its own journal. */
  import: v.exactOptional(v.string()),
  undone_import: v.exactOptional(v.string()),
});
export type Header = Readonly<v.InferOutput<typeof Header>>;

/** A command whose writes are recorded. */
export type UndoSubject = Omit<Header, 'kith_undo' | 'at'>;

const Fields = v.record(v.string(), v.unknown());
const path = {
  what: v.picklist(nounNames),
  list_id: v.optional(v.string()),
  id: v.optional(v.string()),
};

/** The other lines. `write`, `related`, `result`, `refused` and `impossible` are numbers of writes, from 0. */
const Line = v.union([
  /** A write that is about to be sent, with the record before it and the related records that were not read. */
  v.object({
    write: v.number(),
    ...path,
    action: v.picklist(actions),
    body: Fields,
    before: v.exactOptional(Fields),
    missing: v.exactOptional(v.array(v.string())),
  }),
  /** Related records that a deletion affects. */
  v.object({
    related: v.number(),
    records: v.array(v.union([v.object({ ...path, record: Fields }), v.object({ ...path, body: Fields })])),
  }),
  /** A write that was carried out, with the record after it. */
  v.object({ result: v.number(), after: v.nullable(Fields) }),
  /** A write that was certainly not carried out. */
  v.object({ refused: v.number() }),
  /** A write that cannot be undone, and why. */
  v.object({ impossible: v.number(), reason: v.string() }),
  /** An undo that begins, or continues. */
  v.object({ started: v.pipe(v.string(), v.isoTimestamp()) }),
  /** A step of the undo that is done, and the id of the record that it created. */
  v.object({ undone: v.string(), from: v.exactOptional(v.string()), to: v.exactOptional(v.string()) }),
  /** A step of the undo that was surely not carried out. */
  v.object({ stopped: v.string() }),
  /** The undo is complete. */
  v.object({ finished: v.literal(true) }),
]);
type Line = v.InferOutput<typeof Line>;

/** A write of a command, as its journal has it. */
export interface StoredWrite extends Write {
  readonly number: number;
  readonly before: JsonObject | undefined;
  /** The related records that a deletion affected, and the kinds of those that could not be read. */
  readonly related: readonly Related[];
  readonly missing: readonly string[];
  /** `unknown` if the response was lost, or the command was killed before it arrived. */
  outcome: 'unknown' | 'done';
  after: JsonObject | undefined;
}

/** Returns the id of the record that was written; undefined for a created one whose response was lost. */
export const getWrittenId = ({ id, after }: StoredWrite) => id ?? (after && String(after.id));

/** A command that can be undone. */
export interface StoredCommand extends Header {
  readonly path: string;
  readonly number: number;
  readonly writes: readonly StoredWrite[];
  /** Why it cannot be undone. */
  readonly impossible: readonly string[];
  /** When its undo began; undefined if it did not. */
  readonly startedAt: Date | undefined;
  /** The steps of its undo that are done. */
  readonly undone: ReadonlySet<string>;
  /** The ids of records that its undo has created, by the ids of the deleted ones. */
  readonly newIds: ReadonlyMap<string, string>;
  readonly isFinished: boolean;
  /** Whether the step at which its undo was interrupted may have been carried out. */
  readonly isInDoubt: boolean;
  /** Bytes of its whole lines. */
  readonly size: number;
  /** Returns the ids of the records that its writes, or other commands, are known to have created. */
  readonly listKnownIds: () => ReadonlySet<string>;
}

/** Returns the start of the file names of a workspace. The key may be part of `secret`, so it is hashed. */
export const hashWorkspace = (secret: string) =>
  createHash('sha256').update(secret).digest('hex').slice(0, 16);

/** The journal of a command that is running. */
export type OpenJournal = ReturnType<typeof openJournal>;

/** Creates the journal of a command, after those of earlier ones. @throws {Failure} failed if it cannot be written */
export function createJournal(
  folder: string,
  workspace: string,
  header: Omit<Header, 'kith_undo'>,
): OpenJournal {
  const path = createJournalFile(folder, workspace, new Date(header.at));
  const journal = openJournal(path);
  journal.append({ kith_undo: 1, ...header });
  return journal;
}

/** Returns functions that write a journal. No file stays open: a server for agents records many commands. */
export function openJournal(path: string) {
  const use = (work: (file: Journal) => void) => {
    const file = new Journal(path);
    try {
      work(file);
    } finally {
      file.close();
    }
  };
  return {
    append: (line: Line | Header) => use((file) => file.append(JSON.stringify(line))),
    /** Removes all after a size in bytes: a killed command may have written a part of a line. */
    truncate: (size: number) => use((file) => file.truncate(size)),
  };
}

/** A journal that cannot be used: it was emptied or damaged. */
export interface DamagedCommand {
  readonly path: string;
  readonly number: number;
  readonly isDamaged: true;
}

/** Yields the commands of a workspace in the last 30 days, the last one first. Omits those that changed nothing. */
export function* readCommands(
  folder: string,
  workspace: string,
  now: Date,
): Generator<StoredCommand | DamagedCommand> {
  for (const { number, path } of listJournals(folder, workspace)) {
    if (isOld(path, now)) continue;
    const command = readCommand(path, number);
    if ('isDamaged' in command) yield command;
    else if (hasChanges(command))
      yield { ...command, listKnownIds: () => listCreatedIds({ folder, workspace, now }, command) };
  }
}

const hasChanges = (command: JournalContent) =>
  command.writes.length > 0 ||
  command.impossible.length > 0 ||
  command.import !== undefined ||
  command.undone_import !== undefined;

/**
 * Returns the ids of created records in all journals but those of the undo of a command, which may have created the
 * record that is searched for, and of the command that it undoes itself.
 */
function listCreatedIds(
  { folder, workspace, now }: { folder: string; workspace: string; now: Date },
  { number, undoes }: Pick<StoredCommand, 'number' | 'undoes'>,
): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const command of readCommands(folder, workspace, now)) {
    if ('isDamaged' in command || command.undoes === number || command.number === undoes) continue;
    for (const { action, after } of command.writes)
      if (action === 'create' && after) ids.add(String(after.id));
    for (const id of command.newIds.values()) ids.add(id);
  }
  return ids;
}

/** A command, as far as its own journal tells. */
type JournalContent = Omit<StoredCommand, 'listKnownIds'>;

function readCommand(path: string, number: number): JournalContent | DamagedCommand {
  try {
    return parseCommand(path, number);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof v.ValiError)
      return { path, number, isDamaged: true };
    throw error;
  }
}

function parseCommand(path: string, number: number): JournalContent {
  const writes = new Map<number, StoredWrite>();
  const related = new Map<number, Related[]>();
  const impossible = new Map<number, string>();
  const undone = new Set<string>();
  const newIds = new Map<string, string>();
  let header: Header | undefined;
  let startedAt: Date | undefined;
  let isFinished = false;
  let isStopped = false;
  let size = 0;
  for (const { text, next } of readLines(path)) {
    size = next;
    const json: unknown = JSON.parse(text);
    if (!header) {
      header = v.parse(Header, json);
      continue;
    }
    const line = v.parse(Line, json);
    isStopped = 'stopped' in line;
    if ('related' in line) related.set(line.related, [...(related.get(line.related) ?? []), ...line.records]);
    else if ('write' in line) {
      const { write, before, missing = [], ...rest } = line;
      const outcome = { outcome: 'unknown', after: undefined } as const;
      writes.set(write, {
        ...rest,
        number: write,
        before,
        related: related.get(write) ?? [],
        missing,
        ...outcome,
      });
    } else if ('result' in line) {
      const write = writes.get(line.result);
      if (write) Object.assign(write, { outcome: 'done', after: line.after ?? undefined });
    } else if ('refused' in line) {
      writes.delete(line.refused);
      impossible.delete(line.refused);
    } else if ('impossible' in line) impossible.set(line.impossible, line.reason);
    else if ('finished' in line) isFinished = true;
    else if ('stopped' in line) continue;
    else if ('started' in line) startedAt ??= new Date(line.started);
    else {
      undone.add(line.undone);
      if (line.from !== undefined && line.to !== undefined) newIds.set(line.from, line.to);
    }
  }
  return {
    ...v.parse(Header, header),
    path,
    number,
    writes: [...writes.values()].sort((one, other) => one.number - other.number),
    impossible: [...impossible.values()],
    startedAt,
    undone,
    newIds,
    isFinished,
    isInDoubt: startedAt !== undefined && !isStopped,
    size,
  };
}
