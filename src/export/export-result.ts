import type { Ledger } from './ledger.ts';
import type { Outcome } from './meeting-exporter.ts';
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

/** Collects the outcomes of a run. */
export interface ResultCollector {
  /** @throws the failure of a meeting if many fail in a row, because then the service itself is failing */
  add(outcome: Outcome): void;
  addEdited(name: string): void;
  addSkipped(name: string, reason: string): void;
  /** Adds a recording that was available before this run. */
  addUnavailable(id: string): void;
  /** The number of meetings so far. */
  readonly count: number;
  readonly failed: ExportResult['failed'];
  build(ledger: Ledger, settle: number, now: Date, pruned: PrunedFiles): ExportResult;
}

/**
 * Meetings that fail in a row before the run gives up. Meetings that already failed the last time do not count, and the
 * row must be as long as the number of exported meetings: permanently broken meetings must not block the others.
 */
const maxFailureStreak = 10;

/** Codes that many meetings share if the service is down. */
const serviceFailureCodes = new Set(['unavailable', 'storage', 'network', 'forbidden']);

export function createResultCollector(): ResultCollector {
  const counts = { new: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };
  const failed: ExportResult['failed'][number][] = [];
  const edited: string[] = [];
  const skipped: ExportResult['skipped'][number][] = [];
  const newlyUnavailable = new Set<string>();
  let streak = 0;
  return {
    failed,
    get count() {
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    addEdited: (name) => edited.push(name),
    addSkipped: (name, reason) => skipped.push({ name, reason }),
    addUnavailable: (id) => newlyUnavailable.add(id),
    add(outcome) {
      counts[outcome.kind] += 1;
      if (outcome.kind === 'new' || outcome.kind === 'updated') streak = 0;
      if (outcome.kind !== 'failed') return;
      failed.push(outcome.item);
      if (outcome.isRepeated || !serviceFailureCodes.has(outcome.failure.code)) return;
      streak += 1;
      if (streak >= Math.max(maxFailureStreak, counts.new + counts.updated)) throw outcome.failure;
    },
    build({ meetings }, settle, now, pruned) {
      const totals = { failed: 0, deleted: 0, pending: 0, late: 0 };
      const unavailable: ExportResult['unavailable'][number][] = [];
      for (const meeting of meetings.entries()) {
        if (meeting.failed) totals.failed += 1;
        if (meeting.gone) totals.deleted += 1;
        for (const recording of meeting.gone ? [] : meeting.recordings) {
          if (isPending(recording, settle, now)) totals.pending += 1;
          if (isLate(recording, settle, now)) totals.late += 1;
          const { id, state, listed, file } = recording;
          if (state === 'gone' && listed)
            unavailable.push({ id, name: file ?? '', is_new: newlyUnavailable.has(id) });
        }
      }
      return {
        new: counts.new,
        updated: counts.updated,
        unchanged: meetings.size - totals.deleted - counts.new - counts.updated - totals.failed,
        pending: totals.pending,
        late: totals.late,
        deleted_upstream: totals.deleted,
        edited,
        skipped,
        unavailable,
        pruned,
        failed,
      };
    },
  };
}
