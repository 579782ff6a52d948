import { identifyItems } from '../actions/item-id.ts';
import { type ActionLedger, changeActionLedger } from '../actions/ledger.ts';
import type { ItemState } from '../actions/ledger-format.ts';
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
import { type DoneCheck, escapeControls } from './meeting-files.ts';

/** The states of action items, and their file. */
export interface ActionStates {
  readonly path: string;
  readonly ledger: ActionLedger;
}

/** The largest difference between the clocks of this machine and of a file server, in milliseconds. */
const maxClockDifference = 3_600_000;

/** The checkboxes of action items in the Markdown of meetings. They show the states, and a person may tick them. */
export class ActionBoxes {
  readonly #folder: ExportFolder;
  readonly #holder: LockHolder;
  readonly #checkedFrom: number;
  #states: ActionStates | undefined;

  /** `checkedAt`: a run has stored all changes before this time, in milliseconds since 1970. */
  constructor(folder: ExportFolder, holder: LockHolder, states: ActionStates | undefined, checkedAt: number) {
    this.#folder = folder;
    this.#holder = holder;
    this.#states = states;
    this.#checkedFrom = checkedAt - maxClockDifference;
  }

  /** Returns a key that changes when the set of done items changes; empty if no item is done. */
  getKey(meeting: string): string {
    const done = this.#listStates(meeting).filter(({ state }) => state === 'done');
    if (done.length === 0) return '';
    return hashContent(JSON.stringify(done.map(({ id }) => id).sort())).slice(0, 16);
  }

  /** Whether the boxes of a meeting's file differ from the states. Reads the file only if it changed since the last check. */
  isOutdated(meeting: LedgerMeeting): boolean {
    if (this.#states === undefined) return false;
    if (this.getKey(meeting.id) !== meeting.boxes.key) return true;
    const file = findMarkdownFile(this.#folder, meeting);
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
   * Stores the states of the boxes that a person changed. Returns the hash of a file without other edits; undefined if
   * there is none. A change of a box that is no action item of `summaries` is an edit like any other. A done box without
   * a state gets its state again: the ledger was lost, or the folder was copied to a machine without it.
   */
  async storeChangedBoxes(
    meeting: LedgerMeeting,
    summaries: readonly unknown[],
  ): Promise<LedgerFile | undefined> {
    if (this.#states === undefined) return undefined;
    const texts = listTexts(summaries);
    const items = texts.map((text) => ({ id: '', text }));
    // The file shows the control characters of items as text.
    const itemTexts = new Map(texts.map((text) => [escapeControls(text), text]));
    const toItemText = <T extends Box>(box: T) => ({ ...box, text: itemTexts.get(box.text) ?? box.text });
    const { file, ...shown } = readChangedBoxes(this.#folder, meeting);
    const [changedBoxes, allBoxes] = [shown.boxes.map(toItemText), shown.allBoxes.map(toItemText)];
    const areItems = !matchItems(changedBoxes, items).includes(undefined);
    const boxes = areItems ? changedBoxes : [];
    const { path } = this.#states;
    const matches = matchItems(allBoxes, items);
    const isOtherState = meeting.boxes.key !== '' && this.getKey(meeting.id) !== meeting.boxes.key;
    // The text of a summary may have done boxes too.
    const mayBeLost = isOtherState && !matches.includes(undefined);
    if (boxes.length === 0 && !mayBeLost) return undefined;
    const changed = new Set(boxes.map(({ index }) => index));
    const at = this.#holder.now().toISOString();
    // A state that was stored since then is newer.
    const writtenAt = new Date((file && this.#folder.readChangeTime(file.name)) ?? 0).toISOString();
    const ledger = await changeActionLedger(path, this.#holder, (ledger) => {
      const states = ledger.listStates(meeting.id);
      const identifiedBoxes = identifyItems(
        meeting.id,
        allBoxes.map(({ text }) => text),
        states,
      );
      return allBoxes.flatMap(({ isDone, text }, index): ItemState[] => {
        const id = identifiedBoxes[index]?.id ?? '';
        const before = states.find((stored) => stored.id === id)?.state;
        const newText = matches[index]?.text ?? text;
        const isLost = mayBeLost && isDone && before === undefined;
        if (!changed.has(index))
          return isLost ? [{ event_id: meeting.id, id, state: 'done', at: writtenAt, text: newText }] : [];
        const state = isDone ? 'done' : 'open';
        return (before ?? 'open') === state ? [] : [{ event_id: meeting.id, id, state, at, text: newText }];
      });
    });
    this.#states = { path, ledger };
    return boxes.length > 0 ? file : undefined;
  }

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

/** Returns the Markdown file that the export wrote last. A person may have moved a `.new` file over the edited file. */
function findMarkdownFile(folder: ExportFolder, { files }: LedgerMeeting): LedgerFile | undefined {
  const markdown = files.filter(({ name }) => name.endsWith('.md'));
  const file = markdown.findLast(({ name }) => folder.has(name));
  return file && { name: file.name, hash: markdown.at(-1)?.hash ?? '' };
}

/** The boxes of a file, and those that a person changed; both are empty if the file was edited. */
interface ChangedBoxes {
  /** The file as it is now. */
  readonly file?: LedgerFile;
  readonly boxes: readonly (Box & { readonly index: number })[];
  readonly allBoxes: readonly Box[];
}

function readChangedBoxes(folder: ExportFolder, meeting: LedgerMeeting): ChangedBoxes {
  const none = { boxes: [], allBoxes: [] };
  const ledgerFile = findMarkdownFile(folder, meeting);
  const text = ledgerFile && folder.read(ledgerFile.name);
  if (!ledgerFile || text === undefined) return none;
  const file = { name: ledgerFile.name, hash: hashContent(text) };
  // The boxes may come from a killed run, not from a person.
  if (createOwnershipCheck(meeting)(file.hash)) return { file, boxes: [], allBoxes: listBoxes(text) };
  const boxes = findChangedBoxes(text, ledgerFile.hash, meeting.boxes.done);
  return boxes.length === 0 ? none : { file, boxes, allBoxes: listBoxes(text) };
}

/** Whether a file differs from the text that the export wrote only in boxes, whose states the next run stores. */
export function hasOnlyChangedBoxes(folder: ExportFolder, meeting: LedgerMeeting, name: string): boolean {
  if (isNewFile(name) || !name.endsWith('.md')) return false;
  const { file, boxes } = readChangedBoxes(folder, meeting);
  return file?.name === name && boxes.length > 0;
}
