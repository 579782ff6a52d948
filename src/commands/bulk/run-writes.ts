import type { Session } from '../../cli/command/context.ts';
import { getDefaultConcurrency } from '../../cli/connect/connection.ts';
import type { Client } from '../../client/client.ts';
import { Failure, toFailure } from '../../contract/errors.ts';
import type { Route, WireResponse } from '../../contract/grammar.ts';
import { isTaken } from '../../import/record-writer.ts';
import { toPathKey } from '../../records/path.ts';
import { mapInOrder } from '../../values/in-order.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { parseRawJson, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { formatInteger } from '../../values/text.ts';
import { hasSentValues, matchesBody } from '../../writes/bodies.ts';
import { findCreated } from '../../writes/created.ts';
import { nouns, readRecord, toParams, toRequest, type Write } from '../../writes/nouns.ts';
import { readResponseRecord } from '../../writes/recorder.ts';
import { type BulkLog, type BulkSubject, openBulkLog, replaceLostDeletions } from './bulk-log.ts';
import { createDrain } from './drain.ts';
import { type BulkOutcome, BulkSummary, continueHint, createStopFailure } from './results.ts';
import { StopRule } from './stop-rule.ts';
import type { Target } from './targets.ts';

/** The writes of a command to many records. */
export interface BulkWrites extends BulkSubject {
  readonly past: 'updated' | 'deleted' | 'added';
  readonly targets: readonly Target[];
  readonly toWrite: (target: Target) => Write | Promise<Write>;
}

/** The client of a run, and its log. */
interface Writer extends BulkLog {
  readonly client: Client;
}

/** Sends the writes of a command concurrently, records them, and continues an interrupted run of the same command. */
export class BulkRun {
  readonly summary = new BulkSummary();
  readonly #session: Session;
  readonly #writes: BulkWrites;
  readonly #startedAt: string;
  readonly #stopRule = new StopRule();
  /** Outcomes still to be yielded; dropped if the output is closed. */
  readonly #unprinted = new Set<BulkOutcome>();
  #isClosed = false;
  #hasWritten = false;

  constructor(session: Session, writes: BulkWrites) {
    this.#session = session;
    this.#writes = writes;
    this.#startedAt = session.runtime.now().toISOString();
  }

