import { join } from 'node:path';
import { writeFileAtomically } from '../files/atomic-write.ts';
import type { Permissions } from '../files/permissions.ts';
import { hashBytes, hashFile, moveFile, removeEmptyParent } from './folder.ts';
import type { LedgerFile, LedgerMeeting, WrittenFile } from './ledger-format.ts';

/** What becomes of a file. */
type FileChange = 'new' | 'updated' | 'unchanged' | 'edited';

/** What is to be done so that a file holds a text. */
export interface FilePlan {
  readonly placed: FileChange;
  /** The file as it was written; undefined where none was. */
  readonly from: WrittenFile | undefined;
  /** The file as it will be. */
  readonly file: WrittenFile;
  /** New texts beside a file that is no longer edited. They stay where they are. */
  readonly left: readonly WrittenFile[];
  readonly steps: readonly Step[];
}

/** Where files are written, and with which permissions. */
export interface OutputFolder {
  readonly folder: string;
  readonly permissions: Permissions;
}

/** A change of one file, done whole or not at all. */
export type Step = () => Promise<void>;

/**
 * Plans how a text gets to where it belongs. A file that has another name by now is renamed; one that a person
 * edited stays as it is, and the text goes beside it, unless it is the text that the person knew.
 */
export async function planFile(
  { folder, permissions }: OutputFolder,
  name: string,
  bytes: Uint8Array,
  kept: LedgerFile | undefined,
): Promise<FilePlan> {
  const hash = hashBytes(bytes);
  const found = kept && (await inspectFile(folder, kept));
  const isElsewhere = found?.there !== undefined && found.file.name !== name;
  const inTheWay = found?.there === undefined || isElsewhere ? await hashFile(join(folder, name)) : undefined;
  if (isElsewhere && inTheWay !== undefined) {
    // Somebody else's file has the name: the meeting's own stays where it is.
    return planFile({ folder, permissions }, name, bytes, undefined);
  }
  const there = found?.there ?? inTheWay;
  const from = found?.file;
  const move = (old: string, renamed: string) => () =>
    moveFile(join(folder, old), join(folder, renamed), permissions.folder);
  const moves = isElsewhere ? [move(found.file.name, name)] : [];
  const write = (one: string) => () =>
    writeFileAtomically(join(folder, one), [bytes], permissions.file, permissions.folder);
  const ends = (placed: FileChange, file: WrittenFile, steps: readonly Step[] = []): FilePlan => ({
    placed: placed === 'unchanged' && isElsewhere ? 'updated' : placed,
    from,
    file,
    left: from?.beside && !file.beside ? [from.beside] : [],
    steps: [...moves, ...steps],
  });

  if (there === hash) return ends('unchanged', { name, hash });
  if (there === undefined) return ends(from?.hash ? 'updated' : 'new', { name, hash }, [write(name)]);
  if (there === from?.hash) return ends('updated', { name, hash }, [write(name)]);
  if (hash === from?.hash) return ends('unchanged', { ...from, name });
  const beside = await chooseSideFile(folder, name, hash, from?.beside);
  return ends(
    beside.isThere ? 'unchanged' : 'edited',
    { name, hash: from?.hash ?? '', beside: { name: beside.name, hash } },
    beside.isThere ? [] : [...beside.moved.map((old) => move(old, beside.name)), write(beside.name)],
  );
}

/**
 * A file as it was written last, and the hash of what is there. A run that was killed in the middle of its steps
 * has done some of them: each is looked for. A person who put the text beside over the file has taken it.
 */
export async function inspectFile(
  folder: string,
  { next, ...last }: LedgerFile,
): Promise<{ readonly file: WrittenFile; readonly there: string | undefined }> {
  const old = await hashFile(join(folder, last.name));
  const isMoved = next !== undefined && old === undefined && next.name !== last.name;
  const there = isMoved ? await hashFile(join(folder, next.name)) : old;
  const ours = [next?.hash, last.beside?.hash, next?.beside?.hash];
  const beside = await findSideFile(folder, [
    next?.beside,
    next?.beside && last.beside && { name: next.beside.name, hash: last.beside.hash },
    last.beside,
  ]);
  const file = {
    name: isMoved ? next.name : last.name,
    hash: there !== undefined && ours.includes(there) ? there : last.hash,
    ...(beside && { beside }),
  };
  return { file, there };
}

/**
 * Returns a meeting with its files as a killed run left them: each file once, with its name and hash on disk. Any
 * other file that the run may have written becomes one of the meeting's unused files. Removes folders that the run left
 * empty.
 */
export async function resolveFiles(folder: string, meeting: LedgerMeeting): Promise<LedgerMeeting> {
  if (!meeting.files.some(({ next }) => next)) return meeting;
  const files: WrittenFile[] = [];
  const unused: WrittenFile[] = [...(meeting.left ?? [])];
  for (const kept of meeting.files) {
    const { file, there } = await inspectFile(folder, kept);
    const isWritten = there !== undefined || file.hash !== '' || file.beside !== undefined;
    if (isWritten) files.push(file);
    if (there === undefined) removeEmptyParent(file.name, folder);
    for (const written of await findStrayFiles(folder, kept, file)) unused.push(written);
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

/** Returns the names of files and of the new texts beside them. */
export function collectNames(files: readonly WrittenFile[]): Set<string> {
  return new Set(files.flatMap(({ name, beside }) => (beside ? [name, beside.name] : [name])));
}

type Beside = NonNullable<WrittenFile['beside']>;

/** The first that is there as it is told. */
async function findSideFile(
  folder: string,
  told: readonly (Beside | undefined)[],
): Promise<Beside | undefined> {
  for (const beside of told) {
    if (beside && (await hashFile(join(folder, beside.name))) === beside.hash) return beside;
  }
  return told.at(-1);
}

/**
 * Where a text goes beside an edited file: to the last one that stood there, which comes along where the file was
 * renamed, unless that was edited too.
 */
async function chooseSideFile(
  folder: string,
  name: string,
  hash: string,
  last: Beside | undefined,
): Promise<{ readonly name: string; readonly isThere: boolean; readonly moved: readonly string[] }> {
  const isOurs = last !== undefined && (await hashFile(join(folder, last.name))) === last.hash;
  for (let count = 1; ; count += 1) {
    const beside = name.replace(/(\.[a-z]+)$/, `.new${count === 1 ? '' : count}$1`);
    const there = await hashFile(join(folder, beside));
    const isLast = last?.name === beside;
    const taken = { name: beside, isThere: there === hash, moved: [] };
    if (there === hash || (isLast && isOurs)) return taken;
    if (there !== undefined) continue;
    if (!isOurs) return taken;
    return { ...taken, moved: [last.name] };
  }
}
