import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import type { StoredWorkspace } from '../contract/workspace-identity.ts';
import { writeWhole } from '../files/atomic-write.ts';
import { damagedName } from '../files/damaged-name.ts';
import { fromDisk, onDisk } from '../files/disk-errors.ts';
import { Journal, piecesOf } from '../files/journal.ts';
import { type Permissions, setMode } from '../files/permissions.ts';
import { isThere } from '../files/plain-file.ts';
import { shellWord } from '../values/shell-word.ts';
import { KeptMeetings } from './kept-meetings.ts';
import {
  begins,
  type Filter,
  headerIn,
  headerOf,
  type KeptMeeting,
  type Line,
  lineIn,
  lineOf,
  type Watermark,
} from './ledger-lines.ts';

/** What the lines of a ledger tell: its meetings by id, and a watermark for each filter that was exported to it. */
interface Told {
  readonly meetings: KeptMeetings;
  /** It is new or incomplete: the folder may have files of meetings that it does not name. */
  isIncomplete: boolean;
  readonly watermarks: Map<string, Watermark>;
  /** The workspace of the meetings. */
  owner: StoredWorkspace;
}

/** What is known of a folder. */
export interface Known extends Told {
  /** Ends the reading of its meetings. */
  close(): void;
}

/** The ledger of a folder, open for a run. Everything is written when it is told, a line each. */
export interface Ledger extends Known {
  keep(meeting: KeptMeeting): Promise<void>;
  forget(id: string): Promise<void>;
  mark(watermark: Watermark): Promise<void>;
  changeOwner(owner: StoredWorkspace): Promise<void>;
  /** Rewrites it in an order that does not depend on the run. `isWhole`: it names every file of the export again. */
  complete(isWhole: boolean): Promise<void>;
}

const fileIn = (folder: string) => join(folder, '.kith-export.jsonl');

