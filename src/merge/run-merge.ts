import { pickSentValues, toCreateBody } from '../changes/bodies.ts';
import { readTagged, toPathKey, toRequest, type Write } from '../changes/nouns.ts';
import { type Recorder, readResponseRecord } from '../changes/recorder.ts';
import { isSameJson } from '../changes/reversal.ts';
import type { StoredRecord } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import type { JsonObject } from '../values/json-object.ts';
import type { MergePlan } from './plan-merge.ts';
import type { MergeRecords } from './read-merge.ts';
import type { MergeStep } from './stored-merge.ts';

/** A plan with the records that it was made for. */
export interface PlannedMerge {
  readonly plan: MergePlan;
  readonly records: MergeRecords;
}

/** Reads the records of a merge, and plans its remaining steps. */
export type Planner = () => Promise<PlannedMerge>;

/** The maximum number of new plans for a merge because someone else changes its records. */
const maxRounds = 3;

/** A record has changed since the merge was planned. */
class OutdatedPlanError extends Error {}

interface MergeRunOptions {
  readonly client: Client;
  readonly recorder: Recorder;
}

/** The callbacks of a run. */
interface RunCallbacks {
  readonly plan: Planner;
  /** Called if the merge is planned again because someone else changed the records. */
  readonly onChange: () => Promise<void>;
  /** Receives the numbers of writes of the current plan. */
  readonly onWrite: (done: number, total: number) => void;
}

/** Sends the writes of a merge. */
export class MergeRun {
  readonly #options: MergeRunOptions;
  /** The ids and keys of copied entries, by the ids and keys of the originals. */
  readonly #newDeals = new Map<string, string>();

  constructor(options: MergeRunOptions) {
    this.#options = options;
  }

  /**
   * Moves everything to the record to keep, and deletes the other record only if it has nothing left. Returns the
   * records as they were just before the deletion.
   * @throws {Failure} changed if someone else keeps changing the records
   */
  async run(
    first: PlannedMerge,
    { plan: planAgain, onChange, onWrite }: RunCallbacks,
  ): Promise<MergeRecords> {
    let plannedMerge = first;
    for (let round = 0; round <= maxRounds; round += 1) {
      if (round > 1) await onChange();
      const { plan, records } = plannedMerge;
      const deletion = plan.steps.find((step) => isDeletion(step, records));
      const moves = plan.steps.filter((step) => step !== deletion);
      // Only a plan after the last write can show that the other record has nothing left.
      const isComplete = round > 0 && moves.length === 0;
      const steps = isComplete ? plan.steps : moves;
      const isSent = await this.#sendAll(steps, records, (done) => onWrite(done, steps.length));
      if (isComplete && isSent) return records;
      plannedMerge = await planAgain();
    }
    await this.sendCopies(plannedMerge);
    throw new Failure('changed', 'Someone else keeps changing the records. Nothing was deleted.');
  }

  /** Sends only the steps that add something to the record to keep. */
  async sendCopies({ plan, records }: PlannedMerge): Promise<void> {
    const isCopy = ({ action, id, restore }: MergeStep) =>
      (action === 'create' || (action === 'update' && id !== records.other?.id)) && !restore;
    await this.#sendAll(plan.steps.filter(isCopy), records);
  }

  /** Sends steps until one is outdated. Returns whether all were sent. */
  async #sendAll(
    steps: readonly MergeStep[],
    records: MergeRecords,
    onWrite: (done: number) => void = () => {},
  ): Promise<boolean> {
    try {
      for (const [index, step] of steps.entries()) {
        await this.#send(this.#replaceDeal(step), records);
        onWrite(index + 1);
      }
      return true;
    } catch (error) {
      if (error instanceof OutdatedPlanError) return false;
      throw error;
    }
  }

  /** Returns a step with the id or the key of the entry that an earlier step created. */
  #replaceDeal(step: MergeStep): MergeStep {
    if (!step.awaitsDeal) return step;
    const deal_id = this.#newDeals.get(String(step.body.deal_id));
    if (deal_id === undefined) throw new OutdatedPlanError(); // the service did not return the new entry
    return { ...step, body: { ...step.body, deal_id } };
  }

  /** Sends a step if its record has the values with which it was planned. */
  async #send(step: MergeStep, { versions }: MergeRecords): Promise<void> {
    const { client, recorder } = this.#options;
    const key = toPathKey(step);
    const current = step.action === 'create' ? undefined : await readTagged(client, step);
    if (step.action !== 'create') {
      if (!current && step.action === 'delete') return; // deleted by an earlier run, or by someone else
      if (!current || !isAsPlanned(step, versions.get(key), current.value)) throw new OutdatedPlanError();
    }
    const request = { ...toRequest(step), ifMatch: current?.etag };
    const context = { before: current?.value, related: [], copies: step.copies?.map(({ id }) => id) };
    try {
      const response = await recorder.send(step, context, () => client.send(request));
      const after = readResponseRecord(step, response);
      if (after) this.#recordCopy(step, after);
      if (after && step.action !== 'create')
        versions.set(key, after as StoredRecord); // a record as the service sent it
      else versions.delete(key);
    } catch (error) {
      await this.#recover(step, error);
    }
  }

  #recordCopy({ copies = [] }: MergeStep, after: JsonObject): void {
    for (const { id, key } of copies) {
      this.#newDeals.set(id, String(after.id));
      if (key && typeof after.key === 'string') this.#newDeals.set(key, after.key);
    }
  }

  /** @throws the failure of a step, if planning again does not help */
  async #recover({ action, restore }: MergeStep, error: unknown): Promise<void> {
    const code = error instanceof Failure ? error.code : undefined;
    if (action === 'delete' && code === 'not_found') return;
    // Someone else has added the record to keep to a list that allows only one entry of it.
    const isTaken = action === 'create' && error instanceof Failure && hasFieldError(error, 'taken');
    if (code === 'changed' || isTaken) throw new OutdatedPlanError();
    const isRefused = code !== 'unknown' && (code === 'forbidden' || isRecordFailure(error));
    if (restore && isRefused) await this.#options.recorder.send(restore);
    throw error;
  }
}

const hasFieldError = ({ detail }: Failure, code: string) =>
  detail.fieldErrors?.some((fieldError) => fieldError.code === code) === true;

const isDeletion = ({ action, noun, id }: Write, { other }: MergeRecords) =>
  action === 'delete' && (noun === 'contact' || noun === 'organization') && id === other?.id;

/** Whether a record still has the values that a step replaces or deletes. */
function isAsPlanned(
  step: MergeStep,
  plannedRecord: StoredRecord | undefined,
  current: StoredRecord,
): boolean {
  if (!plannedRecord) return true; // this run wrote the record
  const pick = (record: StoredRecord) =>
    step.action === 'delete' ? toCreateBody(step.noun, record) : pickSentValues(step.body, record);
  return isSameJson(pick(plannedRecord), pick(current));
}
