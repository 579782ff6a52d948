import { join } from 'node:path';
import { writeWhole } from '../files/atomic-write.ts';
import type { Permissions } from '../files/permissions.ts';
import { hashAt, hashOf, moved, removeEmptyFolderOf } from './folder.ts';
import type { KeptFile, KeptMeeting, Written } from './ledger-lines.ts';

/** What becomes of a file. */
type Placed = 'new' | 'updated' | 'unchanged' | 'edited';

/** What is to be done so that a file holds a text. */
export interface Plan {
  readonly placed: Placed;
  /** The file as it was written; undefined where none was. */
  readonly from: Written | undefined;
  /** The file as it will be. */
  readonly file: Written;
  /** New texts beside a file that is no longer edited. They stay where they are. */
  readonly left: readonly Written[];
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
export async function planned(
  { folder, permissions }: OutputFolder,
  name: string,
  bytes: Uint8Array,
  kept: KeptFile | undefined,
): Promise<Plan> {
  const hash = hashOf(bytes);
  const found = kept && (await standing(folder, kept));
  const isElsewhere = found?.there !== undefined && found.file.name !== name;
  const inTheWay = found?.there === undefined || isElsewhere ? await hashAt(join(folder, name)) : undefined;
  if (isElsewhere && inTheWay !== undefined) {
    // Somebody else's file has the name: the meeting's own stays where it is.
    return planned({ folder, permissions }, name, bytes, undefined);
  }
  const there = found?.there ?? inTheWay;
  const from = found?.file;
  const move = (old: string, renamed: string) => () =>
    moved(join(folder, old), join(folder, renamed), permissions.folder);
  const moves = isElsewhere ? [move(found.file.name, name)] : [];
  const write = (one: string) => () =>
    writeWhole(join(folder, one), [bytes], permissions.file, permissions.folder);
  const ends = (placed: Placed, file: Written, steps: readonly Step[] = []): Plan => ({
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
  const beside = await besideFor(folder, name, hash, from?.beside);
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
export async function standing(
  folder: string,
  { next, ...last }: KeptFile,
): Promise<{ readonly file: Written; readonly there: string | undefined }> {
  const old = await hashAt(join(folder, last.name));
  const isMoved = next !== undefined && old === undefined && next.name !== last.name;
  const there = isMoved ? await hashAt(join(folder, next.name)) : old;
  const ours = [next?.hash, last.beside?.hash, next?.beside?.hash];
  const beside = await besideAt(folder, [
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
export async function resolveFiles(folder: string, meeting: KeptMeeting): Promise<KeptMeeting> {
  if (!meeting.files.some(({ next }) => next)) return meeting;
  const files: Written[] = [];
  const unused: Written[] = [...(meeting.left ?? [])];
  for (const kept of meeting.files) {
    const { file, there } = await standing(folder, kept);
    const isWritten = there !== undefined || file.hash !== '' || file.beside !== undefined;
    if (isWritten) files.push(file);
    if (there === undefined) removeEmptyFolderOf(file.name, folder);
    for (const written of await strayFiles(folder, kept, file)) unused.push(written);
  }
  const names = namesOf(files);
  const left = unused.filter(({ name }) => !names.has(name));
  return { ...meeting, files, ...(left.length > 0 && { left }) };
}

/** Returns the files that a killed run may have written in place of `file` and that are unchanged on disk. */
async function strayFiles(folder: string, { next, ...last }: KeptFile, file: Written): Promise<Written[]> {
  if (!next) return [];
  const versions = [last, next].flatMap(({ beside, ...written }) => (beside ? [written, beside] : [written]));
  const hashes = new Set(versions.map(({ hash }) => hash));
  const used = namesOf([file]);
  const strays: Written[] = [];
  for (const name of new Set(versions.map(({ name }) => name))) {
    if (used.has(name)) continue;
    const hash = await hashAt(join(folder, name));
    if (hash !== undefined && hashes.has(hash)) strays.push({ name, hash });
    if (hash === undefined) removeEmptyFolderOf(name, folder);
  }
  return strays;
}

/** Returns the names of files and of the new texts beside them. */
export function namesOf(files: readonly Written[]): Set<string> {
  return new Set(files.flatMap(({ name, beside }) => (beside ? [name, beside.name] : [name])));
}

type Beside = NonNullable<Written['beside']>;

/** The first that is there as it is told. */
async function besideAt(folder: string, told: readonly (Beside | undefined)[]): Promise<Beside | undefined> {
  for (const beside of told) {
    if (beside && (await hashAt(join(folder, beside.name))) === beside.hash) return beside;
  }
  return told.at(-1);
}

/**
 * Where a text goes beside an edited file: to the last one that stood there, which comes along where the file was
 * renamed, unless that was edited too.
 */
async function besideFor(
  folder: string,
  name: string,
  hash: string,
  last: Beside | undefined,
): Promise<{ readonly name: string; readonly isThere: boolean; readonly moved: readonly string[] }> {
  const isOurs = last !== undefined && (await hashAt(join(folder, last.name))) === last.hash;
  for (let count = 1; ; count += 1) {
    const beside = name.replace(/(\.[a-z]+)$/, `.new${count === 1 ? '' : count}$1`);
    const there = await hashAt(join(folder, beside));
    const isLast = last?.name === beside;
    const taken = { name: beside, isThere: there === hash, moved: [] };
    if (there === hash || (isLast && isOurs)) return taken;
    if (there !== undefined) continue;
    if (!isOurs) return taken;
    return { ...taken, moved: [last.name] };
  }
}
