import type { Client } from '../client/client.ts';
import { Failure, toFailure } from '../contract/errors.ts';
import { buildRequest, type Route, type WireRequest, type WireResponse } from '../contract/grammar.ts';
import { toPathKey } from '../records/path.ts';
import { mapInOrder } from '../values/in-order.ts';
import type { JsonObject } from '../values/json-object.ts';
import { hasSentValues, isOnlyChange, isRemoved, matchesBody } from './bodies.ts';
import { findLostRecords } from './created.ts';
import type { InterruptedCommand } from './interrupted.ts';
import { matchWrite, nouns, readTagged, toParams, toRequest, type Write } from './nouns.ts';
import { StopRule } from './outcome.ts';
import { type Recorder, readResponseRecord, type WriteContext } from './recorder.ts';

export interface WriteRunOptions {
  /** Returns the client. Called for the first request: a change of a local file needs none. */
  readonly client: () => Promise<Client>;
  /** Omitted if the setting `undo` is off, or if another log already has what the run reverts. */
  readonly recorder?: Recorder | undefined;
  /** The interrupted run that this one continues. */
  readonly interrupted?: InterruptedCommand | undefined;
  /** Aborted when no further item may begin. The requests in flight finish. */
  readonly signal: AbortSignal;
  /** Maximum number of items written at once. */
  readonly concurrency: number;
  /** When the command began. */
  readonly startedAt: string;
  /** Returns the ids of the records that earlier commands created. Called if the response to a create is lost. */
  readonly readCreatedIds?: () => Promise<Iterable<string>>;
  /** Receives each write that was done, with the record if the service has returned it. */
  readonly onWrite?: (write: Write, record: JsonObject | undefined) => void;
}

/** How a run writes each of its items. */
interface ItemWriter<T, R> {
  /** Returns undefined if the item is not to be written any more. */
  readonly write: (item: T) => Promise<R | undefined>;
  /** Returns the result of an item that failed. `isUnknown`: whether it may have been written. */
  readonly fail: (item: T, failure: Failure, isUnknown: boolean) => R;
  /** Receives each result once: when it is yielded, or when the reader stops before that. */
  readonly count?: (result: R) => void;
  /** Items that share a key are written one after the other. */
  readonly readKeys?: (item: T) => readonly string[];
}

/** How a write is sent and recorded. If `before` is omitted, the record is read if writes are recorded. */
interface SendContext extends Omit<WriteContext, 'mayExist'> {
  /** The entity tag of the version to change. */
  readonly ifMatch?: string | undefined;
  /** Sends the write, if not through the client of the run. */
  readonly send?: () => Promise<WireResponse>;
}

/** The outcome of a write. `unchanged`: the record had the values already. */
export interface WriteResult {
  readonly status: 'done' | 'unchanged';
  /** The record after the write; undefined if it is deleted, or the service did not return it. */
  readonly record: JsonObject | undefined;
  readonly response: WireResponse;
}

/** Another failure stopped the run before the write was sent. */
class UnsentWrite extends Failure {}

/**
 * Sends the writes of one command: concurrently, recorded, until a failure concerns all items. It continues an interrupted
 * run, and looks up each write whose response was lost.
 */
export class WriteRun {
  /** Whether a write was sent. */
  hasWritten = false;
  readonly #options: WriteRunOptions;
  readonly #stopRule: StopRule;
  /** The ids of records that no lost create has created, because they existed before or another write created them. */
  readonly knownIds: Set<string>;
  /** The creates whose response has not arrived. */
  readonly #openCreates = new Set<Promise<unknown>>();
  /** Whether a failure may be temporary, so that running the same command again may succeed. */
  #hasTemporaryFailure = false;
  /** The first write. The others wait for it: a key that may only read then fails once. */
  #first: Promise<unknown> | undefined;

  /** `isOwn`: whether a failure concerns only one item. */
  constructor(options: WriteRunOptions, isOwn?: (failure: Failure) => boolean) {
    this.#options = options;
    this.knownIds = new Set(options.interrupted?.createdIds);
    this.#stopRule = new StopRule(isOwn);
  }

  /** The failure that stopped the run. */
  get stop(): Failure | undefined {
    const { signal } = this.#options;
    return signal.aborted && signal.reason instanceof Failure ? signal.reason : this.#stopRule.failure;
  }

  get isStopped(): boolean {
    return this.#stopRule.failure !== undefined || this.#options.signal.aborted;
  }

  /** Whether the same command has to run again for the missing writes. A refused write is refused again. */
  get isUnfinished(): boolean {
    return this.isStopped || this.#hasTemporaryFailure;
  }

