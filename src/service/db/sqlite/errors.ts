import { Failure } from '../../../contract/errors.ts';
import { readResultCode, resultTexts } from '../../../sqlite/result-codes.ts';

/** Whether another process has locked the file for longer than SQLite waits. */
export const isLocked = (error: unknown) => readResultCode(error) === 5;

export const isNotDatabase = (error: unknown) => readResultCode(error) === 26;

export const useAnotherFile = 'Use another file: kith auth login --local --database FILE';

/** Creates SQLite's error for a locked file. */
export const createLockedError = () => Object.assign(new Error(resultTexts[5]), { errcode: 5 });

/** The failure of a request if another process has locked the file for longer than a request waits. */
export const createLockedFailure = () =>
  new Failure('unavailable', 'The workspace is being written by another process.', {
    headers: { 'retry-after': '1' },
  });

/** Reasons why a file cannot be read or written at all, with hints. */
const storageReasons: Readonly<Record<number, readonly [reason: string, hint?: string]>> = {
  8: ['it or its folder is read-only'],
  10: ['the disk reports an I/O error'],
  11: ['it is damaged', `Restore it from a backup. ${useAnotherFile}`],
  13: ['no space left on its disk'],
  14: ['it cannot be opened', useAnotherFile],
  26: ['it is not an SQLite database', useAnotherFile],
};

/** Describes why SQLite cannot use a file; undefined for an error that is not about the file. */
export const describeStorageError = (error: unknown) => storageReasons[readResultCode(error) ?? 0]?.[0];

/** Returns the failure `storage` if the workspace file cannot be read or written; undefined for any other error. */
export function toStorageFailure(error: unknown, file?: string): Failure | undefined {
  const [reason, hint] = storageReasons[readResultCode(error) ?? 0] ?? [];
  if (reason === undefined) return undefined;
  const name = file === undefined ? 'the workspace file' : `the workspace file ${file}`;
  return new Failure('storage', `Cannot use ${name}: ${reason}.`, { cause: error, hint });
}
