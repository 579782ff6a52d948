import type { Archive } from '../../../archive/archive.ts';
import type { RecordPlan, RecordPlanner, TransferAction } from '../../../archive/transfer/plan-record.ts';
import {
  listSourceRecords,
  type SourceRecord,
  type TransferRecord,
} from '../../../archive/transfer/transfer-nouns.ts';
import type { Client } from '../../../client/client.ts';
import { Failure, isTaken } from '../../../contract/errors.ts';
import { type WritableNoun, writableNouns } from '../../../contract/singular-nouns.ts';
import { listIndexKeys } from '../../../records/match.ts';
import { nouns, readTagged, type Write } from '../../../writes/nouns.ts';
import type { WriteRun } from '../../../writes/run.ts';

/** The outcome of a record. */
export interface TransferOutcome extends Pick<RecordPlan, 'kept' | 'lost'> {
  readonly source: SourceRecord;
  /** `fail`: its write was refused, or its response was lost. */
  readonly action: TransferAction | 'fail';
  /** Why the record is not copied. */
  readonly reason?: string | undefined;
  /** Whether the record was counted before, and only some of its values are not copied. */
  readonly isPartial?: boolean;
  /** The id of the copy. */
  readonly id?: string | undefined;
  readonly failure?: Failure | undefined;
}

interface TransferOptions {
  readonly archive: Archive;
  readonly planner: RecordPlanner;
  readonly client: Client;
  readonly run: WriteRun;
}

/** The nouns whose values may refer to records that are created later. */
const referringNouns: readonly WritableNoun[] = ['organizations', 'contacts'];

/** Writes the records of a transfer in the order of their references, and yields their outcomes. */
export class TransferRun {
  readonly #options: TransferOptions;
  /** The records with values that refer to records of a later write. */
  readonly #incomplete = new Set<number>();

  constructor(options: TransferOptions) {
    this.#options = options;
  }

  async *run(): AsyncGenerator<TransferOutcome> {
    for (const noun of writableNouns) {
      yield* this.#writeEach(noun, (source) => this.#write(source));
      if (noun !== 'contacts' || this.#incomplete.size === 0) continue;
      for (const referring of referringNouns)
        yield* this.#writeEach(referring, (source) => this.#complete(source), true);
    }
  }

  /** `isPartial`: whether the records were counted before. */
  async *#writeEach(
    noun: WritableNoun,
    write: (source: SourceRecord) => Promise<TransferOutcome | undefined>,
    isPartial = false,
  ): AsyncGenerator<TransferOutcome> {
    const { planner, run } = this.#options;
    yield* run.each(this.#readSources(noun), {
      write,
      fail(source, failure): TransferOutcome {
        const id = planner.findCopy(source);
        if (id === undefined) planner.drop(source);
        return { source, action: 'fail', id, kept: [], lost: [], failure, ...(isPartial && { isPartial }) };
      },
      readKeys: readOrderKeys,
    });
  }

  async *#readSources(noun: WritableNoun): AsyncGenerator<SourceRecord> {
    let count = 0;
    for (const source of listSourceRecords(this.#options.archive, noun)) {
      count += 1;
      if (count % 200 === 0) await new Promise((next) => setImmediate(next)); // signals arrive between turns
      yield source;
    }
  }

  async #write(source: SourceRecord): Promise<TransferOutcome> {
    const plan = this.#options.planner.plan(source);
    if (plan.hasPending) this.#incomplete.add(source.row);
    const { action, id, kept, lost, reason, write } = plan;
    if (action === 'create' && write) return this.#create(source, plan, write);
    if (action !== 'update' || id === undefined) return { source, action, id, kept, lost, reason };
    return { source, ...(await this.#update(source, id)) };
  }

  /** Writes the values that refer to records which exist now. It has no result: the record is counted already. */
  async #complete(source: SourceRecord): Promise<undefined> {
    const id = this.#incomplete.has(source.row) ? this.#options.planner.findCopy(source) : undefined;
    if (id !== undefined) await this.#update(source, id); // otherwise, its create failed
  }

  async #create(source: SourceRecord, { kept, lost }: RecordPlan, write: Write): Promise<TransferOutcome> {
    const { planner, run } = this.#options;
    const outcome = { source, kept, lost };
    try {
      const sent = await run.write(write, { row: source.row });
      const record = sent.record ?? (await run.findCreated(write));
      if (!record) {
        const { title } = nouns[write.noun];
        throw new Failure('unknown', `The service did not return the new ${title}.`);
      }
      const copy: TransferRecord = { ...record, id: String(record.id) };
      planner.addCopy(source, copy);
      return { ...outcome, action: sent.status === 'done' ? 'create' : 'same', id: copy.id };
    } catch (error) {
      // Somebody else has added the entry meanwhile, and its id is unknown.
      if (isTaken(error) && source.noun === 'entries') {
        planner.drop(source);
        return { ...outcome, action: 'same' };
      }
      const existingId = isTaken(error) ? planner.findByAddress(source) : undefined;
      if (existingId === undefined) throw error;
      return { source, ...(await this.#update(source, existingId)) };
    }
  }

  /** Adds the missing values of a record to its copy. Reads the copy first, because it may have changed. */
  async #update(source: SourceRecord, id: string): Promise<Omit<TransferOutcome, 'source'>> {
    const { planner, client, run } = this.#options;
    const path = planner.toPath(source, id);
    const tagged = await readTagged(client, path);
    if (!tagged) throw new Failure('not_found', `The ${nouns[path.noun].title} ${id} no longer exists.`);
    const stored: TransferRecord = { ...tagged.value };
    planner.addCopy(source, stored);
    const { action, kept, lost, reason, write } = planner.planUpdate(source, stored);
    if (!write) return { action, id, kept, lost, reason };
    await run.write(write, { row: source.row, before: stored, ifMatch: tagged.etag });
    return { action: 'update', id, kept, lost };
  }
}

/** Records that share a key are written in order, so that equal records keep their order. */
function readOrderKeys({ noun, record }: SourceRecord): readonly string[] {
  if (noun === 'notes') return [String(record.organization_id)];
  return listIndexKeys(noun, record);
}
