import type { Archive } from '../../../archive/archive.ts';
import { readMatchKeys } from '../../../archive/transfer/match-keys.ts';
import type { RecordPlan, RecordPlanner } from '../../../archive/transfer/plan-record.ts';
import type { TransferStatus } from '../../../archive/transfer/tally.ts';
import {
  listSourceRecords,
  type SourceRecord,
  type TransferRecord,
} from '../../../archive/transfer/transfer-nouns.ts';
import type { Client } from '../../../client/client.ts';
import { Failure, toFailure } from '../../../contract/errors.ts';
import type { Route, WireResponse } from '../../../contract/grammar.ts';
import { type WritableNoun, writableNouns } from '../../../contract/singular-nouns.ts';
import { isTaken } from '../../../import/record-writer.ts';
import { mapInOrder } from '../../../values/in-order.ts';
import type { JsonObject } from '../../../values/json-object.ts';
import { hasSentValues } from '../../../writes/bodies.ts';
import { nouns, readTagged, toRequest, type Write } from '../../../writes/nouns.ts';
import { type Recorder, readResponseRecord } from '../../../writes/recorder.ts';
import { findLostCreate } from '../../bulk/run-writes.ts';
import { StopRule } from '../../bulk/stop-rule.ts';

/** The outcome of a record. */
export interface TransferOutcome extends Pick<RecordPlan, 'kept' | 'lost'> {
  readonly source: SourceRecord;
  readonly action: TransferStatus;
  /** Why the record is not copied. */
  readonly reason?: string | undefined;
  /** Whether the record was counted before, and only some of its values are not copied. */
  readonly isPartial?: true;
  /** The id of the copy. */
  readonly id?: string | undefined;
  readonly failure?: Failure | undefined;
}

interface RunOptions {
  readonly archive: Archive;
  readonly planner: RecordPlanner;
  readonly client: Client;
  readonly recorder: Recorder | undefined;
  readonly concurrency: number;
  /** When the command began. */
  readonly at: string;
  /** Aborted when no further record may be written. */
  readonly signal: AbortSignal;
}

/** The nouns whose values may refer to records that are created later. */
const referringNouns: readonly WritableNoun[] = ['organizations', 'contacts'];

/** Writes the records of a transfer in the order of their references, and yields their outcomes. */
export class TransferRun {
  readonly #options: RunOptions;
  readonly #stopRule = new StopRule();
  /** The records with values that refer to records of a later write. */
  readonly #incomplete = new Set<number>();
  readonly #createdIds = new Set<string>();
  /** The first write: a key that may only read fails once, not once for each concurrent record. */
  #firstWrite: Promise<unknown> | undefined;
  hasWritten = false;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  /** The failure that stopped the run. */
  get stop(): Failure | undefined {
    const { signal } = this.#options;
    return signal.aborted && signal.reason instanceof Failure ? signal.reason : this.#stopRule.failure;
  }

  async *run(): AsyncGenerator<TransferOutcome> {
    for (const noun of writableNouns) {
      yield* this.#writeEach(noun, (source) => this.#write(source));
      if (noun !== 'contacts' || this.#incomplete.size === 0) continue;
      for (const referring of referringNouns)
        yield* this.#writeEach(referring, (source) => this.#complete(source));
    }
  }

  async *#writeEach(
    noun: WritableNoun,
    write: (source: SourceRecord) => Promise<TransferOutcome | undefined>,
  ): AsyncGenerator<TransferOutcome> {
    const { concurrency } = this.#options;
    for await (const outcome of mapInOrder(this.#takeSources(noun), concurrency, readOrderKeys, write))
      if (outcome) yield outcome;
  }

  async *#takeSources(noun: WritableNoun): AsyncGenerator<SourceRecord> {
    let count = 0;
    for (const source of listSourceRecords(this.#options.archive, noun)) {
      count += 1;
      if (count % 200 === 0) await new Promise((next) => setImmediate(next)); // signals arrive between turns
      if (this.#isStopped) return;
      yield source;
    }
  }

  get #isStopped(): boolean {
    return this.#stopRule.failure !== undefined || this.#options.signal.aborted;
  }

  /** Writes one record; undefined if the run has stopped. */
  async #write(source: SourceRecord): Promise<TransferOutcome | undefined> {
    if (this.#isStopped) return undefined;
    const plan = this.#options.planner.plan(source);
    if (plan.hasPending) this.#incomplete.add(source.row);
    return this.#try(source, plan, () => this.#send(source, plan));
  }

  /** Writes the values that refer to records which exist now. Returns only a failure: the record is counted already. */
  async #complete(source: SourceRecord): Promise<TransferOutcome | undefined> {
    if (this.#isStopped || !this.#incomplete.has(source.row)) return undefined;
    const id = this.#options.planner.findCopy(source);
    if (id === undefined) return undefined; // its create failed
    const outcome = await this.#try(source, { action: 'update', id }, async () => {
      await this.#update(source, id);
      return undefined;
    });
    return outcome && { ...outcome, isPartial: true };
  }

