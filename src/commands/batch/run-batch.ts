import type { Session } from '../../cli/command/context.ts';
import { isWrite, writesDirectly } from '../../cli/command/effects.ts';
import { type OpenRun, openRun } from '../../cli/write-run.ts';
import { toErrorDocument } from '../../contract/documents/error.ts';
import { Failure } from '../../contract/errors.ts';
import { joinMembers, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { formatInteger } from '../../values/text.ts';
import type { InterruptedCommand } from '../../writes/interrupted.ts';
import { createStopFailure, RunSummary, type WriteStatus } from '../../writes/outcome.ts';
import type { Recorder } from '../../writes/recorder.ts';
import type { WriteRun } from '../../writes/run.ts';
import { type BatchLine, parseCall } from './read-batch.ts';
import { type CallValues, readMember, replaceReferences } from './references.ts';
import { runLine } from './run-line.ts';

/** The result of a line. */
export interface LineResult {
  readonly line: BatchLine;
  readonly status: WriteStatus;
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
  'Repeat the same lines to run only those that are not done. If a line has changed, all lines run again.';

const failedHint =
  'Correct these lines, and run only them. If you repeat the same lines, all of them run again.';

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

/** Runs the lines of a batch, records their writes as one command, and continues an interrupted run. */
export class BatchRun {
  readonly summary = new RunSummary();
  readonly #session: Session;
  readonly #lines: readonly BatchLine[];
  readonly #options: BatchOptions;
  readonly #results = new Map<number, { readonly status: WriteStatus; readonly value?: unknown }>();
  /** The lines whose results later lines need. */
  readonly #referencedLines: ReadonlySet<number>;
  #run: WriteRun | undefined;
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
    const opened = await openRun(this.#session, {
      command: 'batch',
      input: this.#lines.map(({ line, name, values }) => [line, name, values]),
      describe: ({ lines }) => formatInteger(lines.size),
      concurrency: this.#options.parallel,
      isOwn: ({ code }) => !generalCodes.includes(code),
    });
    const { run } = opened;
    this.#run = run;
    try {
      yield* run.each(this.#lines, {
        write: (line) => this.#runLine(opened, line),
        fail: (line, failure, isUnknown) =>
          this.#keep({ line, status: isUnknown ? 'unknown' : 'failed', failure }),
        count: (result) => this.summary.add({ ...result, name: `line ${result.line.line}` }),
        // Two lines must not create the same organization.
        readKeys: ({ line, referencedLines, values }) =>
          [line, ...referencedLines, ...(values.create_organization ? ['organization'] : [])].map(String),
      });
      if (this.#isComplete) run.finish();
    } finally {
      opened.close();
    }
  }

  /** Whether the next run of the same batch runs all lines. Otherwise, a wrong line would keep the other lines from running. */
  get #isComplete(): boolean {
    const isInterrupted = this.summary.total < this.#lines.length || this.#run?.isUnfinished;
    return !isInterrupted && !this.#hasPartialLine;
  }

  /** The failure to report after the results. */
  get failure(): Failure | undefined {
    const stop = this.#run?.stop;
    const isComplete = this.summary.total === this.#lines.length;
    const hint = this.#isComplete ? failedHint : batchHint;
    const own = this.summary.createFailure('done', hint, this.#lines.length);
    const isStoppedByLine = this.#options.stopOnError && own && !stop;
    if ((isComplete && !stop) || isStoppedByLine) return own;
    return createStopFailure(stop, this.summary.describe('done', this.#lines.length), batchHint);
  }

  /** Runs a line; undefined if an earlier line failed and the batch stops there. */
  async #runLine(opened: OpenRun, line: BatchLine): Promise<LineResult | undefined> {
    if (this.#options.stopOnError && this.#hasFailed) return undefined;
    const failedLine = line.referencedLines.find((number) => !isDone(this.#results.get(number)));
    if (failedLine !== undefined) {
      const failure = new Failure('partial', `It refers to line ${failedLine}, which is not done.`);
      return this.#keep({ line, status: 'skipped', failure });
    }
    const { recorder, interrupted } = opened;
    const earlier = findEarlierData(interrupted, line);
    if (earlier) return this.#keep({ line, status: 'unchanged', data: toRawJson(earlier.data) });
    const { data, failure, hasWritten } = await this.#send(opened, line);
    this.#hasPartialLine ||= failure?.code === 'partial' && hasWritten;
    if (failure) return this.#keep({ line, status: 'failed', data, failure });
    if (isWrite(line.command)) this.#recordLine(recorder, line, data);
    const isUnchanged = isWrite(line.command) && !writesDirectly(line.command) && !hasWritten;
    return this.#keep({ line, status: isUnchanged ? 'unchanged' : 'done', data });
  }

  #keep(result: LineResult): LineResult {
    const { line, status, data } = result;
    const isNeeded = this.#referencedLines.has(line.line);
    this.#hasFailed ||= !isDone(result);
    this.#results.set(line.line, { status, ...(isNeeded && { value: data?.value }) });
    return result;
  }

  async #send({ run, session }: OpenRun, line: BatchLine) {
    const values = replaceReferences(line.values, (number, path) =>
      readMember(this.#results.get(number)?.value, number, path),
    ) as CallValues; // an object stays one
    const parsed = await parseCall(session, line, values);
    let hasWritten = false;
    const result = await runLine(session, parsed, (lineSession) =>
      lineSession.connections.createInterceptedClient(async (request, send) => {
        const sent = await run.intercept(request, () => send(request), line.line);
        hasWritten ||= sent.hasWritten;
        return sent.response;
      }),
    );
    return { ...result, hasWritten };
  }

  /** Adds the result of a line to the log. The data of a record is in the log already, unless a line refers to it. */
  #recordLine(recorder: Recorder | undefined, { line }: BatchLine, data: RawJson): void {
    const value = this.#referencedLines.has(line) ? data.value : null;
    recorder?.open().append({ line, data: value ?? null });
  }
}

const isDone = (result?: { readonly status: WriteStatus }) =>
  result?.status === 'done' || result?.status === 'unchanged';

/** Returns the result of a line that an interrupted run has done, unless the line only updates, and can run again. */
function findEarlierData(
  interrupted: InterruptedCommand | undefined,
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
