import { readdirSync, readFileSync, statSync } from 'node:fs';
import { Failure, getErrorCode } from '../contract/errors.ts';

/** The largest text that is read into memory, in bytes: a pipe or a device may never end. */
const maxTextSize = 256 * 1024 * 1024;

/**
 * Reads bytes as one text. `formatProblem` returns the message for a problem such as `not UTF-8`.
 * @throws {Failure} usage if the bytes are too many or cannot be decoded, by default as UTF-8
 */
export async function readAllText(
  bytes: AsyncIterable<Uint8Array>,
  formatProblem: (problem: string) => string,
  decode = (bytes: Buffer) => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxTextSize)
      throw new Failure('usage', formatProblem(`larger than ${maxTextSize / 1024 / 1024} MB`));
  }
  try {
    return decode(Buffer.concat(chunks));
  } catch (error) {
    throw error instanceof Failure
      ? error
      : new Failure('usage', formatProblem('not UTF-8'), { cause: error });
  }
}

/** Our own error code for a path that is neither a file nor a folder. */
export const notFileCode = 'ENOTFILE';

/**
 * Reads a file; undefined if it does not exist. Throws errors of Node, and `ENOTFILE` for a pipe or a device, because
 * reading one may never end.
 */
export function readFileIfExists(path: string): Buffer | undefined {
  return readIfPresent(() => (checkFileType(path) ? readFileSync(path) : undefined));
}

/** Returns the names in a folder; empty if the folder does not exist. */
export const readFolderIfExists = (folder: string): string[] =>
  readIfPresent(() => readdirSync(folder)) ?? [];

/** Whether a file or folder exists. Throws like `readFileIfExists`. */
export function pathExists(path: string): boolean {
  return readIfPresent(() => checkFileType(path)) ?? false;
}

function readIfPresent<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|ENAMETOOLONG)$/.test(getErrorCode(error))) return undefined;
    throw error;
  }
}

/** Whether a path exists. Throws `ENOTFILE` if it is neither a file nor a folder. */
export function checkFileType(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  if (stats.isFile() || stats.isDirectory()) return true;
  throw createNotFileError(path, 'it is a pipe or a device, not a file');
}

/** Creates the `ENOTFILE` error with a reason. */
export function createNotFileError(path: string, reason: string): Error {
  return Object.assign(new Error(reason), { code: notFileCode, syscall: 'open', path });
}
