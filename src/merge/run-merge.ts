import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure, isTaken } from '../contract/errors.ts';
import type { RecordPath } from '../records/path.ts';
import type { JsonObject } from '../values/json-object.ts';
import { fromBody, toCreateBody } from '../writes/bodies.ts';
import { nouns, readRecord, readTagged } from '../writes/nouns.ts';
import type { WriteRun } from '../writes/run.ts';
import { isSameJson } from '../writes/values.ts';
import type { MergedIds, MergeStep } from './merge-nouns.ts';
import type { MergePlan } from './plan-merge.ts';
import { type MergeRecords, readMergeRecords } from './read-merge.ts';

/** A plan with the records that it was made for. */
export interface PlannedMerge {
  readonly plan: MergePlan;
  readonly records: MergeRecords;
}

/** Someone else changed the records of a merge. */
export class MergeConflict extends Failure {
  constructor(change: string) {
    super('busy', `Someone else ${change} during the merge`);
  }

  static of(change: string, { noun, id }: RecordPath): MergeConflict {
    return new MergeConflict(`${change} the ${nouns[noun].title} ${id}`);
  }
}

interface MergeRunOptions {
  /** Reads records. */
  readonly client: Client;
  /** Sends the writes. */
  readonly run: WriteRun;
  readonly ids: MergedIds;
  /** Receives the number of records read before the other record is deleted. */
  readonly onRead: (count: number) => void;
  /** Receives the number of writes done. */
  readonly onWrite: (done: number) => void;
}

/** A record of a merge as it is now. */
type TaggedRecord = NonNullable<Awaited<ReturnType<typeof readTagged>>>;

/**
 * Sends the writes of a merge. It stops at the first change that is not its own: it compares the two records before each
 * write, the record that it writes, and before it deletes the other record all references to both.
 */
export class MergeRun {
  readonly #options: MergeRunOptions;
  readonly #records: MergeRecords;
  /** The records as this run has last read or written them, by id. */
  readonly #merged: Map<string, JsonObject>;
  /** The ids and keys of copied entries, by the ids and keys of the originals. */
  readonly #newDeals = new Map<string, string>();

  constructor(records: MergeRecords, options: MergeRunOptions) {
    this.#options = options;
    this.#records = records;
    const { keep, other, references } = records;
    this.#merged = new Map([keep, other].map((record) => [record.id, { ...record }]));
    for (const id of references.listIds()) options.run.knownIds.add(id);
  }

  /** @throws {MergeConflict} if someone else has changed something; {Failure} of a write */
  async run({ steps }: Pick<MergePlan, 'steps'>): Promise<void> {
    for (const [index, step] of steps.entries()) {
      if (step === steps.at(-1)) await this.#deleteOther(step);
      else await this.#send(step);
      this.#options.onWrite(index + 1);
    }
  }

  /** Reads both records. @throws {MergeConflict} if one of them has changed */
  async #readMerged(): Promise<ReadonlyMap<string, TaggedRecord>> {
    const { client, ids } = this.#options;
    const { noun } = ids;
    const entries = [ids.keep, ids.other].map(async (id) => {
      const current = await readTagged(client, { noun, id });
      if (!current) throw MergeConflict.of('deleted', { noun, id });
      const values = [current.value, this.#merged.get(id) ?? {}].map((record) =>
        fromBody(toCreateBody(noun, { ...record })),
      );
      if (!isSameJson(values[0], values[1])) throw MergeConflict.of('changed', { noun, id });
      return [id, current] as const;
    });
    return new Map(await Promise.all(entries));
  }

  /** Reads the record that a step writes. @throws {MergeConflict} if it has changed */
  async #readTarget(step: MergeStep): Promise<TaggedRecord | undefined> {
    const merged = await this.#readMerged();
    if (step.action === 'create') return undefined;
    const current = merged.get(step.id ?? '') ?? (await readTagged(this.#options.client, step));
    if (!current) throw MergeConflict.of('deleted', step);
    if (this.#records.references.matches(step, { ...current.value })) return current;
    throw MergeConflict.of('changed', step);
  }

  async #send(planned: MergeStep): Promise<void> {
    const { client, run } = this.#options;
    // The deal of a note may be an entry that an earlier step created.
    const deal_id = planned.awaitsDeal && this.#newDeals.get(String(planned.body.deal_id));
    const step = deal_id === undefined ? planned : { ...planned, body: { ...planned.body, deal_id } };
    const current = await this.#readTarget(step);
    const before = current && { ...current.value };
    const { status, record } = await run
      .write(step, { before, ifMatch: current?.etag })
      .catch((error: unknown) => this.#throwConflict(error, step));
    if (step.action === 'create' && status === 'unchanged') throw new MergeConflict(addedEntry);
    const after = record ?? (before ? await readRecord(client, step) : await run.findCreated(step));
    if (!after)
      throw new Failure('unknown', `The service did not return the ${nouns[step.noun].title} that it wrote.`);
    this.#follow(step, { ...after });
  }

  /** Throws a conflict instead of a failure that someone else's change causes. */
  async #throwConflict(error: unknown, step: MergeStep): Promise<never> {
    if (!isRecordFailure(error) || error.code === 'unknown') throw error;
    await this.#readMerged();
    const isCreate = step.action === 'create';
    if (!isCreate && error.code === 'changed') throw MergeConflict.of('changed', step);
    if (!isCreate && error.code === 'not_found') throw MergeConflict.of('deleted', step);
    throw isCreate && isTaken(error) ? new MergeConflict(addedEntry) : error;
  }

  /** Remembers the state of a record after a write. */
  #follow({ noun, list_id, copies = [] }: MergeStep, after: JsonObject): void {
    const id = String(after.id);
    if (noun === this.#options.ids.noun && this.#merged.has(id)) this.#merged.set(id, after);
    this.#records.references.update({ noun, list_id, id }, after);
    for (const copied of copies) {
      this.#newDeals.set(copied.id, id);
      if (copied.key && typeof after.key === 'string') this.#newDeals.set(copied.key, after.key);
    }
  }

  /**
   * Deletes the other record, with its entries and notes. If someone has deleted the record to keep at the same moment,
   * the caller restores the other record.
   */
  async #deleteOther(step: MergeStep): Promise<void> {
    const { client, run, ids, onRead } = this.#options;
    const now = await readMergeRecords(client, ids, onRead).catch((error: unknown) =>
      this.#throwConflict(error, step),
    );
    const change = this.#records.references.findChange(now.references);
    if (change) throw MergeConflict.of(change.change, change);
    const other = (await this.#readMerged()).get(ids.other);
    const before = other && { ...other.value };
    await run
      .write(step, { before, related: now.references.list(ids.other), ifMatch: other?.etag })
      .catch((error: unknown) => this.#throwConflict(error, step));
    const kept = { noun: ids.noun, id: ids.keep };
    if (!(await readRecord(client, kept))) throw MergeConflict.of('deleted', kept);
  }
}

const addedEntry = 'added the record to keep to one of the lists';
