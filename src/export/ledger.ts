import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { createFile, writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { FormatFailure, moveDamagedFile, parseLine, readHeader } from '../files/durable-file.ts';
import { Journal } from '../files/journal.ts';
import type { Permissions } from '../files/permissions.ts';
import { pathExists } from '../files/read-file.ts';
import type { StoredWorkspace } from '../files/workspace-identity.ts';
import { quoteShellWord } from '../values/text.ts';
import {
  type ExportFilter,
  formatHeader,
  formatLine,
  LedgerLine,
  type LedgerMeeting,
  ledgerFormat,
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

  /** Reads a journal, which may be empty. @throws {FormatFailure} if its header cannot be used */
  constructor(journal: Journal, folder: string) {
    this.#path = getPath(folder);
    this.#writtenAt = statSync(this.#path).mtimeMs;
    this.#journal = journal;
    if (journal.size === 0) return;
    const { workspace, identity } = readHeader(ledgerFormat, this.#path, journal);
    this.owner = { workspace, identity };
    let isDamaged = false;
    for (const { text, start, next } of journal.readLines()) {
      const line = start === 0 ? undefined : parseLine(LedgerLine, text);
      if (line) this.#apply(line, start);
      else if (start > 0) isDamaged = true;
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
  }

  /** Writes the header of a new ledger with its owner. Removes the incomplete last line of a killed run. */
  repair(owner: StoredWorkspace): void {
    if (this.#journal.size === 0) {
      this.#journal.append(formatHeader(owner));
      this.owner = owner;
    } else if (this.#end < this.#journal.size) {
      this.#journal.truncate(this.#end);
      for (const watermark of this.#sortWatermarks()) this.save({ watermark });
    }
  }

  /** Rewrites the ledger in a fixed order. */
  compact({ file }: Permissions): Promise<void> {
    return writeFileAtomically(this.#path, this.#formatLines(), file);
  }

  *#formatLines(): Generator<string> {
    yield `${formatHeader(this.owner)}\n`;
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
      hint: `kith meetings export --out ${quoteShellWord(folder)}`,
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
  if (!hasLedger(folder)) createFile(path, file);
  const ledger = loadLedger(folder);
  ledger.repair(owner);
  return ledger;
}

function loadLedger(folder: string): Ledger {
  const journal = new Journal(getPath(folder));
  try {
    return new Ledger(journal, folder);
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** Renames a ledger whose header is damaged, and returns its new path; undefined if it is not damaged. */
export async function moveDamagedLedger(
  folder: string,
  now: Date,
  { file }: Permissions,
): Promise<string | undefined> {
  try {
    if (hasLedger(folder)) loadLedger(folder).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof FormatFailure) || error.problem === 'newer') throw error;
    return moveDamagedFile(getPath(folder), now, file);
  }
}
