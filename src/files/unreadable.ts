import { Failure } from '../contract/errors.ts';
import { getErrorCode } from '../values/error-code.ts';
import { describeDiskError } from './disk-errors.ts';

/** What an error of reading says, in words. Where something is written, what is not there is told with its path. */
export function describeReadError(error: unknown): string {
  return getErrorCode(error) === 'ENOENT' ? 'it is not there' : describeDiskError(error);
}

/** The `usage` failure of a file that somebody named and that cannot be read. */
export function createReadFailure(file: string, error: unknown): Failure {
  return new Failure('usage', `Cannot read ${file}: ${describeReadError(error)}.`, { cause: error });
}