  /** Writes items concurrently, and yields their results in order. Items that the run does not reach have no result. */
  async *each<T, R extends object>(
    items: Iterable<T> | AsyncIterable<T>,
    { write, fail, count = () => {}, readKeys = () => [] }: ItemWriter<T, R>,
  ): AsyncGenerator<R> {
    const unyielded = new Set<R>();
    let isClosed = false;
    const isStopped = () => isClosed || this.isStopped;
    const take = async function* () {
      for await (const item of items) {
        if (isStopped()) return;
        yield item;
      }
    };
    const work = async (item: T) => {
      if (isStopped()) return undefined;
      const result = await this.#try(item, write, fail);
      if (result) unyielded.add(result);
      return result;
    };
    try {
      for await (const result of mapInOrder(take(), this.#options.concurrency, readKeys, work)) {
        if (!result) continue;
        unyielded.delete(result);
        count(result);
        yield result;
      }
    } finally {
      isClosed = true;
      for (const result of unyielded) count(result);
    }
  }

  async #try<T, R>(
    item: T,
    write: ItemWriter<T, R>['write'],
    fail: ItemWriter<T, R>['fail'],
  ): Promise<R | undefined> {
    try {
      const result = await write(item);
      this.#stopRule.reset();
      return result;
    } catch (error) {
      if (error instanceof UnsentWrite) {
        if (this.isStopped) return undefined;
        throw error; // the run of the batch, of which this one is a line, has stopped
      }
      const failure = error instanceof Failure ? error : toFailure(error);
      this.#noteTemporary(failure);
      this.#stopRule.check(failure);
      return fail(item, failure, ['unknown', 'interrupted', 'terminated'].includes(failure.code));
    }
  }

