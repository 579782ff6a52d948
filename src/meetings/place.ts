import { dirname, join } from 'node:path';
import { hashAt, hashOf, madeFolder, moved, onDisk, writeWhole } from './folder.ts';
import type { KeptFile } from './ledger.ts';

/** What became of a file. */
export type Placed = 'new' | 'updated' | 'unchanged' | 'edited';

/**
 * Puts a text where it belongs. A file that has another name by now is renamed; one that a person edited stays
 * as it is, and the text goes beside it.
 */
export async function placed(
  folder: string,
  name: string,
  bytes: Uint8Array,
  kept: KeptFile | undefined,
): Promise<{ readonly placed: Placed; readonly file: KeptFile }> {
  const path = join(folder, name);
  const hash = hashOf(bytes);
  const last = kept && (await followed(folder, kept, name));
  const there = await hashAt(path);
  if (there === hash) return { placed: 'unchanged', file: { name, hash } };
  if (there === undefined || there === kept?.hash) {
    await onDisk(path, () => madeFolder(dirname(path)));
    await writeWhole(path, bytes);
    return { placed: there === undefined && !kept ? 'new' : 'updated', file: { name, hash } };
  }
  const { beside, isNew } = await putBeside(folder, name, bytes, hash, last?.beside);
  return {
    placed: isNew ? 'edited' : 'unchanged',
    file: { name, hash: kept?.hash ?? '', beside: { name: beside, hash } },
  };
}

/** Takes a file along to its new name, with what stands beside it. */
async function followed(folder: string, kept: KeptFile, name: string): Promise<KeptFile> {
  if (kept.name === name) return kept;
  await follow(folder, kept.name, name);
  if (!kept.beside) return { ...kept, name };
  const beside = kept.beside.name.replace(stemOf(kept.name), stemOf(name));
  await follow(folder, kept.beside.name, beside);
  return { ...kept, name, beside: { ...kept.beside, name: beside } };
}

const stemOf = (name: string) => name.replace(/\.[a-z]+$/, '');

async function follow(folder: string, from: string, to: string): Promise<void> {
  const isThere = (await hashAt(join(folder, to))) !== undefined;
  if (!isThere && (await hashAt(join(folder, from))) !== undefined) {
    await moved(join(folder, from), join(folder, to));
  }
}

/** Puts a text beside an edited file: over the last one that stood there, unless that was edited too. */
async function putBeside(
  folder: string,
  name: string,
  bytes: Uint8Array,
  hash: string,
  last: KeptFile['beside'],
): Promise<{ beside: string; isNew: boolean }> {
  for (let count = 1; ; count += 1) {
    const beside = name.replace(/(\.[a-z]+)$/, `.new${count === 1 ? '' : count}$1`);
    const there = await hashAt(join(folder, beside));
    if (there === hash) return { beside, isNew: false };
    if (there !== undefined && !(last?.name === beside && last.hash === there)) continue;
    await writeWhole(join(folder, beside), bytes);
    return { beside, isNew: true };
  }
}
