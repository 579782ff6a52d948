import type { Ledger } from './ledger.ts';
import type { Outcome } from './meeting-exporter.ts';
import { isLate, isPending } from './prune.ts';

/** What became of the meetings. */
export interface ExportResult {
  readonly new: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Recordings that are not done yet and will be asked for again. */
  readonly pending: number;
  /** Recordings that were not done for so long that they are asked for no more. */
  readonly late: number;
  /** Meetings that the service has no more; their files stay. */
  readonly gone: number;
  /** Files that were left as they are because a person edited them; the new text stands beside each. */
  readonly edited: readonly string[];
  /** Files that could not be made: subtitles of a transcript without times. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
  /** Recordings that the service lists but does not have (404), each with the file of its meeting. */
  readonly lost: readonly { readonly id: string; readonly name: string; readonly is_new: boolean }[];
  readonly failed: readonly { readonly id: string; readonly title: string; readonly reason: string }[];
}

/** Counts what becomes of the meetings of a run. */
export interface ResultCounter {
  /** Throws the failure of a meeting where it is one too many: then it is the service that fails. */
  add(outcome: Outcome): void;
  edit(name: string): void;
  refuse(name: string, reason: string): void;
  /** Called when a recording is newly found to be lost. */
  lose(id: string): void;
  /** Meetings so far. */
  readonly count: number;
  readonly failed: ExportResult['failed'];
  counts(ledger: Ledger, settle: number, now: Date): ExportResult;
}

/**
 * Meetings that fail one after the other before it is the service that fails. Those that failed the last time are
 * not counted, and it must be no fewer than were fetched: a row of broken ones never keeps the rest from its turn.
 */
const maxFailureStreak = 10;

/** Failures that many meetings have in common when the service is down. */
const serviceFailureCodes = new Set(['unavailable', 'storage', 'network', 'forbidden']);

/** A tally of no meetings yet. */
export function createResultCounter(): ResultCounter {
  const counted = { new: 0, updated: 0, unchanged: 0, gone: 0, failed: 0 };
  const failed: ExportResult['failed'][number][] = [];
  const edited: string[] = [];
  const refused: ExportResult['refused'][number][] = [];
  const newlyLost = new Set<string>();
  let streak = 0;
  return {
    failed,
    get count() {
      return Object.values(counted).reduce((sum, count) => sum + count, 0);
    },
    edit: (name) => edited.push(name),
    refuse: (name, reason) => refused.push({ name, reason }),
    lose: (id) => newlyLost.add(id),
    add(outcome) {
      counted[outcome.kind] += 1;
      if (outcome.kind === 'new' || outcome.kind === 'updated') streak = 0;
      if (outcome.kind !== 'failed') return;
      failed.push(outcome.told);
      if (outcome.again || !serviceFailureCodes.has(outcome.failure.code)) return;
      streak += 1;
      if (streak >= Math.max(maxFailureStreak, counted.new + counted.updated)) throw outcome.failure;
    },
    counts({ meetings }, settle, now) {
      const found = { failed: 0, gone: 0, pending: 0, late: 0 };
      const lost: ExportResult['lost'][number][] = [];
      for (const meeting of meetings.entries()) {
        if (meeting.failed) found.failed += 1;
        if (meeting.gone) found.gone += 1;
        for (const recording of meeting.gone ? [] : meeting.recordings) {
          if (isPending(recording, settle, now)) found.pending += 1;
          if (isLate(recording, settle, now)) found.late += 1;
          const { id, state, listed, file } = recording;
          if (state === 'gone' && listed) lost.push({ id, name: file ?? '', is_new: newlyLost.has(id) });
        }
      }
      return {
        new: counted.new,
        updated: counted.updated,
        unchanged: meetings.size - found.gone - counted.new - counted.updated - found.failed,
        pending: found.pending,
        late: found.late,
        gone: found.gone,
        edited,
        refused,
        lost,
        failed,
      };
    },
  };
}
