import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { Failure, getErrorCode } from '../contract/errors.ts';

/** Bytes at the most of a text that is held whole: a pipe or a device may never end. */
const most = 256 * 1024 * 1024;

/**
 * The text of bytes as they come. Throws the `usage` failure that `refused` makes of what is wrong with them: no UTF-8,
 * or too many.
 */
export async function readAllText(
  bytes: AsyncIterable<Uint8Array>,
  refused: (what: string) => string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > most) throw new Failure('usage', refused(`larger than ${most / 1024 / 1024} MB`));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Failure('usage', refused('not UTF-8'), { cause: error });
  }
}

/** The code of an error that no system has: something else than a file or folder is in the place of a file. */
export const notFileCode = 'ENOTFILE';

/** Under such a path there is nothing, nor can there be. */
const isNothing = (error: unknown) => /^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(getErrorCode(error));

/**
 * What a file holds; undefined where there is none. Throws what the disk says, and `ENOTFILE` for a pipe or a device:
 * reading that may never end.
 */
export function readFileIfExists(path: string): Buffer | undefined {
  try {
    // An error takes longer to be made than an answer.
    return checkFileType(path) ? readFileSync(path) : undefined;
  } catch (error) {
    if (isNothing(error)) return undefined;
    throw error;
  }
}

/** Whether a file or folder is there. Throws the same. */
export function pathExists(path: string): boolean {
  try {
    return checkFileType(path);
  } catch (error) {
    if (isNothing(error)) return false;
    throw error;
  }
}

/** Whether anything is there. Throws `ENOTFILE` for what is no file or folder; the disk tells of folders itself. */
export function checkFileType(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  if (found.isFile() || found.isDirectory()) return true;
  throw createNotFileError(path, 'it is a pipe or a device, not a file');
}

/** The error of what is in the place of a file, in words. */
export function createNotFileError(path: string, what: string): Error {
  return Object.assign(new Error(what), { code: notFileCode, syscall: 'open', path });
}

/** Returns an unused name for a damaged file that is moved aside: `config.damaged-20261120T100000Z.json`. */
export function nameDamagedFile(path: string, now: Date): string {
  const extension = extname(path);
  const when = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const stem = `${path.slice(0, path.length - extension.length)}.damaged-${when}`;
  let name = `${stem}${extension}`;
  for (let count = 2; existsSync(name); count += 1) name = `${stem}-${count}${extension}`;
  return name;
}
