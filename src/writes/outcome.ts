import { Failure, type FailureCode, isRecordFailure } from '../contract/errors.ts';
import { capitalize, formatInteger } from '../values/text.ts';

/**
 * The outcome of one item of a run. `unchanged`: nothing was sent, because the change had been made before. `unknown`: the
 * response was lost. `skipped`: an item that it refers to failed.
 */
export type WriteStatus = PastTense | 'unchanged' | 'failed' | 'unknown' | 'skipped';

/** What a command has done with an item. */
type PastTense = 'updated' | 'deleted' | 'added' | 'done';

/** Maximum number of failures that a message names. The output has all failures. */
const maxNamedFailures = 10;

/** The number of successive responses with 503 after which a run stops. */
const maxUnavailable = 5;

/** An outcome with the name of its item in messages. */
interface CountedOutcome {
  readonly name: string;
  readonly status: WriteStatus;
  readonly failure?: Failure | undefined;
}

export const continueHint =
  'To continue, run the same command with the same input again. Only the missing changes are sent.';

/** Returns the failure of a command that stopped; `failure` is undefined if nobody reads its output. */
export function createStopFailure(
  failure: Failure | undefined,
  summary: string,
  nextStep = continueHint,
): Failure {
  if (!failure) return new Failure('partial', `The output was closed. ${summary}`, { hint: nextStep });
  const { hint } = failure.detail;
  return new Failure(failure.code, `${failure.message} ${summary}`, {
    ...failure.detail,
    hint: hint === undefined ? nextStep : `${hint.replace(/\.$/, '')}. ${nextStep}`,
  });
}

/** Counts outcomes, and keeps the first failures. */
export class RunSummary {
  readonly counts: Record<WriteStatus, number> = {
    updated: 0,
    deleted: 0,
    added: 0,
    done: 0,
    unchanged: 0,
    failed: 0,
    unknown: 0,
    skipped: 0,
  };
  readonly #named: string[] = [];
  readonly #codes = new Set<FailureCode>();

  add({ name, status, failure }: CountedOutcome): void {
    this.counts[status] += 1;
    if (!failure) return;
    // A skipped item fails for the reason of the item that it refers to.
    if (status !== 'skipped') this.#codes.add(failure.code);
    if (this.#named.length < maxNamedFailures)
      this.#named.push(`${name} (${failure.message.replace(/\.$/, '')})`);
  }

  get failedCount(): number {
    return this.counts.failed + this.counts.unknown + this.counts.skipped;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Describes the counts: `Updated 998 of 1,000; 2 failed.` */
  describe(past: PastTense, total: number): string {
    const { counts } = this;
    const parts = [
      `${capitalize(past)} ${formatInteger(counts[past])} of ${formatInteger(total)}`,
      counts.unchanged > 0 && `${formatInteger(counts.unchanged)} unchanged`,
      counts.failed > 0 && `${formatInteger(counts.failed)} failed`,
      counts.unknown > 0 && `${formatInteger(counts.unknown)} unknown`,
      counts.skipped > 0 && `${formatInteger(counts.skipped)} skipped`,
      total > this.total && `${formatInteger(total - this.total)} not done`,
    ];
    return `${parts.filter(Boolean).join('; ')}.`;
  }

  /** Names the first failed items with their reasons. */
  nameFailures(): string {
    const more = this.failedCount - this.#named.length;
    return `${this.#named.join('; ')}${more > 0 ? `; and ${formatInteger(more)} more` : ''}`;
  }

  /** Returns the code of the failures if all of `total` items failed for the same reason; otherwise, `partial`. */
  findCommonCode(total = this.total): FailureCode {
    const [code = 'partial', ...others] = this.#codes;
    return this.failedCount === total && others.length === 0 ? code : 'partial';
  }

  /** Returns a failure that names the failed items. `past`: `updated`. */
  createFailure(past: string, hint: string, total?: number): Failure | undefined {
    if (this.failedCount === 0) return undefined;
    return new Failure(this.findCommonCode(total), `Not ${past}: ${this.nameFailures()}.`, { hint });
  }
}

/** Decides which failures concern all items, so that a run stops. */
export class StopRule {
  /** The first failure that concerns all items. */
  failure: Failure | undefined;
  readonly #isOwn: (failure: Failure) => boolean;
  #checked: Failure | undefined;
  #unavailableCount = 0;

  /** `isOwn`: whether a failure concerns only one item. */
  constructor(isOwn: (failure: Failure) => boolean = isRecordFailure) {
    this.#isOwn = isOwn;
  }

  /** Counts a failure, once. */
  check(failure: Failure): void {
    if (failure === this.#checked) return;
    this.#checked = failure;
    const isUnavailable = failure.code === 'unavailable';
    this.#unavailableCount = isUnavailable ? this.#unavailableCount + 1 : 0;
    const mayContinue = isUnavailable
      ? this.#unavailableCount < maxUnavailable
      : failure.code === 'too_large' || this.#isOwn(failure);
    if (!mayContinue) this.failure ??= failure;
  }

  /** Notes that an item was written. */
  reset(): void {
    this.#unavailableCount = 0;
  }
}
