import type { Result } from '../contract/documents/results.ts';
import type { Failure } from '../contract/errors.ts';
import type { Ledger } from './ledger.ts';
import { findDelay } from './meeting-state.ts';
import type { PrunedFiles } from './prune.ts';

/** The outcome of one meeting. */
export type Outcome =
  | { readonly kind: 'deleted' }
  | ({ readonly kind: 'new' | 'updated' | 'unchanged' } & Partial<MeetingNotes>)
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** Whether the meeting also failed in the last run. */
      readonly isRepeated: boolean;
      readonly id: string;
      readonly title: string;
    };

/** Notes for the user about an exported meeting. */
interface MeetingNotes {
  /** Files that were modified by hand. They stay unchanged, and the new text is in a file next to them. */
  readonly edited: readonly string[];
  /** Files that could not be rendered, such as subtitles of a transcript without times. */
  readonly skipped: ExportResult['skipped'];
  /** Ids of recordings that are newly unavailable. */
  readonly newlyUnavailable: readonly string[];
}

/**
 * Consecutive failures before the run gives up. Meetings that already failed in the last run do not count. There must
 * be at least as many failures as exported meetings, so that broken meetings do not block the others.
 */
const maxFailureStreak = 10;

/** Codes that many meetings share if the service is down. */
const serviceFailureCodes = new Set(['unavailable', 'storage', 'network', 'forbidden']);

/** The result of a run, as `--json` prints it. */
export type ExportResult = Result<'export-result'>;

/** Collects the outcomes of a run. */
export class ResultCollector {
  readonly failed: ExportResult['failed'][number][] = [];
  readonly #counts = { new: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };
  readonly #editedNames: string[] = [];
  readonly #skippedFiles: MeetingNotes['skipped'][number][] = [];
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
      this.#editedNames.push(...edited);
      this.#skippedFiles.push(...skipped);
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
    for (const { failure, isDeleted, files, recordings } of ledger.listMeetings()) {
      if (failure !== undefined) totals.failed += 1;
      if (isDeleted) totals.deleted += 1;
      for (const recording of isDeleted ? [] : recordings) {
        const { id, state, isListed } = recording;
        const delay = findDelay(recording, settle, now);
        if (delay) totals[delay] += 1;
        if (state === 'unavailable' && isListed)
          unavailable.push({ id, name: files[0]?.name ?? '', is_new: this.#newlyUnavailable.has(id) });
      }
    }
    const { new: added, updated } = this.#counts;
    return {
      new: added,
      updated,
      unchanged: ledger.size - totals.deleted - added - updated - totals.failed,
      /** Unfinished recordings: `pending` ones are checked again by later runs, `late` ones are too old. */
      pending: totals.pending,
      late: totals.late,
      /** Meetings that were deleted upstream. Their files stay. */
      deleted_upstream: totals.deleted,
      edited: this.#editedNames,
      skipped: this.#skippedFiles,
      /** Recordings that the service lists but does not have (404), with the Markdown file of the meeting. */
      unavailable,
      pruned,
      failed: this.failed,
    };
  }
}
