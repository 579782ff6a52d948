import { errorCode, errorText, Failure } from '../contract/errors.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'this user may not read it',
};

/** The `usage` failure of a file that somebody named and that cannot be read. */
export function unreadable(file: string, error: unknown): Failure {
  const reason = reasons[errorCode(error)] ?? errorText(error);
  return new Failure('usage', `Cannot read ${file}: ${reason}.`, { cause: error });
}
