import { type ExportFolder, hashContent } from './folder.ts';
import { findSuffix } from './layout.ts';
import type { LedgerFile, LedgerMeeting, WrittenFile } from './ledger-format.ts';
import type { MeetingFile } from './meeting-files.ts';

type FileChange = 'new' | 'updated' | 'unchanged' | 'edited';

/** The steps after which a file has its new content. It was last written as `from`, and will be `file`. */
export interface FilePlan {
  readonly change: FileChange;
  readonly from: WrittenFile | undefined;
  readonly file: WrittenFile;
  /** New texts next to a file that is no longer edited. They stay until they are pruned. */
  readonly unused: readonly WrittenFile[];
  readonly steps: readonly Step[];
}

/** An atomic change of one file. */
type Step = () => Promise<void> | void;

/** Plans the files of a meeting. `path` is the name of its Markdown file. */
export function planFiles(
  folder: ExportFolder,
  known: LedgerMeeting,
  path: string,
  files: readonly MeetingFile[],
): FilePlan[] {
  const knownFiles = [...known.files, ...(known.left ?? [])];
  return files.map(({ suffix, text }) => {
    const name = path.replace(/\.md$/, suffix);
    const [last, ...others] = knownFiles.filter((file) => findSuffix(file.name) === suffix);
    // An earlier file that already has the name is updated instead of the one used last.
    const namesake = others.find((file) => file.name === name);
    return planFile(folder, name, text, namesake && folder.hash(name) !== undefined ? namesake : last);
  });
}

/** Returns what files of a meeting were changed. */
export function findKind(plans: readonly FilePlan[]): 'new' | 'updated' | 'unchanged' {
  const isNew = plans.some(({ change }) => change === 'new') && plans.every(({ from }) => !from?.hash);
  if (isNew) return 'new';
  return plans.every(({ change }) => change === 'unchanged') ? 'unchanged' : 'updated';
}

/** Plans how a text gets into a file. An edited file stays, and the text goes next to it if the text has changed. */
function planFile(folder: ExportFolder, name: string, text: string, last: LedgerFile | undefined): FilePlan {
  const hash = hashContent(text);
  const current = last && inspectFile(folder, last);
  const isRenamed = current?.hash !== undefined && current.file.name !== name;
  const hashAtName = current?.hash === undefined || isRenamed ? folder.hash(name) : undefined;
  // A foreign file has the name, so the meeting's own file keeps its old one.
  if (isRenamed && hashAtName !== undefined) return planFile(folder, name, text, undefined);
  const currentHash = current?.hash ?? hashAtName;
  const from = current?.file;
  const plan = (change: FileChange, file: WrittenFile, ...steps: Step[]): FilePlan => ({
    change: change === 'unchanged' && isRenamed ? 'updated' : change,
    from,
    file,
    unused: from?.beside && !file.beside ? [from.beside] : [],
    steps: isRenamed ? [() => folder.move(current.file.name, name), ...steps] : steps,
  });
  const write = (target: string) => () => folder.write(target, text);

  if (currentHash === hash) return plan('unchanged', { name, hash });
  if (currentHash === undefined) return plan(from?.hash ? 'updated' : 'new', { name, hash }, write(name));
  if (currentHash === from?.hash) return plan('updated', { name, hash }, write(name));
  if (hash === from?.hash) return plan('unchanged', { ...from, name });
  const side = chooseSideFile(folder, name, hash, from?.beside);
  const file = { name, hash: from?.hash ?? '', beside: { name: side.name, hash } };
  if (side.isWritten) return plan('unchanged', file);
  const { movedFrom } = side;
  const moves = movedFrom === undefined ? [] : [() => folder.move(movedFrom, side.name)];
  return plan('edited', file, ...moves, write(side.name));
}

/**
 * Returns a file as it was last written, and the hash on disk. A killed run may have done any of its steps. A person who
 * moved the new text over an edited file has accepted it.
 */
export function inspectFile(
  folder: ExportFolder,
  { next, ...last }: LedgerFile,
): { readonly file: WrittenFile; readonly hash: string | undefined } {
  const oldHash = folder.hash(last.name);
  const isMoved = next !== undefined && oldHash === undefined && next.name !== last.name;
  const hash = isMoved ? folder.hash(next.name) : oldHash;
  const ownHashes = [next?.hash, last.beside?.hash, next?.beside?.hash];
  const movedSide = next?.beside && last.beside && { name: next.beside.name, hash: last.beside.hash };
  const sides = [next?.beside, movedSide, last.beside];
  const beside = sides.find((side) => side && folder.hash(side.name) === side.hash) ?? last.beside;
  const file = {
    name: isMoved ? next.name : last.name,
    hash: hash !== undefined && ownHashes.includes(hash) ? hash : last.hash,
    ...(beside && { beside }),
  };
  return { file, hash };
}

/** Returns whether a run was killed while it wrote the files of a meeting. */
export const isInterrupted = ({ files }: LedgerMeeting) => files.some(({ next }) => next);

/**
 * Returns a meeting with its files as a killed run left them: each file once, with its name and hash on disk. Any other
 * file that the run may have written becomes an unused file. Removes folders that the run left empty.
 */
export function resolveFiles(folder: ExportFolder, meeting: LedgerMeeting): LedgerMeeting {
  if (!isInterrupted(meeting)) return meeting;
  const files: WrittenFile[] = [];
  const unused: WrittenFile[] = [...(meeting.left ?? [])];
  for (const recorded of meeting.files) {
    const { next, ...last } = recorded;
    const { file, hash } = inspectFile(folder, recorded);
    if (hash !== undefined || file.hash !== '' || file.beside) files.push(file);
    const versions = flattenFiles(next ? [last, next] : [last]);
    for (const name of new Set(versions.map(({ name }) => name))) {
      const currentHash = folder.hash(name);
      if (currentHash === undefined) folder.removeEmptyParent(name);
      else if (versions.some(({ hash }) => hash === currentHash)) unused.push({ name, hash: currentHash });
    }
  }
  const names = collectNames(files);
  const left = unused.filter(({ name }) => !names.has(name));
  return { ...meeting, files, ...(left.length > 0 && { left }) };
}

type SingleFile = Omit<WrittenFile, 'beside'>;

/** Returns files and the new texts next to them. */
export function flattenFiles(files: readonly WrittenFile[]): SingleFile[] {
  return files.flatMap(({ beside, ...file }) => (beside ? [file, beside] : [file]));
}

/** Returns the names of files and of the new texts next to them. */
export function collectNames(files: readonly WrittenFile[]): Set<string> {
  return new Set(flattenFiles(files).map(({ name }) => name));
}

/** Chooses the file for a new text next to an edited file: the last one if it is unedited, or the next free number. */
function chooseSideFile(
  folder: ExportFolder,
  name: string,
  hash: string,
  last: SingleFile | undefined,
): { readonly name: string; readonly isWritten: boolean; readonly movedFrom?: string } {
  const isUnedited = last !== undefined && folder.hash(last.name) === last.hash;
  for (let count = 1; ; count += 1) {
    const candidate = name.replace(/(\.[a-z]+)$/, `.new${count === 1 ? '' : count}$1`);
    const hashThere = folder.hash(candidate);
    if (hashThere === hash) return { name: candidate, isWritten: true };
    if (isUnedited && last.name === candidate) return { name: candidate, isWritten: false };
    if (hashThere !== undefined) continue;
    return { name: candidate, isWritten: false, ...(isUnedited && { movedFrom: last.name }) };
  }
}
