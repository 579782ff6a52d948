import { join } from 'node:path';
import { writeFileAtomically } from '../files/atomic-write.ts';
import type { Permissions } from '../files/permissions.ts';
import { hashContent, hashFile, moveFile, removeEmptyParent } from './folder.ts';
import { findSuffix } from './layout.ts';
import type { LedgerFile, LedgerMeeting, WrittenFile } from './ledger-format.ts';
import type { MeetingFile } from './meeting-files.ts';

type FileChange = 'new' | 'updated' | 'unchanged' | 'edited';

/** The steps after which a file has its new content. */
export interface FilePlan {
  readonly change: FileChange;
  /** The file as it was last written; undefined if it never was. */
  readonly from: WrittenFile | undefined;
  /** The file as it will be. */
  readonly file: WrittenFile;
  /** New texts next to a file that is no longer edited. They stay until they are pruned. */
  readonly unused: readonly WrittenFile[];
  readonly steps: readonly Step[];
}

/** Where files are written, and with which permissions. */
export interface OutputFolder {
  readonly folder: string;
  readonly permissions: Permissions;
}

/** An atomic change of one file. */
type Step = () => Promise<void>;

/** Plans the files of a meeting. `path` is the name of its Markdown file. */
export async function planFiles(
  output: OutputFolder,
  known: LedgerMeeting | undefined,
  path: string,
  files: readonly MeetingFile[],
): Promise<FilePlan[]> {
  const knownFiles = [...(known?.files ?? []), ...(known?.left ?? [])];
  const plans: FilePlan[] = [];
  for (const { suffix, text } of files) {
    const name = path.replace(/\.md$/, suffix);
    const candidates = knownFiles.filter((file) => findSuffix(file.name) === suffix);
    plans.push(await planFile(output, name, text, await chooseFile(output.folder, name, candidates)));
  }
  return plans;
}

/** Returns the file to update: the one that already has the name, or the one used last. */
async function chooseFile(
  folder: string,
  name: string,
  [first, ...others]: readonly LedgerFile[],
): Promise<LedgerFile | undefined> {
  const namesake = others.find((file) => file.name === name);
  return namesake && (await hashFile(join(folder, name))) !== undefined ? namesake : first;
}

/** Returns what files of a meeting were changed. */
export function findKind(plans: readonly FilePlan[]): 'new' | 'updated' | 'unchanged' {
  const isNew = plans.some(({ change }) => change === 'new') && plans.every(({ from }) => !from?.hash);
  if (isNew) return 'new';
  return plans.every(({ change }) => change === 'unchanged') ? 'unchanged' : 'updated';
}

/**
 * Plans how a text gets into the file `name`. A file with an earlier name is renamed. A file that a person edited stays,
 * and the text goes into a file next to it, unless the text is the one that the person edited.
 */
async function planFile(
  { folder, permissions }: OutputFolder,
  name: string,
  text: string,
  last: LedgerFile | undefined,
): Promise<FilePlan> {
  const hash = hashContent(text);
  const found = last && (await inspectFile(folder, last));
  const isRenamed = found?.hash !== undefined && found.file.name !== name;
  const isMissing = found?.hash === undefined;
  const hashAtName = isMissing || isRenamed ? await hashFile(join(folder, name)) : undefined;
  // A foreign file has the name, so the meeting's own file keeps its old one.
  if (isRenamed && hashAtName !== undefined) return planFile({ folder, permissions }, name, text, undefined);
  const currentHash = found?.hash ?? hashAtName;
  const from = found?.file;
  const move = (oldName: string, newName: string) => () =>
    moveFile(join(folder, oldName), join(folder, newName), permissions.folder);
  const write = (target: string) => () =>
    writeFileAtomically(join(folder, target), [text], permissions.file, permissions.folder);
  const moves = isRenamed ? [move(found.file.name, name)] : [];
  const plan = (change: FileChange, file: WrittenFile, steps: readonly Step[] = []): FilePlan => ({
    change: change === 'unchanged' && isRenamed ? 'updated' : change,
    from,
    file,
    unused: from?.beside && !file.beside ? [from.beside] : [],
    steps: [...moves, ...steps],
  });

  if (currentHash === hash) return plan('unchanged', { name, hash });
  if (currentHash === undefined) return plan(from?.hash ? 'updated' : 'new', { name, hash }, [write(name)]);
  if (currentHash === from?.hash) return plan('updated', { name, hash }, [write(name)]);
  if (hash === from?.hash) return plan('unchanged', { ...from, name });
  const side = await chooseSideFile(folder, name, hash, from?.beside);
  const file = { name, hash: from?.hash ?? '', beside: { name: side.name, hash } };
  if (side.isWritten) return plan('unchanged', file);
  const sideMoves = side.movedFrom === undefined ? [] : [move(side.movedFrom, side.name)];
  return plan('edited', file, [...sideMoves, write(side.name)]);
}

