import { Failure } from '../../contract/errors.ts';

/** The result codes of SQLite that are told apart here, with the text of each. */
const texts: Readonly<Record<number, string>> = {
  5: 'database is locked',
  8: 'attempt to write a readonly database',
  10: 'disk I/O error',
  11: 'database disk image is malformed',
  13: 'database or disk is full',
  14: 'unable to open database file',
  26: 'file is not a database',
};

/** The result code of SQLite that an error stands for; undefined for any other error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // The low byte is the result, the rest says during what.
  if ('errcode' in error) return Number(error.errcode) & 0xff;
  // all() of @photostructure/sqlite has only the text.
  const code = Object.keys(texts).find((code) => texts[Number(code)] === error.message);
  return code === undefined ? undefined : Number(code);
}

/** Whether an error says that another process holds the file for longer than we wait. */
export const isLocked = (error: unknown) => resultCode(error) === 5;

const useAnother = 'Use another file: kith auth login --local --database FILE';
const restore = `Restore it from a snapshot. ${useAnother}`;

/** The error of SQLite for a file that another process has locked. */
export const createLockedError = () => Object.assign(new Error(texts[5]), { errcode: 5 });

/** Why the file itself cannot be read or written, whatever the request, and what to do about it. */
const storageReasons: Readonly<Record<number, readonly [reason: string, hint?: string]>> = {
  8: ['it or its folder is read-only'],
  10: ['the disk reports an I/O error'],
  11: ['it is damaged', restore],
  13: ['there is no space left on its disk'],
  14: ['it cannot be opened', useAnother],
  26: ['it is not an SQLite database', useAnother],
};

/** Why SQLite could not use a file, in words; undefined for an error that says nothing of the file. */
export const describeStorageError = (error: unknown) => storageReasons[resultCode(error) ?? 0]?.[0];

/**
 * The failure of a workspace whose file cannot be read or written: `storage`, whatever the request. Undefined for any
 * other error.
 */
export function toStorageFailure(error: unknown, file?: string): Failure | undefined {
  const [reason, hint] = storageReasons[resultCode(error) ?? 0] ?? [];
  if (reason === undefined) return undefined;
  const name = file === undefined ? 'the workspace file' : `the workspace file ${file}`;
  return new Failure('storage', `Cannot use ${name}: ${reason}.`, { cause: error, hint });
}
