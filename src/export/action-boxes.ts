import { identifyItems } from '../actions/item-id.ts';
import { type ActionLedger, changeActionLedger, type ItemState } from '../actions/ledger.ts';
import { matchItems } from '../actions/match-items.ts';
import { isPathFailure } from '../files/disk-errors.ts';
import type { LockHolder } from '../files/lock.ts';
import { collapseWhitespace } from '../render/text/sanitize.ts';
import { readActionItems } from '../transcripts/summary.ts';
import { type Box, findChangedBoxes, listBoxes } from './boxes.ts';
import { createOwnershipCheck } from './file-plan.ts';
import { type ExportFolder, hashContent } from './folder.ts';
import { isNewFile } from './layout.ts';
import type { LedgerFile, LedgerMeeting } from './ledger-format.ts';

/** The states of action items, and their file. */
export interface ActionStates {
  readonly path: string;
  readonly ledger: ActionLedger;
}

/** Returns whether the next item with a text is done. Equal texts are distinguished by their order. */
export type DoneCheck = (text: string) => boolean;

/** The largest difference between the clocks of this machine and of a file server, in milliseconds. */
const maxClockDifference = 3_600_000;

/** The boxes of action items in the Markdown of meetings: they show the states of the items, and a person may tick them. */
export class ActionBoxes {
  readonly #folder: ExportFolder;
  readonly #holder: LockHolder;
  readonly #checkedFrom: number;
  #states: ActionStates | undefined;

  /** `checkedAt`: a time before which all boxes were taken over, in milliseconds since 1970. */
  constructor(folder: ExportFolder, holder: LockHolder, states: ActionStates | undefined, checkedAt: number) {
    this.#folder = folder;
    this.#holder = holder;
    this.#states = states;
    this.#checkedFrom = checkedAt - maxClockDifference;
  }

  /** Returns a key that changes with the states that are shown; empty if none of the items is done. */
  getKey(meeting: string): string {
    const done = this.#listStates(meeting).filter(({ state }) => state === 'done');
    if (done.length === 0) return '';
    return hashContent(JSON.stringify(done.map(({ id }) => id).sort())).slice(0, 16);
  }

  /** Whether the boxes of a meeting's file differ from the states. Reads the file only if it changed since then. */
  isOutdated(meeting: LedgerMeeting): boolean {
    if (this.#states === undefined) return false;
    if (this.getKey(meeting.id) !== meeting.boxes.key) return true;
    const file = findMarkdownFile(meeting);
    const changedAt = file && this.#folder.readChangeTime(file.name);
    if (changedAt === undefined || changedAt < this.#checkedFrom) return false;
    try {
      return readChangedBoxes(this.#folder, meeting).boxes.length > 0;
    } catch (error) {
      if (!isPathFailure(error)) throw error;
      return true; // the export of the meeting then fails with this error
    }
  }

  /**
   * Takes over the boxes that a person changed, and returns the hash of the file that is then not edited; undefined if
   * there is none. A change of a box that is no action item of `summaries` is an edit like any other.
   */
  async takeOver(meeting: LedgerMeeting, summaries: readonly unknown[]): Promise<LedgerFile | undefined> {
    const { file, boxes, allBoxes } = readChangedBoxes(this.#folder, meeting);
    if (!file || boxes.length === 0 || this.#states === undefined) return undefined;
    const { path } = this.#states;
    const items = listTexts(summaries).map((text) => ({ id: '', text }));
    const matches = matchItems(boxes, items);
    if (matches.includes(undefined)) return undefined;
    const at = this.#holder.now().toISOString();
    const ledger = await changeActionLedger(path, this.#holder, (ledger) => {
      const states = ledger.listStates(meeting.id);
      const identified = identifyItems(
        meeting.id,
        allBoxes.map(({ text }) => text),
        states,
      );
      return boxes.flatMap(({ index, isDone, text }, position): ItemState[] => {
        const id = identified[index]?.id ?? '';
        const state = isDone ? 'done' : 'open';
        const before = states.find((stored) => stored.id === id)?.state ?? 'open';
        const newText = matches[position]?.text ?? text;
        return before === state ? [] : [{ event_id: meeting.id, id, state, at, text: newText }];
      });
    });
    this.#states = { path, ledger };
    return file;
  }

  /** Returns the check for the items of a meeting's summaries. */
  createDoneCheck(meeting: string, summaries: readonly unknown[]): DoneCheck {
    const states = this.#listStates(meeting);
    const doneIds = new Set(states.flatMap(({ id, state }) => (state === 'done' ? [id] : [])));
    if (doneIds.size === 0) return () => false;
    const queues = new Map<string, boolean[]>();
    for (const { id, text } of identifyItems(meeting, listTexts(summaries), states))
      queues.set(text, [...(queues.get(text) ?? []), doneIds.has(id)]);
    return (text) => queues.get(text)?.shift() ?? false;
  }

  #listStates(meeting: string): readonly ItemState[] {
    return this.#states?.ledger.listStates(meeting) ?? [];
  }
}

const listTexts = (summaries: readonly unknown[]) =>
  summaries.flatMap(readActionItems).map(collapseWhitespace);

/** Returns the Markdown file that the export wrote last. */
const findMarkdownFile = ({ files }: LedgerMeeting) => files.findLast(({ name }) => name.endsWith('.md'));

/** The boxes of a file, and those that a person changed. */
interface ChangedBoxes {
  /** The file as it is now. */
  readonly file?: LedgerFile;
  readonly boxes: readonly (Box & { readonly index: number })[];
  readonly allBoxes: readonly Box[];
}

function readChangedBoxes(folder: ExportFolder, meeting: LedgerMeeting): ChangedBoxes {
  const none = { boxes: [], allBoxes: [] };
  const file = findMarkdownFile(meeting);
  const text = file && folder.read(file.name);
  if (!file || text === undefined) return none;
  const hash = hashContent(text);
  // A killed run may have written the boxes.
  if (createOwnershipCheck(meeting)(hash)) return none;
  const boxes = findChangedBoxes(text, { hash: file.hash, done: meeting.boxes.done });
  return { file: { name: file.name, hash }, boxes, allBoxes: listBoxes(text) };
}

/** Whether a file differs from the text that the export wrote only in boxes, which the next run takes over. */
export function hasOnlyChangedBoxes(folder: ExportFolder, meeting: LedgerMeeting, name: string): boolean {
  if (isNewFile(name) || !name.endsWith('.md')) return false;
  const { file, boxes } = readChangedBoxes(folder, meeting);
  return file?.name === name && boxes.length > 0;
}