  async #try<T>(source: SourceRecord, plan: Pick<RecordPlan, 'action' | 'id'>, work: () => Promise<T>) {
    try {
      const result = await work();
      this.#stopRule.reset();
      return result;
    } catch (error) {
      const failure = error instanceof Failure ? error : toFailure(error);
      this.#stopRule.check(failure);
      if (plan.action === 'create') this.#options.planner.drop(source);
      return { source, action: 'fail' as const, id: plan.id, kept: [], lost: [], failure };
    }
  }

  async #send(source: SourceRecord, plan: RecordPlan): Promise<TransferOutcome | undefined> {
    const { action, id, kept, lost, reason, write } = plan;
    if (action === 'create' && write) return this.#create(source, plan, write);
    if (action !== 'update' || id === undefined) return { source, action, id, kept, lost, reason };
    const changed = await this.#update(source, id);
    return { source, ...changed };
  }

  async #create(
    source: SourceRecord,
    { kept, lost }: RecordPlan,
    write: Write,
  ): Promise<TransferOutcome | undefined> {
    const { planner, client, recorder } = this.#options;
    const outcome = { source, kept, lost };
    const send = () => client.send(toRequest(write));
    const context = { row: source.row, mayExist: true } as const;
    try {
      const response = await this.#sendFirst(() => (recorder ? recorder.send(write, context, send) : send()));
      if (!response) return undefined;
      const record = readResponseRecord(write, response) ?? (await this.#findCreated(write));
      const { existingStatus }: Route = nouns[write.noun].create;
      const action = response.status === existingStatus ? 'same' : 'create';
      return { ...outcome, action, id: this.#addCopy(source, record) };
    } catch (error) {
      // Somebody else has added the entry meanwhile, and its id is unknown.
      if (isTaken(error) && source.noun === 'entries') {
        planner.drop(source);
        return { ...outcome, action: 'same' };
      }
      const existingId = isTaken(error) ? planner.findByAddress(source) : undefined;
      if (existingId !== undefined) return { source, ...(await this.#update(source, existingId)) };
      if (!(error instanceof Failure) || error.code !== 'unknown') throw error;
      const record = await this.#findCreated(write).catch(() => undefined);
      if (!record) throw error;
      return { ...outcome, action: 'create', id: this.#addCopy(source, record) };
    }
  }

  #addCopy(source: SourceRecord, record: JsonObject): string {
    const copy: TransferRecord = { ...record, id: String(record.id) };
    this.#createdIds.add(copy.id);
    this.#options.planner.addCopy(source, copy);
    return copy.id;
  }

  /** Finds the record of a create whose response had no record. @throws {Failure} unknown */
  async #findCreated(write: Write): Promise<JsonObject> {
    const { client, at } = this.#options;
    const record = await findLostCreate(client, write, at, this.#createdIds);
    if (record) return record;
    const { title } = nouns[write.noun];
    throw new Failure('unknown', `The service did not return the new ${title}.`);
  }

  /** Adds the missing values of a record to its copy. Reads the copy first, because it may have changed. */
  async #update(source: SourceRecord, id: string): Promise<Omit<TransferOutcome, 'source'>> {
    const { planner, client, recorder } = this.#options;
    const path = planner.toPath(source, id);
    const tagged = await readTagged(client, path);
    if (!tagged) throw new Failure('not_found', `The ${nouns[path.noun].title} ${id} no longer exists.`);
    const stored: TransferRecord = { ...tagged.value };
    planner.addCopy(source, stored);
    const { action, kept, lost, reason, write } = planner.planUpdate(source, stored);
    if (!write) return { action, id, kept, lost, reason };
    const send = () => client.send({ ...toRequest(write), ifMatch: tagged.etag });
    const context = { row: source.row, before: stored };
    try {
      await this.#sendFirst(() => (recorder ? recorder.send(write, context, send) : send()));
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'unknown') throw error;
      const current = await readTagged(client, path);
      if (!current || !hasSentValues(write.body, { ...current.value })) throw error;
    }
    return { action: 'update', id, kept, lost };
  }

  /** Sends a write. All writes wait for the first one; undefined if it has stopped the run. */
  async #sendFirst(send: () => Promise<WireResponse>): Promise<WireResponse | undefined> {
    if (this.#firstWrite) {
      await this.#firstWrite;
      if (this.#isStopped) return undefined;
      return send();
    }
    const first = send();
    this.#firstWrite = first.then(
      () => {},
      (error) => this.#stopRule.check(error instanceof Failure ? error : toFailure(error)),
    );
    const response = await first;
    this.hasWritten = true;
    return response;
  }
}

/** Records that share a key are written in order, so that equal records keep their order. */
function readOrderKeys({ noun, record }: SourceRecord): readonly string[] {
  if (noun === 'notes') return [String(record.organization_id)];
  const { addresses, others } = readMatchKeys(noun, record);
  return [...addresses, ...others];
}
