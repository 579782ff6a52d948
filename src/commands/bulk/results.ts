import { toErrorDocument } from '../../contract/documents/error.ts';
import { Failure, type FailureCode } from '../../contract/errors.ts';
import { createPlainColumn, type View } from '../../render/columns.ts';
import { readObject } from '../../values/json-object.ts';
import { joinMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { capitalize, formatInteger } from '../../values/text.ts';
import type { Target } from './targets.ts';

/** `unchanged`: nothing was sent, because the change had been made before. `unknown`: the response was lost. */
export type BulkStatus = 'updated' | 'deleted' | 'added' | 'unchanged' | 'failed' | 'unknown';

/** The outcome of one of many writes. */
export interface BulkOutcome {
  readonly target: Target;
  readonly status: BulkStatus;
  /** The record after the write, if the service returned it. */
  readonly record?: RawJson | undefined;
  readonly failure?: Failure;
}

/** Returns an outcome as the record that kith prints. */
export function toResultRecord({ target, status, record, failure }: BulkOutcome, now: Date): RawJson {
  return joinMembers([
    ['id', toRawJson(target.id)],
    ...(target.list_id === undefined ? [] : [['list_id', toRawJson(target.list_id)] as const]),
    ['status', toRawJson(status)],
    ...(failure ? [['error', toRawJson(toErrorDocument(failure, now))] as const] : []),
    ...(record ? [['record', record] as const] : []),
  ]);
}

const columns = [
  createPlainColumn('id'),
  createPlainColumn('status'),
  createPlainColumn('error', { cell: ({ error }) => readObject(error).message ?? '' }),
];

/** The columns of results in a table, CSV and TSV. */
export const resultView: View = () => columns;

/** Maximum number of failures that a message names. The output has all failures. */
export const maxNamedFailures = 10;

/** The status of a line of a batch; `skipped` if a line that it refers to failed. `unchanged`: as above. */
export type LineStatus = 'done' | 'unchanged' | 'failed' | 'unknown' | 'skipped';

/** An outcome with the name of its record or line in messages. */
interface CountedOutcome {
  readonly name: string;
  readonly status: BulkStatus | LineStatus;
  readonly failure?: Failure | undefined;
}

export const continueHint =
  'To continue, run the same command with the same input again: kith sends only the missing changes.';

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
export class BulkSummary {
  readonly counts: Record<BulkStatus | LineStatus, number> = {
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
    // A skipped line fails for the reason of the line that it refers to.
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
  describe(past: 'updated' | 'deleted' | 'added' | 'done', total: number): string {
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

  /** Returns a failure that names the failed records: their common code if all failed. `verb`: `updated`. */
  createFailure(past: string, hint: string, total = this.total): Failure | undefined {
    const { failedCount } = this;
    if (failedCount === 0) return undefined;
    const more = failedCount - this.#named.length;
    const names = `${this.#named.join('; ')}${more > 0 ? `; and ${formatInteger(more)} more` : ''}`;
    const [code = 'partial', ...others] = this.#codes;
    const isCommon = failedCount === total && others.length === 0;
    return new Failure(isCommon ? code : 'partial', `Not ${past}: ${names}.`, { hint });
  }
}
