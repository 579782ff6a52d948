import type { Session } from '../../cli/command/context.ts';
import { openRun } from '../../cli/write-run.ts';
import { type Failure, isTaken } from '../../contract/errors.ts';
import { type JsonObject, readObject } from '../../values/json-object.ts';
import { parseRawJson, type RawJson, toRawJson } from '../../values/raw-json.ts';
import { formatInteger } from '../../values/text.ts';
import type { Write } from '../../writes/nouns.ts';
import { continueHint, createStopFailure, RunSummary } from '../../writes/outcome.ts';
import type { WriteResult, WriteRun } from '../../writes/run.ts';
import type { BulkOutcome } from './results.ts';
import type { Target } from './targets.ts';

/** The writes of a command to many records. */
export interface BulkWrites {
  /** The command in the change log: `contacts update`. */
  readonly command: string;
  /** Everything that decides the writes. */
  readonly input: unknown;
  readonly past: 'updated' | 'deleted' | 'added';
  readonly targets: readonly Target[];
  readonly toWrite: (target: Target) => Write | Promise<Write>;
}

/** Writes the records of a command, and continues an interrupted run of the same command. */
export class BulkRun {
  readonly summary = new RunSummary();
  readonly #session: Session;
  readonly #writes: BulkWrites;
  #run: WriteRun | undefined;

  constructor(session: Session, writes: BulkWrites) {
    this.#session = session;
    this.#writes = writes;
  }

  /** Yields the outcomes in the order of the records. Continues after a failed record. */
  async *run(): AsyncGenerator<BulkOutcome> {
    const { command, input, targets, toWrite } = this.#writes;
    const { run, interrupted, close } = await openRun(this.#session, {
      command,
      input,
      describe: ({ outcomes, addedIds }) =>
        formatInteger([...outcomes.values()].filter((outcome) => outcome === 'done').length + addedIds.size),
    });
    this.#run = run;
    try {
      yield* run.each(targets, {
        write: async (target): Promise<BulkOutcome> => {
          const write = await toWrite(target);
          const isAdded = write.action === 'create' && interrupted?.addedIds.has(target.id);
          return isAdded ? { target, status: 'unchanged' } : { target, ...(await this.#write(run, write)) };
        },
        fail: (target, failure, isUnknown) => ({ target, status: isUnknown ? 'unknown' : 'failed', failure }),
        count: (outcome) => this.summary.add({ ...outcome, name: outcome.target.id }),
      });
      if (this.summary.total === targets.length && this.summary.failedCount === 0) run.finish();
    } finally {
      close();
    }
  }

  async #write(run: WriteRun, write: Write): Promise<Pick<BulkOutcome, 'status' | 'record'>> {
    try {
      const { status, record, response } = await run.write(write);
      return {
        status: status === 'done' ? this.#writes.past : status,
        record: record && toRawRecord(record, response),
      };
    } catch (error) {
      if (write.action === 'create' && isTaken(error)) return { status: 'unchanged' };
      throw error;
    }
  }

  /** The failure to report after the results. */
  get failure(): Failure | undefined {
    const { past, targets } = this.#writes;
    const stop = this.#run?.stop;
    const remaining = targets.length - this.summary.total;
    if (!stop && remaining === 0) return this.summary.createFailure(past, continueHint);
    return createStopFailure(stop, this.summary.describe(past, targets.length));
  }
}

/** Returns the record of a response with its text as received. */
function toRawRecord(record: JsonObject, { body, text }: WriteResult['response']): RawJson {
  const isBare = readObject(body).id === record.id;
  return isBare && text !== undefined ? parseRawJson(text) : toRawJson(record);
}
