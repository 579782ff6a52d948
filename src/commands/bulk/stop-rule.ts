import { type Failure, isRecordFailure } from '../../contract/errors.ts';

/** The number of successive responses with 503 after which a command stops. */
const maxUnavailable = 5;

/** Decides which failures concern all records, so that a command stops. */
export class StopRule {
  /** The first failure that concerns all records. */
  failure: Failure | undefined;
  readonly #isOwn: (failure: Failure) => boolean;
  #unavailableCount = 0;

  /** `isOwn`: whether a failure concerns only one record. */
  constructor(isOwn: (failure: Failure) => boolean = isRecordFailure) {
    this.#isOwn = isOwn;
  }

  check(failure: Failure): void {
    const isUnavailable = failure.code === 'unavailable';
    this.#unavailableCount = isUnavailable ? this.#unavailableCount + 1 : 0;
    const mayContinue = isUnavailable
      ? this.#unavailableCount < maxUnavailable
      : failure.code === 'too_large' || this.#isOwn(failure);
    if (!mayContinue) this.failure ??= failure;
  }

  /** Notes that a record was written. */
  reset(): void {
    this.#unavailableCount = 0;
  }
}