  /** Yields the outcomes in the order of the records. Continues after a failed record. */
  async *run(): AsyncGenerator<BulkOutcome> {
    const session = this.#session;
    const drain = createDrain(session);
    const writer = await this.#open(session.derive({ ownSignal: drain.signal })).catch((error) => {
      drain.close();
      throw error;
    });
    try {
      const concurrency = await getDefaultConcurrency(session);
      const work = async (target: Target) => {
        const outcome = await this.#write(writer, target);
        if (outcome) this.#unprinted.add(outcome);
        return outcome;
      };
      for await (const outcome of mapInOrder(this.#takeTargets(), concurrency, () => [], work)) {
        if (!outcome) continue;
        this.#count(outcome);
        yield outcome;
      }
      const isComplete = this.summary.total === this.#writes.targets.length && this.summary.failedCount === 0;
      if (isComplete && (this.#hasWritten || writer.interrupted)) writer.recorder?.finish();
    } finally {
      this.#isClosed = true;
      for (const outcome of this.#unprinted) this.#count(outcome);
      writer.close();
      drain.close();
    }
  }

  #count(outcome: BulkOutcome): void {
    this.#unprinted.delete(outcome);
    this.summary.add({ ...outcome, name: outcome.target.id });
  }

  /** The failure to report after the results. */
  get failure(): Failure | undefined {
    const { past, targets } = this.#writes;
    const { signal } = this.#session;
    const stop = signal.aborted && signal.reason instanceof Failure ? signal.reason : this.#stopRule.failure;
    const remaining = targets.length - this.summary.total;
    if (!stop && remaining === 0) return this.summary.createFailure(past, continueHint);
    return createStopFailure(stop, this.summary.describe(past, targets.length));
  }

  *#takeTargets(): Generator<Target> {
    for (const target of this.#writes.targets) {
      if (this.#isStopped) return;
      yield target;
    }
  }

  get #isStopped(): boolean {
    return this.#stopRule.failure !== undefined || this.#isClosed || this.#session.signal.aborted;
  }

  async #open(session: Session): Promise<Writer> {
    const client = await session.client();
    const log = await openBulkLog(session, this.#writes, client, ({ outcomes, addedIds }) =>
      formatInteger([...outcomes.values()].filter((outcome) => outcome === 'done').length + addedIds.size),
    );
    return { client, ...log };
  }

  /** Writes one record; undefined if the run has stopped. */
  async #write(writer: Writer, target: Target): Promise<BulkOutcome | undefined> {
    if (this.#isStopped) return undefined;
    try {
      const write = await this.#writes.toWrite(target);
      const outcome = await this.#send(writer, target, write);
      this.#stopRule.reset();
      return { target, ...outcome };
    } catch (error) {
      const failure = error instanceof Failure ? error : toFailure(error);
      this.#stopRule.check(failure);
      const isUnknown = ['unknown', 'interrupted', 'terminated'].includes(failure.code);
      return { target, status: isUnknown ? 'unknown' : 'failed', failure };
    }
  }

  async #send(writer: Writer, { id }: Target, write: Write): Promise<Omit<BulkOutcome, 'target'>> {
    const { client, recorder, interrupted } = writer;
    const { past } = this.#writes;
    const isCreate = write.action === 'create';
    const earlier = interrupted?.outcomes.get(toPathKey(write));
    const isDone = isCreate ? interrupted?.addedIds.has(id) : write.action === 'delete' && earlier === 'done';
    if (isDone) return { status: 'unchanged' };
    let before: JsonObject | undefined;
    try {
      before = recorder && !isCreate ? await readBefore(client, write) : undefined;
    } catch (error) {
      // The earlier run was killed after it had sent the deletion.
      const wasSent = error instanceof Failure && error.code === 'not_found' && earlier === 'unknown';
      if (wasSent && write.action === 'delete') return { status: 'deleted' };
      throw error;
    }
    if (write.action === 'update' && before && hasSentValues(write.body, before))
      return { status: 'unchanged', record: toRawJson(before) };
    const send = () => client.send(toRequest(write));
    this.#hasWritten = true;
    try {
      const response = await (recorder ? recorder.send(write, { before, mayExist: true }, send) : send());
      replaceLostDeletions(writer, write);
      const { existingStatus }: Route = nouns[write.noun].create;
      const isOld = isCreate && response.status === existingStatus;
      return { status: isOld ? 'unchanged' : past, record: toRecord(write, response) };
    } catch (error) {
      if (isCreate && isTaken(error)) return { status: 'unchanged' };
      if (!(error instanceof Failure) || error.code !== 'unknown') throw error;
      const record = await this.#findWritten(client, write, before);
      if (record === undefined) throw error;
      return { status: past, record: record ? toRawJson(record) : undefined };
    }
  }

  /** Returns the record after a write whose response was lost, null if it was deleted; undefined if this is uncertain. */
  async #findWritten(
    client: Client,
    write: Write,
    before: JsonObject | undefined,
  ): Promise<JsonObject | null | undefined> {
    const { action, body } = write;
    if (action === 'create') return findLostCreate(client, write, this.#startedAt);
    const current = await readRecord(client, write);
    if (action === 'delete') return current ? undefined : null;
    if (!current) return undefined;
    const isWritten =
      hasSentValues(body, current) || (before && !matchesBody(body, before) && matchesBody(body, current));
    return isWritten ? { ...current } : undefined;
  }
}

/**
 * Returns the record of a create whose response was lost; undefined if it is uncertain. `at`: when the command began.
 * `knownIds`: the ids of records that other writes created.
 */
export async function findLostCreate(
  client: Client,
  write: Write,
  at: string,
  knownIds: ReadonlySet<string> = new Set(),
): Promise<JsonObject | undefined> {
  const lost = { ...write, ...unsent, n: 0 };
  const matches = await findCreated(client, { writes: [lost], at }, knownIds);
  const [only, ...others] = (matches.get(0) ?? []).filter(({ isNew }) => isNew);
  return others.length === 0 ? only?.record : undefined;
}

/** The properties of a write in a log that was sent, and whose response was lost. */
const unsent = {
  before: undefined,
  related: [],
  missing: [],
  from: undefined,
  outcome: 'unknown',
  after: undefined,
} as const;

/** Reads the record before a write. @throws {Failure} not_found */
async function readBefore(client: Client, write: Write): Promise<JsonObject> {
  const { value } = await client.record(nouns[write.noun].get as Route, toParams(write));
  return readObject(value);
}

/** Returns the record in a response with its text as received. */
function toRecord(write: Write, response: WireResponse): RawJson | undefined {
  const record = readResponseRecord(write, response);
  if (!record) return undefined;
  const isBare = readObject(response.body).id === record.id;
  return isBare && response.text !== undefined ? parseRawJson(response.text) : toRawJson(record);
}