/** What is known of a folder; undefined where nothing was ever exported to it. Throws `failed`. */
export async function readLedger(folder: string): Promise<Known | undefined> {
  const path = fileIn(folder);
  if (!(await fromDisk(path, async () => isThere(path)))) return undefined;
  return closedIfItFails(folder, async (journal) => (await read(journal, folder)).known);
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
  const path = fileIn(folder);
  if (!(await fromDisk(path, async () => isThere(path)))) {
    await onDisk(path, async () => writeFileSync(path, '', { flag: 'a', mode: permissions.file }));
  }
  return closedIfItFails(folder, async (journal) => {
    const { known, whole } = await read(journal, folder);
    if (whole === 0) known.owner = owner;
    await onDisk(path, async () => {
      const isTorn = whole < journal.size;
      if (isTorn) journal.truncate(whole);
      if (whole === 0) journal.append(headerOf(known.owner));
      else if (isTorn) for (const line of marksOf(known.watermarks)) journal.append(line);
      if (whole === 0 || isTorn) journal.append(lineOf({ incomplete: true }));
    });
    const take = (line: Line) => onDisk(path, async () => takeIn(known, line, journal.append(lineOf(line))));
    return Object.assign(known, {
      keep: (meeting: KeptMeeting) => take({ meeting }),
      forget: (id: string) => take({ forgotten: id }),
      mark: (watermark: Watermark) => take({ watermark }),
      changeOwner: (owner: StoredWorkspace) => take({ owner }),
      complete: (isWhole: boolean) => {
        if (isWhole) known.isIncomplete = false;
        return writeWhole(path, piecesOf(linesOf(known)), permissions.file);
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
  const path = fileIn(folder);
  if (!(await fromDisk(path, async () => isThere(path)))) return undefined;
  const journal = await fromDisk(path, async () => new Journal(path));
  const isDamaged = await fromDisk(path, async () => !startsAsLedger(journal)).finally(() => journal.close());
  if (!isDamaged) return undefined;
  const movedTo = damagedName(path, now);
  await onDisk(path, async () => renameSync(path, movedTo));
  setMode(movedTo, file);
  return movedTo;
}

function startsAsLedger(journal: Journal): boolean {
  for (const { text } of journal.lines()) return headerIn(text) !== undefined;
  return begins(journal.head);
}

/** Recovers the meetings from the readable lines of a damaged ledger. */
export async function recoverMeetings(damaged: string, ledger: Ledger): Promise<void> {
  const journal = await fromDisk(damaged, async () => new Journal(damaged));
  try {
    for (const { text } of journal.lines()) {
      const line = lineIn(text);
      if (line && 'meeting' in line) await ledger.keep(line.meeting);
      else if (line && 'forgotten' in line) await ledger.forget(line.forgotten);
    }
  } finally {
    journal.close();
  }
}

/** The key of a filter among the watermarks. */
export function keyOf({ contact_id, organization_id }: Filter): string {
  return JSON.stringify({ contact_id, organization_id });
}

/** Does a work with the journal of a folder, which stays open unless that fails. */
async function closedIfItFails<T>(folder: string, work: (journal: Journal) => Promise<T>): Promise<T> {
  const path = fileIn(folder);
  const journal = await fromDisk(path, async () => new Journal(path));
  try {
    return await work(journal);
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Reads a ledger: what it says, and how many of its bytes are whole lines. */
function read(journal: Journal, folder: string): Promise<{ known: Known; whole: number }> {
  return fromDisk(fileIn(folder), async () => {
    const meetings = new KeptMeetings(journal);
    const watermarks = new Map<string, Watermark>();
    const close = () => journal.close();
    const known: Known = { meetings, watermarks, owner: {}, isIncomplete: false, close };
    let whole = 0;
    let isDamaged = false;
    for (const { text, start, next } of journal.lines()) {
      const line = start === 0 ? undefined : lineIn(text);
      if (start === 0) known.owner = ownerIn(text, folder);
      else if (line) takeIn(known, line, start);
      else isDamaged = true;
      whole = next;
    }
    if (whole === 0 && !begins(journal.head)) throw noLedger(folder);
    // What a damaged line held is not known: everything is looked at again.
    if (isDamaged || whole === 0 || whole < journal.size) {
      known.isIncomplete = true;
      for (const [key, { at: _, ...watermark }] of watermarks) watermarks.set(key, watermark);
    }
    return { known, whole };
  });
}

function takeIn(told: Told, line: Line, start: number): void {
  const { meetings, watermarks } = told;
  if ('incomplete' in line) told.isIncomplete = true;
  else if ('meeting' in line) meetings.takeIn(line.meeting.id, start);
  else if ('watermark' in line) watermarks.set(keyOf(line.watermark.filter), line.watermark);
  else if ('owner' in line) told.owner = line.owner;
  else meetings.forget(line.forgotten);
}

function* linesOf({ meetings, watermarks, owner, isIncomplete }: Told): Generator<string> {
  yield headerOf(owner);
  if (isIncomplete) yield lineOf({ incomplete: true });
  yield* marksOf(watermarks);
  for (const meeting of meetings.inOrder()) yield lineOf({ meeting });
}

function marksOf(watermarks: ReadonlyMap<string, Watermark>): string[] {
  return [...watermarks.values()]
    .sort((one, other) => (keyOf(one.filter) < keyOf(other.filter) ? -1 : 1))
    .map((watermark) => lineOf({ watermark }));
}

/** Returns the owner in the first line of a ledger. Throws `failed` if it is damaged or from a newer version. */
function ownerIn(first: string, folder: string): StoredWorkspace {
  const header = headerIn(first);
  if (!header) throw noLedger(folder);
  if (!header.isNewer) return header.owner;
  throw new Failure('failed', `The ledger of ${folder} was written by a newer kith.`, {
    hint: 'Update kith.',
  });
}

function noLedger(folder: string): Failure {
  return new Failure('failed', `The export ledger ${fileIn(folder)} is damaged.`, {
    hint: `Add --full to your export command to rebuild it: kith events export --full --out ${shellWord(folder)}`,
  });
}
