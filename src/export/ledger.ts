import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { withReadErrors, withWriteErrors } from '../files/disk-errors.ts';
import { Journal } from '../files/journal.ts';
import { type Permissions, setMode } from '../files/permissions.ts';
import { nameDamagedFile, pathExists } from '../files/read-file.ts';
import type { StoredWorkspace } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import {
  type ExportFilter,
  formatHeader,
  formatLine,
  isHeaderStart,
  type LedgerLine,
  type LedgerMeeting,
  parseHeader,
  parseLine,
  type Watermark,
} from './ledger-format.ts';
import { readEarlierMeetings } from './recovery.ts';

/** What a ledger says. */
interface LedgerState {
  readonly meetings: LedgerMeetings;
  /** The ledger is new or incomplete: the folder may have files of meetings that it does not name. */
  isIncomplete: boolean;
  /** By `filterKey`. */
  readonly watermarks: Map<string, Watermark>;
  /** The workspace of the meetings. */
  owner: StoredWorkspace;
}

/** A ledger open for reading. */
export interface LedgerReader extends LedgerState {
  close(): void;
}

/** A ledger open for a run. Each change is written at once, as one line. */
export interface Ledger extends LedgerReader {
  saveMeeting(meeting: LedgerMeeting): Promise<void>;
  removeMeeting(id: string): Promise<void>;
  saveWatermark(watermark: Watermark): Promise<void>;
  saveOwner(owner: StoredWorkspace): Promise<void>;
  /** Rewrites the ledger in a fixed order. `isComplete`: it names every file of the export again. */
  compact(isComplete: boolean): Promise<void>;
}

/** The meetings of a ledger by id. Keeps only the position of each line, because a ledger may exceed memory. */
export class LedgerMeetings {
  readonly #journal: Journal;
  readonly #starts = new Map<string, number>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get size(): number {
    return this.#starts.size;
  }

  get(id: string): LedgerMeeting | undefined {
    const start = this.#starts.get(id);
    if (start === undefined) return undefined;
    try {
      // The line was checked when it was read or written.
      return JSON.parse(this.#journal.lineAt(start)).meeting;
    } catch (error) {
      throw error instanceof SyntaxError ? this.#journal.createChangeFailure() : error;
    }
  }

  /** Yields the current state of each meeting that existed at the call, unless it was deleted since. */
  *entries(isSelected: (id: string) => boolean = () => true): Generator<LedgerMeeting> {
    yield* this.#read([...this.#starts.keys()].filter(isSelected));
  }

  /** Yields all meetings in an order that does not depend on the run. */
  *sorted(): Generator<LedgerMeeting> {
    yield* this.#read([...this.#starts.keys()].sort());
  }

  /** Sets the position of a meeting's line. */
  set(id: string, start: number): void {
    this.#starts.set(id, start);
  }

  delete(id: string): void {
    this.#starts.delete(id);
  }

  *#read(ids: readonly string[]): Generator<LedgerMeeting> {
    for (const id of ids) {
      const meeting = this.get(id);
      if (meeting) yield meeting;
    }
  }
}

const getPath = (folder: string) => join(folder, '.kith-export.jsonl');

const exists = (path: string) => withReadErrors(path, async () => pathExists(path));

/**
 * Opens the ledger of a folder for reading; undefined if nothing was ever exported to the folder.
 * @throws {Failure} failed if the ledger is damaged or from a newer version
 */
export async function readLedger(folder: string): Promise<LedgerReader | undefined> {
  if (!(await exists(getPath(folder)))) return undefined;
  return withJournal(folder, async (journal) => {
    if (await isEmptied(journal, folder)) throw damagedLedger(folder);
    return (await parseLedger(journal, folder)).ledger;
  });
}

/**
 * Opens the ledger of a folder for a run. A new ledger belongs to `owner`. An incomplete last line, left by a killed run,
 * is removed.
 * @throws {Failure} failed if the ledger is damaged or from a newer version
 */
export async function openLedger(
  folder: string,
  owner: StoredWorkspace,
  permissions: Permissions,
): Promise<Ledger> {
  const path = getPath(folder);
  const isNew = !(await exists(path));
  if (isNew) {
    await withWriteErrors(path, async () => writeFileSync(path, '', { flag: 'a', mode: permissions.file }));
  }
  return withJournal(folder, async (journal) => {
    if (!isNew && (await isEmptied(journal, folder))) throw damagedLedger(folder);
    const { ledger, wholeBytes } = await parseLedger(journal, folder);
    if (wholeBytes === 0) ledger.owner = owner;
    await withWriteErrors(path, async () => {
      const isTorn = wholeBytes < journal.size;
      if (isTorn) journal.truncate(wholeBytes);
      if (wholeBytes === 0) journal.append(formatHeader(ledger.owner));
      else if (isTorn) for (const line of formatWatermarks(ledger.watermarks)) journal.append(line);
      if (wholeBytes === 0 || isTorn) journal.append(formatLine({ incomplete: true }));
    });
    const save = (line: LedgerLine) =>
      withWriteErrors(path, async () => applyLine(ledger, line, journal.append(formatLine(line))));
    return Object.assign(ledger, {
      saveMeeting: (meeting: LedgerMeeting) => save({ meeting }),
      removeMeeting: (id: string) => save({ forgotten: id }),
      saveWatermark: (watermark: Watermark) => save({ watermark }),
      saveOwner: (owner: StoredWorkspace) => save({ owner }),
      compact: (isComplete: boolean) => {
        if (isComplete) ledger.isIncomplete = false;
        return writeFileAtomically(path, formatLines(ledger), permissions.file);
      },
    });
  });
}