  #noteTemporary({ exit }: Failure): void {
    this.#hasTemporaryFailure ||= temporaryExits.includes(exit);
  }

  /** Sends a write, unless it was done before. @throws {Failure} unknown if its response was lost and it is uncertain */
  async write(write: Write, context: SendContext = {}): Promise<WriteResult> {
    const { action, body } = write;
    const earlier =
      action === 'delete' ? this.#options.interrupted?.outcomes.get(toPathKey(write)) : undefined;
    if (earlier === 'done') return { ...deleted, status: 'unchanged' };
    try {
      const read = context.before ? undefined : await this.#readBefore(write);
      const before = context.before ?? read?.record;
      if (action === 'update' && before && hasSentValues(body, before))
        return { status: 'unchanged', record: before, response: read?.response ?? toResponse(before) };
      return await this.#send(write, { ...context, ...(before && { before }) });
    } catch (error) {
      // The interrupted run has sent the deletion.
      const wasDeleted = earlier === 'unknown' && error instanceof Failure && error.code === 'not_found';
      if (wasDeleted) return { ...deleted, status: 'done' };
      throw error;
    }
  }

  /** Sends a request of a command as `write` does. Returns its response, and whether anything was written. */
  async intercept(
    request: WireRequest,
    send: () => Promise<WireResponse>,
    row?: number,
  ): Promise<{ readonly response: WireResponse; readonly hasWritten: boolean }> {
    const write = matchWrite(request);
    if (write) {
      const { status, response } = await this.write(write, { row, send }).catch((error: unknown) => {
        // The command may report a failure of one of its writes as another failure.
        if (error instanceof Failure) this.#noteTemporary(error);
        throw error;
      });
      return { response, hasWritten: status === 'done' };
    }
    const { recorder } = this.#options;
    this.hasWritten = true;
    return { response: await (recorder ? recorder.intercept(request, send) : send()), hasWritten: true };
  }

  /** Reads the record before a write that is recorded. @throws {Failure} not_found */
  async #readBefore(write: Write): Promise<Pick<WriteResult, 'record' | 'response'> | undefined> {
    const { client, recorder } = this.#options;
    if (!recorder || write.action === 'create') return undefined;
    const response = await (await client()).send(
      buildRequest(nouns[write.noun].get as Route, toParams(write)),
    );
    return { record: readResponseRecord({ ...write, action: 'update' }, response), response };
  }

  async #send(write: Write, { ifMatch, send, ...context }: SendContext): Promise<WriteResult> {
    const { client, recorder, onWrite } = this.#options;
    const sendNow = send ?? (async () => (await client()).send({ ...toRequest(write), ifMatch }));
    const sendOrFind = () =>
      this.#followCreate(write, sendNow).catch((error: unknown) => this.#findLost(write, context, error));
    const response = await this.#sendInTurn(() =>
      recorder ? recorder.send(write, { ...context, mayExist: true }, sendOrFind) : sendOrFind(),
    );
    if (write.action === 'delete') this.#refuseLostDeletions(write);
    const { existingStatus }: Route = nouns[write.noun].create;
    const isOld = write.action === 'create' && response.status === existingStatus;
    const record = readResponseRecord(write, response);
    onWrite?.(write, record);
    return { status: isOld ? 'unchanged' : 'done', record, response };
  }

  /** Sends a write, and remembers the id of a created record as soon as its response arrives. */
  async #followCreate(write: Write, send: () => Promise<WireResponse>): Promise<WireResponse> {
    if (write.action !== 'create') return send();
    const create = send().then((response) => {
      const record = readResponseRecord(write, response);
      if (record) this.knownIds.add(String(record.id));
      return response;
    });
    this.#openCreates.add(create);
    try {
      return await create;
    } finally {
      this.#openCreates.delete(create);
    }
  }

  async #sendInTurn(send: () => Promise<WireResponse>): Promise<WireResponse> {
    const isFirst = this.#first === undefined;
    if (!isFirst) await this.#first;
    const { stop } = this;
    if (stop) throw new UnsentWrite(stop.code, stop.message, stop.detail);
    this.hasWritten = true;
    if (!isFirst) return send();
    const first = send();
    this.#first = first.catch((error) =>
      this.#stopRule.check(error instanceof Failure ? error : toFailure(error)),
    );
    return first;
  }

  /** Returns the response to a write whose response was lost, if the service has carried it out; otherwise, throws `error`. */
  async #findLost(write: Write, context: WriteContext, error: unknown): Promise<WireResponse> {
    if (!(error instanceof Failure) || error.code !== 'unknown') throw error;
    const response = await this.#findWritten(write, context).catch(() => undefined);
    if (!response) throw error;
    return response;
  }

  /** Returns a response with the record after a write; undefined if it is uncertain that it was written. */
  async #findWritten(write: Write, { before, from }: WriteContext): Promise<WireResponse | undefined> {
    const { action, body } = write;
    if (action === 'create') {
      const record = await this.findCreated(write, from);
      return record && { ...toResponse(record), status: 201 }; // 200 may mean that the record existed before
    }
    const current = await readTagged(await this.#options.client(), write);
    if (action === 'delete') return current ? undefined : deleted.response;
    if (!current) return undefined;
    const record: JsonObject = { ...current.value };
    const isWritten =
      action === 'remove'
        ? isRemoved(body, record)
        : hasSentValues(body, record) || (before && !matchesBody(body, before) && matchesBody(body, record));
    const isCertain = isWritten && (!before || isOnlyChange(write, before, record));
    return isCertain ? toResponse(record, current.etag) : undefined;
  }

  /**
   * Returns the record of a create whose response did not have it; undefined if it is uncertain. `from`: the id of the
   * deleted record that the create restores.
   */
  async findCreated(write: Write, from?: string): Promise<JsonObject | undefined> {
    const { client, startedAt, readCreatedIds } = this.#options;
    for (const id of (await readCreatedIds?.()) ?? []) this.knownIds.add(id);
    const lost = { writes: [{ ...write, from, n: 0 }], at: startedAt };
    const [record, ...others] = (await findLostRecords(await client(), lost, this.knownIds)).get(0) ?? [];
    // The record may belong to an equal create whose response is about to arrive.
    await Promise.allSettled(this.#openCreates);
    if (!record || others.length > 0 || this.knownIds.has(String(record.id))) return undefined;
    this.knownIds.add(String(record.id));
    return record;
  }

  /**
   * Removes the deletions of a record from the log that the interrupted run did not carry out, after this run has deleted
   * it. Otherwise, an undo would create the related records twice.
   */
  #refuseLostDeletions(write: Write): void {
    const { recorder, interrupted } = this.#options;
    for (const n of interrupted?.lostDeletions.get(toPathKey(write)) ?? [])
      recorder?.open().append({ n, refused: true });
  }

  /** Records that the command is complete, if it has written anything: the same command then starts again. */
  finish(): void {
    const { recorder, interrupted } = this.#options;
    if (this.isUnfinished) return;
    if (this.hasWritten || interrupted) recorder?.finish();
  }
}

/** Exit codes: a response is lost, the service or the network is unavailable, or a signal stopped the run. */
const temporaryExits: readonly number[] = [7, 75, 130, 143];

const deleted = { record: undefined, response: { status: 204, headers: {}, body: undefined } };

const toResponse = (body: JsonObject, etag?: string): WireResponse => ({
  status: 200,
  headers: etag === undefined ? {} : { etag },
  body,
});
