import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { Journal, readLines } from '../files/journal.ts';
import { type Permissions, setMode } from '../files/permissions.ts';
import { nameDamagedFile, pathExists } from '../files/read-file.ts';
import type { StoredWorkspace } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import {
  type ExportFilter,
  isHeader,
  isHeaderStart,
  type LedgerLine,
  type LedgerMeeting,
  ledgerVersion,
  parseLine,
  type Watermark,
} from './ledger-format.ts';
import { readEarlierMeetings } from './recovery.ts';

/** The journal of an export folder, one line for each change. Keeps only positions of lines: it may exceed memory. */
export class Ledger {
  owner: StoredWorkspace = {};
  /** The ledger is new or incomplete: the folder may have files of meetings that it does not name. */
  isIncomplete = false;
  /** By `toFilterKey`. */
  readonly watermarks = new Map<string, Watermark>();
  readonly #folder: string;
  readonly #journal: Journal;
  readonly #starts = new Map<string, number>();
  /** The size of the complete lines. */
  readonly #end: number = 0;

  /** Reads a journal whose first line is a header. @throws {Failure} failed if a newer version wrote it */
  constructor(journal: Journal, folder: string) {
    this.#folder = folder;
    this.#journal = journal;
    let isDamaged = false;
    for (const { text, start, next } of journal.lines()) {
      const line = parseLine(text);
      if (start === 0) requireVersion(line, folder);
      if (line && isHeader(line) === (start === 0)) this.#apply(line, start);
      else isDamaged = true;
      this.#end = next;
    }
    // The content of a damaged line is unknown, so the next run must look at everything again.
    if (!isDamaged && this.#end > 0 && this.#end === journal.size) return;
    this.isIncomplete = true;
    for (const [key, { at: _, ...watermark }] of this.watermarks) this.watermarks.set(key, watermark);
  }

  get size(): number {
    return this.#starts.size;
  }

  getMeeting(id: string): LedgerMeeting | undefined {
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
  meetings(isSelected: (id: string) => boolean = () => true): Generator<LedgerMeeting> {
    return this.#readMeetings([...this.#starts.keys()].filter(isSelected));
  }

  *#readMeetings(ids: readonly string[]): Generator<LedgerMeeting> {
    for (const id of ids) {
      const meeting = this.getMeeting(id);
      if (meeting) yield meeting;
    }
  }

  /** Writes a line after the header. */
  save(line: LedgerLine): void {
    this.#apply(line, this.#journal.append(JSON.stringify(line)));
  }

  #apply(line: LedgerLine, start: number): void {
    if ('meeting' in line) this.#starts.set(line.meeting.id, start);
    else if ('forgotten' in line) this.#starts.delete(line.forgotten);
    else if ('watermark' in line) this.watermarks.set(toFilterKey(line.watermark.filter), line.watermark);
    else if ('incomplete' in line) this.isIncomplete = true;
    else this.owner = 'owner' in line ? line.owner : { workspace: line.workspace, identity: line.identity };
  }

