import { renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { Journal } from '../files/journal.ts';
import { type Permissions, setMode } from '../files/permissions.ts';
import { nameDamagedFile, pathExists } from '../files/read-file.ts';
import type { StoredWorkspace } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import {
  type ExportFilter,
  formatLine,
  isHeader,
  type LedgerLine,
  type LedgerMeeting,
  ledgerVersion,
  parseLine,
  parseMeetingLine,
  type Watermark,
} from './ledger-format.ts';

/**
 * The journal of an export folder, with one line for each change. Stores only the positions of lines, because the
 * journal may exceed memory.
 */
export class Ledger {
  owner: StoredWorkspace = {};
  /** By `toFilterKey`. */
  readonly watermarks = new Map<string, Watermark>();
  readonly #writtenAt: number;
  readonly #path: string;
  readonly #journal: Journal;
  readonly #starts = new Map<string, number>();
  /** The size of the complete lines. */
  readonly #end: number = 0;

  /** Reads a journal that is empty or begins with a header. @throws {Failure} failed if a newer version wrote it */
  constructor(journal: Journal, folder: string) {
    this.#path = getPath(folder);
    this.#writtenAt = statSync(this.#path).mtimeMs;
    this.#journal = journal;
    let isDamaged = false;
    for (const { text, start, next } of journal.readLines()) {
      const line = parseLine(text);
      if (start === 0 && isHeader(line) && line.kith_export !== ledgerVersion)
        throw new Failure('failed', `The ledger of ${folder} was written by a newer version of kith.`, {
          hint: 'Update kith.',
        });
      if (line && isHeader(line) === (start === 0)) this.#apply(line, start);
      else isDamaged = true;
      this.#end = next;
    }
    if (!isDamaged && this.#end === journal.size) return;
    // The content of a damaged line is unknown, so the next run must check all meetings.
    for (const [key, watermark] of this.watermarks) this.watermarks.set(key, { ...watermark, at: undefined });
  }

  get size(): number {
    return this.#starts.size;
  }

  /**
   * A time before which all files were checked, in milliseconds since 1970: when the last complete run that listed all
   * meetings began. A run that failed or was killed writes the ledger too.
   */
  get checkedAt(): number {
    const listed = Array.from(this.watermarks.values(), ({ listed = 0 }) => listed * 1000);
    return Math.min(this.#writtenAt, Math.max(0, ...listed));
  }

  getMeeting(id: string): LedgerMeeting | undefined {
    const start = this.#starts.get(id);
    if (start === undefined) return undefined;
    try {
      return parseMeetingLine(this.#journal.readLine(start));
    } catch (error) {
      throw error instanceof Failure ? error : this.#journal.createChangeFailure();
    }
  }

  /** Yields the current state of each meeting that existed at the call and was not deleted since. */
  listMeetings(isSelected: (id: string) => boolean = () => true): Generator<LedgerMeeting> {
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
    this.#apply(line, this.#journal.append(formatLine(line)));
  }

  #apply(line: LedgerLine, start: number): void {
    if ('meeting' in line) this.#starts.set(line.meeting.id, start);
    else if ('forgotten' in line) this.#starts.delete(line.forgotten);
    else if ('watermark' in line) this.watermarks.set(toFilterKey(line.watermark.filter), line.watermark);
    else if ('owner' in line) this.owner = line.owner;
    else if (isHeader(line)) this.owner = { workspace: line.workspace, identity: line.identity };
  }

  /** Writes the header of a new ledger with its owner. Removes the incomplete last line of a killed run. */
  repair(owner: StoredWorkspace): void {
    if (this.#journal.size === 0) this.save({ kith_export: ledgerVersion, ...owner });
    else if (this.#end < this.#journal.size) {
      this.#journal.truncate(this.#end);
      for (const watermark of this.#sortWatermarks()) this.save({ watermark });
    }
  }

  /** Rewrites the ledger in a fixed order. */
  compact({ file }: Permissions): Promise<void> {
    return writeFileAtomically(this.#path, this.#formatLines(), file);
  }

  *#formatLines(): Generator<string> {
    yield `${formatLine({ kith_export: ledgerVersion, ...this.owner })}\n`;
    for (const watermark of this.#sortWatermarks()) yield `${formatLine({ watermark })}\n`;
    for (const meeting of this.#readMeetings([...this.#starts.keys()].sort()))
      yield `${formatLine({ meeting })}\n`;
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
  const ledger = loadLedger(folder);
  try {
    return await work(ledger);
  } finally {
    ledger.close();
  }
}

/** Opens a ledger for a run. `owner` owns a new ledger. @throws {Failure} failed if it is damaged or too new */
export function openLedger(folder: string, owner: StoredWorkspace, { file }: Permissions): Ledger {
  const path = getPath(folder);
  if (!hasLedger(folder)) accessFile('write', path, () => writeFileSync(path, '', { flag: 'a', mode: file }));
  const ledger = loadLedger(folder);
  ledger.repair(owner);
  return ledger;
}

function loadLedger(folder: string): Ledger {
  const path = getPath(folder);
  const journal = new Journal(path);
  try {
    if (!isDamaged(journal)) return new Ledger(journal, folder);
    throw new Failure('failed', `The export ledger ${path} is damaged.`, {
      hint: `Add --full to your export command to rebuild it: kith events export --full --out ${quoteShellWord(folder)}`,
    });
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Whether the first line is damaged. The folder's workspace is then unknown. */
function isDamaged(journal: Journal): boolean {
  const [first] = journal.readLines();
  return journal.size > 0 && !isHeader(first && parseLine(first.text));
}

/** Renames a damaged ledger, and returns its new path; undefined if it is not damaged. */
export function moveDamagedLedger(folder: string, now: Date, { file }: Permissions): string | undefined {
  if (!hasLedger(folder)) return undefined;
  const path = getPath(folder);
  const journal = new Journal(path);
  const isIntact = !isDamaged(journal);
  journal.close();
  if (isIntact) return undefined;
  const newPath = nameDamagedFile(path, now);
  accessFile('write', path, () => renameSync(path, newPath));
  setMode(newPath, file);
  return newPath;
}
