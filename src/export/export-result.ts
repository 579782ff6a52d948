import type { Failure } from '../contract/errors.ts';
import type { Ledger } from './ledger.ts';
import { isLate, isPending } from './meeting-state.ts';
import type { PrunedFiles } from './prune.ts';

/** The result of a run, as `--json` prints it. */
export interface ExportResult {
  readonly new: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Recordings that are not done and that later runs check again. */
  readonly pending: number;
  /** Recordings that were not done for so long that runs no longer check them. */
  readonly late: number;
  /** Meetings that were deleted upstream. Their files stay. */
  readonly deleted_upstream: number;
  /** Files that a person edited. They stay; the new text is in a file next to them. */
  readonly edited: readonly string[];
  /** Files that could not be made, such as subtitles of a transcript without times. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Recordings that the service lists but does not have (404), with the Markdown file of the meeting. */
  readonly unavailable: readonly { readonly id: string; readonly name: string; readonly is_new: boolean }[];
  readonly pruned: PrunedFiles;
  readonly failed: readonly { readonly id: string; readonly title: string; readonly reason: string }[];
}

/** The outcome of one meeting. */
export type Outcome =
  | { readonly kind: 'deleted' }
  | ({ readonly kind: 'new' | 'updated' | 'unchanged' } & Partial<MeetingNotes>)
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** The meeting also failed in the last run. */
      readonly isRepeated: boolean;
      readonly id: string;
      readonly title: string;
    };

/** What a user should know about a meeting that was exported. */
interface MeetingNotes extends Pick<ExportResult, 'edited' | 'skipped'> {
  /** Ids of recordings that are newly unavailable. */
  readonly newlyUnavailable: readonly string[];
}

/**
 * Meetings that fail in a row before the run gives up. Meetings that already failed the last time do not count, and the
 * row must be as long as the number of exported meetings: permanently broken meetings must not block the others.
 */
const maxFailureStreak = 10;

/** Codes that many meetings share if the service is down. */
const serviceFailureCodes = new Set(['unavailable', 'storage', 'network', 'forbidden']);

/** Collects the outcomes of a run. */
export class ResultCollector {
  readonly failed: ExportResult['failed'][number][] = [];
  readonly #counts = { new: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };
  readonly #edited: string[] = [];
  readonly #skipped: ExportResult['skipped'][number][] = [];
  readonly #newlyUnavailable = new Set<string>();
  #streak = 0;

  /** The number of meetings so far. */
  get count(): number {
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  /** @throws the failure of a meeting if many fail in a row, because then the service itself is failing */
  add(outcome: Outcome): void {
    const counts = this.#counts;
    counts[outcome.kind] += 1;
    if (outcome.kind === 'deleted') return;
    if (outcome.kind !== 'failed') {
      const { kind, edited = [], skipped = [], newlyUnavailable = [] } = outcome;
      this.#edited.push(...edited);
      this.#skipped.push(...skipped);
      for (const id of newlyUnavailable) this.#newlyUnavailable.add(id);
      if (kind !== 'unchanged') this.#streak = 0;
      return;
    }
    const { id, title, failure, isRepeated } = outcome;
    this.failed.push({ id, title, reason: failure.message });
    if (isRepeated || !serviceFailureCodes.has(failure.code)) return;
    this.#streak += 1;
    if (this.#streak >= Math.max(maxFailureStreak, counts.new + counts.updated)) throw failure;
  }

  build(ledger: Ledger, settle: number, now: Date, pruned: PrunedFiles): ExportResult {
    const totals = { failed: 0, deleted: 0, pending: 0, late: 0 };
    const unavailable: ExportResult['unavailable'][number][] = [];
    for (const meeting of ledger.meetings()) {
      if (meeting.failed) totals.failed += 1;
      if (meeting.gone) totals.deleted += 1;
      for (const recording of meeting.gone ? [] : meeting.recordings) {
        if (isPending(recording, settle, now)) totals.pending += 1;
        if (isLate(recording, settle, now)) totals.late += 1;
        const { id, state, listed, file } = recording;
        if (state === 'gone' && listed)
          unavailable.push({ id, name: file ?? '', is_new: this.#newlyUnavailable.has(id) });
      }
    }
    const { new: added, updated } = this.#counts;
    return {
      new: added,
      updated,
      unchanged: ledger.size - totals.deleted - added - updated - totals.failed,
      pending: totals.pending,
      late: totals.late,
      deleted_upstream: totals.deleted,
      edited: this.#edited,
      skipped: this.#skipped,
      unavailable,
      pruned,
      failed: this.failed,
    };
  }
}
