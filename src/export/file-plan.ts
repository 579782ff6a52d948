import { type ExportFolder, hashContent } from './folder.ts';
import { findSuffix } from './layout.ts';
import type { LedgerFile, LedgerMeeting } from './ledger-format.ts';
import type { MeetingFile } from './meeting-files.ts';

/** Returns all files of a meeting in the ledger. A name may occur twice, with different hashes. */
export const listAllFiles = ({ files, plannedFiles, unusedFiles }: LedgerMeeting): LedgerFile[] => [
  ...files,
  ...plannedFiles,
  ...unusedFiles,
];

/**
 * Returns a function that checks by hash whether the export wrote a content for a meeting. Any other content was
 * modified by hand: the export never overwrites or deletes its file.
 */
export function createOwnershipCheck(ledgerMeeting: LedgerMeeting): (hash: string) => boolean {
  const hashes = new Set(listAllFiles(ledgerMeeting).map(({ hash }) => hash));
  return (hash) => hashes.has(hash);
}

/** The moves of a meeting's files to a new path. */
export interface MovePlan {
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** Whether a file cannot move because another file has the new name. */
  readonly isBlocked: boolean;
  /** The meeting with its files at their new names. */
  readonly movedMeeting: LedgerMeeting;
}

/**
 * Plans the moves of a meeting's files, including files that were modified by hand. `path` is the new name of its
 * Markdown file. An unused file moves, with its `.new` files, only if `renderedFiles` uses it again.
 */
export function planMoves(
  folder: ExportFolder,
  ledgerMeeting: LedgerMeeting,
  path: string,
  renderedFiles: readonly MeetingFile[] = [],
): MovePlan {
  const suffixes = new Set(renderedFiles.map(({ suffix }) => suffix));
  const usedAgain = ledgerMeeting.unusedFiles.filter(({ name }) =>
    suffixes.has(findSuffix(name).replace(/\.new\d*/, '')),
  );
  const targets = new Map<string, string>();
  let isBlocked = false;
  for (const { name } of [...ledgerMeeting.files, ...ledgerMeeting.plannedFiles, ...usedAgain]) {
    const to = replaceSuffix(path, findSuffix(name));
    if (to === name || targets.has(name) || !folder.has(name)) continue;
    if (folder.has(to) || [...targets.values()].includes(to)) isBlocked = true;
    else targets.set(name, to);
  }
  const move = ({ name, hash }: LedgerFile) => ({ name: targets.get(name) ?? name, hash });
  return {
    moves: Array.from(targets, ([from, to]) => ({ from, to })),
    isBlocked,
    movedMeeting: {
      ...ledgerMeeting,
      files: ledgerMeeting.files.map(move),
      unusedFiles: ledgerMeeting.unusedFiles.map(move),
      plannedFiles: ledgerMeeting.plannedFiles.map(move),
    },
  };
}

/** The files that an export writes for a meeting. */
interface FilePlan {
  readonly kind: 'new' | 'updated' | 'unchanged';
  readonly writes: readonly { readonly name: string; readonly text: string }[];
  /** The meeting's files after the writes. Each edited file is followed by the `.new` file with the new text. */
  readonly files: readonly LedgerFile[];
  /** Earlier files that this export does not produce. They are kept until they are pruned. */
  readonly unusedFiles: readonly LedgerFile[];
  /** Edited files that get a `.new` file. */
  readonly editedNames: readonly string[];
}

/** Plans the files of a meeting. `path` is the name of its Markdown file. */
export function planFiles(
  folder: ExportFolder,
  ledgerMeeting: LedgerMeeting,
  path: string,
  renderedFiles: readonly MeetingFile[],
): FilePlan {
  const placements = renderedFiles.map(({ suffix, text }) =>
    placeText(folder, ledgerMeeting, replaceSuffix(path, suffix), text),
  );
  const files = placements.flatMap(({ editedFiles, file }) => [...editedFiles, file]);
  const writes = placements.flatMap(({ write }) => write ?? []);
  const isNew = ledgerMeeting.files.length === 0 && placements.every(({ isExisting }) => !isExisting);
  return {
    kind: isNew ? 'new' : writes.length > 0 ? 'updated' : 'unchanged',
    writes,
    files,
    unusedFiles: findUnusedFiles(folder, ledgerMeeting, files),
    editedNames: placements.flatMap(({ editedFiles: [first], write }) =>
      first && write ? [first.name] : [],
    ),
  };
}

/** The file for a text. */
interface Placement {
  readonly file: LedgerFile;
  /** Whether the file exists already, with this or another text. */
  readonly isExisting: boolean;
  /** Undefined if the file has the text, or is an edited version of this text. */
  readonly write: FilePlan['writes'][number] | undefined;
  /** The edited files that occupy earlier names. */
  readonly editedFiles: readonly LedgerFile[];
}

/** Finds the file for a text: `name`, or the first `.new` name that is not an edited file. */
function placeText(
  folder: ExportFolder,
  ledgerMeeting: LedgerMeeting,
  name: string,
  text: string,
): Placement {
  const isOwn = createOwnershipCheck(ledgerMeeting);
  const hash = hashContent(text);
  const editedFiles: LedgerFile[] = [];
  for (let count = 0; ; count += 1) {
    const candidate = count === 0 ? name : toNewName(name, count);
    const current = folder.hash(candidate);
    const isFree = current === undefined || isOwn(current);
    const writtenFiles = [...ledgerMeeting.files, ...ledgerMeeting.unusedFiles].filter(
      (file) => file.name === candidate,
    );
    if (isFree || current === hash || writtenFiles.some((file) => file.hash === hash)) {
      const isExisting = current !== undefined || editedFiles.length > 0;
      const write = isFree && current !== hash ? { name: candidate, text } : undefined;
      return { file: { name: candidate, hash }, isExisting, write, editedFiles };
    }
    editedFiles.push({ name: candidate, hash: writtenFiles[0]?.hash ?? '' });
  }
}

const replaceSuffix = (path: string, suffix: string) => path.replace(/\.md$/, () => suffix);

/** Returns the name of a file next to an edited one: `.new.md`, `.new2.md` and so on. */
const toNewName = (name: string, count: number) =>
  name.replace(/\.[a-z]+$/, (end) => `.new${count === 1 ? '' : count}${end}`);

/** Returns the meeting's existing files that are not among `files`. */
function findUnusedFiles(
  folder: ExportFolder,
  ledgerMeeting: LedgerMeeting,
  files: readonly LedgerFile[],
): LedgerFile[] {
  const isOwn = createOwnershipCheck(ledgerMeeting);
  const names = new Set(files.map(({ name }) => name));
  const unused: LedgerFile[] = [];
  for (const { name, hash } of listAllFiles(ledgerMeeting)) {
    const current = names.has(name) ? undefined : folder.hash(name);
    names.add(name);
    if (current !== undefined) unused.push({ name, hash: isOwn(current) ? current : hash });
  }
  return unused;
}