  /** Writes the header of a new ledger, which belongs to `owner`. Removes an incomplete last line of a killed run. */
  repair(owner: StoredWorkspace): void {
    const isNew = this.#end === 0;
    const isTorn = this.#end < this.#journal.size;
    if (isTorn) this.#journal.truncate(this.#end);
    if (isNew) this.save({ kith_export: ledgerVersion, ...owner });
    else if (isTorn) for (const watermark of this.#sortWatermarks()) this.save({ watermark });
    if (isNew || isTorn) this.save({ incomplete: true });
  }

  /** Rewrites the ledger in a fixed order. `isComplete`: it names every file of the export again. */
  compact({ file }: Permissions, isComplete: boolean): Promise<void> {
    if (isComplete) this.isIncomplete = false;
    return writeFileAtomically(getPath(this.#folder), this.#formatLines(), file);
  }

  *#formatLines(): Generator<string> {
    const format = (line: LedgerLine) => `${JSON.stringify(line)}\n`;
    yield format({ kith_export: ledgerVersion, ...this.owner });
    if (this.isIncomplete) yield format({ incomplete: true });
    for (const watermark of this.#sortWatermarks()) yield format({ watermark });
    for (const meeting of this.#readMeetings([...this.#starts.keys()].sort())) yield format({ meeting });
  }

  #sortWatermarks(): Watermark[] {
    const keys = [...this.watermarks.keys()].sort();
    return keys.flatMap((key) => this.watermarks.get(key) ?? []);
  }

  close(): void {
    this.#journal.close();
  }
}

/** Returns the key of a filter's watermark. */
export function toFilterKey({ contact_id, organization_id }: ExportFilter): string {
  return JSON.stringify({ contact_id, organization_id });
}

function requireVersion(line: LedgerLine | undefined, folder: string): void {
  if (!isHeader(line) || line.kith_export === ledgerVersion) return;
  throw new Failure('failed', `The ledger of ${folder} was written by a newer version of kith.`, {
    hint: 'Update kith.',
  });
}

const getPath = (folder: string) => join(folder, '.kith-export.jsonl');

function hasLedger(folder: string): boolean {
  const path = getPath(folder);
  return accessFile('read', path, () => pathExists(path));
}

/** Reads a ledger. @throws {Failure} not_found if nothing was exported to the folder, failed if it is damaged or too new */
export async function useLedger<T>(folder: string, work: (ledger: Ledger) => T | Promise<T>): Promise<T> {
  if (!hasLedger(folder)) {
    throw new Failure('not_found', `Nothing was exported to ${folder}.`, {
      hint: `kith events export --out ${quoteShellWord(folder)}`,
    });
  }
  const ledger = await loadLedger(folder);
  try {
    return await work(ledger);
  } finally {
    ledger.close();
  }
}

/** Opens a ledger for a run. A new one belongs to `owner`. @throws {Failure} failed if it is damaged or too new */
export async function openLedger(
  folder: string,
  owner: StoredWorkspace,
  { file }: Permissions,
): Promise<Ledger> {
  const path = getPath(folder);
  const isNew = !hasLedger(folder);
  if (isNew) accessFile('write', path, () => writeFileSync(path, '', { flag: 'a', mode: file }));
  const ledger = await loadLedger(folder, isNew);
  ledger.repair(owner);
  return ledger;
}

async function loadLedger(folder: string, isNew = false): Promise<Ledger> {
  const path = getPath(folder);
  const journal = new Journal(path);
  try {
    if (isNew || !(await isDamaged(journal, folder))) return new Ledger(journal, folder);
    throw new Failure('failed', `The export ledger ${path} is damaged.`, {
      hint: `Add --full to your export command to rebuild it: kith events export --full --out ${quoteShellWord(folder)}`,
    });
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Whether the first line is damaged, or the ledger is empty but not its folder: a killed first run leaves no files. */
async function isDamaged(journal: Journal, folder: string): Promise<boolean> {
  if (journal.size === 0) return (await readEarlierMeetings(folder)).size > 0;
  const [first] = journal.lines();
  return first ? !isHeader(parseLine(first.text)) : !isHeaderStart(journal.head);
}

/** Renames a damaged ledger, and returns its new path; undefined if it is not damaged. */
export async function moveDamagedLedger(
  folder: string,
  now: Date,
  { file }: Permissions,
): Promise<string | undefined> {
  if (!hasLedger(folder)) return undefined;
  const path = getPath(folder);
  const journal = new Journal(path);
  try {
    if (!(await isDamaged(journal, folder))) return undefined;
  } finally {
    journal.close();
  }
  const newPath = nameDamagedFile(path, now);
  accessFile('write', path, () => renameSync(path, newPath));
  setMode(newPath, file);
  return newPath;
}

/** Copies the meetings in the readable lines of a damaged ledger to a new one. */
export function recoverMeetings(damagedPath: string, ledger: Ledger): void {
  for (const { text } of readLines(damagedPath)) {
    const line = parseLine(text);
    if (line && ('meeting' in line || 'forgotten' in line)) ledger.save(line);
  }
}
