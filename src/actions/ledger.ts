import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure } from '../contract/errors.ts';
import { syncFolder, writeFileAtomically } from '../files/atomic-write.ts';
import { accessFile } from '../files/disk-errors.ts';
import { lockFile, parseLine, readVersion } from '../files/durable-file.ts';
import type { LockHolder } from '../files/lock.ts';
import { makeFolder } from '../files/permissions.ts';
import { pathExists, readFileIfExists } from '../files/read-file.ts';
import { formatLines, type ItemState, LedgerLine, ledgerFormat, mergeStates } from './ledger-format.ts';

/** The states of action items. An item without a state is open. */
export class ActionLedger {
  /** The damaged lines, with their numbers. A write keeps them. */
  readonly damagedLines: { readonly number: number; readonly text: string }[] = [];
  readonly #statesByMeeting = new Map<string, Map<string, ItemState>>();

  /** @throws {Failure} failed if a newer version wrote the file, usage if it is another file */
  constructor(path: string, content: string) {
    let hasHeader = false;
    // An editor may have added a byte order mark.
    for (const [index, text] of content
      .replace(/^\ufeff/, '')
      .split('\n')
      .entries()) {
      if (text.trim() === '') continue;
      const line = parseLine(LedgerLine, text);
      if (!line) this.damagedLines.push({ number: index + 1, text: text.trimEnd() });
      else if ('kith_actions' in line) {
        readVersion(ledgerFormat, path, line);
        hasHeader = true;
      } else this.#add(line, mergeStates);
    }
    if (!hasHeader && content.trim() !== '') {
      throw new Failure('usage', `${path} is not an action ledger.`, {
        hint: 'Name a new file: kith creates it. The first line of an action ledger is {"kith_actions":1}.',
      });
    }
  }

  /** The meetings that have items with a state. */
  get meetingIds(): readonly string[] {
    return [...this.#statesByMeeting.keys()];
  }

  listStates(meeting: string): readonly ItemState[] {
    return [...(this.#statesByMeeting.get(meeting)?.values() ?? [])];
  }

  /** Returns the state of an item; undefined if it has none. */
  find(meeting: string, id: string): ItemState | undefined {
    return this.#statesByMeeting.get(meeting)?.get(id);
  }

  *listAll(): Generator<ItemState> {
    for (const states of this.#statesByMeeting.values()) yield* states.values();
  }

  /** Replaces the state of an item. The new state is always later than the earlier one, even if the clock is slow. */
  set(state: ItemState): void {
    this.#add(state, ({ until: _, ...before }, after) => {
      const at = Math.max(Date.parse(before.at) + 1, Date.parse(after.at));
      return { ...before, ...after, at: new Date(at).toISOString() };
    });
  }

  #add(state: ItemState, merge: (before: ItemState, after: ItemState) => ItemState): void {
    const states = this.#statesByMeeting.get(state.event_id) ?? new Map<string, ItemState>();
    const before = states.get(state.id);
    states.set(state.id, before ? merge(before, state) : state);
    this.#statesByMeeting.set(state.event_id, states);
  }
}

/** Reads a ledger. Returns an empty ledger if the file does not exist. @throws {Failure} as `ActionLedger` */
export function readActionLedger(path: string): ActionLedger {
  const bytes = accessFile('read', path, () => readFileIfExists(path));
  return new ActionLedger(path, bytes?.toString('utf8') ?? '');
}

/**
 * Changes a ledger under a lock. `change` receives the current ledger and returns the new states. If it returns none,
 * the file is not written.
 * @throws {Failure} failed if the file cannot be written, busy if another process keeps it locked
 */
export async function changeActionLedger(
  path: string,
  holder: LockHolder,
  change: (ledger: ActionLedger) => readonly ItemState[],
): Promise<ActionLedger> {
  const { target, isLink } = accessFile('write', path, () => findTarget(path));
  const folder = dirname(target);
  // The folder of a linked file may be a file system that is not mounted.
  if (!isLink) accessFile('write', path, () => makeFolder(folder, 0o700));
  // An atomic rename would replace a read-only file.
  const mode = accessFile('write', path, () => readMode(target, folder));
  return lockFile(ledgerFormat, target, holder, async () => {
    const ledger = readActionLedger(target);
    const states = change(ledger);
    for (const state of states) ledger.set(state);
    if (states.length === 0) return ledger;
    const damagedLines = ledger.damagedLines.map(({ text }) => text);
    await writeFileAtomically(target, formatLines(ledger.listAll(), damagedLines), mode);
    await syncFolder(folder);
    return ledger;
  });
}

/** Resolves a symbolic link, so that a write replaces the target and not the link, even if the target does not exist. */
function findTarget(path: string): { readonly target: string; readonly isLink: boolean } {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (pathExists(path)) return { target: realpathSync(path), isLink };
  return { target: isLink ? resolve(dirname(path), readlinkSync(path)) : path, isLink };
}

/** Returns the mode of the file. @throws errors of Node if the file or its folder is read-only */
function readMode(path: string, folder: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  accessSync(stats ? path : folder, constants.W_OK);
  if (stats) accessSync(folder, constants.W_OK);
  return stats ? stats.mode & 0o777 : 0o600;
}

/** Describes the damaged lines of a ledger; undefined if every line is valid. */
export function describeDamagedLines(path: string, { damagedLines }: ActionLedger): string | undefined {
  const [first, ...others] = damagedLines.map(({ number }) => number);
  if (first === undefined) return undefined;
  const lines = others.length === 0 ? `Line ${first}` : `Lines ${[first, ...others.slice(0, 19)].join(', ')}`;
  return `${lines} of ${path} cannot be read as the state of an action item. kith skips damaged lines and keeps them in the file.`;
}
