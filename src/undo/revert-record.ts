import type { Client } from '../client/client.ts';
import { isRecordFailure } from '../contract/errors.ts';
import type { RecordPath } from '../records/path.ts';
import type { LoggedWrite } from '../writes/log.ts';
import { nouns } from '../writes/nouns.ts';
import type { WriteRun } from '../writes/run.ts';
import type { RestoredRecord } from './history.ts';
import { type Conflict, type PlannedChange, type PlanOptions, planRevert, type RecordIds } from './plan.ts';
import { Reverter } from './revert.ts';

/** The result of reverting the writes of one record. */
export interface RecordRevert {
  readonly status: 'undone' | 'already' | 'changed' | 'failed';
  /** Why the writes were not reverted, as a sentence. */
  readonly message?: string;
  readonly changes?: readonly PlannedChange[];
  /** Whether a retry may succeed: a response was lost, or the record has just changed. */
  readonly canRetry?: boolean;
  /** The records that were created again. */
  readonly restored?: readonly RestoredRecord[];
}

interface RevertRecordOptions extends PlanOptions {
  readonly ids: RecordIds;
  readonly isDryRun?: boolean;
}

/** The writes of one record by a command. */
export interface RevertedRecord extends RecordPath {
  readonly writes: readonly LoggedWrite[];
}

/**
 * Reverts the writes of one record, without a log: an interrupted revert compares the record again. Leaves a record that
 * someone else has changed.
 * @throws {Failure} if the failure concerns more than this record
 */
export async function revertRecord(
  client: Client,
  run: WriteRun,
  record: RevertedRecord,
  { ids, isDryRun, ...options }: RevertRecordOptions,
): Promise<RecordRevert> {
  const name = formatRecord(record);
  const fail = (reason: string) =>
    ({ status: 'failed', message: `The ${name} could not be restored: ${reason}` }) as const;
  let restored: readonly RestoredRecord[] = [];
  try {
    const plan = await planRevert(client, record, ids, options);
    const { steps, changes, conflicts, unwritableFields, uncountedKinds } = plan;
    const [conflict] = conflicts;
    if (conflict && !isDeleted(conflict))
      return { status: 'changed', message: `The ${name} ${describeConflict(conflict)}` };
    const unknown = [
      ...unwritableFields.map((name) => `The API cannot restore the ${name}.`),
      ...uncountedKinds.map((name) => `kith could not read its ${name}.`),
    ];
    if (unknown.length > 0) return fail(unknown.join(' '));
    if (steps.length === 0) return { status: 'already' };
    if (isDryRun) return { status: 'undone', changes };
    const reverter = new Reverter(run, ids.newIds, plan.tags);
    restored = reverter.restored;
    const losses = await reverter.run(plan, () => {});
    if (losses.length > 0) return { ...fail(losses.join(' ')), restored };
    return { status: 'undone', changes, restored };
  } catch (error) {
    if (!isRecordFailure(error)) throw error;
    const canRetry = error.code === 'unknown' || error.code === 'changed';
    return { ...fail(error.message), canRetry, restored };
  }
}

/** Whether a record of the command has been deleted since. */
const isDeleted = ({ fields, related }: Conflict) => fields.length === 0 && related === undefined;

const describeConflict = ({ fields, related: [first] = [] }: Conflict) =>
  first && fields.length === 0
    ? `has the ${formatRecord(first)} now; skipped.`
    : 'was changed since; skipped.';

const formatRecord = ({ noun, id }: RecordPath) => `${nouns[noun].title} ${id}`;