/**
 * Returns a file as it was last written, and the hash on disk. A killed run may have done any of its steps. A person who
 * moved the new text over an edited file has accepted it.
 */
export async function inspectFile(
  folder: string,
  { next, ...last }: LedgerFile,
): Promise<{ readonly file: WrittenFile; readonly hash: string | undefined }> {
  const oldHash = await hashFile(join(folder, last.name));
  const isMoved = next !== undefined && oldHash === undefined && next.name !== last.name;
  const hash = isMoved ? await hashFile(join(folder, next.name)) : oldHash;
  const ownHashes = [next?.hash, last.beside?.hash, next?.beside?.hash];
  const beside = await findSideFile(folder, [
    next?.beside,
    next?.beside && last.beside && { name: next.beside.name, hash: last.beside.hash },
    last.beside,
  ]);
  const file = {
    name: isMoved ? next.name : last.name,
    hash: hash !== undefined && ownHashes.includes(hash) ? hash : last.hash,
    ...(beside && { beside }),
  };
  return { file, hash };
}

/**
 * Returns a meeting with its files as a killed run left them: each file once, with its name and hash on disk. Any other
 * file that the run may have written becomes an unused file. Removes folders that the run left empty.
 */
export async function resolveFiles(folder: string, meeting: LedgerMeeting): Promise<LedgerMeeting> {
  if (!meeting.files.some(({ next }) => next)) return meeting;
  const files: WrittenFile[] = [];
  const unused: WrittenFile[] = [...(meeting.left ?? [])];
  for (const last of meeting.files) {
    const { file, hash } = await inspectFile(folder, last);
    const isWritten = hash !== undefined || file.hash !== '' || file.beside !== undefined;
    if (isWritten) files.push(file);
    if (hash === undefined) removeEmptyParent(file.name, folder);
    for (const stray of await findStrayFiles(folder, last, file)) unused.push(stray);
  }
  const names = collectNames(files);
  const left = unused.filter(({ name }) => !names.has(name));
  return { ...meeting, files, ...(left.length > 0 && { left }) };
}

/** Returns the files that a killed run may have written in place of `file` and that are unchanged on disk. */
async function findStrayFiles(
  folder: string,
  { next, ...last }: LedgerFile,
  file: WrittenFile,
): Promise<WrittenFile[]> {
  if (!next) return [];
  const versions = [last, next].flatMap(({ beside, ...written }) => (beside ? [written, beside] : [written]));
  const hashes = new Set(versions.map(({ hash }) => hash));
  const used = collectNames([file]);
  const strays: WrittenFile[] = [];
  for (const name of new Set(versions.map(({ name }) => name))) {
    if (used.has(name)) continue;
    const hash = await hashFile(join(folder, name));
    if (hash !== undefined && hashes.has(hash)) strays.push({ name, hash });
    if (hash === undefined) removeEmptyParent(name, folder);
  }
  return strays;
}

/** Returns the names of files and of the new texts next to them. */
export function collectNames(files: readonly WrittenFile[]): Set<string> {
  return new Set(files.flatMap(({ name, beside }) => (beside ? [name, beside.name] : [name])));
}

/** The file with the new text next to an edited file. */
type SideFile = NonNullable<WrittenFile['beside']>;

/** Returns the first candidate that is unchanged on disk, or else the last candidate. */
async function findSideFile(
  folder: string,
  candidates: readonly (SideFile | undefined)[],
): Promise<SideFile | undefined> {
  for (const file of candidates) {
    if (file && (await hashFile(join(folder, file.name))) === file.hash) return file;
  }
  return candidates.at(-1);
}

/**
 * Chooses the file for a new text next to an edited file: `.new.md`, or the next free number. Reuses the last one, and
 * renames it if needed, unless that was edited too.
 */
async function chooseSideFile(
  folder: string,
  name: string,
  hash: string,
  last: SideFile | undefined,
): Promise<{ readonly name: string; readonly isWritten: boolean; readonly movedFrom?: string }> {
  const isUnedited = last !== undefined && (await hashFile(join(folder, last.name))) === last.hash;
  for (let count = 1; ; count += 1) {
    const candidate = name.replace(/(\.[a-z]+)$/, `.new${count === 1 ? '' : count}$1`);
    const hashThere = await hashFile(join(folder, candidate));
    if (hashThere === hash) return { name: candidate, isWritten: true };
    if (isUnedited && last.name === candidate) return { name: candidate, isWritten: false };
    if (hashThere !== undefined) continue;
    return { name: candidate, isWritten: false, ...(isUnedited && { movedFrom: last.name }) };
  }
}
