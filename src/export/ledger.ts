import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { withReadErrors, withWriteErrors } from '../files/disk-errors.ts';
import { encodeLines, Journal } from '../files/journal.ts';
import { type Permissions, setMode } from '../files/permissions.ts';
import { nameDamagedFile, pathExists } from '../files/read-file.ts';
import type { StoredWorkspace } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import { MeetingIndex } from './kept-meetings.ts';
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

/** What the lines of a ledger tell: its meetings by id, and a watermark for each filter that was exported to it. */
interface LedgerState {
  readonly meetings: MeetingIndex;
  /** It is new or incomplete: the folder may have files of meetings that it does not name. */
  isIncomplete: boolean;
  readonly watermarks: Map<string, Watermark>;
  /** The workspace of the meetings. */
  owner: StoredWorkspace;
}

/** What is known of a folder. */
export interface LedgerReader extends LedgerState {
  /** Ends the reading of its meetings. */
  close(): void;
}

/** The ledger of a folder, open for a run. Everything is written when it is told, a line each. */
export interface Ledger extends LedgerReader {
  saveMeeting(meeting: LedgerMeeting): Promise<void>;
  removeMeeting(id: string): Promise<void>;
  saveWatermark(watermark: Watermark): Promise<void>;
  saveOwner(owner: StoredWorkspace): Promise<void>;
  /** Rewrites it in an order that does not depend on the run. `isWhole`: it names every file of the export again. */
  compact(isWhole: boolean): Promise<void>;
}

const ledgerPath = (folder: string) => join(folder, '.kith-export.jsonl');

/** What is known of a folder; undefined where nothing was ever exported to it. Throws `failed`. */
export async function readLedger(folder: string): Promise<LedgerReader | undefined> {
  const path = ledgerPath(folder);
  if (!(await withReadErrors(path, async () => pathExists(path)))) return undefined;
  return withJournal(folder, async (journal) => (await parseLedger(journal, folder)).known);
}

/**
 * Opens the ledger of a folder: a journal to which each meeting is a line, whole or, where a run was killed in
 * the middle of it, not there. A new one belongs to `owner`. Throws `failed` for one that a newer version wrote,
 * and for what is no ledger.
 */
export async function openLedger(
  folder: string,
  owner: StoredWorkspace,
  permissions: Permissions,
): Promise<Ledger> {
  const path = ledgerPath(folder);
  if (!(await withReadErrors(path, async () => pathExists(path)))) {
    await withWriteErrors(path, async () => writeFileSync(path, '', { flag: 'a', mode: permissions.file }));
  }
  return withJournal(folder, async (journal) => {
    const { known, whole } = await parseLedger(journal, folder);
    if (whole === 0) known.owner = owner;
    await withWriteErrors(path, async () => {
      const isTorn = whole < journal.size;
      if (isTorn) journal.truncate(whole);
      if (whole === 0) journal.append(formatHeader(known.owner));
      else if (isTorn) for (const line of formatWatermarks(known.watermarks)) journal.append(line);
      if (whole === 0 || isTorn) journal.append(formatLine({ incomplete: true }));
    });
    const take = (line: LedgerLine) =>
      withWriteErrors(path, async () => applyLine(known, line, journal.append(formatLine(line))));
    return Object.assign(known, {
      saveMeeting: (meeting: LedgerMeeting) => take({ meeting }),
      removeMeeting: (id: string) => take({ forgotten: id }),
      saveWatermark: (watermark: Watermark) => take({ watermark }),
      saveOwner: (owner: StoredWorkspace) => take({ owner }),
      compact: (isWhole: boolean) => {
        if (isWhole) known.isIncomplete = false;
        return writeFileAtomically(path, encodeLines(formatLines(known)), permissions.file);
      },
    });
  });
}

/**
 * Moves a ledger aside if its first line is damaged (zeros, other JSON, another file), and returns its new path. A
 * ledger of a newer version is not damaged.
 */
