import type { Session } from '../../cli/command/context.ts';
import { isWrite } from '../../cli/command/effects.ts';
import type { Client } from '../../client/client.ts';
import { toErrorDocument } from '../../contract/documents/error.ts';
import { Failure, toFailure } from '../../contract/errors.ts';
import { buildRequest, type Route, type WireRequest, type WireResponse } from '../../contract/grammar.ts';
import { toPathKey } from '../../records/path.ts';
import { mapInOrder } from '../../values/in-order.ts';
import { joinMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { formatInteger } from '../../values/text.ts';
import { hasSentValues } from '../../writes/bodies.ts';
import { matchWrite, nouns, toParams } from '../../writes/nouns.ts';
import { type Recorder, readResponseRecord } from '../../writes/recorder.ts';
import { type BulkLog, openBulkLog, replaceLostDeletions } from '../bulk/bulk-log.ts';
import { createDrain } from '../bulk/drain.ts';
import { BulkSummary, createStopFailure, type LineStatus } from '../bulk/results.ts';
import { StopRule } from '../bulk/stop-rule.ts';
import { type BatchLine, parseCall } from './read-batch.ts';
import { type CallValues, readMember, replaceReferences } from './references.ts';
import { runLine } from './run-line.ts';

/** The result of a line. */
export interface LineResult {
  readonly line: BatchLine;
  readonly status: LineStatus;
  readonly data?: RawJson | undefined;
  readonly failure?: Failure | undefined;
}

interface BatchOptions {
  /** Maximum number of lines that run at once. */
  readonly parallel: number;
  readonly stopOnError: boolean;
}

/** The codes of failures that concern all lines. */
const generalCodes: readonly string[] = [
  ...['unauthorized', 'forbidden', 'rate_limited', 'network', 'storage', 'busy'],
  ...['interrupted', 'terminated', 'limit_reached'],
];

const batchHint =
  'Run the same batch again to run only the lines that are not done. A changed file is a new batch: all its lines run.';

const failedHint =
  'Correct these lines, and run them as a new batch. The same batch would run all its lines again.';

/** Returns the result of a line as the record that kith prints. */
export function toLineRecord({ line, status, data, failure }: LineResult, now: Date): RawJson {
  return joinMembers([
    ['line', toRawJson(line.line)],
    ['command', toRawJson(line.name)],
    ['status', toRawJson(status)],
    ...(data ? [['data', data] as const] : []),
    ...(failure ? [['error', toRawJson(toErrorDocument(failure, now))] as const] : []),
  ]);
}

/** The resources of a run. */
interface LineRunner extends BulkLog {
  readonly session: Session;
  readonly client: Client;
}

/** Runs the lines of a batch, records their writes as one command, and continues an interrupted run. */
export class BatchRun {
  readonly summary = new BulkSummary();
  readonly #session: Session;
  readonly #lines: readonly BatchLine[];
  readonly #options: BatchOptions;
  readonly #stopRule = new StopRule(({ code }) => !generalCodes.includes(code));
  readonly #results = new Map<number, { readonly status: LineStatus; readonly value?: unknown }>();
  /** The lines whose results later lines need. */
  readonly #referencedLines: ReadonlySet<number>;
  /** Results still to be yielded; dropped if the output is closed. */
  readonly #unprinted = new Set<LineResult>();
  #isClosed = false;
  #hasWritten = false;
  #hasFailed = false;
  /** Whether this run has written some records of a line, and not the others. */
  #hasPartialLine = false;

  constructor(session: Session, lines: readonly BatchLine[], options: BatchOptions) {
    this.#session = session;
    this.#lines = lines;
    this.#options = options;
    this.#referencedLines = new Set(lines.flatMap(({ referencedLines }) => referencedLines));
  }

  /** Yields the results in the order of the lines. */
  async *run(): AsyncGenerator<LineResult> {
    const drain = createDrain(this.#session);
    const session = this.#session.derive({ ownSignal: drain.signal });
    const runner = await this.#open(session).catch((error) => {
      drain.close();
      throw error;
    });
    const readKeys = ({ line, referencedLines }: BatchLine) => [line, ...referencedLines].map(String);
    try {
      const work = (line: BatchLine) => this.#runLine(runner, line);
      for await (const result of mapInOrder(this.#takeLines(), this.#options.parallel, readKeys, work)) {
        if (!result) continue;
        this.#count(result);
        yield result;
      }
      if (this.#isComplete && (this.#hasWritten || runner.interrupted)) runner.recorder?.finish();
    } finally {
      this.#isClosed = true;
      for (const result of this.#unprinted) this.#count(result);
      runner.close();
      drain.close();
    }
  }

  #count(result: LineResult): void {
    this.#unprinted.delete(result);
    this.summary.add({ ...result, name: `line ${result.line.line}` });
  }

  /** Whether the next run of the same batch runs all lines. Otherwise, a wrong line would keep the other lines from running. */
  get #isComplete(): boolean {
    const { total, counts } = this.summary;
    const isInterrupted = total < this.#lines.length || this.#stopRule.failure !== undefined;
    return !isInterrupted && counts.unknown === 0 && !this.#hasPartialLine;
  }

  /** The failure to report after the results. */
  get failure(): Failure | undefined {
    const { signal } = this.#session;
    const stop = signal.aborted && signal.reason instanceof Failure ? signal.reason : this.#stopRule.failure;
    const isComplete = this.summary.total === this.#lines.length;
    const hint = this.#isComplete ? failedHint : batchHint;
    const own = this.summary.createFailure('done', hint, this.#lines.length);
    const isStoppedByLine = this.#options.stopOnError && own && !stop;
    if ((isComplete && !stop) || isStoppedByLine) return own;
    return createStopFailure(stop, this.summary.describe('done', this.#lines.length), batchHint);
  }

  *#takeLines(): Generator<BatchLine> {
    for (const line of this.#lines) {
      if (this.#isStopped) return;
      yield line;
    }
  }

  get #isStopped(): boolean {
    return this.#stopRule.failure !== undefined || this.#isClosed || this.#session.signal.aborted;
  }

  async #open(session: Session): Promise<LineRunner> {
    const input = this.#lines.map(({ line, name, values }) => [line, name, values]);
    const subject = { command: 'batch', input };
    const client = await session.client();
    const log = await openBulkLog(session, subject, client, ({ lines }) => formatInteger(lines.size));
    return { ...log, client, session };
  }

  /** Runs a line; undefined if the batch has stopped. */
  async #runLine(runner: LineRunner, line: BatchLine): Promise<LineResult | undefined> {
    if (this.#isStopped || (this.#options.stopOnError && this.#hasFailed)) return undefined;
    const failedLine = line.referencedLines.find((number) => !isDone(this.#results.get(number)));
    if (failedLine !== undefined) {
      const failure = new Failure('partial', `It refers to line ${failedLine}, which is not done.`);
      return this.#finish({ line, status: 'skipped', failure });
    }
    const earlier = findEarlierData(runner, line);
    if (earlier) return this.#finish({ line, status: 'unchanged', data: toRawJson(earlier.data) });
    try {
      const { data, failure, hasWritten } = await this.#send(runner, line);
      this.#hasPartialLine ||= failure?.code === 'partial' && hasWritten;
      if (failure) return this.#finish({ line, status: 'failed', data, failure });
      if (isWrite(line.command)) this.#recordLine(runner.recorder, line, data);
      this.#stopRule.reset();
      const isUnchanged = runner.interrupted?.lines.has(line.line) && isWrite(line.command) && !hasWritten;
      return this.#finish({ line, status: isUnchanged ? 'unchanged' : 'done', data });
    } catch (error) {
      const failure = error instanceof Failure ? error : toFailure(error);
      this.#stopRule.check(failure);
      const isUnknown = ['unknown', 'interrupted', 'terminated'].includes(failure.code);
      return this.#finish({ line, status: isUnknown ? 'unknown' : 'failed', failure });
    }
  }

  #finish(result: LineResult): LineResult {
    const { line, status, data } = result;
    const isNeeded = this.#referencedLines.has(line.line);
    this.#hasFailed ||= !isDone(result);
    this.#results.set(line.line, { status, ...(isNeeded && { value: data?.value }) });
    this.#unprinted.add(result);
    return result;
  }

  async #send(runner: LineRunner, line: BatchLine) {
    const { session, recorder } = runner;
    const values = replaceReferences(line.values, (number, path) =>
      readMember(this.#results.get(number)?.value, number, path),
    ) as CallValues; // an object stays one
    const parsed = await parseCall(session, line, values);
    let hasWritten = false;
    const createClient = (lineSession: Session): Promise<Client> =>
      recorder
        ? lineSession.connections.createInterceptedClient((request, send) => {
            this.#hasWritten = true;
            return continueWrite(runner, request, async () => {
              const context = { row: line.line, mayExist: true } as const;
              const response = await recorder.intercept(request, () => send(request), context);
              hasWritten = true;
              return response;
            });
          })
        : lineSession.client();
    const result = await runLine(session, parsed, createClient);
    return { ...result, hasWritten };
  }

  /** Adds the result of a line to the log. The data of a record is in the log already, unless a line refers to it. */
  #recordLine(recorder: Recorder | undefined, { line }: BatchLine, data: RawJson): void {
    const value = this.#referencedLines.has(line) ? data.value : null;
    recorder?.open().append({ line, data: value ?? null });
  }
}

const isDone = (result?: { readonly status: LineStatus }) =>
  result?.status === 'done' || result?.status === 'unchanged';

/** Returns the result of a line that an interrupted run has done, unless the line only updates, and can run again. */
function findEarlierData(
  { interrupted }: LineRunner,
  { line, command }: BatchLine,
): { readonly data: unknown } | undefined {
  const writes = interrupted?.rows.get(line) ?? [];
  if (!interrupted || !isWrite(command) || writes.every(({ action }) => action === 'update'))
    return undefined;
  const [only, ...others] = writes;
  const after = others.length === 0 ? only?.after : undefined;
  if (interrupted.lines.has(line)) return { data: interrupted.lines.get(line) ?? after ?? null };
  // The run was killed after the response had arrived. A line that deletes may have sent only some of its deletions.
  return after ? { data: after } : undefined;
}

const deletedResponse: WireResponse = { status: 204, headers: {}, body: undefined };

/** Sends a write, unless the interrupted run has deleted the record, or the record has the values of the update. */
async function continueWrite(
  runner: LineRunner,
  request: WireRequest,
  send: () => Promise<WireResponse>,
): Promise<WireResponse> {
  const { client, interrupted } = runner;
  const write = interrupted && matchWrite(request);
  if (write?.action === 'update') {
    const current = await client.send(buildRequest(nouns[write.noun].get as Route, toParams(write)));
    return hasSentValues(write.body, readResponseRecord(write, current) ?? {}) ? current : send();
  }
  const earlier = write?.action === 'delete' ? interrupted?.outcomes.get(toPathKey(write)) : undefined;
  if (earlier === 'done') return deletedResponse;
  try {
    const response = await send();
    if (write) replaceLostDeletions(runner, write);
    return response;
  } catch (error) {
    // The response to the earlier deletion was lost.
    const isDeleted = earlier === 'unknown' && error instanceof Failure && error.code === 'not_found';
    if (isDeleted) return deletedResponse;
    throw error;
  }
}
