import { Failure } from '../contract/errors.ts';
import { errorCode } from '../values/error-code.ts';
import { diskReason } from './disk-errors.ts';

/** What an error of reading says, in words. Where something is written, what is not there is told with its path. */
export function readReason(error: unknown): string {
  return errorCode(error) === 'ENOENT' ? 'it is not there' : diskReason(error);
}

/** The `usage` failure of a file that somebody named and that cannot be read. */
export function unreadable(file: string, error: unknown): Failure {
  return new Failure('usage', `Cannot read ${file}: ${readReason(error)}.`, { cause: error });
}