export async function moveDamagedLedger(
  folder: string,
  now: Date,
  { file }: Permissions,
): Promise<string | undefined> {
  const path = ledgerPath(folder);
  if (!(await withReadErrors(path, async () => pathExists(path)))) return undefined;
  const journal = await withReadErrors(path, async () => new Journal(path));
  const isDamaged = await withReadErrors(path, async () => !startsAsLedger(journal)).finally(() =>
    journal.close(),
  );
  if (!isDamaged) return undefined;
  const movedTo = nameDamagedFile(path, now);
  await withWriteErrors(path, async () => renameSync(path, movedTo));
  setMode(movedTo, file);
  return movedTo;
}

function startsAsLedger(journal: Journal): boolean {
  for (const { text } of journal.lines()) return parseHeader(text) !== undefined;
  return isHeaderStart(journal.head);
}

/** Recovers the meetings from the readable lines of a damaged ledger. */
export async function recoverMeetings(damaged: string, ledger: Ledger): Promise<void> {
  const journal = await withReadErrors(damaged, async () => new Journal(damaged));
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

/** The key of a filter among the watermarks. */
export function filterKey({ contact_id, organization_id }: ExportFilter): string {
  return JSON.stringify({ contact_id, organization_id });
}

/** Does a work with the journal of a folder, which stays open unless that fails. */
async function withJournal<T>(folder: string, work: (journal: Journal) => Promise<T>): Promise<T> {
  const path = ledgerPath(folder);
  const journal = await withReadErrors(path, async () => new Journal(path));
  try {
    return await work(journal);
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Reads a ledger: what it says, and how many of its bytes are whole lines. */
function parseLedger(journal: Journal, folder: string): Promise<{ known: LedgerReader; whole: number }> {
  return withReadErrors(ledgerPath(folder), async () => {
    const meetings = new MeetingIndex(journal);
    const watermarks = new Map<string, Watermark>();
    const close = () => journal.close();
    const known: LedgerReader = { meetings, watermarks, owner: {}, isIncomplete: false, close };
    let whole = 0;
    let isDamaged = false;
    for (const { text, start, next } of journal.lines()) {
      const line = start === 0 ? undefined : parseLine(text);
      if (start === 0) known.owner = parseOwner(text, folder);
      else if (line) applyLine(known, line, start);
      else isDamaged = true;
      whole = next;
    }
    if (whole === 0 && !isHeaderStart(journal.head)) throw damagedLedger(folder);
    // What a damaged line held is not known: everything is looked at again.
    if (isDamaged || whole === 0 || whole < journal.size) {
      known.isIncomplete = true;
      for (const [key, { at: _, ...watermark }] of watermarks) watermarks.set(key, watermark);
    }
    return { known, whole };
  });
}

function applyLine(told: LedgerState, line: LedgerLine, start: number): void {
  const { meetings, watermarks } = told;
  if ('incomplete' in line) told.isIncomplete = true;
  else if ('meeting' in line) meetings.set(line.meeting.id, start);
  else if ('watermark' in line) watermarks.set(filterKey(line.watermark.filter), line.watermark);
  else if ('owner' in line) told.owner = line.owner;
  else meetings.delete(line.forgotten);
}

function* formatLines({ meetings, watermarks, owner, isIncomplete }: LedgerState): Generator<string> {
  yield formatHeader(owner);
  if (isIncomplete) yield formatLine({ incomplete: true });
  yield* formatWatermarks(watermarks);
  for (const meeting of meetings.sorted()) yield formatLine({ meeting });
}

function formatWatermarks(watermarks: ReadonlyMap<string, Watermark>): string[] {
  return [...watermarks.values()]
    .sort((one, other) => (filterKey(one.filter) < filterKey(other.filter) ? -1 : 1))
    .map((watermark) => formatLine({ watermark }));
}

/** Returns the owner in the first line of a ledger. Throws `failed` if it is damaged or from a newer version. */
function parseOwner(first: string, folder: string): StoredWorkspace {
  const header = parseHeader(first);
  if (!header) throw damagedLedger(folder);
  if (!header.isNewer) return header.owner;
  throw new Failure('failed', `The ledger of ${folder} was written by a newer kith.`, {
    hint: 'Update kith.',
  });
}

function damagedLedger(folder: string): Failure {
  return new Failure('failed', `The export ledger ${ledgerPath(folder)} is damaged.`, {
    hint: `Add --full to your export command to rebuild it: kith events export --full --out ${quoteShellWord(folder)}`,
  });
}
