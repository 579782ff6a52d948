import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { Journal, piecesOf } from '../disk/journal.ts';
import { fromDisk, onDisk } from '../disk/on-disk.ts';
import type { Permissions } from '../disk/permissions.ts';
import { isThere } from '../disk/plain-file.ts';
import { writeWhole } from '../disk/whole-file.ts';
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
  readonly watermarks: Map<string, Watermark>;
}

/** What is known of a folder. */
export interface Known extends Told {
  /** The base URL or the file of the workspace that the meetings are of. */
  readonly workspace: string | undefined;
  /** Ends the reading of its meetings. */
  close(): void;
}

/** The ledger of a folder, open for a run. Everything is written when it is told, a line each. */
export interface Ledger extends Known {
  keep(meeting: KeptMeeting): Promise<void>;
  forget(id: string): Promise<void>;
  mark(watermark: Watermark): Promise<void>;
  /** Writes it anew, in an order that tells nothing of the run. */
  complete(): Promise<void>;
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
 * the middle of it, not there. Throws `failed` for one that a newer version wrote, and for what is no ledger;
 * `usage` for that of another workspace, whose meetings would all seem to be gone.
 */
export async function openLedger(
  folder: string,
  workspace: string,
  permissions: Permissions,
): Promise<Ledger> {
  const path = fileIn(folder);
  if (!(await fromDisk(path, async () => isThere(path)))) {
    await onDisk(path, async () => writeFileSync(path, '', { flag: 'a', mode: permissions.file }));
  }
  return closedIfItFails(folder, async (journal) => {
    const { known, whole } = await read(journal, folder);
    if (known.workspace !== undefined && known.workspace !== workspace) {
      throw new Failure('usage', `${folder} holds the meetings of ${known.workspace}, not of ${workspace}.`, {
        hint: 'Export each workspace to a folder of its own.',
      });
    }
    await onDisk(path, async () => {
      const isTorn = whole < journal.size;
      if (isTorn) journal.truncate(whole);
      if (whole === 0) journal.append(headerOf(workspace));
      else if (isTorn) for (const line of marksOf(known.watermarks)) journal.append(line);
    });
    const take = (line: Line) => onDisk(path, async () => takeIn(known, line, journal.append(lineOf(line))));
    return {
      ...known,
      workspace,
      keep: (meeting) => take({ meeting }),
      forget: (id) => take({ forgotten: id }),
      mark: (watermark) => take({ watermark }),
      complete: () => writeWhole(path, piecesOf(linesOf(workspace, known)), permissions.file),
    };
  });
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
    let workspace: string | undefined;
    let whole = 0;
    let isDamaged = false;
    for (const { text, start, next } of journal.lines()) {
      const line = start === 0 ? undefined : lineIn(text);
      if (start === 0) workspace = workspaceIn(text, folder);
      else if (line) takeIn({ meetings, watermarks }, line, start);
      else isDamaged = true;
      whole = next;
    }
    if (whole === 0 && !begins(journal.head)) throw noLedger(folder);
    // What a damaged line held is not known: everything is looked at again.
    if (isDamaged || whole < journal.size) {
      for (const [key, { at: _, ...watermark }] of watermarks) watermarks.set(key, watermark);
    }
    return { known: { workspace, meetings, watermarks, close: () => journal.close() }, whole };
  });
}

function takeIn({ meetings, watermarks }: Told, line: Line, start: number): void {
  if ('meeting' in line) meetings.takeIn(line.meeting.id, start);
  else if ('watermark' in line) watermarks.set(keyOf(line.watermark.filter), line.watermark);
  else meetings.forget(line.forgotten);
}

function* linesOf(workspace: string, { meetings, watermarks }: Told): Generator<string> {
  yield headerOf(workspace);
  yield* marksOf(watermarks);
  for (const meeting of meetings.inOrder()) yield lineOf({ meeting });
}

function marksOf(watermarks: ReadonlyMap<string, Watermark>): string[] {
  return [...watermarks.values()]
    .sort((one, other) => (keyOf(one.filter) < keyOf(other.filter) ? -1 : 1))
    .map((watermark) => lineOf({ watermark }));
}

/** The workspace in the first line of a ledger. Throws `failed` where it is none, or that of a newer version. */
function workspaceIn(first: string, folder: string): string | undefined {
  const header = headerIn(first);
  if (!header) throw noLedger(folder);
  if (!header.isNewer) return header.workspace;
  throw new Failure('failed', `The ledger of ${folder} was written by a newer kith.`, {
    hint: 'Update kith.',
  });
}

function noLedger(folder: string): Failure {
  return new Failure('failed', `${fileIn(folder)} is no ledger of an export.`, {
    hint: 'Export to another folder, or move that file away.',
  });
}