/**
 * Renames a ledger whose first line is damaged, and returns its new path; undefined if it is not damaged. A ledger of a
 * newer version is not damaged.
 */
export async function moveDamagedLedger(
  folder: string,
  now: Date,
  { file }: Permissions,
): Promise<string | undefined> {
  const path = getPath(folder);
  if (!(await exists(path))) return undefined;
  const journal = await withReadErrors(path, async () => new Journal(path));
  try {
    const hasHeader = await withReadErrors(path, async () => startsAsLedger(journal));
    if (hasHeader && !(await isEmptied(journal, folder))) return undefined;
  } finally {
    journal.close();
  }
  const newPath = nameDamagedFile(path, now);
  await withWriteErrors(path, async () => renameSync(path, newPath));
  setMode(newPath, file);
  return newPath;
}

function startsAsLedger(journal: Journal): boolean {
  for (const { text } of journal.lines()) return parseHeader(text) !== undefined;
  return isHeaderStart(journal.head);
}

/** Returns whether a ledger is empty although its folder has exported files. A killed first run leaves none. */
async function isEmptied(journal: Journal, folder: string): Promise<boolean> {
  return journal.size === 0 && (await readEarlierMeetings(folder)).size > 0;
}

/** Copies the meetings in the readable lines of a damaged ledger to a new one. */
export async function recoverMeetings(damagedPath: string, ledger: Ledger): Promise<void> {
  const journal = await withReadErrors(damagedPath, async () => new Journal(damagedPath));
  try {
    for (const { text } of journal.lines()) {
      const line = parseLine(text);
      if (line && 'meeting' in line) await ledger.saveMeeting(line.meeting);
      else if (line && 'forgotten' in line) await ledger.removeMeeting(line.forgotten);
    }
  } finally {
    journal.close();
  }
}

/** Returns the key of a filter's watermark. */
export function filterKey({ contact_id, organization_id }: ExportFilter): string {
  return JSON.stringify({ contact_id, organization_id });
}

/** Opens the journal of a folder, and closes it if `work` fails. */
async function withJournal<T>(folder: string, work: (journal: Journal) => Promise<T>): Promise<T> {
  const path = getPath(folder);
  const journal = await withReadErrors(path, async () => new Journal(path));
  try {
    return await work(journal);
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Reads a ledger. `wholeBytes` is the size of its complete lines. */
function parseLedger(
  journal: Journal,
  folder: string,
): Promise<{ ledger: LedgerReader; wholeBytes: number }> {
  return withReadErrors(getPath(folder), async () => {
    const watermarks = new Map<string, Watermark>();
    const ledger: LedgerReader = {
      meetings: new LedgerMeetings(journal),
      watermarks,
      owner: {},
      isIncomplete: false,
      close: () => journal.close(),
    };
    let wholeBytes = 0;
    let isDamaged = false;
    for (const { text, start, next } of journal.lines()) {
      const line = start === 0 ? undefined : parseLine(text);
      if (start === 0) ledger.owner = parseOwner(text, folder);
      else if (line) applyLine(ledger, line, start);
      else isDamaged = true;
      wholeBytes = next;
    }
    if (wholeBytes === 0 && !isHeaderStart(journal.head)) throw damagedLedger(folder);
    // The content of a damaged line is unknown, so the next run must look at everything again.
    if (isDamaged || wholeBytes === 0 || wholeBytes < journal.size) {
      ledger.isIncomplete = true;
      for (const [key, { at: _, ...watermark }] of watermarks) watermarks.set(key, watermark);
    }
    return { ledger, wholeBytes };
  });
}

function applyLine(state: LedgerState, line: LedgerLine, start: number): void {
  const { meetings, watermarks } = state;
  if ('incomplete' in line) state.isIncomplete = true;
  else if ('meeting' in line) meetings.set(line.meeting.id, start);
  else if ('watermark' in line) watermarks.set(filterKey(line.watermark.filter), line.watermark);
  else if ('owner' in line) state.owner = line.owner;
  else meetings.delete(line.forgotten);
}

function* formatLines({ meetings, watermarks, owner, isIncomplete }: LedgerState): Generator<string> {
  yield `${formatHeader(owner)}\n`;
  if (isIncomplete) yield `${formatLine({ incomplete: true })}\n`;
  for (const line of formatWatermarks(watermarks)) yield `${line}\n`;
  for (const meeting of meetings.sorted()) yield `${formatLine({ meeting })}\n`;
}

function formatWatermarks(watermarks: ReadonlyMap<string, Watermark>): string[] {
  return [...watermarks.values()]
    .sort((one, other) => (filterKey(one.filter) < filterKey(other.filter) ? -1 : 1))
    .map((watermark) => formatLine({ watermark }));
}

function parseOwner(firstLine: string, folder: string): StoredWorkspace {
  const header = parseHeader(firstLine);
  if (!header) throw damagedLedger(folder);
  if (!header.isNewer) return header.owner;
  throw new Failure('failed', `The ledger of ${folder} was written by a newer version of kith.`, {
    hint: 'Update kith.',
  });
}

function damagedLedger(folder: string): Failure {
  return new Failure('failed', `The export ledger ${getPath(folder)} is damaged.`, {
    hint: `Add --full to your export command to rebuild it: kith events export --full --out ${quoteShellWord(folder)}`,
  });
}
