import { Failure, toFailure } from '../contract/errors.ts';

/** Anything that ended a run, as a failure with an exit code and a sentence. */
export function toRunFailure(error: unknown, signal: AbortSignal): Failure {
  if (signal.aborted && signal.reason instanceof Failure) {
    // One of the same code may say more, such as where a text is kept.
    return error instanceof Failure && error.code === signal.reason.code ? error : signal.reason;
  }
  if (error instanceof Failure) return error;
  return toFailure(error);
}
