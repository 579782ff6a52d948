import { pickSentValues, toCreateBody } from '../changes/bodies.ts';
import { readTagged, toPathKey, toRequest, type Write } from '../changes/nouns.ts';
import { type Recorder, readResponseRecord } from '../changes/recorder.ts';
import { isSameJson } from '../changes/reversal.ts';
import type { StoredRecord } from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import type { MergePlan } from './plan-merge.ts';
import type { MergeRecords } from './read-merge.ts';
import type { MergeStep } from './stored-merge.ts';

/** Reads the records of a merge, and plans its remaining steps. */
export type Planner = () => Promise<{ readonly plan: MergePlan; readonly records: MergeRecords }>;

/** The maximum number of new plans for a merge because someone else changes its records. */
const maxRounds = 3;

/** A record has changed since the merge was planned. */
class OutdatedPlanError extends Error {}

/** Sends the writes of a merge. */
export class MergeRun {
  readonly #client: Client;
  readonly #recorder: Recorder;
  readonly #plan: Planner;
  /** Called if the merge is planned again because someone else changed the records. */
  readonly #onChange: () => Promise<void>;

  constructor(client: Client, recorder: Recorder, plan: Planner, onChange: () => Promise<void>) {
    this.#client = client;
    this.#recorder = recorder;
    this.#plan = plan;
    this.#onChange = onChange;
  }

  /**
   * Moves everything to the contact to keep, and deletes the other contact only if it has nothing left. Returns the
   * records as they were just before the deletion.
   * @throws {Failure} changed if someone else keeps changing the records
   */
  async run(first: Awaited<ReturnType<Planner>>): Promise<MergeRecords> {
    let plannedMerge = first;
    for (let round = 0; round <= maxRounds; round += 1) {
      if (round > 1) await this.#onChange();
      const { plan, records } = plannedMerge;
      const deletion = plan.steps.find((step) => isDeletion(step, records));
      const moves = plan.steps.filter((step) => step !== deletion);
      // Only a plan after the last write can show that the other contact has nothing left.
      const isComplete = round > 0 && moves.length === 0;
      try {
        if (isComplete && deletion) await this.#send(deletion, records);
        if (isComplete) return records;
        for (const step of moves) await this.#send(step, records);
      } catch (error) {
        if (!(error instanceof OutdatedPlanError)) throw error;
      }
      plannedMerge = await this.#plan();
    }
    throw new Failure('changed', 'Someone else keeps changing the contacts. Nothing was deleted.');
  }

  /** Sends a step if its record has the values with which it was planned. */
  async #send(step: MergeStep, { versions }: MergeRecords): Promise<void> {
    const key = toPathKey(step);
    const current = step.action === 'create' ? undefined : await readTagged(this.#client, step);
    if (step.action !== 'create') {
      if (!current && step.action === 'delete') return; // deleted by an earlier run, or by someone else
      if (!current || !isAsPlanned(step, versions.get(key), current.value)) throw new OutdatedPlanError();
    }
    const request = { ...toRequest(step), ifMatch: current?.etag };
    const context = { before: current?.value, related: [] };
    try {
      const response = await this.#recorder.send(step, context, () => this.#client.send(request));
      const after = readResponseRecord(step, response);
      if (after && step.action !== 'create')
        versions.set(key, after as StoredRecord); // a record as the service sent it
      else versions.delete(key);
    } catch (error) {
      await this.#recover(step, error);
    }
  }

  /** @throws the failure of a step, if planning again does not help */
  async #recover({ action, restore }: MergeStep, error: unknown): Promise<void> {
    const code = error instanceof Failure ? error.code : undefined;
    if (action === 'delete' && code === 'not_found') return;
    if (code === 'changed') throw new OutdatedPlanError();
    if (restore && code !== 'unknown' && isRecordFailure(error)) await this.#recorder.send(restore);
    throw error;
  }
}

const isDeletion = ({ action, noun, id }: Write, { other }: MergeRecords) =>
  action === 'delete' && noun === 'contact' && id === other?.id;

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
